"""The difference of two means with its interval and p-value: over paired units, or independent ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from metricsengine.aggregate import LEAST
from metricsengine.arrays import Floats
from metricsengine.estimate import Estimate

Units = Mapping[str, tuple[float, float]]
"""Value and weight of each unit."""

CONFIDENCE = 0.95
_NORMAL = 1.959963984540054  # half a 95 % interval in standard errors


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
        degrees: Degrees of freedom of Student's t; infinite for the normal distribution.
        alone: Units that the first and the second have and the other has not, where units were paired.
    """

    value: float
    n: int
    method: str
    error: float | None = None
    degrees: float = math.inf
    alone: tuple[int, int] = (0, 0)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of 95 %; None where there is no test."""
        from scipy.special import stdtrit

        if self.error is None:
            return None
        half = float(stdtrit(self.degrees, (1 + CONFIDENCE) / 2)) if math.isfinite(self.degrees) else _NORMAL
        return self.value - half * self.error, self.value + half * self.error

    @property
    def p(self) -> float | None:
        """Two-sided, before any correction."""
        from scipy.special import ndtr, stdtr

        if self.error is None:
            return None
        t = -abs(self.value) / self.error
        return 2 * float(stdtr(self.degrees, t) if math.isfinite(self.degrees) else ndtr(t))


def difference(first: Side, second: Side, *, paired: bool) -> Difference:
    """The first less the second.

    Units that both have are paired where that is asked for: the difference is then that of the means over these, and
    its error is that of the units' influences on it; with equal weights this is the paired t-test. Otherwise the two
    are independent: Welch's test over units, or the normal distribution with both standard errors or, where an estimate
    has none, half the width of its interval.

    Args:
        first: From which is taken.
        second: What is taken.
        paired: Whether units of one name are the same in both.
    """
    shared = sorted(first.units.keys() & second.units.keys()) if paired else []
    if shared:
        return _paired(first.units, second.units, shared)
    n = min(first.estimate.n, second.estimate.n)
    value = first.value - second.value
    if first.units and second.units and (found := _welch(first, second)):
        return found
    errors = [_error(side.estimate) for side in (first, second)]
    known = [error for error in errors if error]
    if len(known) < 2:
        return Difference(value, n, "none: neither units nor standard errors nor intervals of both")
    if n < LEAST:
        return Difference(value, n, f"none: errors over {n}, and a normal interval takes at least {LEAST}")
    return Difference(value, n, "independent, normal, from standard errors or widths of intervals", math.hypot(*known))


def _paired(first: Units, second: Units, shared: Sequence[str]) -> Difference:
    here, there = _influences(first, shared), _influences(second, shared)
    value, n = here[0] - there[0], len(shared)
    alone = (len(first) - n, len(second) - n)
    if n < LEAST:
        return Difference(value, n, f"none: {n} paired units, and a test takes at least {LEAST}", alone=alone)
    error = float(np.std(here[1] - there[1], ddof=1)) / math.sqrt(n)
    if error <= 1e-12 * max(abs(here[0]), abs(there[0]), 1e-300):
        return Difference(value, n, "none: all paired units differ alike, and chance would have no width", alone=alone)
    return Difference(value, n, "paired t over units", error, n - 1, alone)


def _welch(first: Side, second: Side) -> Difference | None:
    """Welch's test with the degrees of freedom of Satterthwaite; None where units are few or alike."""
    sizes = [len(side.units) for side in (first, second)]
    if min(sizes) < LEAST:
        return None
    spread = [float(np.var(_influences(side.units, list(side.units))[1], ddof=1)) for side in (first, second)]
    squares = [square / n for square, n in zip(spread, sizes, strict=True)]
    if min(squares) <= 0:
        return None
    degrees = sum(squares) ** 2 / sum(square**2 / (n - 1) for square, n in zip(squares, sizes, strict=True))
    value = first.value - second.value
    return Difference(value, min(sizes), "independent, Welch's t over units", math.sqrt(sum(squares)), degrees)


def _influences(units: Units, names: Sequence[str]) -> tuple[float, Floats]:
    """The weighted mean, and n times what each unit adds to it; these have the mean 0."""
    rows = np.array([units[name] for name in names], dtype=np.float64)
    values, weights = rows[:, 0], rows[:, 1]
    mean = math.fsum(weights * values) / math.fsum(weights)
    return mean, len(names) * weights * (values - mean) / weights.sum()


def _error(estimate: Estimate) -> float | None:
    if estimate.standard_error is not None:
        return estimate.standard_error
    if estimate.low is None or estimate.high is None:
        return None
    return (estimate.high - estimate.low) / (2 * _NORMAL)
