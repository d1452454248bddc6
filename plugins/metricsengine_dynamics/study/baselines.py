"""Agents that answer without a model: what an LLM agent's consistency is set beside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from metricsengine_dynamics.models.reference import Reference
from metricsengine_dynamics.study.runs import Moment, Run
from metricsengine_dynamics.study.scale import FACTOR, Opinions, coarse, whole

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Baseline = Callable[[Run, Moment, "csr_array", Reference], Opinions]
"""From a moment, with whom each agent hears, to the opinions, on -5 to 5, shape (n,)."""


def zero(run: Run, moment: Moment, heard: csr_array, reference: Reference) -> Opinions:
    """Always neutral, also where nobody is heard (Tables 5 and 6)."""
    return np.zeros(len(moment.x))


def random(run: Run, moment: Moment, heard: csr_array, reference: Reference) -> Opinions:
    """Uniform on the 11 whole numbers, also where nobody is heard (Tables 5 and 6)."""
    return run.rng("random", moment.step).integers(-FACTOR, FACTOR + 1, len(moment.x)).astype(np.float64)


def rounded(run: Run, moment: Moment, heard: csr_array, reference: Reference) -> Opinions:
    """The reference model on rounded opinions, rounded: the least error that labels allow."""
    world = replace(run.world("rounded", moment.step), start=coarse(run.start))
    return whole(reference.update(coarse(moment.x), heard, world))


def itself(run: Run, moment: Moment, heard: csr_array, reference: Reference) -> Opinions:
    """The reference model, unrounded."""
    return FACTOR * moment.reference


BASELINES: Mapping[str, Baseline] = {"zero": zero, "random": random, "rounded": rounded, "reference": itself}


def following(agent: str, moment: Moment, opinions: Opinions) -> Opinions:
    """The state that an agent's own opinions lead to in a free run, in [-1, 1], shape (n,).

    An opinion that cannot be read leaves the state as it was, and so does hearing nobody, unless the agent answers in
    any case, as ``zero`` and ``random`` do.
    """
    if agent == "reference":
        return moment.reference
    keeps = np.isnan(opinions)
    if agent not in ("zero", "random"):
        keeps |= moment.isolated
    return np.where(keeps, moment.x, opinions / FACTOR)
