"""Comparisons of conditions: sensitivity of any metric to prompts, contexts and templates, with its noise floor.

And a study that makes further variants of prompts: paraphrases by a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metricsengine import hookimpl

if TYPE_CHECKING:
    from metricsengine.comparison import ComparisonSpec
    from metricsengine.metric import MetricSpec
    from metricsengine.study import StudySpec


@hookimpl
def metricsengine_comparisons() -> Sequence[ComparisonSpec]:
    """Sensitivity."""
    from metricsengine_comparisons import specs

    return specs.COMPARISONS


@hookimpl
def metricsengine_studies() -> Sequence[StudySpec]:
    """Paraphrases of prompts."""
    from metricsengine_comparisons.paraphrase import specs

    return specs.STUDIES


@hookimpl
def metricsengine_metrics() -> Sequence[MetricSpec]:
    """How many paraphrases could be used."""
    from metricsengine_comparisons.paraphrase import specs

    return specs.METRICS
