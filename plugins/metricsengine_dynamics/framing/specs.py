"""What this part of the plugin registers."""

from __future__ import annotations

from metricsengine.metric import Measure, Metric, MetricSpec
from metricsengine.study import Study, StudyInputs, StudySpec
from metricsengine_dynamics.framing.config import FramingConf, NegativityBiasConf
from metricsengine_dynamics.tables import FRAMING

_CITATION = "Sense and Sensitivity, section 5 and Fig. 4e"


def _study(conf: FramingConf, inputs: StudyInputs) -> Study:
    from metricsengine_dynamics.framing.study import OpinionFraming

    return OpinionFraming(conf, inputs)


def _metric(conf: NegativityBiasConf) -> Metric:
    from metricsengine_dynamics.framing.metrics import NegativityBias

    return NegativityBias(conf)


STUDIES: tuple[StudySpec, ...] = (
    StudySpec(
        "opinion_framing",
        FramingConf,
        _study,
        tables=(FRAMING,),
        sets=("prompt", "debate", "agent_persona"),
        defaults={"prompt": "base", "debate": "economy", "agent_persona": "everyday", "metric": ("negativity_bias",)},
        doc="has readers judge posts whose stances are worded for or against a pole (Sense and Sensitivity, Fig. 4e)",
    ),
)

METRICS: tuple[MetricSpec, ...] = (
    MetricSpec(
        "negativity_bias",
        NegativityBiasConf,
        _metric,
        table=FRAMING.name,
        measures=(
            Measure(
                "negativity_bias",
                unit="points",
                bounds=(0, 4),
                direction="higher: opinions depend more on whether a stance is worded as being against something",
                citation=_CITATION,
                units=("author", "reader"),
            ),
            Measure(
                "negativity_bias.signed",
                unit="points",
                bounds=(-4, 4),
                direction="above 0: posts are judged better where a stance is worded as being against something",
                citation=_CITATION,
                units=("author", "reader"),
            ),
            Measure(
                "framing_opinion",
                unit="points",
                bounds=(-2, 2),
                direction="higher: readers agree more with the post",
                citation=_CITATION,
                units=("author", "reader"),
            ),
        ),
        doc="how readers' opinions depend on the wording of stances, by cell and as one difference",
    ),
)
