"""What free runs lead to, of every kind of agent and beside the reference model's run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metricsengine.arrays import Floats, Integers
from metricsengine.clustered import Ends, Sample
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure, Metric, MetricContext, MetricResult
from metricsengine.wording import plural
from metricsengine_dynamics.measures import final, known, populations
from metricsengine_dynamics.measures.by_run import Gathering, Slice
from metricsengine_dynamics.measures.config import ClusterCountConf, ConsensusTimeConf, SpreadConf
from metricsengine_dynamics.measures.populations import Populations
from metricsengine_dynamics.measures.updates import REFERENCE, Mask

if TYPE_CHECKING:
    import pandas as pd

_ITSELF = {"agent": REFERENCE}


@dataclass(frozen=True)
class Outcome:
    """A number of every run.

    Attributes:
        measure: What it is.
        of: The number of each trajectory, in the order of their final states; NaN where it has none.
        most: The largest possible number, where the measure has no bound of its own.
        missing: Why a run has none, in a few words.
        by_state: The number of each state, where states have estimates of their own.
        fewest: Agents without which no run has one.
    """

    measure: Measure
    of: Callable[[Populations], Floats]
    most: Callable[[Populations], int] | None = None
    missing: str = ""
    by_state: Callable[[Populations], Floats] | None = None
    fewest: int = 1

    def ends(self, found: Populations) -> Ends:
        """Smallest and largest possible number."""
        return self.measure.bounds[0], self.most(found) if self.most else self.measure.bounds[1]


def cluster_count(conf: ClusterCountConf) -> Outcome:
    """Clusters of the final state."""
    return Outcome(
        known.CLUSTER_COUNT,
        lambda found: found.each(lambda opinions: final.cluster_count(opinions, conf.gap))[found.final],
        lambda found: int(found.sizes.max()),
    )


def spread(conf: SpreadConf) -> Outcome:
    """Standard deviation of the final state, and of each."""
    return Outcome(
        known.SPREAD,
        lambda found: found.each(final.spread)[found.final],
        by_state=(lambda found: found.each(final.spread)) if conf.per_step else None,
    )


def bimodality(conf: object) -> Outcome:
    """Sarle's coefficient of the final state."""
    return Outcome(
        known.BIMODALITY,
        lambda found: found.each(final.bimodality)[found.final],
        missing=f"opinions that do not vary, or fewer than {final.BIMODAL} agents",
        fewest=final.BIMODAL,
    )


def consensus_time(conf: ConsensusTimeConf) -> Outcome:
    """Steps until all opinions lie close together."""

    def times(found: Populations) -> Floats:
        ranges = found.each(lambda opinions: np.ptp(opinions, axis=-1))
        states = np.diff(np.append(-1, found.final))
        return populations.by_segment(lambda each: final.consensus_time(each, conf.tolerance), ranges, states)

    return Outcome(
        known.CONSENSUS_TIME, times, lambda found: int(found.step.max()), "no agreement within the tolerance"
    )


OUTCOMES: Mapping[str, Callable[[Any], Outcome]] = {
    known.CLUSTER_COUNT.name: cluster_count,
    known.SPREAD.name: spread,
    known.BIMODALITY.name: bimodality,
    known.CONSENSUS_TIME.name: consensus_time,
}
"""From the options of each metric to what it measures."""


class FreeRunMetric(Metric):
    """A number of each free run: its mean over runs, and its mean difference to the reference model's runs."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each agent, variant and repeat, the reference model included; then the differences."""
        outcome, gathering = self._outcome, Gathering(context.seed)
        found = populations.shared(table, context)
        if found is None:
            self._add_nothing(gathering, table)
            return gathering.result()
        overall = _by_run(found, found.final, outcome.of(found))
        self._add(gathering, found, outcome.measure, overall)
        self._add(gathering, found, known.difference(outcome.measure), _differences(found, overall))
        if outcome.by_state:
            every = np.arange(len(found.cell))
            self._add(gathering, found, outcome.measure, _by_run(found, every, outcome.by_state(found), by_step=True))
        return gathering.result()

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """What takes free runs, where runs are forced; what takes more agents than there are."""
        found, gathering = populations.shared(table, context), Gathering(context.seed)
        if found is None:
            self._add_nothing(gathering, table)
        elif found.sizes.max(initial=0) < self._outcome.fewest:
            return self.compute(table, context).estimates
        return gathering.undefined

    def _add_nothing(self, gathering: Gathering, table: pd.DataFrame) -> None:
        gathering.nothing(self._outcome.measure, {}, populations.FORCED if len(table) else "there are no updates")

    def _add(self, gathering: Gathering, found: Populations, measure: Measure, by_run: Sequence[ByRun]) -> None:
        """One estimate of each cell, or cell and step."""
        low, high = self._outcome.ends(found)
        ends = (low, high)
        if measure != self._outcome.measure and low is not None and high is not None:
            ends = (low - high, high - low)
        for one in by_run:
            there = ~np.isnan(one.values)
            lacking = int(np.count_nonzero(one.present & ~there))
            sample = Sample.of_sums(found.source.runs, np.where(there, one.values, 0.0), there.astype(np.float64))
            excluded = {self._outcome.missing: lacking} if lacking else {}
            of = Slice(one.labels, sample, len(sample), excluded)
            kept = int(found.kept[one.cell])
            flags = (f"undecodable: {plural(kept, 'update')} left the opinion as it was",) if kept else ()
            gathering.add(measure, of, f"{self._outcome.missing}: {plural(lacking, 'run')}", ends, flags=flags)


@dataclass(frozen=True)
class ByRun:
    """A number of each run of one cell.

    Attributes:
        cell: Number of the cell.
        labels: Labels of its estimate.
        values: The numbers, shape (runs,); NaN where a run has none.
        present: Runs that the cell has.
    """

    cell: int
    labels: Mapping[str, str]
    values: Floats
    present: Mask


def _by_run(found: Populations, states: Integers, values: Floats, by_step: bool = False) -> list[ByRun]:
    """Numbers of some states, by cell and run, or by cell, step and run."""
    cells, steps = found.source.cells, int(found.step.max()) + 1 if by_step else 1
    group = found.cell[states] * steps + (found.step[states] if by_step else 0)
    shape = (len(cells) * steps, len(found.source.runs))
    table, present = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
    table[group, found.run[states]] = values
    present[group, found.run[states]] = True
    rows = [(*divmod(row, steps), row) for row in np.flatnonzero(present.any(axis=1)).tolist()]
    return [
        ByRun(cell, {**cells[cell], "step": str(step)} if by_step else cells[cell], table[row], present[row])
        for cell, step, row in rows
    ]


def _differences(found: Populations, overall: Sequence[ByRun]) -> list[ByRun]:
    """Each agent's numbers less the reference model's of the same runs."""
    itself = next((one for one in overall if one.labels == _ITSELF), None)
    if itself is None:
        return []
    return [
        replace(one, values=one.values - itself.values, present=one.present & itself.present)
        for one in overall
        if one.labels["agent"] != REFERENCE
    ]
