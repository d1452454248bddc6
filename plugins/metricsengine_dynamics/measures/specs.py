"""What this part registers; light, so that listing plugins loads no library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metricsengine.metric import Measure, Metric, MetricSpec
from metricsengine.study import StudySpec
from metricsengine_dynamics.measures import config, known
from metricsengine_dynamics.tables import TRANSITIONS


def _inconsistency(conf: config.InconsistencyConf) -> Metric:
    from metricsengine_dynamics.measures.inconsistency import InconsistencyMetric

    return InconsistencyMetric(conf)


def _inconsistency_difference(conf: config.InconsistencyDifferenceConf) -> Metric:
    from metricsengine_dynamics.measures.differences import InconsistencyDifferenceMetric

    return InconsistencyDifferenceMetric()


def _share(measure: Measure) -> Callable[[Any], Metric]:
    def build(conf: object) -> Metric:
        from metricsengine_dynamics.measures.shares import SHARES, ShareMetric

        return ShareMetric(SHARES[measure.name])

    return build


def _free(measure: Measure) -> Callable[[Any], Metric]:
    def build(conf: Any) -> Metric:
        from metricsengine_dynamics.measures.free import OUTCOMES, FreeRunMetric

        return FreeRunMetric(OUTCOMES[measure.name](conf))

    return build


_SHARES = (
    (known.FILTERED_POLARITY, config.FilteredPolarityConf, "share of opinions on another side than the reference's"),
    (known.ZERO_SHARE, config.ZeroShareConf, "share of neutral opinions"),
    (known.ISOLATED_SHARE, config.IsolatedShareConf, "share of updates that heard nobody"),
    (known.UNDECODABLE_SHARE, config.UndecodableShareConf, "share of a model's updates without a readable opinion"),
    (known.CUT_SHARE, config.CutShareConf, "share of a model's timelines that lack posts"),
)  # fmt: skip
_FREE = (
    (known.CLUSTER_COUNT, config.ClusterCountConf, "number of clusters that free runs end with"),
    (known.SPREAD, config.SpreadConf, "standard deviation of opinions in free runs"),
    (known.BIMODALITY, config.BimodalityConf, "whether free runs end in two camps"),
    (known.CONSENSUS_TIME, config.ConsensusTimeConf, "steps until a free run agrees"),
)

METRICS: tuple[MetricSpec, ...] = (
    MetricSpec(
        "inconsistency",
        config.InconsistencyConf,
        _inconsistency,
        table=TRANSITIONS.name,
        measures=tuple(known.LOSSES.values()),
        parts=("loss",),
        doc="mean loss between agents and the reference model, overall and by step",
    ),
    MetricSpec(
        "inconsistency_difference",
        config.InconsistencyDifferenceConf,
        _inconsistency_difference,
        table=TRANSITIONS.name,
        measures=tuple(known.inconsistency_difference(measure) for measure in known.LOSSES.values()),
        parts=("loss",),
        doc="mean loss of LLM agents less that of agents without a model, of the same updates",
    ),
    *(
        MetricSpec(measure.name, conf, _share(measure), table=TRANSITIONS.name, measures=(measure,), doc=doc)
        for measure, conf, doc in _SHARES
    ),
    *(
        MetricSpec(
            measure.name,
            conf,
            _free(measure),
            table=TRANSITIONS.name,
            measures=(measure, known.difference(measure)),
            doc=doc,
        )
        for measure, conf, doc in _FREE
    ),
)
STUDIES: tuple[StudySpec, ...] = ()
