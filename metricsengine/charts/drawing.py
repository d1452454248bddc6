"""How charts are drawn.

Labels are measured and wrapped, and figures grow with them: long names, other scripts and many rows stay legible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metricsengine.charts.canvas import FAINT, INK, PANELS_ABREAST, SOFT, blank, legend, legend_height, plain
from metricsengine.charts.forms import Dot, DotChart, Grid, Reference, Scatter, Style
from metricsengine.charts.labels import LABEL_SIZE, LABEL_WIDTH, SLOT, Rows, stacked, wrapped
from metricsengine.estimate import Estimate
from metricsengine.inert import for_figure
from metricsengine.wording import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

_SMALL = 7.5  # points
_HATCHED: dict[str, Any] = {"fill": False, "hatch": "////", "edgecolor": "#c4c4c4", "linewidth": 0}  # patch options


def draw_dots(chart: DotChart) -> Figure:
    """Draw rows of dots."""
    stack = stacked(chart.rows, chart.slots)
    panels = list(dict.fromkeys(dot.panel for dot in chart.dots))
    bands = math.ceil(len(panels) / PANELS_ABREAST)
    columns = math.ceil(len(panels) / bands)
    figure = blank(
        width=(9.0, 9.5, 11.0)[columns - 1],
        height=bands * (stack.height + 0.55) + 0.5 + legend_height(chart.styles),
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
    figure.supxlabel(chart.x_label, fontsize=LABEL_SIZE, color=INK)
    legend(figure, chart.styles)
    return figure


def _draw_panel(axes: Axes, panel: str, chart: DotChart, stack: Rows) -> None:
    plain(axes)
    for row in list(stack.centres)[::2]:
        axes.axhspan(*stack.span(row), color=FAINT, lw=0, zorder=-1)
    if panel:
        axes.set_title(wrapped(panel, 3.0), loc="left", fontsize=LABEL_SIZE, fontweight="bold", color=INK, pad=16)
    for reference in chart.references.get(panel, ()):
        _draw_reference(axes, reference)
    placed = [(dot, _line(chart, stack, dot)) for dot in chart.dots if dot.panel == panel and dot.row in stack.centres]
    for series, style in chart.styles.items():
        _draw_series(axes, [(dot.estimate, y) for dot, y in placed if dot.series == series], style, series)
    for row in stack.centres:
        own = [(dot.estimate, y) for dot, y in placed if dot.row == row]
        if lines := sorted({y for estimate, y in own if estimate.value is None}):
            _draw_undefined(axes, lines, {y for estimate, y in own if estimate.value is not None})
    for dot, y in placed:
        _draw_remarks(axes, dot.estimate, y, chart.limits)


def _line(chart: DotChart, stack: Rows, dot: Dot) -> float:
    """Where a dot stands, from the top."""
    shift = list(chart.styles).index(dot.series) - (chart.slots - 1) / 2 if chart.abreast else 0.0
    return stack.centres[dot.row] + shift * SLOT


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


def _draw_undefined(axes: Axes, lines: Sequence[float], taken: Set[float]) -> None:
    """Hatch the undefined lines of one row, and say so once, where no value of another series stands."""
    from matplotlib.patches import Rectangle

    across = axes.get_yaxis_transform()
    for y in lines:
        axes.add_patch(Rectangle((0, y - SLOT / 2), 1, SLOT, transform=across, **_HATCHED))
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    free = [y for y in lines if y not in taken]
    if not free:
        return
    middle = free[len(free) // 2] if taken else sum(lines) / len(lines)
    text = axes.text(0.5, middle, "undefined", transform=across, ha="center", va="center", fontsize=6.5, bbox=box)
    text.set(color=SOFT, style="italic", in_layout=False)


def _draw_reference(axes: Axes, reference: Reference) -> None:
    middle = (reference.low + reference.high) / 2
    if reference.high - reference.low > 0.005:
        axes.axvspan(reference.low, reference.high, color="#d9d9d9", lw=0, zorder=0)
    else:
        axes.axvline(middle, color=SOFT, lw=1, ls=(0, (4, 3)), zorder=1)
    axes.annotate(
        reference.text, (middle, 1), xycoords=axes.get_xaxis_transform(), xytext=(0, 3), textcoords="offset points",
        ha="center", va="bottom", fontsize=_SMALL, color=SOFT,
    )  # fmt: skip


def _draw_remarks(axes: Axes, estimate: Estimate, y: float, limits: tuple[float, float]) -> None:
    """How many cells an average lacks, and an arrow with the number where the value lies beyond the edge."""
    if estimate.value is None:
        return
    if lacking := estimate.excluded.get("undefined cells"):
        axes.annotate(
            f"{lacking} undefined", (1, y), xycoords=axes.get_yaxis_transform(), xytext=(4, 0),
            textcoords="offset points", va="center", fontsize=6.5, color=SOFT, annotation_clip=False,
        )  # fmt: skip
    if not limits[0] <= estimate.value <= limits[1]:
        edge, way = (limits[0], 1) if estimate.value < limits[0] else (limits[1], -1)
        axes.annotate(
            number(estimate.value), (edge, y), xytext=(16 * way, 0), textcoords="offset points", fontsize=_SMALL,
            ha="left" if way > 0 else "right", va="center", arrowprops={"arrowstyle": "->", "color": SOFT},
        )  # fmt: skip


def _label_rows(axes: Axes, stack: Rows) -> None:
    axes.set_ylim(stack.height, 0)
    axes.set_yticks([y for y, *_ in stack.ticks], [text for _, text, _ in stack.ticks], fontsize=LABEL_SIZE)
    for tick, (_, _, bold) in zip(axes.get_yticklabels(), stack.ticks, strict=True):
        tick.set_fontweight("bold" if bold else "normal")
        tick.set_multialignment("right")


def draw_grid(grid: Grid) -> Figure:
    """Draw a grid; purple is above zero, orange below; all shades of purple are above where nothing is below.

    Values in a narrow band far from zero have shades from the smallest to the largest of them.
    """
    import numpy as np

    stack = stacked([("", row) for row in grid.rows], 1)
    width = 0.56 if len(grid.columns) > 8 else 0.8
    heads = [wrapped(column, 1.7, most=2) for column in grid.columns]
    figure = blank(width=LABEL_WIDTH + 1.6 + width * max(4, len(grid.columns)), height=max(stack.height, 1.2) + 2.2)
    axes = figure.subplots()
    plain(axes)
    values = np.array([[_value(grid, row, column) for column in grid.columns] for row in grid.rows], dtype=float)
    largest = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    reach = largest if grid.reach is None else min(grid.reach, largest)
    shades = _shades(grid, reach, one_sided=grid.reach is None and not np.nanmin(values, initial=0.0) < 0)
    edges = np.cumsum([0.0, *stack.heights.values()])
    mesh = axes.pcolormesh(
        np.arange(len(grid.columns) + 1), edges, np.ma.masked_invalid(values),
        cmap=shades.cmap, norm=shades.norm, edgecolors="white", lw=0.6,
    )  # fmt: skip
    _write_values(axes, grid, stack, shades)
    _label_rows(axes, stack)
    axes.xaxis.tick_top()
    axes.set_xticks(
        np.arange(len(heads)) + 0.5, heads, rotation=40, ha="left", rotation_mode="anchor", fontsize=LABEL_SIZE
    )
    axes.spines["bottom"].set_visible(False)
    axes.xaxis.set_label_position("top")
    axes.set_xlabel(wrapped(grid.column_label, 5), fontsize=LABEL_SIZE, color=INK, fontweight="bold")
    axes.set_ylabel(wrapped(grid.row_label, 2), fontsize=LABEL_SIZE, color=INK, fontweight="bold")
    bar = figure.colorbar(
        mesh, ax=axes, shrink=min(1, 3 / stack.height), anchor=(0, 1), extend="both" if largest > reach else "neither"
    )
    bar.set_label(grid.label, fontsize=LABEL_SIZE)
    bar.ax.tick_params(labelsize=LABEL_SIZE)
    if grid.band:
        ends = np.linspace(*grid.band, 3)
        bar.set_ticks(ends.tolist(), labels=[number(end).replace("-", "−") for end in ends])
    return figure


@dataclass(frozen=True)
class _Shades:
    """The colours of a grid; the darkest ones are at the ends that lie away from ``pale``."""

    cmap: str
    norm: Normalize
    pale: float

    def dark(self, value: float) -> bool:
        """Whether a text on the colour of a value must be white."""
        low, high = float(self.norm.vmin or 0.0), float(self.norm.vmax or 0.0)
        return abs(value - self.pale) > 0.6 * max(high - self.pale, self.pale - low)


def _shades(grid: Grid, reach: float, *, one_sided: bool) -> _Shades:
    from matplotlib.colors import Normalize

    if grid.band:
        low, high = grid.band
        return (
            _Shades("Purples", Normalize(low, high), low)
            if low > 0
            else _Shades("Oranges_r", Normalize(low, high), high)
        )
    return (
        _Shades("Purples", Normalize(0.0, reach), 0.0) if one_sided else _Shades("PuOr", Normalize(-reach, reach), 0.0)
    )


def _value(grid: Grid, row: str, column: str) -> float:
    estimate = grid.estimates.get((row, column))
    return math.nan if estimate is None or estimate.value is None else estimate.value


def _write_values(axes: Axes, grid: Grid, stack: Rows, shades: _Shades) -> None:
    from matplotlib.patches import Rectangle

    for (row, column), estimate in grid.estimates.items():
        if row not in grid.rows or column not in grid.columns:
            continue
        x, (top, bottom) = grid.columns.index(column), stack.span(("", row))
        colour, size, text = SOFT, 6.0, "undefined"
        if estimate.value is None:
            axes.add_patch(Rectangle((x, top), 1, bottom - top, **_HATCHED))
        else:
            colour, size = "white" if shades.dark(estimate.value) else INK, _SMALL
            text = number(estimate.value) if grid.reach is None else f"{estimate.value + 0.0:.2f}"
            text = text.replace("-", "−")
        # The layout need not look at what lies within the axes.
        label = axes.text(x + 0.5, (top + bottom) / 2, text, ha="center", va="center", fontsize=size, color=colour)
        label.set_in_layout(False)
        if estimate.value is None:
            label.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 0.5})


def draw_scatter(chart: Scatter) -> Figure:
    """Draw points."""
    figure = blank(width=9.0, height=4.8 + legend_height(chart.styles))
    axes = figure.subplots()
    plain(axes)
    axes.axhline(0, color=SOFT, lw=1, ls=(0, (4, 3)), zorder=1)
    for series, (xs, ys) in chart.points.items():
        style = chart.styles[series]
        axes.scatter(
            xs, ys, s=style.diameter**2, marker=style.marker, c=style.colour, alpha=0.8, label=for_figure(series)
        )
    axes.set_xlabel(chart.x_label, fontsize=LABEL_SIZE)
    axes.set_ylabel(chart.y_label, fontsize=LABEL_SIZE)
    legend(figure, {f"{series}: {chart.remarks[series]}": chart.styles[series] for series in chart.points}, always=True)
    return figure
