"""Personality tests (TRAIT): item banks, the study that asks them, and what can be measured of tests and answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metricsengine import hookimpl

if TYPE_CHECKING:
    from metricsengine.comparison import ComparisonSpec
    from metricsengine.metric import MetricSpec
    from metricsengine.sets import SetSpec
    from metricsengine.study import StudySpec


@hookimpl
def metricsengine_studies() -> Sequence[StudySpec]:
    """The personality test, and the studies that make, check and use items."""
    from metricsengine_psychometrics import specs

    return specs.STUDIES


@hookimpl
def metricsengine_metrics() -> Sequence[MetricSpec]:
    """The metrics of answers, items and texts."""
    from metricsengine_psychometrics import specs

    return specs.METRICS


@hookimpl
def metricsengine_comparisons() -> Sequence[ComparisonSpec]:
    """Internal validity over the jobs of a sweep."""
    from metricsengine_psychometrics import specs

    return specs.COMPARISONS


@hookimpl
def metricsengine_sets() -> Sequence[SetSpec]:
    """Item banks and questionnaires."""
    from metricsengine_psychometrics import specs

    return specs.SETS
