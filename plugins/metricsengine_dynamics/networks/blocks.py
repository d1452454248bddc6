"""The stochastic block model: groups that know each other better than others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metricsengine.errors import ConfigError, require
from metricsengine_dynamics.networks.conversion import edges_of, seed_of
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.networks.network import Network


@dataclass(frozen=True)
class StochasticBlock(Network):
    """Two agents know each other with one probability within a block, and another one between blocks.

    P. W. Holland, K. B. Laskey and S. Leinhardt, "Stochastic Blockmodels", Social Networks 5(2), 1983. An agent's
    block, from 0, is its attribute ``block``; blocks follow on each other.

    Attributes:
        p_in: The probability within a block, in [0, 1].
        p_out: The probability between blocks, in [0, 1].
        blocks: Number of blocks, as equal in size as the number of agents allows; ignored where there are sizes.
        sizes: The size of each block, >= 1; empty for equal ones.

    Raises:
        ConfigError: A parameter is out of range.
    """

    p_in: float
    p_out: float
    blocks: int = 2
    sizes: Sequence[int] = ()

    def __post_init__(self) -> None:
        require(0 <= self.p_in <= 1, "network.p_in", self.p_in, "in [0, 1]")
        require(0 <= self.p_out <= 1, "network.p_out", self.p_out, "in [0, 1]")
        require(self.blocks >= 1, "network.blocks", self.blocks, "at least 1")
        if isinstance(self.sizes, str) or not isinstance(self.sizes, Sequence):
            raise ConfigError(f"network.sizes must be a list of whole numbers, got {self.sizes!r}")
        for size in self.sizes:
            whole = isinstance(size, int) and not isinstance(size, bool)
            require(whole and size >= 1, "network.sizes", size, "a list of whole numbers, each at least 1")

    @property
    def labels(self) -> Mapping[str, str]:
        """``network``, ``blocks``, ``probability_within`` and ``probability_between``; ``sizes`` where given."""
        sizes = {"sizes": "+".join(map(str, self.sizes))} if self.sizes else {}
        return {
            "network": "stochastic_block",
            "blocks": str(len(self.sizes) or self.blocks),
            **sizes,
            "probability_within": format(self.p_in, "g"),
            "probability_between": format(self.p_out, "g"),
        }

    @property
    def size(self) -> int | None:
        """The sum of the sizes, where they are given."""
        return sum(self.sizes) or None

    def draw(self, n: int, rng: np.random.Generator) -> Graph:
        """One graph of n agents.

        Raises:
            ConfigError: There are fewer agents than blocks, or another number than the sizes add up to.
        """
        import networkx as nx

        sizes = self._sizes(n)
        among = np.full((len(sizes), len(sizes)), self.p_out)
        np.fill_diagonal(among, self.p_in)
        drawn = nx.stochastic_block_model(sizes, among.tolist(), seed=seed_of(rng))
        members = np.repeat(np.arange(len(sizes)), sizes)
        return Graph(n, edges_of(drawn), attributes={"block": [str(block) for block in members]})

    def _sizes(self, n: int) -> list[int]:
        if self.sizes:
            require(n == self.size, "study.n_agents", n, f"0 or {self.size}, to which network.sizes add up")
            return list(self.sizes)
        require(self.blocks <= n, "network.blocks", self.blocks, f"at most the number of agents, {n}")
        return [n // self.blocks + (block < n % self.blocks) for block in range(self.blocks)]
