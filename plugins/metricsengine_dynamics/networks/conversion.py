"""Between numpy and networkx."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metricsengine_dynamics.networks.graph import Pairs

if TYPE_CHECKING:
    import networkx as nx


def seed_of(rng: np.random.Generator) -> int:
    """A seed for a generator of networkx, drawn from chance."""
    return int(rng.integers(2**32))


def edges_of(drawn: nx.Graph) -> Pairs:
    """The edges of a graph whose nodes are numbers from 0, shape (edges, 2)."""
    return np.array(drawn.edges(), dtype=np.intp).reshape(-1, 2)
