"""Estimates whose resampling unit is the run: mean, interval, and the runs' own values for comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metricsengine import seeds
from metricsengine.bootstrap import Resampling
from metricsengine.clustered import Ends, Sample, units_table
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure, MetricResult


@dataclass(frozen=True)
class Slice:
    """What one estimate is of.

    Attributes:
        labels: Labels of the estimate.
        sample: What each run gives, one value a run.
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
        self._units: list[tuple[str, Mapping[str, str], Sample]] = []

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
        if not len(sample):
            self.nothing(measure, of.labels, nothing, excluded=of.excluded, **more)
            return
        found = sample.interval(self._how, "runs", ends or measure.bounds)
        found["flags"] = (*more.pop("flags", ()), *found["flags"])
        common = {"labels": of.labels, "unit": measure.unit, "excluded": of.excluded, **found, **more}
        self._estimates.append(Estimate(measure.name, sample.mean, of.n, **common))
        self._units.append((measure.name, of.labels, sample))

    def nothing(self, measure: Measure, labels: Mapping[str, str], reason: str, **more: Any) -> None:
        """Add an estimate without a value."""
        self._estimates.append(Estimate.undefined(measure.name, reason, labels=labels, unit=measure.unit, **more))

    @property
    def undefined(self) -> list[Estimate]:
        """What was added without a value."""
        return [estimate for estimate in self._estimates if not estimate.defined]

    def result(self, measures: Sequence[Measure] = ()) -> MetricResult:
        """All that was added."""
        return MetricResult(self._estimates, units=units_table(self._units), measures=measures)
