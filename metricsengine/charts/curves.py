"""Charts of what changes along an axis: curves of estimates with their intervals, and bundles of trajectories."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metricsengine.charts.canvas import INK, PANELS_ABREAST, SOFT, blank, legend, legend_height, plain
from metricsengine.charts.forms import Style
from metricsengine.charts.labels import LABEL_SIZE, wrapped
from metricsengine.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BUNDLE = "viridis"


@dataclass(frozen=True)
class CurveChart:
    """Estimates along an axis, a curve for each series, in panels side by side.

    Attributes:
        curves: By panel and series the points: where on the axis, and the estimate there; undefined ones leave a gap.
        styles: Look of each series.
        x_label: What the axis is.
        y_label: What is measured.
        reference: A line to hold the curves against, as its values at the first and the last point; None for none.
    """

    curves: Mapping[str, Mapping[str, Sequence[tuple[float, Estimate]]]]
    styles: Mapping[str, Style]
    x_label: str
    y_label: str
    reference: tuple[float, float] | None = None


@dataclass(frozen=True)
class BundleChart:
    """Trajectories of many members, in panels side by side; the colour is that of where a member begins.

    Attributes:
        bundles: By panel the trajectories: positions on the axis and values; NaN leaves a gap.
        x_label: What the axis is.
        y_label: What is followed.
        limits: Lowest and highest value.
    """

    bundles: Mapping[str, Sequence[tuple[Sequence[float], Sequence[float]]]]
    x_label: str
    y_label: str
    limits: tuple[float, float] = field(default=(-1.0, 1.0))


def draw_curves(chart: CurveChart) -> Figure:
    """Draw curves with their intervals."""
    figure, placed = _panels(list(chart.curves), legend_height(chart.styles))
    for axes, panel in placed:
        for series, points in sorted(chart.curves[panel].items(), key=lambda item: list(chart.styles).index(item[0])):
            _draw_curve(axes, sorted(points, key=lambda point: point[0]), chart.styles[series])
        if chart.reference:
            at = [x for points in chart.curves[panel].values() for x, _ in points]
            axes.plot((min(at), max(at)), chart.reference, color=SOFT, lw=1, ls=(0, (4, 3)), zorder=1)
    _step_whole(figure, [x for curves in chart.curves.values() for points in curves.values() for x, _ in points])
    _name(figure, chart.x_label, chart.y_label)
    legend(figure, chart.styles)
    return figure


def draw_bundles(chart: BundleChart) -> Figure:
    """Draw bundles of trajectories."""
    from matplotlib import colormaps

    colours, (low, high) = colormaps[_BUNDLE], chart.limits
    figure, placed = _panels(list(chart.bundles), 0.0)
    for axes, panel in placed:
        for xs, ys in chart.bundles[panel]:
            begins = next((y for y in ys if not math.isnan(y)), low)
            axes.plot(xs, ys, color=colours((begins - low) / (high - low)), lw=0.9, alpha=0.85)
        reach = 0.03 * (high - low)
        axes.set_ylim(low - reach, high + reach)
    _step_whole(figure, [x for bundle in chart.bundles.values() for xs, _ in bundle for x in xs])
    _name(figure, chart.x_label, chart.y_label)
    return figure


def _panels(names: Sequence[str], extra: float) -> tuple[Figure, list[tuple[Axes, str]]]:
    bands = math.ceil(len(names) / PANELS_ABREAST)
    columns = math.ceil(len(names) / bands)
    figure = blank(width=(6.5, 9.5, 11.0)[columns - 1], height=bands * 3.2 + 0.4 + extra)
    grid = figure.subplots(bands, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for axes in grid:
        plain(axes)
        axes.grid(axis="y", color="#e6e6e6", lw=0.6)
        axes.set_axisbelow(True)
    for axes in grid[len(names) :]:
        axes.set_axis_off()
    placed = list(zip(grid, names, strict=False))
    for axes, name in placed:
        if name:
            axes.set_title(wrapped(name, 3.0), loc="left", fontsize=LABEL_SIZE, fontweight="bold", color=INK)
    return figure, placed


def _draw_curve(axes: Axes, points: Sequence[tuple[float, Estimate]], style: Style) -> None:
    xs = [x for x, _ in points]
    values = [math.nan if e.value is None else e.value for _, e in points]
    axes.plot(xs, values, color=style.colour, marker=style.marker, ms=style.diameter * 0.75, lw=1.3, zorder=3)
    bounded = [(x, e.low, e.high) for x, e in points if e.low is not None and e.high is not None]
    if len(bounded) > 1:
        at, low, high = zip(*bounded, strict=True)
        axes.fill_between(at, low, high, color=style.colour, alpha=0.15, lw=0, zorder=2)
    for x, low_end, high_end in bounded:
        axes.plot([x, x], [low_end, high_end], color=style.colour, lw=0.8, alpha=0.6, zorder=2)


def _step_whole(figure: Figure, positions: Sequence[float]) -> None:
    """Between whole positions, such as steps, the axis tells no others."""
    from matplotlib.ticker import MaxNLocator

    if all(float(x).is_integer() for x in positions):
        for axes in figure.axes:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _name(figure: Figure, x_label: str, y_label: str) -> None:
    figure.supxlabel(x_label, fontsize=LABEL_SIZE, color=INK)
    figure.supylabel(y_label, fontsize=LABEL_SIZE, color=INK)
