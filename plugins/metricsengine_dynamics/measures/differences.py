"""How much closer to the reference model LLM agents are than agents that ask no model, at the same updates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricsengine.arrays import Floats, Integers
from metricsengine.clustered import Sample
from metricsengine.errors import PluginError
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure, Metric, MetricContext, MetricResult
from metricsengine_dynamics.losses.loss import Loss
from metricsengine_dynamics.measures import known, updates
from metricsengine_dynamics.measures.by_run import Gathering, Slice
from metricsengine_dynamics.measures.inconsistency import chosen_losses, losses_of
from metricsengine_dynamics.measures.shares import LLM
from metricsengine_dynamics.measures.updates import Updates

if TYPE_CHECKING:
    import pandas as pd

BASELINES = ("zero", "random", "rounded")
"""Agents without a model, in the order in which LLM agents are held against them."""

_NONE = "no update that heard somebody has an opinion of both agents that can be read"


class InconsistencyDifferenceMetric(Metric):
    """C(LLM agents) - C(baseline) for each loss, prompt set and baseline, over updates that heard somebody.

    Who hears nobody keeps its opinion if it is an LLM agent, and answers in any case if it is a zero or random agent:
    these updates tell the rule, not the agents, and are left out. So are those of further repeats.

    Where both agents update the same states (forced runs), losses are paired update by update: the same run, step and
    agent, as far as both opinions can be read; runs weigh by their pairs, which ``n`` counts. Where each goes its own
    way (free runs), states are not the same, and runs are paired: the difference of both means over the run's updates,
    every run weighing the same, which ``n`` counts. Intervals resample runs, both agents seeing the same draw.
    """

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """For each chosen loss one estimate a prompt set and baseline, or one that says why there is none."""
        chosen = chosen_losses(context)
        found = updates.agents(table, context)
        pairs, gathering = list(_pairs(found)), Gathering(context.seed)
        measures = _measures(chosen)
        for name, measure in measures.items():
            if not pairs:
                gathering.nothing(measure, {}, _lacking(found))
                continue
            try:
                values = losses_of(name, chosen[name], found)
            except PluginError as error:
                gathering.nothing(measure, {}, str(error))
            else:
                for pair in pairs:
                    gathering.add(measure, pair.difference(values), _NONE)
        return gathering.result([measures[name] for name in measures if name not in known.LOSSES])

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """All differences, where one of the two agents is missing."""
        found, gathering = updates.agents(table, context), Gathering(context.seed)
        for measure in () if list(_pairs(found)) else _measures(chosen_losses(context)).values():
            gathering.nothing(measure, {}, _lacking(found))
        return gathering.undefined


def _measures(chosen: Mapping[str, Loss]) -> dict[str, Measure]:
    return {name: known.inconsistency_difference(known.inconsistency(name, chosen[name])) for name in sorted(chosen)}


@dataclass(frozen=True)
class _Pair:
    """LLM agents and a baseline at the updates that both have.

    Attributes:
        found: All updates.
        labels: Labels of the difference.
        ours: Rows of the LLM agents, shape (pairs,).
        theirs: Rows of the baseline of the same runs, steps and agents, shape (pairs,).
    """

    found: Updates
    labels: Mapping[str, str]
    ours: Integers
    theirs: Integers

    def difference(self, values: Floats) -> Slice:
        """The difference of the losses, shape (updates,), run by run."""
        return self._by_update(values) if self._same_states else self._by_run(values)

    @property
    def _same_states(self) -> bool:
        pairs = ((state[self.ours], state[self.theirs]) for state in (self.found.x, self.found.reference))
        return all(np.array_equal(ours, theirs) for ours, theirs in pairs)

    def _by_update(self, values: Floats) -> Slice:
        heard = ~self.found.isolated[self.ours] & ~self.found.isolated[self.theirs]
        kept = heard & self.found.readable[self.ours] & self.found.readable[self.theirs]
        sums, counts = self._sums(self.ours[kept], values[self.ours[kept]] - values[self.theirs[kept]])
        unread = np.where(self.found.readable[self.ours], self.theirs, self.ours)[heard & ~kept]
        return self._slice(sums, counts, int(counts.sum()), unread)

    def _by_run(self, values: Floats) -> Slice:
        heard = [rows[~self.found.isolated[rows]] for rows in (self.ours, self.theirs)]
        kept = [rows[self.found.readable[rows]] for rows in heard]
        (ours, n_ours), (theirs, n_theirs) = (self._sums(rows, values[rows]) for rows in kept)
        both = (n_ours > 0) & (n_theirs > 0)
        means = ours / np.maximum(n_ours, 1) - theirs / np.maximum(n_theirs, 1)
        unread = heard[0][~self.found.readable[heard[0]]]
        return self._slice(np.where(both, means, 0.0), both.astype(np.float64), int(both.sum()), unread)

    def _sums(self, rows: Integers, values: Floats) -> tuple[Floats, Floats]:
        """Sums of values and their counts by run."""
        run, size = self.found.run[rows], len(self.found.runs)
        sums = np.bincount(run, values, minlength=size).astype(np.float64)
        return sums, np.bincount(run, minlength=size).astype(np.float64)

    def _slice(self, sums: Floats, counts: Floats, n: int, unread: Integers) -> Slice:
        reasons = np.bincount(self.found.reason[unread], minlength=len(self.found.reasons))
        excluded = {self.found.reasons[code]: int(reasons[code]) for code in np.flatnonzero(reasons)}
        return Slice(self.labels, Sample.of_sums(self.found.runs, sums, counts), n, excluded)


def _pairs(found: Updates) -> Iterator[_Pair]:
    """Each prompt set's first asking with each baseline."""
    place = _places(found)
    cells = {labels["agent"]: cell for cell, labels in enumerate(found.cells) if "repeat" not in labels}
    for cell in _asked_first(found):
        for baseline in BASELINES:
            if baseline not in cells:
                continue
            one, other = (np.flatnonzero(found.cell == number) for number in (cell, cells[baseline]))
            _, ours, theirs = np.intersect1d(place[one], place[other], return_indices=True)
            labels = {**found.cells[cell], "against": baseline}
            yield _Pair(found, labels, one[ours], other[theirs])


def _asked_first(found: Updates) -> list[int]:
    return [cell for cell, labels in enumerate(found.cells) if labels["agent"] == LLM and "repeat" not in labels]


def _places(found: Updates) -> Integers:
    """A number for each run, step and agent, shape (updates,)."""
    place = found.run
    for key in (found.step, found.node):
        place = place * (int(key.max(initial=0)) + 1) + key
    return place


def _lacking(found: Updates) -> str:
    if not len(found):
        return "there are no updates"
    if not _asked_first(found):
        return "no model was asked"
    return f"there is no agent to hold a model's against: study.agents has none of {', '.join(BASELINES)}"
