"""Means over units that are resampled as a whole: value, interval, and the units' own values for comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from metricsengine.aggregate import FEW, LEAST
from metricsengine.arrays import Floats, Integers, aligned, coded, finite
from metricsengine.bootstrap import Resampling, bootstrap_mean, bootstrap_statistic
from metricsengine.comparison import UNITS, spelled
from metricsengine.stats import Interval, wilson
from metricsengine.wording import plural

if TYPE_CHECKING:
    import pandas as pd

Ends = tuple[float | None, float | None]
"""The smallest and the largest value that there is; None where there is none."""

_ROUNDING = 1e-12
"""Values that differ by no more are alike."""


@dataclass(frozen=True)
class Sample:
    """Values, and the units that they belong to.

    Attributes:
        values: Finite numbers, shape (n,).
        units: The unit of each value, shape (n,): what is resampled as a whole, such as a persona or a run.
        weights: Weight of each value in the mean, > 0, shape (n,).
    """

    values: Floats
    units: Sequence[Hashable]
    weights: Floats

    @classmethod
    def of(cls, values: ArrayLike, units: Iterable[Hashable], weights: ArrayLike | None = None) -> Self:
        """A sample of checked values; without weights all weigh 1.

        Raises:
            ValueError: NaN, infinity, a weight that is not above 0, or lengths that differ.
        """
        numbers = finite("values", values)
        masses = (
            np.ones_like(numbers) if weights is None else aligned("weights", finite("weights", weights), len(numbers))
        )
        if np.any(masses <= 0):
            raise ValueError(f"weights are above 0, got {masses.min()}")
        return cls(numbers, aligned("units", list(units), len(numbers)), masses)

    @classmethod
    def of_sums(cls, units: Sequence[Hashable], sums: Floats, counts: Floats) -> Self:
        """Means by unit of what was summed up, weighted by their counts; units with nothing to count are left out.

        Args:
            units: Different units, shape (units,).
            sums: Sum of each unit's values, shape (units,).
            counts: How many these are, shape (units,).

        Example:
            >>> Sample.of_sums(["0", "1"], np.array([6.0, 0.0]), np.array([4.0, 0.0]))
            Sample(values=array([1.5]), units=['0'], weights=array([4.]))
        """
        there = np.flatnonzero(counts)
        return cls(sums[there] / counts[there], [units[unit] for unit in there.tolist()], counts[there])

    def __len__(self) -> int:
        return len(self.values)

    @property
    def mean(self) -> float:
        """Weighted mean of at least one value; the same to the last digit in whatever order they come."""
        return math.fsum(self.weights * self.values) / math.fsum(self.weights)

    @cached_property
    def by_unit(self) -> Sample:
        """The weighted mean of each unit, with the weights of its values together.

        Example:
            >>> Sample.of([1, 2, 4], ["a", "b", "a"], [1, 1, 3]).by_unit
            Sample(values=array([3.25, 2.  ]), units=['a', 'b'], weights=array([4., 1.]))
        """
        names = sorted(set(self.units), key=repr)  # as their codes go
        if len(names) == len(self):
            return self
        codes = coded(self.units)
        masses = np.bincount(codes, self.weights).astype(np.float64)
        return Sample(np.bincount(codes, self.weights * self.values) / masses, names, masses)

    def interval(self, how: Resampling, unit: str, ends: Ends) -> dict[str, Any]:
        """Interval of the mean as fields of an estimate, see :func:`fields`.

        Where all units have the same mean, all resamples would, and the interval have no width: then it is that of
        :func:`alike`, or none where there is no end to the values.

        Args:
            how: Draws, confidence and seed.
            unit: What the units are, in the plural, such as "items, by description".
            ends: The smallest and the largest value that there is.

        Example:
            >>> Sample.of([0.0, 1.0], "ab").interval(Resampling(seed=1), "items", (0, 1))["interval"]
            'none: 2 items, and a bootstrap takes at least 5'
            >>> found = Sample.of([1.0] * 10, "abcdefghij").interval(Resampling(seed=1), "runs", (0, 1))
            >>> round(found["low"], 4), found["high"], found["interval"]
            (0.7225, 1.0, 'Wilson over runs, all alike')
        """
        units = self.by_unit
        if len(units) < LEAST:
            return fields(None, len(units), unit)
        if np.ptp(units.values) > _ROUNDING:
            found = bootstrap_mean(self.values, how, unit=unit, clusters=self.units, weights=self.weights)
            return fields(found, len(units), unit)
        low, high = ends
        if low is None or high is None:
            return fields(f"none: all {unit} are alike, and a bootstrap would give no width", len(units), unit)
        value = float(np.clip(self.mean, self.values.min(), self.values.max()))  # rounding may not move it
        return fields(alike(value, len(units), unit, (low, high)), len(units), unit)


def alike(value: float, count: int, unit: str, ends: tuple[float, float] = (0.0, 1.0)) -> Interval:
    """Bounds of a mean where all units are alike: of others there may be some, and none was drawn.

    They are at most as many as Wilson's upper limit of none among so many, and may have any value that there is. Of a
    share at 0 or 1 the bounds are Wilson's interval.

    Args:
        value: The value of all.
        count: How many there are, at least one.
        unit: What they are, in the plural.
        ends: The smallest and the largest value that there is.

    Example:
        >>> found = alike(1.0, 10, "items")
        >>> round(found.low, 4), found.high, found.method
        (0.7225, 1.0, 'Wilson over items, all alike')
        >>> found = alike(0.0, 10, "items", (-100, 100))
        >>> round(found.low, 2), round(found.high, 2)
        (-27.75, 27.75)
    """
    share = wilson(0, count)
    others = share.high if share else 1.0
    low, high = (value + others * (end - value) for end in ends)
    return Interval(min(low, value), max(high, value), f"Wilson over {unit}, all alike")


def statistic_interval(
    statistic: Callable[[Integers], float], count: int, how: Resampling, unit: str, ends: tuple[float, float]
) -> dict[str, Any]:
    """Interval of any statistic of units as fields of an estimate, see :func:`fields` and :func:`alike`.

    Args:
        statistic: Of the numbers of drawn units, shape (count,), each from 0 to ``count - 1``; NaN where these have
            none.
        count: Number of units.
        how: Draws, confidence and seed.
        unit: What the units are, in the plural.
        ends: The smallest and the largest value that there is.

    Example:
        >>> lengths = np.array([3.0, 4.0, 5.0, 6.0, 20.0])
        >>> statistic_interval(lambda drawn: np.median(lengths[drawn]), 5, Resampling(seed=1), "replies", (0, 99))
        {'low': 3.0, 'high': 20.0, 'interval': 'bootstrap over replies, 2000 draws', 'flags': ('few_units',)}
    """
    found = bootstrap_statistic(statistic, count, how, unit=unit) if count >= LEAST else None
    if found and found.high - found.low <= _ROUNDING:
        found = alike(statistic(np.arange(count)), count, unit, ends)
    return fields(found, count, unit)


def fields(found: Interval | str | None, count: int, unit: str) -> dict[str, Any]:
    """An interval as fields of an estimate: ``low``, ``high``, ``interval`` and ``flags``.

    It is withheld below :data:`~metricsengine.aggregate.LEAST` units; below :data:`~metricsengine.aggregate.FEW` the
    flag ``few_units`` tells that it covers less than it says.

    Args:
        found: The interval, or why there is none; None where too many resamples have no value.
        count: Number of units.
        unit: What the units are, in the plural that adds an s.

    Example:
        >>> fields(Interval(0.1, 0.4, "bootstrap over runs"), 7, "runs")
        {'low': 0.1, 'high': 0.4, 'interval': 'bootstrap over runs', 'flags': ('few_units',)}
        >>> fields(Interval(0.1, 0.4, "bootstrap"), 1, "items, by description")["interval"]
        'none: 1 item, by description, and a bootstrap takes at least 5'
    """
    flags = ("few_units",) if count < FEW else ()
    if count < LEAST:
        noun, comma, rest = unit.partition(",")
        counted = f"{plural(count, noun.removesuffix('s'))}{comma}{rest}"
        return {"interval": f"none: {counted}, and a bootstrap takes at least {LEAST}", "flags": flags}
    if isinstance(found, Interval):
        return {"low": found.low, "high": found.high, "interval": found.method, "flags": flags}
    return {"interval": found or f"none: too many resamples of {unit} have no value", "flags": flags}


def units_table(samples: Iterable[tuple[str, Mapping[str, str], Sample]]) -> pd.DataFrame | None:
    """Rows of :data:`~metricsengine.comparison.UNITS`: of each metric, labels and sample one a unit; None without rows.

    Example:
        >>> units_table([("codec_error", {"encoding": "scalar"}, Sample.of([1, 2, 4], "aba"))])
                metric                  labels unit  value  weight
        0  codec_error  {"encoding": "scalar"}    a    2.5     2.0
        1  codec_error  {"encoding": "scalar"}    b    2.0     1.0
    """
    import pandas as pd

    found = [(metric, spelled(labels), sample.by_unit) for metric, labels, sample in samples if len(sample)]
    if not found:
        return None
    sizes = [len(units) for _, _, units in found]
    columns = {
        "metric": np.repeat(np.array([metric for metric, _, _ in found], dtype=object), sizes),
        "labels": np.repeat(np.array([labels for _, labels, _ in found], dtype=object), sizes),
        "unit": [str(unit) for _, _, units in found for unit in units.units],
        "value": np.concatenate([units.values for _, _, units in found]),
        "weight": np.concatenate([units.weights for _, _, units in found]),
    }
    return UNITS.conform(pd.DataFrame(columns))
