"""What the plugin registers, gathered from its parts."""

from __future__ import annotations

from metricsengine.metric import MetricSpec
from metricsengine.sets import SetSpec
from metricsengine.study import StudySpec
from metricsengine_dynamics.codec import specs as codec
from metricsengine_dynamics.framing import specs as framing
from metricsengine_dynamics.measures import specs as measures
from metricsengine_dynamics.prompting import specs as prompting
from metricsengine_dynamics.study import specs as study

STUDIES: tuple[StudySpec, ...] = (*study.STUDIES, *codec.STUDIES, *framing.STUDIES)
METRICS: tuple[MetricSpec, ...] = (*measures.METRICS, *codec.METRICS, *framing.METRICS)
SETS: tuple[SetSpec, ...] = prompting.SETS
