"""The mean of trials, with an interval that resamples whole personas, and the units by which conditions are paired."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricsengine import seeds
from metricsengine.aggregate import FEW, LEAST
from metricsengine.arrays import Floats, Integers, coded
from metricsengine.bootstrap import Resampling, bootstrap_mean, bootstrap_statistic
from metricsengine.comparison import UNITS, spelled
from metricsengine.estimate import Estimate
from metricsengine.stats import Interval, wilson

if TYPE_CHECKING:
    import pandas as pd

Ends = tuple[float, float]
"""The smallest and the largest value that there is."""

_ROUNDING = 1e-12
"""Means that differ by less are alike."""


@dataclass(frozen=True)
class Sample:
    """Values of trials, and whose they are.

    Attributes:
        values: Finite numbers, shape (n,).
        units: The resampling unit of each, shape (n,): who posts, or which trial it is.
        weights: Weight of each in the mean, > 0, shape (n,).
        ends: The smallest and the largest value that there is.
    """

    values: Floats
    units: Sequence[str]
    weights: Floats
    ends: Ends

    @property
    def mean(self) -> float:
        """Weighted mean of at least one value; the same to the last digit in whatever order they come."""
        return math.fsum(self.weights * self.values) / math.fsum(self.weights)

    def interval(self, unit: str, seed: int) -> dict[str, Any]:
        """The mean's interval as fields of an estimate; ``unit`` names the units in the plural."""
        _, means, _ = self._by_unit
        if float(np.ptp(means)) <= _ROUNDING:
            return fields(alike(self.mean, len(means), self.ends, unit), len(means), unit)
        found = bootstrap_mean(self.values, resampling(seed), unit=unit, clusters=self.units, weights=self.weights)
        return fields(found, len(means), unit)

    def unit_rows(self, metric: str, labels: Mapping[str, str]) -> list[dict[str, Any]]:
        """Rows of :data:`~metricsengine.comparison.UNITS`: one a unit, its value the weighted mean of its trials."""
        names, means, masses = self._by_unit
        return unit_rows(metric, labels, zip(names, means.tolist(), masses.tolist(), strict=True))

    @property
    def _by_unit(self) -> tuple[list[str], Floats, Floats]:
        """Names of the units, their weighted means, and their weights."""
        codes = coded(self.units)
        masses = np.bincount(codes, self.weights).astype(np.float64)
        return sorted(set(self.units), key=repr), np.bincount(codes, self.weights * self.values) / masses, masses


def resampling(seed: int) -> Resampling:
    """The same draws for all cells: no label of a cell may move its interval."""
    return Resampling(seeds.derive(seed, "dynamics", "trials"))


def fields(interval: Interval | None, count: int, unit: str) -> dict[str, Any]:
    """An interval over ``count`` units as fields of an estimate; withheld and flagged where there are few."""
    flags = ("few_units",) if count < FEW else ()
    if count < LEAST:
        return {"interval": f"none: {count} {unit}, and a bootstrap takes at least {LEAST}", "flags": flags}
    if interval is None:
        return {"interval": f"none: too many resamples of {unit} have no value", "flags": flags}
    return {"low": interval.low, "high": interval.high, "interval": interval.method, "flags": flags}


def alike(value: float, count: int, ends: Ends, unit: str) -> Interval:
    """Bounds of a mean where all units are alike: of others there may be some, and none was drawn.

    They are at most as many as Wilson's upper limit of none among so many, and may have any value that there is.

    Example:
        >>> found = alike(0.0, 10, (0, 5), "personas")
        >>> found.low, round(found.high, 2), found.method
        (0.0, 1.39, 'Wilson over personas, all alike')
    """
    share = wilson(0, count)
    others = share.high if share else 1.0
    low, high = (value + others * (end - value) for end in ends)
    return Interval(min(low, value), max(high, value), f"Wilson over {unit}, all alike")


def resampled(
    statistic: Callable[[Integers], float], value: float, count: int, ends: Ends, unit: str, seed: int
) -> dict[str, Any]:
    """Interval of any statistic of drawn units as fields of an estimate.

    Args:
        statistic: Of the numbers of drawn units, shape (count,); NaN where they have none.
        value: Of all units.
        count: Number of units.
        ends: The smallest and the largest value that there is.
        unit: What the units are, in the plural.
        seed: The run's seed.
    """
    found = bootstrap_statistic(statistic, count, resampling(seed), unit=unit)
    if found and found.high - found.low <= _ROUNDING:
        found = alike(value, count, ends, unit)
    return fields(found, count, unit)


def unit_rows(
    metric: str, labels: Mapping[str, str], found: Iterable[tuple[str, float, float]]
) -> list[dict[str, Any]]:
    """Rows of :data:`~metricsengine.comparison.UNITS` from (unit, value, weight)."""
    spelt = spelled(labels)
    return [
        {"metric": metric, "labels": spelt, "unit": unit, "value": value, "weight": weight}
        for unit, value, weight in found
    ]


def units_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame | None:
    """The rows as a table; None without rows."""
    import pandas as pd

    return UNITS.conform(pd.DataFrame(list(rows))) if rows else None


def undefined(
    metric: str, outcomes: Mapping[str, int], labels: Mapping[str, str], unit: str, **more: Any
) -> Estimate:  # fields of an estimate
    """An estimate without a trial that could be read."""
    reason = f"no trial could be read: {', '.join(f'{n} {outcome}' for outcome, n in outcomes.items()) or 'none asked'}"
    return Estimate.undefined(metric, reason, labels=labels, unit=unit, excluded=outcomes, **more)
