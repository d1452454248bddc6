"""Whom agents listen to, and the means of what they hear."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metricsengine_dynamics.models.reference import State
from metricsengine_dynamics.networks.graph import Graph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TOLERANCE = 1e-12
"""By how much a distance may pass the confidence bound through rounding: 0.4 and 0.1 lie within 0.3."""


def listening(graph: Graph, *, self_loop: bool, weighted: bool) -> csr_array:
    """Whom each agent could hear: those whom it knows, shape (n, n).

    Args:
        graph: Who knows whom.
        self_loop: Whether agents hear themselves too, with the weight of their self-edge or else 1; if not, self-edges
            are ignored.
        weighted: Whether edges keep their weights; if not, each is 1.
    """
    from scipy.sparse import csr_array

    known = graph.with_selves if self_loop else graph.neighbours
    if weighted or graph.weights is None:
        return known
    return csr_array((np.ones_like(known.data), known.indices, known.indptr), shape=known.shape)


def mean_heard(state: State, heard: csr_array) -> State:
    """The weighted mean of what each agent hears, shape (n,); who hears nobody keeps its own.

    No mean leaves the range of what is heard if that is [-1, 1]: numerator and denominator round alike.
    """
    totals = heard @ np.ones(len(state))
    means: State = np.divide(heard @ state, totals, out=state.copy(), where=totals > 0)
    return means


def mean_of_all(state: State, *, self_loop: bool) -> State:
    """As :func:`mean_heard` where everybody hears everybody else, and itself where wanted, in O(n)."""
    others = len(state) - 1 + self_loop
    if not others:
        return state.copy()
    means: State = np.broadcast_to((state.sum() - (0.0 if self_loop else state)) / others, state.shape)
    return means.clip(state.min(), state.max())


def within(distances: State, epsilon: float, *, strict: bool = False) -> NDArray[np.bool_]:
    """Which distances lie within the confidence bound (Sense and Sensitivity, eq. 3), up to :data:`TOLERANCE`.

    Args:
        distances: Numbers >= 0.
        epsilon: The bound.
        strict: Whether a distance equal to the bound lies outside.

    Example:
        >>> within(np.array([0.4 - 0.1]), 0.3), within(np.array([0.4 - 0.1]), 0.3, strict=True)
        (array([ True]), array([False]))
    """
    near: NDArray[np.bool_] = distances < epsilon - TOLERANCE if strict else distances <= epsilon + TOLERANCE
    return near
