"""Hegselmann and Krause's model: bounded confidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricsengine.errors import require
from metricsengine_dynamics.models.everybody import bounded_means
from metricsengine_dynamics.models.listening import listening, mean_heard, within
from metricsengine_dynamics.models.reference import Reference, State, World

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class HegselmannKrause(Reference):
    """x_i(t+1) is the mean of x_j(t) over the neighbours j of i with |x_i - x_j| <= epsilon.

    Sense and Sensitivity, Definition 2, eqs. 3 and 4; R. Hegselmann and U. Krause, "Opinion Dynamics and Bounded
    Confidence", JASS 5(3), 2002. All neighbours count alike, whatever the weights of the edges.

    Attributes:
        epsilon: Confidence bound, >= 0, on the scale from -1 to 1; met up to 1e-12, as distances are rounded.
        strict: Whether opinions at a distance of epsilon are not heard.
        self_loop: Whether agents hear themselves too, as in the classic model; if not, self-edges are ignored.

    Raises:
        ConfigError: The bound is negative, infinite or NaN.
    """

    epsilon: float
    strict: bool = False
    self_loop: bool = False

    def __post_init__(self) -> None:
        require(0 <= self.epsilon < float("inf"), "reference.epsilon", self.epsilon, "a finite number >= 0")

    @property
    def labels(self) -> Mapping[str, str]:
        """``reference`` and ``epsilon``, and what is not as usual."""
        unusual = {name: "true" for name in ("strict", "self_loop") if getattr(self, name)}
        return {"reference": "hegselmann_krause", "epsilon": format(self.epsilon, "g"), **unusual}

    def heard(self, state: State, world: World) -> csr_array:
        """Those whom each agent knows and whose opinions lie within the bound, each with weight 1."""
        from scipy.sparse import csr_array

        known, _, near = self._near(state, world)
        ends = np.concatenate([[0], np.cumsum(near)])[known.indptr]
        return csr_array((known.data[near], known.indices[near], ends), shape=known.shape)

    def update(self, state: State, heard: csr_array, world: World) -> State:
        """The means of what was heard."""
        return mean_heard(state, heard)

    def step(self, state: State, world: World) -> State:
        """One step, in O(edges), or O(n log n) where everybody knows everybody."""
        if world.graph.complete:
            return bounded_means(state, self.epsilon, strict=self.strict, self_loop=self.self_loop)
        known, listeners, near = self._near(state, world)
        listeners = listeners[near]
        counts = np.bincount(listeners, minlength=len(state))
        sums = np.bincount(listeners, state[known.indices[near]], len(state))
        return np.divide(sums, counts, out=state.copy(), where=counts > 0)

    def _near(self, state: State, world: World) -> tuple[csr_array, NDArray[np.intp], NDArray[np.bool_]]:
        """Whom agents know; who listens, and whether the bound is met, for each stored entry of that."""
        known = listening(world.graph, self_loop=self.self_loop, weighted=False)
        listeners = np.repeat(np.arange(len(state)), np.diff(known.indptr))
        near = within(abs(state[listeners] - state[known.indices]), self.epsilon, strict=self.strict)
        return known, listeners, near
