"""Estimates whose resampling unit is the run: mean, interval, and the runs' own values for comparisons."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from metricsengine import seeds
from metricsengine.aggregate import FEW, LEAST
from metricsengine.arrays import Floats
from metricsengine.bootstrap import Resampling, bootstrap_mean
from metricsengine.comparison import UNITS, spelled
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure, MetricResult
from metricsengine.stats import wilson
from metricsengine.wording import plural

if TYPE_CHECKING:
    import pandas as pd

Ends = tuple[float | None, float | None]
"""Smallest and largest possible value; None where there is none."""


@dataclass(frozen=True)
class Sample:
    """What each run gives to an estimate.

    Attributes:
        runs: Names of the runs that give something.
        values: Their values, shape (runs,).
        weights: Their weights in the mean, > 0, shape (runs,).
    """

    runs: Sequence[str]
    values: Floats
    weights: Floats

    @classmethod
    def of(cls, runs: Sequence[str], sums: Floats, counts: Floats) -> Sample:
        """Means by run of what was summed up; runs with nothing to count are left out.

        Example:
            >>> Sample.of(["0", "1"], np.array([6.0, 0.0]), np.array([4.0, 0.0]))
            Sample(runs=['0'], values=array([1.5]), weights=array([4.]))
        """
        there = np.flatnonzero(counts)
        return cls([runs[run] for run in there.tolist()], sums[there] / counts[there], counts[there])

    @property
    def mean(self) -> float:
        """The weighted mean; the same to the last digit in whatever order the runs come."""
        return math.fsum(self.values * self.weights) / math.fsum(self.weights)


@dataclass(frozen=True)
class Slice:
    """What one estimate is of.

    Attributes:
        labels: Labels of the estimate.
        sample: What each run gives.
        n: Number of units that count.
        excluded: Units left out, by reason.
    """

    labels: Mapping[str, str]
    sample: Sample
    n: int
    excluded: Mapping[str, int] = field(default_factory=dict)


class Gathering:
    """Collects the estimates of a metric and the values of their runs.

    Args:
        seed: The run's seed.
    """

    def __init__(self, seed: int) -> None:
        # The same draws for all estimates: neither a name nor another cell may move an interval.
        self._how = Resampling(seeds.derive(seed, "dynamics"))
        self._estimates: list[Estimate] = []
        self._units: list[tuple[str, str, Sample]] = []

    def add(self, measure: Measure, of: Slice, nothing: str, ends: Ends | None = None, **more: Any) -> None:
        """Add a mean over runs, or that there is none.

        Args:
            measure: What it is.
            of: What it is of.
            nothing: Why there is no value, where no run gives one.
            ends: Smallest and largest possible value of a run, where they are not the measure's bounds.
            more: Further fields of the estimate.
        """
        sample = of.sample
        if not len(sample.runs):
            self.nothing(measure, of.labels, nothing, excluded=of.excluded, **more)
            return
        found = interval(sample, self._how, ends or measure.bounds)
        flags = (*more.pop("flags", ()), *(("few_units",) if len(sample.runs) < FEW else ()))
        common = {"labels": of.labels, "unit": measure.unit, "excluded": of.excluded, "flags": flags, **found, **more}
        self._estimates.append(Estimate(measure.name, sample.mean, of.n, **common))
        self._units.append((measure.name, spelled(of.labels), sample))

    def nothing(self, measure: Measure, labels: Mapping[str, str], reason: str, **more: Any) -> None:
        """Add an estimate without a value."""
        self._estimates.append(Estimate.undefined(measure.name, reason, labels=labels, unit=measure.unit, **more))

    def result(self, measures: Sequence[Measure] = ()) -> MetricResult:
        """All that was added."""
        return MetricResult(self._estimates, units=_units(self._units) if self._units else None, measures=measures)


def interval(sample: Sample, how: Resampling, ends: Ends) -> dict[str, Any]:
    """Interval of a mean over runs, as fields of an estimate.

    Where all runs have the same value, a bootstrap would give an interval of no width: of other runs there may be as
    many as Wilson's upper limit of none among so many, with any value that there is. Of a share at 0 or 1 this is
    Wilson's interval over runs.

    Example:
        >>> ones = Sample(list("abcdefghij"), np.ones(10), np.ones(10))
        >>> found = interval(ones, Resampling(seed=1), (0, 1))
        >>> round(found["low"], 4), found["high"], found["interval"]
        (0.7225, 1.0, 'Wilson over runs, all alike')
        >>> interval(Sample(["a"], np.ones(1), np.ones(1)), Resampling(seed=1), (0, 1))
        {'interval': 'none: 1 run, and a bootstrap takes at least 5'}
    """
    count = len(sample.runs)
    if count < LEAST:
        return {"interval": f"none: {plural(count, 'run')}, and a bootstrap takes at least {LEAST}"}
    least, most = sample.values.min(), sample.values.max()
    if least < most:
        found = bootstrap_mean(sample.values, how, unit="runs", clusters=sample.runs, weights=sample.weights)
        if found is None:
            return {"interval": "none: too few runs"}
        return {"low": found.low, "high": found.high, "interval": found.method}
    others = wilson(0, count)
    if others is None or None in ends:
        return {"interval": "none: all runs are alike, and a bootstrap would give no width"}
    low, high = (float(least + others.high * (end - least)) for end in ends if end is not None)
    return {"low": low, "high": high, "interval": "Wilson over runs, all alike"}


def _units(samples: Sequence[tuple[str, str, Sample]]) -> pd.DataFrame:
    """Rows of :data:`metricsengine.comparison.UNITS`."""
    import pandas as pd

    sizes = [len(sample.runs) for _, _, sample in samples]
    frame = pd.DataFrame(
        {
            "metric": np.repeat(np.array([metric for metric, _, _ in samples], dtype=object), sizes),
            "labels": np.repeat(np.array([labels for _, labels, _ in samples], dtype=object), sizes),
            "unit": [run for _, _, sample in samples for run in sample.runs],
            "value": np.concatenate([sample.values for _, _, sample in samples]),
            "weight": np.concatenate([sample.weights for _, _, sample in samples]),
        }
    )
    return UNITS.conform(frame)
