"""What all charts are drawn on: figures in inches, plain axes, and the legend above them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from metricsengine.charts.forms import Style
from metricsengine.charts.labels import LABEL_SIZE, text_width, wrapped
from metricsengine.inert import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, SOFT, FAINT = "#222222", "#6b6b6b", "#f3f3f3"

PANELS_ABREAST = 3
"""Most panels side by side."""


def blank(*, width: float, height: float) -> Figure:
    """An empty figure, in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, max(2.2, height)), layout="constrained", facecolor="white")


def plain(axes: Axes) -> None:
    """Take away what frames the axes."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0, labelsize=LABEL_SIZE, labelcolor=INK)


def _legend_columns(names: Sequence[str]) -> int:
    return max(1, int(8.5 // (max(min(text_width(visible(name)), 4.0) for name in names) + 0.55)))


def legend_height(by_series: Mapping[str, Style]) -> float:
    """Room that the legend takes, in inches."""
    if len(by_series) < 2:
        return 0.0
    return 0.22 * math.ceil(len(by_series) / _legend_columns(list(by_series))) + 0.15


def legend(figure: Figure, by_series: Mapping[str, Style], *, always: bool = False) -> None:
    """Put a legend above the axes, unless there is one series only."""
    from matplotlib.lines import Line2D

    if len(by_series) < 2 and not always:
        return
    handles = [
        Line2D([], [], ls="", marker=style.marker, ms=style.diameter, c=style.colour, label=wrapped(name, 4))
        for name, style in by_series.items()
    ]
    columns = _legend_columns(list(by_series))
    figure.legend(handles=handles, loc="outside upper left", ncols=columns, frameon=False, fontsize=LABEL_SIZE)
