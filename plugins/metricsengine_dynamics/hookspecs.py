"""The hooks of opinion dynamics. Each returns :class:`metricsengine.kinds.PartSpec`; all are called once, at start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pluggy import HookspecMarker

if TYPE_CHECKING:
    from metricsengine.kinds import PartSpec

hookspec = HookspecMarker("metricsengine")


@hookspec
def metricsengine_references() -> Sequence[PartSpec]:
    """Reference models; each builds a :class:`metricsengine_dynamics.models.reference.Reference`."""
    return ()


@hookspec
def metricsengine_networks() -> Sequence[PartSpec]:
    """Networks; each builds a :class:`metricsengine_dynamics.networks.network.Network`."""
    return ()


@hookspec
def metricsengine_losses() -> Sequence[PartSpec]:
    """Losses; each builds a :class:`metricsengine_dynamics.losses.loss.Loss`."""
    return ()
