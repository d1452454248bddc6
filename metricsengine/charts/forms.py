"""Forms of charts that know no metric: rows of dots with intervals, a grid of values, a scatter.

Nothing is told by colour alone, and the colours differ for colour-blind readers too (Okabe and Ito, 2008).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from metricsengine.estimate import Estimate
from metricsengine.wording import number

Row = tuple[str, str]
"""Heading under which a row stands (may be empty), and its name."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "*", "s", "^", "D", "v", "P")

SERIES, LINES = 7, 90
"""Most series in rows of dots, and most lines of dots in all rows together."""


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
    """A value for each row and column; pairs without an estimate stay blank, undefined ones are hatched.

    Attributes:
        estimates: By row and column.
        rows: From top to bottom.
        columns: From left to right.
        label: What the colours tell.
        reach: Size of a value from which on the colour is the darkest; None for the largest that occurs.
        row_label: What the rows are; empty where their names tell.
        column_label: What the columns are.
    """

    estimates: Mapping[tuple[str, str], Estimate]
    rows: Sequence[str]
    columns: Sequence[str]
    label: str
    reach: float | None = 1.0
    row_label: str = ""
    column_label: str = ""

    @property
    def band(self) -> tuple[float, float] | None:
        """Smallest and largest value where colours from 0 on would not tell values apart.

        That is where no size was given, all lie on one side of 0, and less than half of the largest size apart; None
        otherwise, and where the numbers in the cells are the same.
        """
        shown = (e for (row, column), e in self.estimates.items() if row in self.rows and column in self.columns)
        values = [e.value for e in shown if e.value is not None]
        low, high = min(values, default=0.0), max(values, default=0.0)
        if self.reach is not None or low * high <= 0 or number(low) == number(high):
            return None
        return (low, high) if high - low < max(abs(low), abs(high)) / 2 else None


@dataclass(frozen=True)
class Scatter:
    """Points of several series, one remark on each."""

    points: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    remarks: Mapping[str, str]
    styles: Mapping[str, Style]
    x_label: str
    y_label: str


def most_series(rows: int) -> int:
    """How many series rows of dots may have: fewer in many rows, so that the chart is legible on a page of paper."""
    return max(1, min(SERIES, LINES // max(1, rows)))


def styles(names: Sequence[str]) -> dict[str, Style]:
    """A colour and a marker for each name; both repeat, but not together, after the seventh."""
    return {
        name: Style(COLOURS[i % len(COLOURS)], MARKERS[(i + i // len(COLOURS)) % len(MARKERS)])
        for i, name in enumerate(names)
    }
