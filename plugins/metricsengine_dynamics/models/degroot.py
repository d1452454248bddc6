"""DeGroot's model: everybody takes the mean opinion of those whom they know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metricsengine_dynamics.models.listening import listening, mean_heard, mean_of_all
from metricsengine_dynamics.models.reference import Reference, State, World

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class DeGroot(Reference):
    """x_i(t+1) is the mean of x_j(t) over the neighbours j of i (Sense and Sensitivity, Definition 1, eq. 2).

    M. H. DeGroot, "Reaching a Consensus", JASA 69(345), 1974. What it tends to is in
    :func:`metricsengine_dynamics.models.consensus.consensus`.

    Attributes:
        weighted: Whether the mean is weighted by the edges' weights, where the graph has any; if not, all edges count
            alike.
        self_loop: Whether agents hear themselves too; if not, self-edges are ignored.
    """

    weighted: bool = True
    self_loop: bool = False

    @property
    def labels(self) -> Mapping[str, str]:
        """``reference``, and what is not as usual."""
        return {"reference": "degroot", **self._unusual()}

    def heard(self, state: State, world: World) -> csr_array:
        """All whom each agent knows, with the weights of the edges."""
        return listening(world.graph, self_loop=self.self_loop, weighted=self.weighted)

    def update(self, state: State, heard: csr_array, world: World) -> State:
        """The weighted means of what was heard."""
        return mean_heard(state, heard)

    def step(self, state: State, world: World) -> State:
        """One step, in O(n) where everybody knows everybody."""
        if world.graph.complete:
            return mean_of_all(state, self_loop=self.self_loop)
        return super().step(state, world)

    def _unusual(self) -> dict[str, str]:
        return ({} if self.weighted else {"weighted": "false"}) | ({"self_loop": "true"} if self.self_loop else {})
