"""The difference of two means with its interval and p-value: over paired units, or independent ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from metricsengine.aggregate import LEAST, error_of
from metricsengine.arrays import Floats
from metricsengine.estimate import Estimate

Units = Mapping[str, tuple[float, float]]
"""Value and weight of each unit."""

CONFIDENCE = 0.95

_ROUNDING = 1e-12
"""What is no larger beside the values is nothing."""


@dataclass(frozen=True)
class Side:
    """A defined estimate with the units that it is the mean of.

    Attributes:
        estimate: The estimate.
        units: Its units; empty where it told none.
    """

    estimate: Estimate
    units: Units = field(default_factory=dict)

    @property
    def value(self) -> float:
        """Value of the estimate."""
        if self.estimate.value is None:
            raise ValueError(f"{self.estimate.metric} is undefined and cannot be compared")
        return self.estimate.value


@dataclass(frozen=True)
class Difference:
    """How far one estimate lies from another.

    Attributes:
        value: The first less the second.
        n: Number of paired units, or the smaller number of both.
        method: How interval and test were made, or why there are none.
        error: Standard error; None where there is no test.
        degrees: Degrees of freedom of Student's t.
        alone: Units that the first and the second have and the other has not, where units were paired.
    """

    value: float
    n: int
    method: str
    error: float | None = None
    degrees: float = 0.0
    alone: tuple[int, int] = (0, 0)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of 95 %; None where there is no test."""
        from scipy.special import stdtrit

        if self.error is None:
            return None
        half = float(stdtrit(self.degrees, (1 + CONFIDENCE) / 2)) * self.error
        return self.value - half, self.value + half

    @property
    def p(self) -> float | None:
        """Two-sided, before any correction."""
        from scipy.special import stdtr

        return None if self.error is None else 2 * float(stdtr(self.degrees, -abs(self.value) / self.error))


def difference(first: Side, second: Side, *, paired: bool) -> Difference:
    """The first less the second.

    Units that both have are paired where that is asked for: the difference is then that of the means over these, and
    its error is that of the units' influences on it; with equal weights this is the paired t-test. Otherwise the two
    are independent: Welch's test with the errors of the means over units, or else with both standard errors, known from
    as many as the estimates rest on, or from the widths of their intervals.

    Args:
        first: From which is taken.
        second: What is taken.
        paired: Whether units of one name are the same in both.
    """
    shared = sorted(first.units.keys() & second.units.keys()) if paired else []
    if shared:
        return _paired(first.units, second.units, shared)
    if first.units and second.units and (found := _over_units(first, second)):
        return found
    return _from_errors(first, second)


def _paired(first: Units, second: Units, shared: Sequence[str]) -> Difference:
    here, there = _influences(first, shared), _influences(second, shared)
    value, n = here[0] - there[0], len(shared)
    alone = (len(first) - n, len(second) - n)
    if n < LEAST:
        return Difference(value, n, f"none: {n} paired units, and a test takes at least {LEAST}", alone=alone)
    error = float(np.std(here[1] - there[1], ddof=1)) / math.sqrt(n)
    if error <= _ROUNDING * max(abs(here[0]), abs(there[0])):
        return Difference(value, n, "none: all paired units differ alike, and chance would have no width", alone=alone)
    return Difference(value, n, "paired t over units", error, n - 1, alone)


def _over_units(first: Side, second: Side) -> Difference | None:
    """As if no unit were shared; None where those of one are all alike, of which an interval may tell more."""
    value, sizes = first.value - second.value, [len(side.units) for side in (first, second)]
    if (n := min(sizes)) < LEAST:
        return Difference(value, n, f"none: {n} units, and a test takes at least {LEAST}")
    spread = [float(np.std(_influences(side.units, list(side.units))[1], ddof=1)) for side in (first, second)]
    errors = [one / math.sqrt(size) for one, size in zip(spread, sizes, strict=True)]
    if _is_nothing(errors, first, second):
        return None
    return Difference(value, n, "independent, Welch's t over units", *_welch(errors, sizes))


def _from_errors(first: Side, second: Side) -> Difference:
    value, sizes = first.value - second.value, [side.estimate.n for side in (first, second)]
    errors = [error for side in (first, second) if (error := error_of(side.estimate)) is not None]
    if len(errors) < 2:
        return Difference(value, min(sizes), "none: neither units that vary nor standard errors or intervals of both")
    if (n := min(sizes)) < LEAST:
        return Difference(value, n, f"none: errors over {n}, and a test takes at least {LEAST}")
    if _is_nothing(errors, first, second):
        return Difference(value, n, "none: all that one of them rests on is alike, and chance would have no width")
    how = "independent, Welch's t from standard errors or widths of intervals"
    return Difference(value, n, how, *_welch(errors, sizes))


def _is_nothing(errors: Sequence[float], first: Side, second: Side) -> bool:
    """Whether one of the errors is no more than rounding."""
    return min(errors) <= _ROUNDING * max(abs(first.value), abs(second.value))


def _welch(errors: Sequence[float], sizes: Sequence[int]) -> tuple[float, float]:
    """Standard error of a difference of two independent means, and its degrees of freedom by Satterthwaite."""
    error = math.hypot(*errors)
    return error, 1 / sum((one / error) ** 4 / (n - 1) for one, n in zip(errors, sizes, strict=True))


def _influences(units: Units, names: Sequence[str]) -> tuple[float, Floats]:
    """The weighted mean, and n times what each unit adds to it; these have the mean 0."""
    rows = np.array([units[name] for name in names], dtype=np.float64)
    values, weights = rows[:, 0], rows[:, 1]
    mean = math.fsum(weights * values) / math.fsum(weights)
    return mean, len(names) * weights * (values - mean) / weights.sum()
