"""Bounded confidence where everybody knows everybody: sorted opinions and their running sums instead of edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metricsengine_dynamics.models.listening import TOLERANCE
from metricsengine_dynamics.models.reference import State

_COARSE = 2.0**30
_FINE = 2.0**62


def bounded_means(state: State, epsilon: float, *, strict: bool = False, self_loop: bool = False) -> State:
    """One step of Hegselmann-Krause on the complete graph, in O(n log n).

    Those within the bound of an agent follow on each other in the order of opinions, and their sum is the difference of
    two running sums. These are of whole numbers, multiples of 2^-62, so that nothing cancels, however many agents
    there are and however few of them are heard.

    Args:
        state: Opinions, shape (n,); |opinion| times n stays under 2^33.
        epsilon: Confidence bound, >= 0.
        strict: Whether opinions at a distance of epsilon are not heard.
        self_loop: Whether agents hear themselves too.

    Returns:
        The next opinions, shape (n,), each within rounding of the exact mean; who hears nobody keeps its own.
    """
    order = np.argsort(state)
    ordered = state[order]
    first, last, own_within = _windows(ordered, epsilon, strict=strict)
    own = own_within and not self_loop
    counts = last - first - own
    coarse = np.rint(ordered * _COARSE)
    fine = np.rint((ordered - coarse / _COARSE) * _FINE)
    sums = _between(coarse, first, last, own=own) / _COARSE + _between(fine, first, last, own=own) / _FINE
    means = np.empty_like(state)
    means[order] = np.divide(sums, counts, out=ordered, where=counts > 0)
    return means


def _windows(ordered: State, epsilon: float, *, strict: bool) -> tuple[NDArray[np.intp], NDArray[np.intp], bool]:
    """From which place of the order on and before which each agent hears, and whether it is among them itself."""
    bound = epsilon - TOLERANCE if strict else epsilon + TOLERANCE
    if strict and bound <= 0:
        nobody = np.zeros(len(ordered), dtype=np.intp)
        return nobody, nobody, False
    first = np.searchsorted(ordered, ordered - bound, "right" if strict else "left")
    last = np.searchsorted(ordered, ordered + bound, "left" if strict else "right")
    return first, last, True


def _between(values: State, first: NDArray[np.intp], last: NDArray[np.intp], *, own: bool) -> NDArray[np.int64]:
    """Sums of whole numbers over windows of them, without the middle one where wanted."""
    whole = values.astype(np.int64)
    running = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(whole)])
    sums: NDArray[np.int64] = running[last] - running[first]
    return sums - whole if own else sums
