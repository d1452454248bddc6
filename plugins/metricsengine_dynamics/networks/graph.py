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


@dataclass(frozen=True)
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
    """

    n: int
    pairs: Pairs = field(default_factory=lambda: np.empty((0, 2), dtype=np.intp))
    weights: NDArray[np.float64] | None = None
    complete: bool = False
    names: Sequence[str] = ()
    attributes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    opinions: NDArray[np.float64] | None = None

    @cached_property
    def adjacency(self) -> csr_array:
        """Symmetric weights, shape (n, n); an edge given twice counts once; self-edges stand on the diagonal."""
        from scipy.sparse import csr_array

        if self.complete:
            return csr_array(np.ones((self.n, self.n)) - np.eye(self.n))
        loops = self.pairs[:, 0] == self.pairs[:, 1]
        ends = np.sort(self.pairs, axis=1)
        _, first = np.unique(ends, axis=0, return_index=True)
        weights = np.ones(len(ends)) if self.weights is None else self.weights
        straight = first[~loops[first]]
        rows = np.concatenate([ends[first, 0], ends[straight, 1]])
        columns = np.concatenate([ends[first, 1], ends[straight, 0]])
        values = np.concatenate([weights[first], weights[straight]])
        return csr_array((values, (rows, columns)), shape=(self.n, self.n))
