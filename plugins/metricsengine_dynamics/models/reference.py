"""The contract of a reference model (Sense and Sensitivity, eq. 1 and Definition 3)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metricsengine_dynamics.networks.graph import Graph

if TYPE_CHECKING:
    from scipy.sparse import csr_array

State = NDArray[np.float64]
"""State of a population, a row an agent: opinions in [-1, 1], shape (n,), or what a model needs, shape (n, ...)."""


@dataclass(frozen=True)
class World:
    """What surrounds a step.

    Attributes:
        graph: Who knows whom.
        start: State of the population at time 0.
        rng: Chance, for models that need it.
    """

    graph: Graph
    start: State
    rng: np.random.Generator


class Reference(ABC):
    """A model of social dynamics. It holds parameters, never a state."""

    scalar: bool = True
    """Whether a state is one opinion in [-1, 1] for each agent, which is what LLM agents can be compared on."""

    @property
    def labels(self) -> Mapping[str, str]:
        """What tells it from others in the estimates: ``reference``, and parameters such as ``epsilon``."""
        return {}

    def initial(self, graph: Graph, rng: np.random.Generator) -> State:
        """A state to begin with; by default opinions uniform on [-1, 1]."""
        return rng.uniform(-1, 1, graph.n)

    @abstractmethod
    def heard(self, state: State, world: World) -> csr_array:
        """Whom each agent listens to in this step, shape (n, n): row i has the weights, > 0, of those whom i hears.

        An agent with an empty row hears nobody and keeps its state. What is drawn is drawn here, so that LLM agents
        hear whom the model's agents hear.
        """

    @abstractmethod
    def update(self, state: State, heard: csr_array, world: World) -> State:
        """The state after everybody listened to whom they hear; the given state stays as it is."""

    def step(self, state: State, world: World) -> State:
        """One step; a model may override it with something faster that gives the same."""
        return self.update(state, self.heard(state, world), world)
