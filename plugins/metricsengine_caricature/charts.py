"""Forms of drawing that know no metric: rows of dots with intervals, a grid of values, a scatter.

Labels are measured and wrapped, and figures grow with them: long names, other scripts and many rows stay legible.
Nothing is told by colour alone, and the colours differ for colour-blind readers too (Okabe and Ito, 2008).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from metricsengine.estimate import Estimate
from metricsengine.inert import for_figure, visible
from metricsengine.wording import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = tuple[str, str]
"""Heading under which a row stands (may be empty), and its name."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "*", "s", "^", "D", "v", "P")

_LABEL, _SMALL = 9.0, 7.5  # points
_LABEL_WIDTH, _LINE, _SLOT, _GAP = 3.1, 0.165, 0.135, 0.09  # inches
_PANELS_ABREAST = 3
_HATCHED: dict[str, Any] = {"fill": False, "hatch": "////", "edgecolor": "#c4c4c4", "linewidth": 0}  # patch options
_INK, _SOFT, _FAINT = "#222222", "#6b6b6b", "#f3f3f3"


@dataclass(frozen=True)
class Style:
    """How a series looks; ``size`` is in points."""

    colour: str
    marker: str = "o"
    size: float = 6.5

    @property
    def diameter(self) -> float:
        """Diameter of the marker in points; a star needs more to look as large."""
        return self.size * (1.35 if self.marker == "*" else 1)


@dataclass(frozen=True)
class Dot:
    """One estimate and where it stands."""

    row: Row
    estimate: Estimate
    series: str = ""
    panel: str = ""


@dataclass(frozen=True)
class Reference:
    """A value, or a range of values, that the dots are to be held against."""

    low: float
    high: float
    text: str


@dataclass(frozen=True)
class DotChart:
    """Rows of dots with intervals, in panels side by side.

    Attributes:
        dots: The estimates; undefined ones are hatched.
        rows: The rows from top to bottom.
        styles: Look of each series, in the order in which they stand in a row.
        x_label: What is measured.
        references: Reference values of each panel.
        limits: Values beyond these are shown as arrows at the edge.
        abreast: Every series has a line of its own in each row; otherwise they share one.
    """

    dots: Sequence[Dot]
    rows: Sequence[Row]
    styles: Mapping[str, Style]
    x_label: str
    references: Mapping[str, Sequence[Reference]] = field(default_factory=dict)
    limits: tuple[float, float] = (-math.inf, math.inf)
    abreast: bool = True

    @property
    def slots(self) -> int:
        """Number of lines in a row."""
        return len(self.styles) if self.abreast else 1


@dataclass(frozen=True)
class Grid:
    """A value for each row and column; pairs without an estimate stay blank, undefined ones are hatched."""

    estimates: Mapping[tuple[str, str], Estimate]
    rows: Sequence[str]
    columns: Sequence[str]
    label: str


@dataclass(frozen=True)
class Scatter:
    """Points of several series, one remark on each."""

    points: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    remarks: Mapping[str, str]
    styles: Mapping[str, Style]
    x_label: str
    y_label: str


