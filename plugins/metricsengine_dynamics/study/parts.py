"""The reference model and the network that plugins bring: whatever is wrong with one is told by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import numpy as np

from metricsengine.errors import MetricsEngineError, PluginError
from metricsengine_dynamics.models.reference import Reference, State, World
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.networks.network import Network

if TYPE_CHECKING:
    from scipy.sparse import csr_array

T = TypeVar("T")

SLACK = 1e-9
"""By how much an opinion may pass the ends of the scale through rounding; it is then taken for the end."""


@dataclass(frozen=True)
class Chosen:
    """A part as it was chosen.

    Attributes:
        name: What chose it: ``reference=noisy``.
    """

    name: str

    def got(self, what: str, ask: Callable[..., T], *given: object) -> T:
        """What it returns; of an error it is told whose it is, but for those that are a clear line already."""
        try:
            return ask(*given)
        except MetricsEngineError:
            raise
        except Exception as error:
            raise PluginError(f"{self.name}: {what} fails: {type(error).__name__}: {error}") from error

    def gives(self, what: str, problem: str) -> NoReturn:
        """Refuse what it returned."""
        raise PluginError(f"{self.name}: {what} gives {problem}")

    def labels(self, part: Reference | Network) -> Mapping[str, str]:
        """Its labels, which are texts."""
        found = self.got("labels", lambda: dict(part.labels))
        for key, value in found.items():
            if not isinstance(key, str) or not isinstance(value, str):
                self.gives("labels", f"{key!r}: {value!r}, not a text under a text")
        return found


class CheckedReference(Reference):
    """A reference model of opinions that keeps its contract, or says how it breaks it.

    What it returns is its caller's: no later step changes it. The state that it is given cannot be written to.

    Args:
        name: Its name among the reference models.
        reference: The model.

    Raises:
        PluginError: It is no reference model, and so do all methods where it fails or returns anything else.
    """

    def __init__(self, name: str, reference: object) -> None:
        self._chosen = Chosen(f"reference={name}")
        if not isinstance(reference, Reference):
            raise PluginError(f"{self._chosen.name} builds a {type(reference).__name__}, not a Reference")
        self._reference = reference
        self.scalar = reference.scalar

    @property
    def labels(self) -> Mapping[str, str]:
        """The model's labels."""
        return self._chosen.labels(self._reference)

    def initial(self, graph: Graph, rng: np.random.Generator) -> State:
        """One opinion in [-1, 1] for each agent."""
        found: object = self._chosen.got("initial", self._reference.initial, graph, rng)
        return self._opinions("initial", found, graph.n)

    def heard(self, state: State, world: World) -> csr_array:
        """Whom each agent hears, with weights > 0."""
        _lock(state, world)
        found: object = self._chosen.got("heard", self._reference.heard, state, world)
        return self._matrix(found, len(state))

    def update(self, state: State, heard: csr_array, world: World) -> State:
        """The state that follows, in [-1, 1]."""
        _lock(state, world)
        found: object = self._chosen.got("update", self._reference.update, state, heard, world)
        return self._opinions("update", found, len(state))

    def _opinions(self, what: str, found: object, n: int) -> State:
        if not isinstance(found, np.ndarray) or found.dtype.kind not in "fiu":
            kind = found.dtype if isinstance(found, np.ndarray) else type(found).__name__
            self._chosen.gives(what, f"{kind}, not an array of numbers")
        if found.shape != (n,):
            self._chosen.gives(what, f"shape {found.shape}, not one opinion for each of {n} agents")
        opinions = np.array(found, dtype=np.float64)
        size = np.maximum.reduce(abs(opinions))
        if size <= 1:
            return opinions
        if not np.isfinite(size):
            bad = np.count_nonzero(~np.isfinite(opinions))
            self._chosen.gives(what, f"{bad} of {n} opinions that are NaN or infinite")
        if size > 1 + SLACK:
            self._chosen.gives(what, f"opinions outside [-1, 1]: {opinions.min():g} to {opinions.max():g}")
        return opinions.clip(-1, 1)

    def _matrix(self, found: object, n: int) -> csr_array:
        from scipy.sparse import csr_array

        if not isinstance(found, csr_array):
            self._chosen.gives("heard", f"a {type(found).__name__}, not a csr_array")
        if found.shape != (n, n):
            self._chosen.gives("heard", f"shape {found.shape}, not {(n, n)}")
        if found.indices.size:
            low, high = np.minimum.reduce(found.indices), np.maximum.reduce(found.indices)
            if not 0 <= low <= high < n:
                self._chosen.gives("heard", f"agents out of range: {low} to {high}, not from 0 to {n - 1}")
            if not np.minimum.reduce(found.data) > 0:
                self._chosen.gives("heard", "weights that are not all numbers > 0")
        return found


class CheckedNetwork(Network):
    """A network that keeps its contract, or says how it breaks it.

    Args:
        name: Its name among the networks.
        network: The network.

    Raises:
        PluginError: It is no network, and so do all methods where it fails or returns anything else.
    """

    def __init__(self, name: str, network: object) -> None:
        self._chosen = Chosen(f"network={name}")
        if not isinstance(network, Network):
            raise PluginError(f"{self._chosen.name} builds a {type(network).__name__}, not a Network")
        self._network = network

    @property
    def labels(self) -> Mapping[str, str]:
        """The network's labels."""
        return self._chosen.labels(self._network)

    @property
    def size(self) -> int | None:
        """Number of agents, where it is fixed."""
        found: object = self._chosen.got("size", lambda: self._network.size)
        if found is None:
            return None
        if not isinstance(found, int | np.integer) or found < 1:
            self._chosen.gives("size", f"{found!r}, not a number of agents")
        return int(found)

    @property
    def sources(self) -> Mapping[str, Path]:
        """Files that it read."""
        found = self._chosen.got("sources", lambda: dict(self._network.sources))
        for key, path in found.items():
            if not isinstance(key, str) or not isinstance(path, Path):
                self._chosen.gives("sources", f"{key!r}: {path!r}, not a path under a text")
        return found

    def draw(self, n: int, rng: np.random.Generator) -> Graph:
        """A graph; whether it has so many agents is not looked at."""
        found: object = self._chosen.got("draw", self._network.draw, n, rng)
        if not isinstance(found, Graph):
            self._chosen.gives("draw", f"a {type(found).__name__}, not a Graph")
        if found.weights is not None and not np.isfinite(found.weights).all():
            self._chosen.gives("draw", "weights that are infinite")
        return found


def _lock(state: State, world: World) -> None:
    """Everybody meets the same state: a part that would write to it is stopped."""
    state.setflags(write=False)
    world.start.setflags(write=False)
