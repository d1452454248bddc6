"""What this part of the plugin registers; light, so that listing plugins loads no library."""

from __future__ import annotations

from metricsengine.metric import MetricSpec
from metricsengine.study import Study, StudyInputs, StudySpec
from metricsengine_dynamics.study.config import OpinionConf
from metricsengine_dynamics.tables import TRANSITIONS

DEFAULT_METRICS = (
    "inconsistency",
    "inconsistency_difference",
    "filtered_polarity",
    "zero_share",
    "isolated_share",
    "undecodable_share",
    "cut_share",
)
"""What a simulation is measured by where nothing else is chosen."""


def _study(conf: OpinionConf, inputs: StudyInputs) -> Study:
    from metricsengine_dynamics.study.study import OpinionStudy

    return OpinionStudy(conf, inputs)


STUDIES: tuple[StudySpec, ...] = (
    StudySpec(
        "opinion",
        OpinionConf,
        _study,
        tables=(TRANSITIONS,),
        sets=("prompt", "debate", "agent_persona"),
        parts=("reference", "network"),
        defaults={
            "prompt": "base",
            "debate": "economy",
            "agent_persona": "everyday",
            "reference": "hegselmann_krause",
            "network": "erdos_renyi",
            "metric": DEFAULT_METRICS,
            "loss": ("distance", "polarity"),
            "comparison": ("sensitivity",),
        },
        doc="simulates opinion dynamics beside a reference model (Sense and Sensitivity)",
    ),
)
METRICS: tuple[MetricSpec, ...] = ()
