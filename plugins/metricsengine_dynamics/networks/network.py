"""The contract of a network: it draws the graph of a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from metricsengine_dynamics.networks.graph import Graph


class Network(ABC):
    """Draws who knows whom."""

    @property
    def labels(self) -> Mapping[str, str]:
        """What tells it from others in the estimates: ``network``, and parameters such as ``edge_probability``."""
        return {}

    @property
    def size(self) -> int | None:
        """Number of agents, where the network fixes it; None where it draws any number."""
        return None

    @property
    def sources(self) -> Mapping[str, Path]:
        """Files that it read, by key."""
        return {}

    @abstractmethod
    def draw(self, n: int, rng: np.random.Generator) -> Graph:
        """The graph of one run.

        Raises:
            ConfigError: There is no such graph of n agents; names the key.
        """
