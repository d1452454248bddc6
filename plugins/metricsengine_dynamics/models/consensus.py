"""What DeGroot's model tends to, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metricsengine_dynamics.models.reference import State

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_DENSE = 400


@dataclass(frozen=True, eq=False)
class Component:
    """A part of the network whose agents all hear of each other, and what becomes of it.

    Attributes:
        agents: Its agents, in order.
        value: The opinion on which they agree in the end; None where they never do.
        rate: Factor by which the distance to that shrinks in a step, in the long run: the second largest absolute
            eigenvalue of the matrix of means, in [0, 1]; 0 for a lone agent.
        oscillates: Whether opinions move to and fro for ever: the agents fall into two sides that hear only each other.
        sides: What each side tends to at even times, the side of the first agent first; at odd times it is the other
            way round. None where nothing oscillates.
    """

    agents: NDArray[np.intp]
    value: float | None
    rate: float
    oscillates: bool = False
    sides: tuple[float, float] | None = None


def consensus(weights: csr_array, opinions: State) -> list[Component]:
    """What x(t+1) = W x(t) tends to in each connected component, W being the weights with rows scaled to sum 1.

    The limit is the mean weighted by degree (the row's sum), not the plain mean. M. H. DeGroot, JASA 69(345), 1974;
    for symmetric weights W is similar to a symmetric matrix, so that its eigenvalues are real.

    Args:
        weights: Symmetric, >= 0, shape (n, n), such as a graph's ``adjacency``; who has an empty row keeps its opinion.
        opinions: x(0), shape (n,).

    Returns:
        The components, in the order of their first agents.

    Raises:
        ValueError: The weights are not symmetric.

    Example:
        >>> from metricsengine_dynamics.networks.graph import Graph
        >>> star = Graph(3, np.array([[0, 1], [0, 2], [0, 0]]))  # the middle one hears itself
        >>> [found] = consensus(star.adjacency, np.array([1.0, 0.0, 0.0]))
        >>> round(found.value, 3), round(found.rate, 3), found.oscillates
        (0.6, 0.667, False)
    """
    from scipy.sparse.csgraph import connected_components

    if abs(weights - weights.T).max() > 0:
        raise ValueError("the limit is known for symmetric weights only")
    _, part = connected_components(weights, directed=False)
    _, first = np.unique(part, return_index=True)
    return [_component(weights, opinions, np.flatnonzero(part == part[agent])) for agent in np.sort(first)]


def _component(weights: csr_array, opinions: State, agents: NDArray[np.intp]) -> Component:
    part, own = weights[agents][:, agents], opinions[agents]
    degrees = part @ np.ones(len(agents))
    if not degrees.any():
        return Component(agents, float(own[0]), 0.0)
    side = _sides(part)
    if side is None:
        return Component(agents, float(degrees @ own / degrees.sum()), _rate(part, degrees))
    ends = [float(degrees[side == s] @ own[side == s] / degrees[side == s].sum()) for s in (True, False)]
    return Component(agents, None, 1.0, oscillates=True, sides=(ends[0], ends[1]))


def _sides(part: csr_array) -> NDArray[np.bool_] | None:
    """Which agents are on the first one's side, where edges lead only from side to side; None where they do not.

    The graph's double, where every edge leads from a copy to the other copy, falls apart for just these graphs.
    """
    from scipy.sparse import block_array
    from scipy.sparse.csgraph import connected_components

    n = part.shape[0]
    number, piece = connected_components(block_array([[None, part], [part, None]]), directed=False)
    return piece[:n] == piece[0] if number == 2 else None


def _rate(part: csr_array, degrees: State) -> float:
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import eigsh

    if len(degrees) == 1:
        return 0.0
    scale = diags_array(1 / np.sqrt(degrees))
    similar = scale @ part @ scale
    if len(degrees) <= _DENSE:
        values = np.linalg.eigvalsh(similar.toarray())
    else:
        start = np.random.default_rng(0).standard_normal(len(degrees))
        values = eigsh(similar, k=2, which="LM", v0=start, return_eigenvectors=False)
    return float(np.sort(abs(values))[-2])
