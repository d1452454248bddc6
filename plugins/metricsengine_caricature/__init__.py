"""Caricature (CoMPosT): the study that simulates personas, and individuation, exaggeration and axis validity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metricsengine import hookimpl

if TYPE_CHECKING:
    from metricsengine.metric import MetricSpec
    from metricsengine.sets import SetSpec
    from metricsengine.study import StudySpec


@hookimpl
def metricsengine_studies() -> Sequence[StudySpec]:
    """The caricature study and its human check."""
    from metricsengine_caricature import specs
    from metricsengine_caricature.human_check import specs as human_check

    return (*specs.STUDIES, *human_check.STUDIES)


@hookimpl
def metricsengine_metrics() -> Sequence[MetricSpec]:
    """The metrics of simulations, and those of judgements."""
    from metricsengine_caricature import specs
    from metricsengine_caricature.human_check import specs as human_check

    return (*specs.METRICS, *human_check.METRICS)


@hookimpl
def metricsengine_sets() -> Sequence[SetSpec]:
    """Contexts, personas and topics."""
    from metricsengine_caricature import specs

    return specs.SETS
