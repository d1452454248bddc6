"""The kinds that the plugin opens."""

from __future__ import annotations

from metricsengine.kinds import Kind
from metricsengine_dynamics.losses.loss import Loss
from metricsengine_dynamics.models.reference import Reference
from metricsengine_dynamics.networks.network import Network

KINDS = (
    Kind("reference", "metricsengine_references", Reference, doc="how opinions change in one step"),
    Kind("network", "metricsengine_networks", Network, doc="who knows whom"),
    Kind("loss", "metricsengine_losses", Loss, several=True, doc="how far two opinions are apart"),
)
