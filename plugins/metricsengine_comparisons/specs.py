"""What the plugin registers; light, so that listing plugins loads no library."""

from __future__ import annotations

from metricsengine.comparison import Comparison, ComparisonSpec
from metricsengine.metric import Measure
from metricsengine_comparisons.config import SensitivityConf


def _sensitivity(conf: SensitivityConf) -> Comparison:
    from metricsengine_comparisons.sensitivity import Sensitivity

    return Sensitivity(conf)


def _measure(name: str, direction: str, low: float | None = 0) -> Measure:
    citation = "Sense and Sensitivity, Definition 5, equation 9"
    return Measure(name, unit="", bounds=(low, None), direction=direction, citation=citation)


COMPARISONS: tuple[ComparisonSpec, ...] = (
    ComparisonSpec(
        "sensitivity",
        SensitivityConf,
        _sensitivity,
        measures=(
            _measure(
                "sensitivity", "0: as in the base; higher: what was varied matters more, if above the noise floor"
            ),
            _measure("sensitivity.signed", "above 0: the variant has the higher value; below 0: the base", low=None),
            _measure("sensitivity.max", "the largest sensitivity among the variants"),
            _measure("sensitivity.mean", "the mean sensitivity of the variants"),
            _measure(
                "noise_floor", "what a sensitivity must exceed to be more than chance: asked again, nothing varied"
            ),
        ),
        doc="how far a metric moves with what should not matter: prompts, templates, contexts (Definition 5)",
    ),
)
