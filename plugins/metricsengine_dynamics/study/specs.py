"""What this part of the plugin registers."""

from __future__ import annotations

from metricsengine.metric import MetricSpec
from metricsengine.study import StudySpec

STUDIES: tuple[StudySpec, ...] = ()
METRICS: tuple[MetricSpec, ...] = ()
