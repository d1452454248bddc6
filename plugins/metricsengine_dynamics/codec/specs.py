"""What this part of the plugin registers."""

from __future__ import annotations

from metricsengine.metric import Measure, Metric, MetricSpec
from metricsengine.study import Study, StudyInputs, StudySpec
from metricsengine_dynamics.codec.config import CodecConf, CodecErrorConf
from metricsengine_dynamics.tables import CODEC


def _study(conf: CodecConf, inputs: StudyInputs) -> Study:
    from metricsengine_dynamics.codec.study import OpinionCodec

    return OpinionCodec(conf, inputs)


def _metric(conf: CodecErrorConf) -> Metric:
    from metricsengine_dynamics.codec.metrics import CodecError

    return CodecError(conf)


STUDIES: tuple[StudySpec, ...] = (
    StudySpec(
        "opinion_codec",
        CodecConf,
        _study,
        tables=(CODEC,),
        sets=("prompt", "debate", "agent_persona"),
        defaults={"prompt": "base", "debate": "economy", "agent_persona": "everyday", "metric": ("codec_error",)},
        doc="has a model put opinions into posts and read them again (Sense and Sensitivity, Definition 4)",
    ),
)

METRICS: tuple[MetricSpec, ...] = (
    MetricSpec(
        "codec_error",
        CodecErrorConf,
        _metric,
        table=CODEC.name,
        measures=(
            Measure(
                "codec_error",
                unit="points",
                bounds=(0, 10),
                direction="lower: what is decoded lies nearer to what was encoded; points of the scale from -5 to 5",
                citation="Sense and Sensitivity, Definition 4 and Fig. 4c",
                units=("opinion",),
            ),
            Measure(
                "codec_error.bias",
                unit="points",
                bounds=(-10, 10),
                direction="above 0: decoded nearer to the positive pole than encoded",
                citation="Sense and Sensitivity, Fig. 4c",
                units=("opinion",),
            ),
            Measure(
                "codec_error.undecodable",
                unit="%",
                bounds=(0, 100),
                direction="higher: from more texts no opinion could be read; error and bias leave them out",
                units=("opinion",),
            ),
        ),
        doc="distance between encoded and decoded opinions, by opinion and overall",
    ),
)
