"""What the plugin registers, gathered from its parts."""

from __future__ import annotations

from metricsengine.comparison import ComparisonSpec
from metricsengine.metric import MetricSpec
from metricsengine.sets import SetSpec
from metricsengine.study import StudySpec
from metricsengine_psychometrics.audit import specs as audit
from metricsengine_psychometrics.construction import specs as construction
from metricsengine_psychometrics.content import specs as content
from metricsengine_psychometrics.evaluator import specs as evaluator
from metricsengine_psychometrics.items import specs as items
from metricsengine_psychometrics.measures import specs as measures
from metricsengine_psychometrics.ratings import specs as ratings
from metricsengine_psychometrics.runs import specs as runs
from metricsengine_psychometrics.study import specs as study

_PARTS = (study, measures, items, content, runs, evaluator, construction, ratings, audit)

STUDIES: tuple[StudySpec, ...] = tuple(spec for part in _PARTS for spec in part.STUDIES)
METRICS: tuple[MetricSpec, ...] = tuple(spec for part in _PARTS for spec in part.METRICS)
COMPARISONS: tuple[ComparisonSpec, ...] = measures.COMPARISONS
SETS: tuple[SetSpec, ...] = tuple(spec for part in _PARTS for spec in part.SETS)
