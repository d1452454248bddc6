"""What this part registers; light, so that listing plugins loads no library."""

from __future__ import annotations

from metricsengine.metric import Measure, Metric, MetricSpec
from metricsengine.study import Study, StudyInputs, StudySpec
from metricsengine_comparisons.paraphrase.config import ParaphraseConf, YieldConf
from metricsengine_comparisons.paraphrase.tables import PARAPHRASED_SETS, PARAPHRASES


def _study(conf: ParaphraseConf, inputs: StudyInputs) -> Study:
    from metricsengine_comparisons.paraphrase.study import ParaphrasePrompts

    return ParaphrasePrompts(conf, inputs)


def _metric(conf: YieldConf) -> Metric:
    from metricsengine_comparisons.paraphrase.metrics import ParaphraseYield

    return ParaphraseYield(conf)


STUDIES: tuple[StudySpec, ...] = (
    StudySpec(
        "paraphrase_prompts",
        ParaphraseConf,
        _study,
        tables=(PARAPHRASES, PARAPHRASED_SETS),
        defaults={"metric": ("paraphrase_yield",)},
        doc="has a model say the prompts of contexts or other sets in other words, as new sets",
    ),
)

METRICS: tuple[MetricSpec, ...] = (
    MetricSpec(
        "paraphrase_yield",
        YieldConf,
        _metric,
        table=PARAPHRASES.name,
        measures=(
            Measure("paraphrase_yield", bounds=(0, 1), direction="higher: more of what the model wrote could be used"),
        ),
        doc="share of replies that keep every placeholder and label and say something new",
    ),
)
