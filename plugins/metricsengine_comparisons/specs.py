"""What the plugin registers; light, so that listing plugins loads no library."""

from __future__ import annotations

from metricsengine.comparison import Comparison, ComparisonSpec
from metricsengine.metric import Measure
from metricsengine_comparisons.config import MarginalsConf, SensitivityConf

_HOLM = "Holm 1979, Scandinavian Journal of Statistics 6(2)"
_BRUNNER = "Brunner, Dette and Munk 1997, JASA 92(440)"
_HESTERBERG = "Hesterberg 2015, The American Statistician 69(4)"
_SEARLE = "Searle, Speed and Milliken 1980, The American Statistician 34(4)"


def _sensitivity(conf: SensitivityConf) -> Comparison:
    from metricsengine_comparisons.sensitivity import Sensitivity

    return Sensitivity(conf)


def _marginals(conf: MarginalsConf) -> Comparison:
    from metricsengine_comparisons.marginals.comparison import Marginals

    return Marginals(conf)


def _measure(name: str, direction: str, low: float | None = 0) -> Measure:
    citation = "Sense and Sensitivity, Definition 5, equation 9"
    return Measure(name, unit="", bounds=(low, None), direction=direction, citation=citation)


def _p_value(name: str, meaning: str, citation: str) -> Measure:
    return Measure(name, bounds=(0, 1), direction=f"below 0.05: {meaning}", citation=citation)


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
    ComparisonSpec(
        "marginals",
        MarginalsConf,
        _marginals,
        measures=(
            Measure(
                "marginal_mean",
                unit="",
                direction="the metric at this level, averaged over all combinations of what else was swept",
                citation=f"{_SEARLE}; intervals: {_HESTERBERG}",
                counted="combinations",
            ),
            Measure(
                "marginal_difference",
                unit="",
                direction="above 0: the level has the higher mean; below 0: its base",
                citation=f"{_SEARLE}; intervals: {_HESTERBERG}",
                counted="combinations",
            ),
            _p_value("marginal_difference.p", "the means of the two levels are told apart", _HOLM),
            Measure(
                "interaction",
                unit="",
                bounds=(0, None),
                direction="0: the effects of both add up; higher: the effect of one depends on the level of the other. "
                "Root mean square of how far cells lie from the sum of the effects; of two levels each, a quarter of "
                "the difference between the differences",
                citation=_SEARLE,
            ),
            _p_value("interaction.p", "the effects of both do not just add up", f"{_BRUNNER}; {_HOLM}"),
        ),
        of_sweeps=True,
        doc="means, differences and interactions of what a sweep varied, with intervals and corrected tests",
    ),
)