def styles(names: Sequence[str]) -> dict[str, Style]:
    """A colour and a marker for each name; both repeat, but not together, after the seventh."""
    return {
        name: Style(COLOURS[i % len(COLOURS)], MARKERS[(i + i // len(COLOURS)) % len(MARKERS)])
        for i, name in enumerate(names)
    }


def wrapped(text: str, inches: float, most: int = 6) -> str:
    """The text as a label of matplotlib, in lines of at most this width; a script without spaces is cut anywhere.

    What does not fit into ``most`` lines is left out, and an ellipsis says so.
    """
    lines = [""]
    for piece in re.findall(r"\s+|\S+", visible(text[:1000])):
        for part in [piece] if _width(piece) <= inches else piece:
            if lines[-1].strip() and _width(lines[-1] + part.rstrip()) > inches:
                lines.append("")
            lines[-1] += part if lines[-1] else part.lstrip()
    if len(lines) > most:
        lines[most - 1 :] = [f"{lines[most - 1].rstrip()} …"]
    return "\n".join(for_figure(line.rstrip()) for line in lines)


@cache
def _width(text: str) -> float:
    """Width in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    width, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=_LABEL), ismath=False)
    return float(width) / 72


@dataclass
class _Rows:
    """Where the rows stand, in inches from the top: the vertical unit of every chart."""

    height: float = 0.0
    centres: dict[Row, float] = field(default_factory=dict)
    heights: dict[Row, float] = field(default_factory=dict)
    ticks: list[tuple[float, str, bool]] = field(default_factory=list)

    def heading(self, text: str) -> None:
        label = wrapped(text, _LABEL_WIDTH)
        self._tick(label, _GAP + _height(label), bold=True)

    def row(self, row: Row, slots: int) -> None:
        label = wrapped(row[1], _LABEL_WIDTH)
        self.heights[row] = max(_height(label), slots * _SLOT) + _GAP
        self.centres[row] = self.height + self.heights[row] / 2
        self._tick(label, self.heights[row], bold=False)

    def span(self, row: Row) -> tuple[float, float]:
        """Upper and lower end of a row."""
        return self.centres[row] - self.heights[row] / 2, self.centres[row] + self.heights[row] / 2

    def _tick(self, label: str, height: float, *, bold: bool) -> None:
        self.ticks.append((self.height + height / 2, label, bold))
        self.height += height


def _stacked(rows: Sequence[Row], slots: int) -> _Rows:
    stack = _Rows()
    last = ""
    for row in rows:
        if row[0] and row[0] != last:
            stack.heading(row[0])
        stack.row(row, slots)
        last = row[0]
    return stack


def _height(label: str) -> float:
    return _LINE * (label.count("\n") + 1)


def draw_dots(chart: DotChart) -> Figure:
    """Draw rows of dots."""
    stack = _stacked(chart.rows, chart.slots)
    panels = list(dict.fromkeys(dot.panel for dot in chart.dots))
    bands = math.ceil(len(panels) / _PANELS_ABREAST)
    columns = math.ceil(len(panels) / bands)
    figure = _figure(
        width=(9.0, 9.5, 11.0)[columns - 1],
        height=bands * (stack.height + 0.55) + 0.5 + _legend_height(chart.styles),
    )
    grid = figure.subplots(bands, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    for axes, panel in zip(grid, panels, strict=False):
        _draw_panel(axes, panel, chart, stack)
    low, high = grid[0].get_xlim()
    grid[0].set_xlim(max(low, chart.limits[0]), min(high, chart.limits[1]))
    for axes in grid[::columns]:
        _label_rows(axes, stack)
    figure.supxlabel(chart.x_label, fontsize=_LABEL, color=_INK)
    _legend(figure, chart.styles)
    return figure


def _draw_panel(axes: Axes, panel: str, chart: DotChart, stack: _Rows) -> None:
    _plain(axes)
    for row in list(stack.centres)[::2]:
        axes.axhspan(*stack.span(row), color=_FAINT, lw=0, zorder=-1)
    if panel:
        axes.set_title(wrapped(panel, 3.0), loc="left", fontsize=_LABEL, fontweight="bold", color=_INK, pad=16)
    for reference in chart.references.get(panel, ()):
        _draw_reference(axes, reference)
    placed = [(dot, _line(chart, stack, dot)) for dot in chart.dots if dot.panel == panel and dot.row in stack.centres]
    for series, style in chart.styles.items():
        _draw_series(axes, [(dot.estimate, y) for dot, y in placed if dot.series == series], style, series)
    for row in stack.centres:
        if lines := [y for dot, y in placed if dot.row == row and dot.estimate.value is None]:
            _draw_undefined(axes, lines)
    for dot, y in placed:
        _draw_remarks(axes, dot.estimate, y, chart.limits)


def _line(chart: DotChart, stack: _Rows, dot: Dot) -> float:
    """Where a dot stands, from the top."""
    shift = list(chart.styles).index(dot.series) - (chart.slots - 1) / 2 if chart.abreast else 0.0
    return stack.centres[dot.row] + shift * _SLOT


def _draw_series(axes: Axes, placed: Sequence[tuple[Estimate, float]], style: Style, series: str) -> None:
    defined = [(e, e.value, y) for e, y in placed if e.value is not None]
    for estimate, _, y in defined:
        if estimate.low is not None and estimate.high is not None:
            axes.plot(
                [estimate.low, estimate.high], [y, y], color=style.colour, lw=1.3, solid_capstyle="butt", zorder=2
            )
    axes.scatter(
        [value for _, value, _ in defined],
        [y for *_, y in defined],
        s=style.diameter**2,
        marker=style.marker,
        c=[style.colour if e.low is not None else "white" for e, *_ in defined],
        edgecolors=style.colour,
        linewidths=0.9,
        zorder=3,
        label=for_figure(series) or None,
    )


def _draw_undefined(axes: Axes, lines: Sequence[float]) -> None:
    """Hatch the undefined lines of one row, and say so once."""
    from matplotlib.patches import Rectangle

    across = axes.get_yaxis_transform()
    for y in lines:
        axes.add_patch(Rectangle((0, y - _SLOT / 2), 1, _SLOT, transform=across, **_HATCHED))
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    middle = sum(lines) / len(lines)
    text = axes.text(0.5, middle, "undefined", transform=across, ha="center", va="center", fontsize=6.5, bbox=box)
    text.set(color=_SOFT, style="italic", in_layout=False)


def _draw_reference(axes: Axes, reference: Reference) -> None:
    middle = (reference.low + reference.high) / 2
    if reference.high - reference.low > 0.005:
        axes.axvspan(reference.low, reference.high, color="#d9d9d9", lw=0, zorder=0)
    else:
        axes.axvline(middle, color=_SOFT, lw=1, ls=(0, (4, 3)), zorder=1)
    axes.annotate(
        reference.text, (middle, 1), xycoords=axes.get_xaxis_transform(), xytext=(0, 3), textcoords="offset points",
        ha="center", va="bottom", fontsize=_SMALL, color=_SOFT,
    )  # fmt: skip


def _draw_remarks(axes: Axes, estimate: Estimate, y: float, limits: tuple[float, float]) -> None:
    """How many cells an average lacks, and an arrow with the number where the value lies beyond the edge."""
    if estimate.value is None:
        return
    if lacking := estimate.excluded.get("undefined cells"):
        axes.annotate(
            f"{lacking} undefined", (1, y), xycoords=axes.get_yaxis_transform(), xytext=(4, 0),
            textcoords="offset points", va="center", fontsize=6.5, color=_SOFT, annotation_clip=False,
        )  # fmt: skip
    if not limits[0] <= estimate.value <= limits[1]:
        edge, way = (limits[0], 1) if estimate.value < limits[0] else (limits[1], -1)
        axes.annotate(
            number(estimate.value), (edge, y), xytext=(16 * way, 0), textcoords="offset points", fontsize=_SMALL,
            ha="left" if way > 0 else "right", va="center", arrowprops={"arrowstyle": "->", "color": _SOFT},
        )  # fmt: skip


def _label_rows(axes: Axes, stack: _Rows) -> None:
    axes.set_ylim(stack.height, 0)
    axes.set_yticks([y for y, *_ in stack.ticks], [text for _, text, _ in stack.ticks], fontsize=_LABEL)
    for tick, (_, _, bold) in zip(axes.get_yticklabels(), stack.ticks, strict=True):
        tick.set_fontweight("bold" if bold else "normal")
        tick.set_multialignment("right")


def draw_grid(grid: Grid) -> Figure:
    """Draw a grid; purple is above zero, orange below."""
    import numpy as np
    from matplotlib.colors import Normalize

    stack = _stacked([("", row) for row in grid.rows], 1)
    width = 0.56 if len(grid.columns) > 8 else 0.8
    heads = [wrapped(column, 1.7, most=2) for column in grid.columns]
    figure = _figure(width=_LABEL_WIDTH + 1.6 + width * max(4, len(grid.columns)), height=max(stack.height, 1.2) + 2.2)
    axes = figure.subplots()
    _plain(axes)
    values = np.array([[_value(grid, row, column) for column in grid.columns] for row in grid.rows], dtype=float)
    reach = min(1.0, float(np.nanmax(np.abs(values), initial=0.0)) or 1.0)
    edges = np.cumsum([0.0, *stack.heights.values()])
    mesh = axes.pcolormesh(
        np.arange(len(grid.columns) + 1), edges, np.ma.masked_invalid(values),
        cmap="PuOr", norm=Normalize(-reach, reach), edgecolors="white", lw=0.6,
    )  # fmt: skip
    _write_values(axes, grid, stack, reach)
    _label_rows(axes, stack)
    axes.xaxis.tick_top()
    axes.set_xticks(np.arange(len(heads)) + 0.5, heads, rotation=40, ha="left", rotation_mode="anchor", fontsize=_LABEL)
    axes.spines["bottom"].set_visible(False)
    beyond = bool(np.nanmax(np.abs(values), initial=0.0) > reach)
    bar = figure.colorbar(
        mesh, ax=axes, shrink=min(1, 3 / stack.height), anchor=(0, 1), extend="both" if beyond else "neither"
    )
    bar.set_label(grid.label, fontsize=_LABEL)
    bar.ax.tick_params(labelsize=_LABEL)
    return figure


def _value(grid: Grid, row: str, column: str) -> float:
    estimate = grid.estimates.get((row, column))
    return math.nan if estimate is None or estimate.value is None else estimate.value


def _write_values(axes: Axes, grid: Grid, stack: _Rows, reach: float) -> None:
    from matplotlib.patches import Rectangle

    for (row, column), estimate in grid.estimates.items():
        if row not in grid.rows or column not in grid.columns:
            continue
        x, (top, bottom) = grid.columns.index(column), stack.span(("", row))
        colour, size, text = _SOFT, 6.0, "undefined"
        if estimate.value is None:
            axes.add_patch(Rectangle((x, top), 1, bottom - top, **_HATCHED))
        else:
            colour, size = "white" if abs(estimate.value) > 0.6 * reach else _INK, _SMALL
            text = f"{estimate.value + 0.0:.2f}".replace("-", "−")
        # The layout need not look at what lies within the axes.
        label = axes.text(x + 0.5, (top + bottom) / 2, text, ha="center", va="center", fontsize=size, color=colour)
        label.set_in_layout(False)
        if estimate.value is None:
            label.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.5})


def draw_scatter(chart: Scatter) -> Figure:
    """Draw points."""
    figure = _figure(width=9.0, height=4.8 + _legend_height(chart.styles))
    axes = figure.subplots()
    _plain(axes)
    axes.axhline(0, color=_SOFT, lw=1, ls=(0, (4, 3)), zorder=1)
    for series, (xs, ys) in chart.points.items():
        style = chart.styles[series]
        axes.scatter(
            xs, ys, s=style.diameter**2, marker=style.marker, c=style.colour, alpha=0.8, label=for_figure(series)
        )
    axes.set_xlabel(chart.x_label, fontsize=_LABEL)
    axes.set_ylabel(chart.y_label, fontsize=_LABEL)
    _legend(
        figure, {f"{series}: {chart.remarks[series]}": chart.styles[series] for series in chart.points}, always=True
    )
    return figure


def _figure(*, width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, max(2.2, height)), layout="constrained", facecolor="white")


def _plain(axes: Axes) -> None:
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0, labelsize=_LABEL, labelcolor=_INK)


def _legend_columns(names: Sequence[str]) -> int:
    return max(1, int(8.5 // (max(min(_width(visible(name)), 4.0) for name in names) + 0.55)))


def _legend_height(by_series: Mapping[str, Style]) -> float:
    if len(by_series) < 2:
        return 0.0
    return 0.22 * math.ceil(len(by_series) / _legend_columns(list(by_series))) + 0.15


def _legend(figure: Figure, by_series: Mapping[str, Style], *, always: bool = False) -> None:
    from matplotlib.lines import Line2D

    if len(by_series) < 2 and not always:
        return
    handles = [
        Line2D([], [], ls="", marker=style.marker, ms=style.diameter, c=style.colour, label=wrapped(name, 4))
        for name, style in by_series.items()
    ]
    columns = _legend_columns(list(by_series))
    figure.legend(handles=handles, loc="outside upper left", ncols=columns, frameon=False, fontsize=_LABEL)
