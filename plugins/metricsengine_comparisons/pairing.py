"""Differences of estimates, and how far chance moves them: by the units that they share, or their standard errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from metricsengine.aggregate import FEW, LEAST, error_of
from metricsengine.arrays import Floats
from metricsengine.bootstrap import Resampling, paired_means
from metricsengine.comparison import spelled
from metricsengine.estimate import Estimate
from metricsengine.wording import plural

if TYPE_CHECKING:
    import pandas as pd

FROM_ERRORS = "independent, from standard errors or widths of intervals"
"""How an interval was made of estimates that tell no units."""

Units = Mapping[str, tuple[float, float]]
"""Value and weight of each unit."""


@dataclass(frozen=True)
class Sample:
    """A defined estimate with its units.

    Attributes:
        name: What tells it from what it is compared with, such as its variant.
        estimate: The estimate.
        units: Value and weight of each unit that it is the mean of; empty where it told none.
    """

    name: str
    estimate: Estimate
    units: Units = field(default_factory=dict)

    @property
    def value(self) -> float:
        """Value of the estimate."""
        if self.estimate.value is None:
            raise ValueError(f"{self.name} is undefined and cannot be compared")
        return self.estimate.value


@dataclass(frozen=True)
class Contrast:
    """One estimate set against another.

    Attributes:
        base: With which is compared.
        variant: What is compared.
    """

    base: Sample
    variant: Sample

    @cached_property
    def shared(self) -> list[str]:
        """The units of both, sorted; empty where one tells none, or they have none in common."""
        return sorted(self.base.units.keys() & self.variant.units.keys())

    @cached_property
    def signed(self) -> float:
        """Variant minus base; where units are paired, of the means over those that both have."""
        if not self.shared:
            return self.variant.value - self.base.value
        base, variant = _means(*_table([self.base, self.variant], self.shared))
        return float(variant - base)

    @property
    def n(self) -> int:
        """Number of paired units, or the smaller of both numbers."""
        return len(self.shared) or min(self.base.estimate.n, self.variant.estimate.n)

    @property
    def excluded(self) -> dict[str, int]:
        """What either left out, and the units that only one of them has."""
        found: dict[str, int] = {}
        for sample in (self.base, self.variant):
            found |= {f"{sample.name}: {reason}": n for reason, n in sample.estimate.excluded.items()}
            if self.shared and (alone := len(sample.units) - len(self.shared)):
                found[f"units of {sample.name} only"] = alone
        return found


@dataclass(frozen=True)
class Spread:
    """How far resampling moves differences.

    Attributes:
        deviations: Difference in each resample minus the difference found, shape (draws, contrasts); None for none.
        method: How they were drawn, or why they were not.
        units: Number of units that all the estimates share.
    """

    deviations: Floats | None
    method: str
    units: int = 0

    def signed(self, value: float, confidence: float) -> dict[str, Any]:
        """Percentile interval of one difference, as fields of an estimate."""
        if self.deviations is None:
            return {"interval": self.method}
        tail = (1 - confidence) / 2
        low, high = value + np.quantile(self.deviations[:, 0], [tail, 1 - tail])
        return {"low": float(low), "high": float(high), "interval": self.method}

    def absolute(self, value: float, confidence: float, join: Callable[[Floats], Floats]) -> dict[str, Any]:
        """Interval of the size of differences, joined to one number, as fields of an estimate.

        The quantiles of resampled sizes would hardly ever reach down to 0, where nothing differs: a size cannot fall
        below it, and chance alone raises it. But maximum and mean of sizes lie no farther apart than maximum and mean
        of the sizes of what separates the differences, ``| max|a| - max|b| | <= max|a - b|``. So the interval is
        as wide on both sides as the ``confidence`` quantile of the latter, and ends at 0.

        Args:
            value: The number.
            confidence: Nominal coverage.
            join: From sizes, shape (draws, contrasts), to one number a draw: their maximum or mean.
        """
        if self.deviations is None:
            return {"interval": self.method}
        half = float(np.quantile(join(np.abs(self.deviations)), confidence))
        return {"low": max(0.0, value - half), "high": value + half, "interval": self.method}


def spread(contrasts: Sequence[Contrast], how: Resampling) -> Spread:
    """The deviations of several differences over the units that all their estimates share, which are resampled."""
    samples = list({id(s): s for contrast in contrasts for s in (contrast.base, contrast.variant)}.values())
    if not samples or not all(sample.units for sample in samples):
        return Spread(None, "none: the metric tells no units that could be paired")
    shared = sorted(set.intersection(*(set(sample.units) for sample in samples)))
    if len(shared) < LEAST:
        return Spread(None, f"none: {plural(len(shared), 'shared unit')}, and a bootstrap takes at least {LEAST}")
    values, weights = _table(samples, shared)
    moved = paired_means(values, weights, how) - _means(values, weights)
    column = {id(sample): i for i, sample in enumerate(samples)}
    base, variant = (
        [column[id(pair)] for pair in side] for side in zip(*((c.base, c.variant) for c in contrasts), strict=True)
    )
    return Spread(moved[:, variant] - moved[:, base], f"bootstrap over paired units, {how.draws} draws", len(shared))


def alone(contrasts: Sequence[Contrast], i: int, together: Spread, how: Resampling) -> Spread:
    """The spread of one of several differences: part of theirs unless it rests on more units than all share."""
    if together.deviations is None or len(contrasts[i].shared) > together.units:
        return spread([contrasts[i]], how)
    return replace(together, deviations=together.deviations[:, [i]])


def independent(contrast: Contrast, confidence: float) -> tuple[float | None, str]:
    """Half-width of a difference by both standard errors as if nothing were shared, normal; or why there is none."""
    errors = [error_of(sample.estimate) for sample in (contrast.base, contrast.variant)]
    known = [error for error in errors if error is not None]
    if len(known) < len(errors):
        return None, "none: neither units that could be paired nor standard errors or intervals"
    if contrast.n < LEAST:
        return None, f"none: standard errors over {contrast.n}, and a normal interval takes at least {LEAST}"
    return NormalDist().inv_cdf((1 + confidence) / 2) * math.hypot(*known), FROM_ERRORS


def few(contrast: Contrast) -> tuple[str, ...]:
    """A flag where a difference, or one of what it is taken of, rests on few units."""
    told = any("few_units" in sample.estimate.flags for sample in (contrast.base, contrast.variant))
    return ("few_units",) if told or contrast.n < FEW else ()


class Told:
    """The units that metrics told, by estimate.

    Args:
        units: Rows of :data:`metricsengine.comparison.UNITS`.
    """

    def __init__(self, units: pd.DataFrame) -> None:
        found: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = {}
        weights = units["weight"].fillna(1.0).astype(float)
        columns = (units["metric"], units["labels"], units["unit"], units["value"].astype(float), weights)
        lists = (column.tolist() for column in columns)  # many times faster than walking through columns of texts
        for metric, labels, unit, value, weight in zip(*lists, strict=True):
            rows = found.setdefault((metric, labels), {})
            rows.setdefault(unit, []).append((value, weight))
        self._units = {key: {unit: _joined(rows) for unit, rows in of.items()} for key, of in found.items()}

    def sample(self, name: str, estimate: Estimate) -> Sample:
        """A defined estimate with its units."""
        return Sample(name, estimate, self._units.get((estimate.metric, spelled(estimate.labels)), {}))


def _joined(rows: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Several rows of one unit as one, in whatever order they come."""
    if len(rows) == 1:
        return rows[0]
    weight = math.fsum(weight for _, weight in rows)
    return math.fsum(value * weight for value, weight in rows) / weight, weight


def _table(samples: Sequence[Sample], units: Sequence[str]) -> tuple[Floats, Floats]:
    """Values and weights, each of shape (units, samples)."""
    rows = np.array([[sample.units[unit] for sample in samples] for unit in units], dtype=np.float64)
    return rows[:, :, 0], rows[:, :, 1]


def _means(values: Floats, weights: Floats) -> Floats:
    """Weighted mean of each column; equal columns have equal means to the last digit."""
    return np.array(
        [math.fsum(w * v) / math.fsum(w) for v, w in zip(values.T, weights.T, strict=True)], dtype=np.float64
    )
