"""Opinion dynamics (Sense and Sensitivity): LLM agents against reference models, and their sensitivity to prompts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metricsengine import hookimpl

if TYPE_CHECKING:
    from metricsengine.kinds import Kind, PartSpec
    from metricsengine.metric import MetricSpec
    from metricsengine.sets import SetSpec
    from metricsengine.study import StudySpec


@hookimpl
def metricsengine_add_hookspecs() -> Sequence[object]:
    """The hooks by which any plugin adds reference models, networks and losses."""
    from metricsengine_dynamics import hookspecs

    return (hookspecs,)


@hookimpl
def metricsengine_kinds() -> Sequence[Kind]:
    """Reference models, networks and losses."""
    from metricsengine_dynamics import kinds

    return kinds.KINDS


@hookimpl
def metricsengine_references() -> Sequence[PartSpec]:
    """DeGroot, Hegselmann-Krause, Deffuant-Weisbuch, Friedkin-Johnsen."""
    from metricsengine_dynamics.models import specs

    return specs.REFERENCES


@hookimpl
def metricsengine_networks() -> Sequence[PartSpec]:
    """Random graphs, the complete graph, and networks from files."""
    from metricsengine_dynamics.networks import specs

    return specs.NETWORKS


@hookimpl
def metricsengine_losses() -> Sequence[PartSpec]:
    """Distance and polarity."""
    from metricsengine_dynamics.losses import specs

    return specs.LOSSES


@hookimpl
def metricsengine_studies() -> Sequence[StudySpec]:
    """The simulation of opinion dynamics, the codec trials, the framing trials."""
    from metricsengine_dynamics import specs

    return specs.STUDIES


@hookimpl
def metricsengine_metrics() -> Sequence[MetricSpec]:
    """The metrics of transitions, codec trials and framing trials."""
    from metricsengine_dynamics import specs

    return specs.METRICS


@hookimpl
def metricsengine_sets() -> Sequence[SetSpec]:
    """Prompts, debates, and personas of agents."""
    from metricsengine_dynamics import specs

    return specs.SETS
