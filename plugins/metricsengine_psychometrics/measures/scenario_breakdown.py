"""How far answers depend on the scenario: items that share a personality description (TRAIT, section 3.3, Table 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine.stats import wilson
from metricsengine_psychometrics.measures import judged
from metricsengine_psychometrics.measures.comparisons import base, by_test
from metricsengine_psychometrics.traits import ordered

if TYPE_CHECKING:
    from metricsengine_psychometrics.measures.config_conditions import ScenarioBreakdownConf

METRIC = "scenario_breakdown"
UNANSWERED, TIED, OTHER = "unscorable item", "tied item", "other number of items"
"""Why a description is left out."""

_Part = tuple[dict[str, str], pd.DataFrame]


def splits(high: ArrayLike, scenarios: int) -> dict[str, int]:
    """How many descriptions are answered how evenly, whichever level is in the majority (TRAIT, Table 6).

    Args:
        high: Number of high answers to the items of each description, shape (descriptions,), 0 to ``scenarios``.
        scenarios: Number of items of each description.

    Returns:
        Number of descriptions of each split, the most one-sided first; those that do not occur are 0.

    Example:
        >>> splits([5, 0, 4, 1, 1, 3], scenarios=5)
        {'5-0': 2, '4-1': 3, '3-2': 1}
        >>> splits([1], scenarios=2)
        {'2-0': 0, '1-1': 1}
    """
    majority = Counter(max(count, scenarios - count) for count in np.asarray(high, dtype=int).tolist())
    return {f"{most}-{scenarios - most}": majority[most] for most in range(scenarios, (scenarios - 1) // 2, -1)}


class ScenarioBreakdownMetric(Metric):
    """Share of descriptions whose scenarios are answered five alike, four alike, or three to two."""

    def __init__(self, conf: ScenarioBreakdownConf) -> None:
        self._scenarios = conf.scenarios

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """For each test, template and trait the share of each split; as a table the same by number of high answers."""
        parts = list(_parts(judged.shared(table, context)))
        counts = [row for labels, answers in parts for row in self._counts(descriptions(answers), labels)]
        columns = ["model", "test", "mode", "template", "trait", "high", "low", "descriptions", "share"]
        return MetricResult(self._all(parts), {METRIC: pd.DataFrame(counts, columns=columns)})

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Tests and traits without a description of as many items: undefined even if every item has a score."""
        parts = _parts(judged.shared(table, context).assign(score=1.0))
        return [found for found in self._all(parts) if not found.defined]

    def _all(self, parts: Iterable[_Part]) -> list[Estimate]:
        found = [found for labels, answers in parts for found in self._estimates(descriptions(answers), labels)]
        reason = "nothing was asked with its options in the original wording without inducing a personality"
        return found or [Estimate.undefined(METRIC, reason, labels={}, over=("trait",))]

    def _estimates(self, found: pd.DataFrame, labels: Mapping[str, str]) -> Iterator[Estimate]:
        if not (found["items"] == self._scenarios).any():
            sizes = ", ".join(map(str, sorted(set(found["items"]))))
            reason = (
                f"no description is shared by {self._scenarios} items (but by {sizes}): "
                "metric.scenario_breakdown.scenarios says how many"
            )
            yield Estimate.undefined(METRIC, reason, labels=labels, over=("trait",), excluded={OTHER: len(found)})
            return
        for trait in ordered(set(found["trait"])):
            yield from self._of_trait(found[found["trait"] == trait], {**labels, "trait": trait})

    def _of_trait(self, found: pd.DataFrame, labels: Mapping[str, str]) -> Iterator[Estimate]:
        kept, excluded = self._kept(found)
        if kept.empty:
            reason = ", ".join(f"{reason} ({n})" for reason, n in excluded.items())
            yield Estimate.undefined(
                METRIC, f"no description can be counted: {reason}", labels=labels, excluded=excluded
            )
            return
        for split, count in splits(kept["high"], self._scenarios).items():
            interval = wilson(count, len(kept))
            yield Estimate(
                METRIC,
                count / len(kept),
                n=len(kept),
                labels={**labels, "split": split},
                low=interval.low if interval else None,
                high=interval.high if interval else None,
                excluded=excluded,
                interval="Wilson score, over descriptions",
            )

    def _counts(self, found: pd.DataFrame, labels: Mapping[str, str]) -> Iterator[dict[str, object]]:
        for trait in ordered(set(found["trait"])):
            kept, _ = self._kept(found[found["trait"] == trait])
            for high in range(self._scenarios + 1) if len(kept) else ():
                number = int((kept["high"] == high).sum())
                row = {**labels, "trait": trait, "high": high, "low": self._scenarios - high}
                yield {**row, "descriptions": number, "share": number / len(kept)}

    def _kept(self, found: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, int]]:
        """The descriptions that can be counted, and why others cannot."""
        reason = np.select(
            [found["items"] != self._scenarios, found["missing"] > 0, found["tied"] > 0], [OTHER, UNANSWERED, TIED], ""
        )
        return found[reason == ""], dict(sorted(Counter(reason[reason != ""].tolist()).items()))


def _parts(rows: pd.DataFrame) -> Iterator[_Part]:
    """What was asked first of each test in each template, with its labels."""
    rows = base(rows)
    for test, part in by_test(rows[rows["repeat"] == 0]):
        for template, answers in part.groupby("template", sort=True):
            yield {**test, "template": str(template)}, answers


def descriptions(answers: pd.DataFrame) -> pd.DataFrame:
    """What was answered to the items of each description.

    Args:
        answers: Rows of :func:`~metricsengine_psychometrics.measures.judged.judged`, of one test under one condition.

    Returns:
        A row for each trait and description with the numbers of its ``items``, of those answered ``high``, ``tied``
        (a score in the middle) and ``missing`` (no score).
    """
    score = answers["score"].astype(float)
    marked = answers.assign(items=1, high=score > 0.5, tied=score == 0.5, missing=score.isna())
    counted = marked.groupby(["trait", "description"], sort=True)[["items", "high", "tied", "missing"]]
    return counted.sum().reset_index()
