"""Friedkin and Johnsen's model: everybody stays tied to the opinion that they began with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricsengine.errors import ConfigError, require
from metricsengine_dynamics.models.degroot import DeGroot
from metricsengine_dynamics.models.reference import State, World
from metricsengine_dynamics.networks.graph import Graph

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class FriedkinJohnsen(DeGroot):
    """x(t+1) = s W x(t) + (1 - s) x(0), with W the weighted means of eq. 2.

    N. E. Friedkin and E. C. Johnsen, "Social Influence and Opinions", Journal of Mathematical Sociology 15(3-4), 1990.
    Where s < 1 opinions tend to (I - s W)^-1 (1 - s) x(0); where s = 1 the model is DeGroot's. Who hears nobody keeps
    its opinion.

    Attributes:
        susceptibility: s, how far agents follow others, in [0, 1].
        attribute: Attribute of the agents that holds each one's s; empty for ``susceptibility`` of all.

    Raises:
        ConfigError: The susceptibility is out of range.
    """

    susceptibility: float = 0.8
    attribute: str = ""

    def __post_init__(self) -> None:
        require(0 <= self.susceptibility <= 1, "reference.susceptibility", self.susceptibility, "in [0, 1]")

    @property
    def labels(self) -> Mapping[str, str]:
        """``reference`` and ``susceptibility``, and what is not as usual."""
        susceptibility = self.attribute or format(self.susceptibility, "g")
        return {"reference": "friedkin_johnsen", "susceptibility": susceptibility, **self._unusual()}

    def update(self, state: State, heard: csr_array, world: World) -> State:
        """Between the weighted means of what was heard and the opinions at time 0.

        Raises:
            ConfigError: The agents have no such attribute, or one of them no number in [0, 1].
        """
        return self._tied(super().update(state, heard, world), np.diff(heard.indptr) > 0, state, world)

    def step(self, state: State, world: World) -> State:
        """One step, in O(n) where everybody knows everybody."""
        means = super().step(state, world)
        if not world.graph.complete:
            return means  # by way of update, which ties them
        return self._tied(means, np.full(len(state), len(state) > 1 or self.self_loop), state, world)

    def susceptibilities(self, graph: Graph) -> State:
        """How far each agent follows others, in [0, 1], shape (n,).

        Raises:
            ConfigError: The agents have no such attribute, or one of them no number in [0, 1].
        """
        if not self.attribute:
            return np.full(graph.n, self.susceptibility)
        if self.attribute not in graph.attributes:
            known = ", ".join(graph.attributes) or "none"
            raise ConfigError(
                f"reference.attribute={self.attribute}: the network's agents have no such one, but {known}"
            )
        return np.array([self._number(graph, agent) for agent in range(graph.n)])

    def _number(self, graph: Graph, agent: int) -> float:
        text = graph.attributes[self.attribute][agent]
        try:
            value = float(text)
        except ValueError:
            value = np.nan
        name = graph.names[agent] if graph.names else agent
        require(0 <= value <= 1, f"{self.attribute} of agent {name}", repr(text), "a number in [0, 1]")
        return value

    def _tied(self, means: State, listens: State, state: State, world: World) -> State:
        s = self.susceptibilities(world.graph)
        return np.where(listens, s * means + (1 - s) * world.start, state)
