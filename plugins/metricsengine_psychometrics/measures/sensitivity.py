"""How far answers depend on the prompt template, the order of the options and the wording (TRAIT, Appendix E.1.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine_psychometrics.measures.comparisons import Comparison, answered, by_test, resampling, slices
from metricsengine_psychometrics.measures.config_conditions import SensitivityConf
from metricsengine_psychometrics.measures.kinds import OPEN, Kind, missing
from metricsengine_psychometrics.measures.noise_floor import bounds

if TYPE_CHECKING:
    import pandas as pd


class SensitivityMetric(Metric):
    """Share of items whose answers do not all agree, flagged where repetition alone could explain it."""

    def __init__(self, kind: Kind, conf: SensitivityConf) -> None:
        self._kind, self._strict = kind, conf.strict

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """For each test: each trait, Big Five and Dark Triad apart, and all items; by template and over all of them."""
        limits = bounds(self._kind, self._strict, table, context)
        return MetricResult(
            [
                _flagged(estimate, limits.get(frozenset(estimate.labels.items())))
                for estimate in sensitivities(self._kind, self._strict, table, context)
            ]
        )

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Tests of which nothing is asked under two conditions."""
        rows = answered(self._kind.rows(table, context))
        return [found for found in _of_rows(self._kind, self._strict, rows, context) if not found.defined]


def sensitivities(kind: Kind, strict: bool, table: pd.DataFrame, context: MetricContext) -> Iterator[Estimate]:
    """The sensitivity of each test, without flags for noise; one undefined estimate where nothing can be compared."""
    yield from _of_rows(kind, strict, kind.rows(table, context), context)


def _of_rows(kind: Kind, strict: bool, rows: pd.DataFrame, context: MetricContext) -> Iterator[Estimate]:
    comparison = Comparison(kind.across, kind.within, (), strict)
    flags = ("same_option",) if strict else ()
    for labels, part in by_test(rows):
        items = comparison.items(kind.first(part))
        if items.empty:
            yield Estimate.undefined(kind.name, missing(kind, part), labels=labels, over=("trait",), flags=flags)
        for found in slices(items, comparison) if len(items) else ():
            yield replace(found.share(kind.name, labels, resampling(context)), flags=flags)
    if rows.empty:
        yield Estimate.undefined(kind.name, OPEN, labels={}, over=("trait",))


def _flagged(estimate: Estimate, limit: float | None) -> Estimate:
    if estimate.value is None or limit is None or estimate.value > limit:
        return estimate
    return replace(estimate, flags=(*estimate.flags, "within_noise_floor"))
