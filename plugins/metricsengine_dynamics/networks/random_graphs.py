"""Networks that are drawn by chance, by networkx."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from metricsengine.errors import require
from metricsengine_dynamics.networks.conversion import edges_of, seed_of
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.networks.network import Network


@dataclass(frozen=True)
class Complete(Network):
    """Everybody knows everybody else."""

    @property
    def labels(self) -> Mapping[str, str]:
        """``network``."""
        return {"network": "complete"}

    def draw(self, n: int, rng: np.random.Generator) -> Graph:
        """The complete graph, whose edges are not stored."""
        return Graph(n, complete=True)


@dataclass(frozen=True)
class ErdosRenyi(Network):
    """Two agents know each other with one probability, independently (P. Erdos and A. Renyi; E. N. Gilbert, 1959).

    The paper's network (Sense and Sensitivity, section 4).

    Attributes:
        p: The probability, in [0, 1].

    Raises:
        ConfigError: It is out of range.
    """

    p: float

    def __post_init__(self) -> None:
        require(0 <= self.p <= 1, "network.p", self.p, "in [0, 1]")

    @property
    def labels(self) -> Mapping[str, str]:
        """``network`` and ``edge_probability``."""
        return {"network": "erdos_renyi", "edge_probability": format(self.p, "g")}

    def draw(self, n: int, rng: np.random.Generator) -> Graph:
        """One graph of n agents; the complete one for a probability of 1."""
        import networkx as nx

        if self.p == 1:
            return Graph(n, complete=True)
        return Graph(n, edges_of(nx.fast_gnp_random_graph(n, self.p, seed=seed_of(rng))))


@dataclass(frozen=True)
class BarabasiAlbert(Network):
    """Agents arrive one by one and get to know m others, the more likely the more these know.

    A.-L. Barabasi and R. Albert, "Emergence of Scaling in Random Networks", Science 286, 1999.

    Attributes:
        m: The number, >= 1.

    Raises:
        ConfigError: It is below 1.
    """

    m: int

    def __post_init__(self) -> None:
        require(self.m >= 1, "network.m", self.m, "at least 1")

    @property
    def labels(self) -> Mapping[str, str]:
        """``network`` and ``attachments``."""
        return {"network": "barabasi_albert", "attachments": str(self.m)}

    def draw(self, n: int, rng: np.random.Generator) -> Graph:
        """One graph of n agents.

        Raises:
            ConfigError: There are not more agents than m.
        """
        import networkx as nx

        require(self.m < n, "network.m", self.m, f"below the number of agents, {n}")
        return Graph(n, edges_of(nx.barabasi_albert_graph(n, self.m, seed=seed_of(rng))))


@dataclass(frozen=True)
class WattsStrogatz(Network):
    """Agents on a ring know the nearest k; then each edge is rewired with one probability.

    D. J. Watts and S. H. Strogatz, "Collective Dynamics of Small-World Networks", Nature 393, 1998.

    Attributes:
        k: The number, even and >= 2.
        p: The probability, in [0, 1].

    Raises:
        ConfigError: A parameter is out of range.
    """

    k: int
    p: float

    def __post_init__(self) -> None:
        require(self.k >= 2 and self.k % 2 == 0, "network.k", self.k, "even and at least 2: half on either side")
        require(0 <= self.p <= 1, "network.p", self.p, "in [0, 1]")

    @property
    def labels(self) -> Mapping[str, str]:
        """``network``, ``degree`` and ``rewiring``."""
        return {"network": "watts_strogatz", "degree": str(self.k), "rewiring": format(self.p, "g")}

    def draw(self, n: int, rng: np.random.Generator) -> Graph:
        """One graph of n agents.

        Raises:
            ConfigError: There are not more agents than k.
        """
        import networkx as nx

        require(self.k < n, "network.k", self.k, f"below the number of agents, {n}")
        return Graph(n, edges_of(nx.watts_strogatz_graph(n, self.k, self.p, seed=seed_of(rng))))
