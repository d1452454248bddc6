"""An undirected social network of agents 0 to n - 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Pairs = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Graph:
    """A social network G = (V, E) (Sense and Sensitivity, Definition 1).

    Attributes:
        n: Number of agents, >= 1.
        pairs: The edges, each pair once, in any direction, shape (edges, 2); a pair (i, i) is a self-edge. Ignored
            where the graph is complete.
        weights: Weight of each edge, > 0, shape (edges,); None for 1 each.
        complete: Everybody knows everybody else; no pair is stored.
        names: What the agents are called in the file they come from; empty for none.
        attributes: Attributes of the agents by name, each of length n.
        opinions: Initial opinions that the file gives, in [-1, 1], shape (n,); None for none.

    Raises:
        ValueError: An edge names an agent that there is not, or has no weight > 0; lengths differ.
    """

    n: int
    pairs: Pairs = field(default_factory=lambda: np.empty((0, 2), dtype=np.intp))
    weights: NDArray[np.float64] | None = None
    complete: bool = False
    names: Sequence[str] = ()
    attributes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    opinions: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"a graph has at least one agent, got {self.n}")
        if self.pairs.ndim != 2 or self.pairs.shape[1] != 2 or not np.issubdtype(self.pairs.dtype, np.integer):
            raise ValueError(f"pairs are whole numbers of shape (edges, 2), got {self.pairs.dtype} {self.pairs.shape}")
        if self.pairs.size and not 0 <= self.pairs.min() <= self.pairs.max() < self.n:
            raise ValueError(f"an edge is a pair of agents from 0 to {self.n - 1}")
        if self.weights is not None and (self.weights.shape != (len(self.pairs),) or not np.all(self.weights > 0)):
            raise ValueError("weights are one number > 0 for each edge")
        if self.opinions is not None and (self.opinions.shape != (self.n,) or not np.all(abs(self.opinions) <= 1)):
            raise ValueError("opinions are one number in [-1, 1] for each agent")

    @property
    def edges(self) -> Pairs:
        """The edges between different agents, each once, the lower agent first, in order; shape (edges, 2)."""
        if self.complete:
            return np.column_stack(np.triu_indices(self.n, 1))
        ends, _ = self._once
        return ends[ends[:, 0] < ends[:, 1]]

    @cached_property
    def neighbours(self) -> csr_array:
        """Symmetric weights without self-edges, shape (n, n); an edge given twice counts once, as given first."""
        from scipy.sparse import csr_array

        if self.complete:
            return _everybody(self.n)
        ends, weights = self._once
        apart = ends[:, 0] < ends[:, 1]
        (low, high), values = ends[apart].T, weights[apart]
        places = (np.concatenate([low, high]), np.concatenate([high, low]))
        return csr_array((np.concatenate([values, values]), places), shape=(self.n, self.n))

    @cached_property
    def own(self) -> NDArray[np.float64]:
        """Weight of each agent's self-edge, 0 for none, shape (n,)."""
        own = np.zeros(self.n)
        if not self.complete:
            ends, weights = self._once
            loops = ends[:, 0] == ends[:, 1]
            own[ends[loops, 0]] = weights[loops]
        return own

    @cached_property
    def adjacency(self) -> csr_array:
        """Symmetric weights, shape (n, n); self-edges stand on the diagonal."""
        return with_diagonal(self.neighbours, self.own) if self.own.any() else self.neighbours

    @cached_property
    def with_selves(self) -> csr_array:
        """As :attr:`adjacency`, and those without a self-edge have one of weight 1."""
        return with_diagonal(self.neighbours, np.where(self.own > 0, self.own, 1.0))

    @cached_property
    def _once(self) -> tuple[Pairs, NDArray[np.float64]]:
        """Edges, each once with the lower agent first, and their weights."""
        ends = np.sort(self.pairs, axis=1)
        _, first = np.unique(ends[:, 0] * self.n + ends[:, 1], return_index=True)
        weights = np.ones(len(ends)) if self.weights is None else self.weights
        return ends[first], weights[first]


def with_diagonal(matrix: csr_array, diagonal: NDArray[np.float64]) -> csr_array:
    """The matrix plus a diagonal of which zeros are not stored."""
    from scipy.sparse import csr_array

    n = len(diagonal)
    total = csr_array(matrix + csr_array((diagonal, np.arange(n), np.arange(n + 1)), shape=(n, n)))
    total.eliminate_zeros()
    total.sort_indices()
    return total


def _everybody(n: int) -> csr_array:
    from scipy.sparse import csr_array

    others = np.arange(n - 1)
    columns = others + (others >= np.arange(n)[:, None])
    return csr_array((np.ones(n * (n - 1)), columns.ravel(), np.arange(n + 1) * (n - 1)), shape=(n, n))
