"""How far agents are from the reference model (Sense and Sensitivity, Definition 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from metricsengine.arrays import Floats
from metricsengine.errors import ConfigError, PluginError
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure, Metric, MetricContext, MetricResult
from metricsengine.wording import plural
from metricsengine_dynamics.losses.loss import Loss, Opinions
from metricsengine_dynamics.measures import known, populations, updates
from metricsengine_dynamics.measures.by_run import Gathering
from metricsengine_dynamics.measures.config import InconsistencyConf
from metricsengine_dynamics.measures.updates import Updates

if TYPE_CHECKING:
    import pandas as pd

HEARD = {"updates": "heard"}
"""Label of the inconsistency without the updates of agents that heard nobody."""

_NONE = "no update has an opinion that can be read"


def inconsistency(reference: Opinions, opinions: Opinions, loss: Loss) -> float:
    """C(f, h): the mean loss over updates (Definition 3, eqs. 6 and 7).

    Every update weighs the same, which is the mean over steps of the means over states where all steps have as many
    updates; where opinions are absent, steps weigh by the opinions that they have.

    Args:
        reference: f(x) on -5 to 5, unrounded, shape (updates,).
        opinions: h(x) on -5 to 5, shape (updates,); at least one.
        loss: How far two opinions are apart.

    Example:
        >>> distance = Loss(lambda f, h: np.abs(f - h))
        >>> inconsistency(np.array([0.4, -2.0]), np.array([0.0, 1.0]), distance)
        1.7
    """
    return float(np.mean(losses("loss", loss, reference, opinions)))


def losses(name: str, loss: Loss, reference: Opinions, opinions: Opinions) -> Floats:
    """The loss of each update, times the loss's factor, shape (updates,).

    Raises:
        PluginError: The loss fails, or gives something else than a finite number >= 0 for each.
    """
    if not isinstance(loss, Loss):
        raise PluginError(f"the loss {name!r} is a {type(loss).__name__}, not a Loss")
    try:
        found = np.asarray(loss.each(reference, opinions), dtype=np.float64)
    except Exception as error:
        raise PluginError(f"the loss {name!r} fails: {type(error).__name__}: {error}") from error
    if found.shape != reference.shape:
        raise PluginError(f"the loss {name!r} gives shape {found.shape} for {plural(len(reference), 'opinion')}")
    for what, wrong in (("NaN or infinite", ~np.isfinite(found)), ("negative", found < 0)):
        if bad := int(np.count_nonzero(wrong)):
            raise PluginError(f"the loss {name!r} gives {bad} of {len(found)} values that are {what}")
    return loss.factor * found


class InconsistencyMetric(Metric):
    """Mean losses of every agent, variant and repeat: over all updates, over those that heard somebody, and by step."""

    def __init__(self, conf: InconsistencyConf) -> None:
        self._conf = conf

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """For each chosen loss one estimate a cell, one without isolated updates, and one a step.

        A loss that fails has undefined estimates that say why; it leaves those of others as they are.
        """
        chosen = chosen_losses(context)
        found = updates.agents(table, context)
        gathering = Gathering(context.seed)
        measures = {name: known.inconsistency(name, chosen[name]) for name in sorted(chosen)}
        for name, measure in measures.items():
            try:
                values = losses_of(name, chosen[name], found)
            except PluginError as error:
                for one in found.slices(np.zeros(len(found))):
                    gathering.nothing(measure, one.labels, str(error))
            else:
                self._by_loss(found, measure, values, gathering)
        return gathering.result([measures[name] for name in measures if name not in known.LOSSES])

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Means over updates that heard somebody, where nobody does; in free runs answers decide who does."""
        chosen, found = chosen_losses(context), updates.agents(table, context).answered
        gathering = Gathering(context.seed)
        if not len(found) or populations.forced(table, context):
            for name in sorted(chosen):
                self._by_loss(found, known.inconsistency(name, chosen[name]), np.zeros(len(found)), gathering)
        return gathering.undefined

    def _by_loss(self, found: Updates, measure: Measure, values: Floats, gathering: Gathering) -> None:
        if not len(found):
            gathering.nothing(measure, {}, "there are no updates")
        for one in found.slices(values):
            gathering.add(measure, one, _NONE)
        for one in found.slices(values, meant=~found.isolated):
            gathering.add(
                measure, replace(one, labels={**one.labels, **HEARD}), "no update heard anybody and has an opinion"
            )
        for one in found.slices(values, by_step=True) if self._conf.per_step else ():
            gathering.add(measure, one, _NONE)


def chosen_losses(context: MetricContext) -> Mapping[str, Loss]:
    """The losses that are chosen, by name.

    Raises:
        ConfigError: There is none.
    """
    chosen: Mapping[str, Loss] = context.parts.get("loss", {})
    if not chosen:
        raise ConfigError("no loss is chosen: loss=[distance,polarity] names the paper's")
    return chosen


def losses_of(name: str, loss: Loss, found: Updates) -> Floats:
    """The loss of each update that has an opinion, shape (updates,); 0 elsewhere.

    Raises:
        PluginError: As :func:`losses`.
    """
    values, there = np.zeros(len(found)), found.readable
    values[there] = losses(name, loss, found.reference[there], found.opinion[there])
    return values
