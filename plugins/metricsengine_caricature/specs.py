"""What the plugin registers; light, so that listing plugins loads no library."""

from __future__ import annotations

from typing import Any

from metricsengine.metric import Measure, Metric, MetricSpec
from metricsengine.records import SIMULATIONS
from metricsengine.sets import SetSpec
from metricsengine.study import Study, StudyInputs, StudySpec
from metricsengine_caricature import config
from metricsengine_caricature.sets import Context, PersonaSet, TopicSet, through

UNITS = ("persona", "topic")

AGGREGATES: tuple[tuple[str, ...], ...] = (
    (),
    ("persona",),
    ("persona_category",),
    ("topic",),
    ("topic_category",),
    ("topic_kind",),
    ("topic_origin",),
    ("topic_kind", "topic_origin"),
    ("persona", "topic_kind"),
    ("persona", "topic_kind", "topic_origin"),
    ("persona", "topic_category"),
    ("persona", "topic_specificity"),
)


def _study(conf: config.CaricatureConf, inputs: StudyInputs) -> Study:
    from metricsengine_caricature.study import CaricatureStudy

    return CaricatureStudy(conf, inputs)


def _metric(name: str) -> Any:
    """Builds a metric by its class name, importing numpy and its kin only then."""

    def build(conf: Any) -> Metric:
        from metricsengine_caricature import metrics

        metric: Metric = getattr(metrics, name)(conf)
        return metric

    return build


def _measure(name: str, direction: str, citation: str, *, low: float | None = 0, high: float | None = 1) -> Measure:
    return Measure(
        name, bounds=(low, high), direction=direction, citation=f"CoMPosT, {citation}", units=UNITS, keep=AGGREGATES
    )


STUDIES = (
    StudySpec(
        "caricature",
        config.CaricatureConf,
        _study,
        tables=(SIMULATIONS,),
        sets=("context", "persona", "topic"),
        defaults={
            "context": "online_forum",
            "persona": "compost",
            "topic": "forum",
            "metric": ("individuation", "exaggeration", "axis_validity", "duplicate_rate"),
        },
        doc="simulates personas on topics beside the two defaults (CoMPosT)",
    ),
)

METRICS = (
    MetricSpec(
        "individuation",
        config.IndividuationConf,
        _metric("IndividuationMetric"),
        table="Simulations",
        measures=(_measure("individuation", "higher: easier to tell from the default persona", "section 4.2"),),
        protocols=("paper", "released"),
        encoder=True,
        doc="accuracy of a random forest that separates a simulation from its default persona",
    ),
    MetricSpec(
        "v_measure",
        config.VMeasureConf,
        _metric("VMeasureMetric"),
        table="Simulations",
        measures=(_measure("individuation.v_measure", "higher: clusters follow the persona", "Appendix B"),),
        encoder=True,
        doc="agreement of two clusters with simulation and default persona",
    ),
    MetricSpec(
        "exaggeration",
        config.ExaggerationConf,
        _metric("ExaggerationMetric"),
        table="Simulations",
        measures=(
            _measure(
                "exaggeration",
                "0 is the default persona, 1 the default topic; higher: more caricature",
                "section 4.3, equations 1 to 3",
                low=None,
                high=None,
            ),
        ),
        protocols=("paper", "released"),
        encoder=True,
        doc="position between default persona and default topic on the persona-topic axis",
    ),
    MetricSpec(
        "axis_validity",
        config.AxisValidityConf,
        _metric("AxisValidityMetric"),
        table="Simulations",
        measures=(_measure("axis_validity", "higher: seed words agree with their pole", "Appendix C"),),
        protocols=("paper", "released"),
        encoder=True,
        doc="share of seed words that lie closer to the rest of their pole than to the other pole",
    ),
    MetricSpec(
        "duplicate_rate",
        config.DuplicateRateConf,
        _metric("DuplicateRateMetric"),
        table="Simulations",
        measures=(
            Measure(
                "duplicate_rate",
                bounds=(0, 1),
                direction="higher: fewer distinct responses, and an individuation that may rest on repeats",
                units=UNITS,
                keep=((), ("persona",)),
            ),
        ),
        protocols=("paper", "released"),
        doc="share of responses that repeat another of their cell",
    ),
)

SETS = (
    SetSpec("context", Context, "where a simulation takes place: the wording of its prompts", texts=through),
    SetSpec("persona", PersonaSet, "who is simulated"),
    SetSpec("topic", TopicSet, "what a simulation is about"),
)
