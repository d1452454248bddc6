"""Deffuant and Weisbuch's model: agents meet in pairs and move towards each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricsengine.errors import require
from metricsengine_dynamics.models.listening import within
from metricsengine_dynamics.models.reference import Reference, State, World
from metricsengine_dynamics.networks.graph import Graph, Pairs

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class DeffuantWeisbuch(Reference):
    """Pairs of acquainted agents are drawn; both of a pair within the bound move by mu of their distance.

    G. Deffuant, D. Neau, F. Amblard and G. Weisbuch, "Mixing Beliefs among Interacting Agents", Advances in Complex
    Systems 3, 2000. Each edge is as likely as any other, whatever its weight; self-edges are never drawn.

    Attributes:
        epsilon: Confidence bound, >= 0, on the scale from -1 to 1; met up to 1e-12.
        mu: Share of their distance by which both move, in (0, 0.5].
        pairs: How many pairs meet in a step, none of them sharing an agent, or as many as there are; 1 is the classic
            model, 0 takes as many as a random order of the edges allows.

    Raises:
        ConfigError: A parameter is out of range.
    """

    epsilon: float
    mu: float = 0.5
    pairs: int = 0

    def __post_init__(self) -> None:
        require(0 <= self.epsilon < float("inf"), "reference.epsilon", self.epsilon, "a finite number >= 0")
        require(0 < self.mu <= 0.5, "reference.mu", self.mu, "above 0 and at most 0.5")
        require(self.pairs >= 0, "reference.pairs", self.pairs, "at least 1, or 0 for as many as possible")

    @property
    def labels(self) -> Mapping[str, str]:
        """``reference``, ``epsilon`` and ``mu``, and ``pairs`` where it is limited."""
        limited = {"pairs": str(self.pairs)} if self.pairs else {}
        numbers = {"epsilon": format(self.epsilon, "g"), "mu": format(self.mu, "g")}
        return {"reference": "deffuant_weisbuch", **numbers, **limited}

    def heard(self, state: State, world: World) -> csr_array:
        """The partner of each agent that meets one within the bound; the pairs are drawn here."""
        from scipy.sparse import csr_array

        met = disjoint_pairs(world.graph, self.pairs, world.rng)
        one, other = met[within(abs(state[met[:, 0]] - state[met[:, 1]]), self.epsilon)].T
        places = (np.concatenate([one, other]), np.concatenate([other, one]))
        return csr_array((np.ones(2 * len(one)), places), shape=(len(state), len(state)))

    def update(self, state: State, heard: csr_array, world: World) -> State:
        """Everybody who hears somebody is nearer to them by mu of the distance."""
        moved = state + self.mu * (heard @ state - state)
        return np.where(np.diff(heard.indptr) > 0, moved, state)


def disjoint_pairs(graph: Graph, most: int, rng: np.random.Generator) -> Pairs:
    """Acquainted agents in pairs, no agent in two of them, shape (pairs, 2).

    The edges are put into a random order and each is taken unless one before it has an agent of it.

    Args:
        graph: Who knows whom.
        most: Largest number of pairs; 0 for no limit.
        rng: Chance.
    """
    if graph.complete:
        pairs: Pairs = rng.permutation(graph.n)[: graph.n // 2 * 2].reshape(-1, 2)
    else:
        pairs = _in_turn(rng.permutation(graph.edges), graph.n)
    return pairs[:most] if most else pairs


def _in_turn(edges: Pairs, n: int) -> Pairs:
    """The edges that are taken one after the other, found in rounds: each takes all that are first at both ends."""
    left = np.arange(len(edges))
    taken = np.zeros(len(edges), dtype=bool)
    busy = np.zeros(n, dtype=bool)
    while len(left):
        first = np.full(n, len(edges))
        np.minimum.at(first, edges[left], left[:, None])
        chosen = left[(first[edges[left]] == left[:, None]).all(axis=1)]
        taken[chosen] = True
        busy[edges[chosen]] = True
        left = left[~busy[edges[left]].any(axis=1)]
    return edges[taken]
