"""How traits go together: over induced personalities, or over models (TRAIT, section 4.3 and Appendix G.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from metricsengine import stats
from metricsengine.aggregate import FEW, LEAST
from metricsengine.arrays import Integers, aligned, coded, finite
from metricsengine.bootstrap import Resampling, bootstrap_statistic
from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine.stats import Correlation
from metricsengine_psychometrics.measures import judged
from metricsengine_psychometrics.measures.comparisons import base, resampling
from metricsengine_psychometrics.traits import ordered

if TYPE_CHECKING:
    from metricsengine_psychometrics.measures.config_conditions import TraitCorrelationConf

HUMAN: Mapping[frozenset[str], float] = {
    frozenset(("agreeableness", "machiavellianism")): -0.47,
    frozenset(("agreeableness", "narcissism")): -0.36,
    frozenset(("agreeableness", "psychopathy")): -0.24,
    frozenset(("machiavellianism", "narcissism")): 0.25,
    frozenset(("machiavellianism", "psychopathy")): 0.31,
    frozenset(("narcissism", "psychopathy")): 0.50,
}
"""Correlations among people (TRAIT, Table 20, after Paulhus and Williams, 2002, and Van der Linden et al., 2010)."""

CONDITION = ("induced_trait", "level")
"""What a personality is induced to be. The templates and techniques that do so are asked of the same personality."""

_UNIT = (*CONDITION, "technique", "template")
_INDUCE = "study.induce=[high,low] with study.induced_items=all asks every trait of every induced personality"
_DIFFERENCE = "trait_correlation.human_difference"


def clustered_pearson(
    x: ArrayLike, y: ArrayLike, clusters: Sequence[str], how: Resampling, *, unit: str
) -> Correlation:
    """Pearson's correlation, its interval by resampling clusters of pairs.

    Fisher's interval takes every pair for independent. The templates of one induced personality are not: they repeat
    nearly the same scores, and with three templates Fisher's interval would be too narrow by a factor near the square
    root of three.

    Args:
        x: Finite numbers, shape (n,).
        y: Finite numbers, shape (n,).
        clusters: The cluster of each pair, length n. Their names do not matter.
        how: Draws, confidence and seed.
        unit: What the clusters are, in the plural.

    Returns:
        The correlation, undefined as :func:`metricsengine.stats.pearson` is; without an interval below five clusters,
        or where too many resamples do not vary.

    Raises:
        ValueError: NaN, infinity, or lengths that differ.

    Example:
        >>> x, y = [0.1, 0.2, 0.3, 0.5, 0.7, 0.9], [0.8, 0.9, 0.5, 0.6, 0.3, 0.1]
        >>> found = clustered_pearson(x, y, "abcdef", Resampling(seed=1), unit="personalities")
        >>> round(found.value, 3), found.interval.method
        (-0.927, 'bootstrap over personalities, 2000 draws')
        >>> clustered_pearson(x, y, "aabbcc", Resampling(seed=1), unit="personalities").reason
        '3 personalities, and a bootstrap takes at least 5'
    """
    plain = stats.pearson(x, y)
    if plain.value is None:
        return plain
    codes = coded(aligned("clusters", clusters, plain.n))
    count = int(codes.max()) + 1
    if count < LEAST:
        return replace(plain, interval=None, reason=f"{count} {unit}, and a bootstrap takes at least {LEAST}")
    sums = _sums(finite("x", x), finite("y", y), codes)
    interval = bootstrap_statistic(lambda drawn: _correlation(sums[drawn]), count, how, unit=unit)
    return replace(plain, interval=interval, reason="" if interval else "too many resamples do not vary")


def _sums(xs: Any, ys: Any, codes: Integers) -> Any:
    """Each cluster's n and sums of x, y, x squared, y squared and xy, of centred scores, shape (clusters, 6).

    The clusters come in an order of what they hold, so that neither their names nor swapping x and y change a draw.
    """
    x, y = xs - xs.mean(), ys - ys.mean()
    sums = np.stack([np.bincount(codes, part) for part in (np.ones_like(x), x, y, x * x, y * y, x * y)], axis=1)
    keys = sums[:, 0], sums[:, 5], sums[:, 3] + sums[:, 4], sums[:, 1] + sums[:, 2]
    return sums[np.lexsort([np.round(key, 12) for key in keys])]


def _correlation(sums: Any) -> float:
    """The correlation of the clusters that were drawn; NaN where a side does not vary."""
    n, x, y, xx, yy, xy = map(float, sums.sum(axis=0))
    across, along = xx - x * x / n, yy - y * y / n
    if across <= 1e-12 * xx or along <= 1e-12 * yy:
        return math.nan
    return max(-1.0, min(1.0, (xy - x * y / n) / math.sqrt(across * along)))


class TraitCorrelationMetric(Metric):
    """Pearson's correlation of the scores of every two traits, and how it differs from people's."""

    def __init__(self, conf: TraitCorrelationConf) -> None:
        self._conf = conf

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """For each test every two traits: over personalities induced to be high, low, and all; or over models.

        A personality in a template (and by a technique) is a unit, its trait scores the shares of high answers. Their
        interval resamples induced personalities. Models are independent of each other, so over models it is Fisher's.
        """
        return MetricResult(_correlations(judged.shared(table, context), context))

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Traits that are asked of too few units; with all scores alike, no correlation has a value yet."""
        rows = judged.shared(table, context).assign(score=1.0)
        return [found for found in _correlations(rows, context) if found.n < stats.LEAST_PAIRS]


def _correlations(rows: pd.DataFrame, context: MetricContext) -> list[Estimate]:
    rows = rows[(rows["repeat"] == 0) & (rows["wording"] == "original")]
    found = [
        estimate
        for group in _groups(rows)
        for pair in group.pairs(resampling(context))
        for estimate in (pair, *_difference(pair))
    ]
    reason = f"nothing was asked with its options: {_INDUCE}"
    return found or [Estimate.undefined("trait_correlation", reason, labels={}, over=("trait",))]


@dataclass(frozen=True)
class _Group:
    """Units whose trait scores are correlated.

    Attributes:
        scores: A row for each unit, a column for each trait, 0 to 1; the index names the unit.
        labels: Of all its estimates.
        over: What the units differ in beside what they are.
        clusters: The cluster of each unit; none where units are independent.
        remedy: What to add where the units are too few.
    """

    scores: pd.DataFrame
    labels: Mapping[str, str]
    over: tuple[str, ...]
    clusters: Sequence[str]
    remedy: str

    def pairs(self, how: Resampling) -> Iterator[Estimate]:
        """An estimate for every two traits; a single undefined one where no two were measured together."""
        together = self.scores.notna().sum(axis=1).max() if len(self.scores) else 0
        if together < 2:
            labels, over = self.labels, (*self.over, "trait")
            yield Estimate.undefined("trait_correlation", self.remedy, labels=labels, over=over)
            return
        for trait, other in combinations(ordered(set(self.scores.columns)), 2):
            yield self._pair(trait, other, how)

    def _pair(self, trait: str, other: str, how: Resampling) -> Estimate:
        both = self.scores[[trait, other]].notna().all(axis=1).to_numpy()
        x, y = (self.scores[name].to_numpy(dtype=np.float64)[both] for name in (trait, other))
        clusters = [cluster for cluster, kept in zip(self.clusters, both, strict=False) if kept]
        found = (
            clustered_pearson(x, y, clusters, how, unit="induced personalities") if clusters else stats.pearson(x, y)
        )
        units = len(set(clusters)) or found.n
        labels = {**self.labels, "trait": trait, "trait_b": other}
        excluded = {"units without a score": int((~both).sum())} if not both.all() else {}
        if found.value is None:
            reason = f"{found.reason}: {self.remedy}" if found.n < stats.LEAST_PAIRS else found.reason
            return Estimate.undefined(
                "trait_correlation", reason, labels=labels, n=found.n, excluded=excluded, over=self.over
            )
        method = found.interval.method if found.interval else f"none: {found.reason}"
        return Estimate(
            "trait_correlation",
            found.value,
            n=found.n,
            labels=labels,
            low=found.low,
            high=found.high,
            excluded=excluded,
            over=self.over,
            interval=method if clusters else f"{method}, over models",
            flags=("few_units",) if units < FEW else (),
        )


def _groups(rows: pd.DataFrame) -> Iterator[_Group]:
    """The units of each test: induced personalities of each model, else the models."""
    for (test, mode), part in rows.groupby(["test", "mode"], sort=True):
        labels = {"test": str(test), "mode": str(mode)}
        induced = part[part["level"] != "none"]
        if induced.empty:
            yield _models(base(part), labels)
        for model, answers in induced.groupby("model", sort=True):
            yield from _personalities(answers, {**labels, **({"model": str(model)} if model else {})})


def _personalities(answers: pd.DataFrame, labels: Mapping[str, str]) -> Iterator[_Group]:
    levels = sorted(set(answers["level"]))
    for level in levels:
        yield _personality_group(answers[answers["level"] == level], {**labels, "level": str(level)}, ())
    if len(levels) > 1:
        yield _personality_group(answers, labels, ("level",))


def _personality_group(answers: pd.DataFrame, labels: Mapping[str, str], over: tuple[str, ...]) -> _Group:
    scores = _scores(answers, _UNIT)
    clusters = [repr(unit[: len(CONDITION)]) for unit in scores.index]
    return _Group(scores, labels, over, clusters, f"no two traits were asked of three induced personalities: {_INDUCE}")


def _models(answers: pd.DataFrame, labels: Mapping[str, str]) -> _Group:
    """Scores of models that are known by name, each template weighing the same."""
    answers = answers[answers["model"] != ""]
    scores = _scores(answers, ("model", "template")).groupby(level="model").mean()
    if len(scores) < stats.LEAST_PAIRS:
        reason = f"no personality was induced, and there are no three models to compare: {_INDUCE}"
        return _Group(scores.iloc[:0], labels, (), (), reason)
    return _Group(scores, {**labels, "of": "models"}, (), (), "no two traits were asked of three models")


def _scores(answers: pd.DataFrame, unit: Sequence[str]) -> pd.DataFrame:
    """Mean score of each trait in each unit; missing where none of its items has a score."""
    ranked = answers.sort_values([*unit, "trait", "item"], kind="stable")
    return ranked.groupby([*unit, "trait"], sort=True)["score"].mean().unstack("trait")


def _difference(pair: Estimate) -> list[Estimate]:
    """The estimate less what is known of people, for the traits of which it is."""
    human = HUMAN.get(frozenset((pair.labels.get("trait", ""), pair.labels.get("trait_b", ""))))
    if human is None:
        return []
    if pair.value is None:
        return [replace(pair, metric=_DIFFERENCE)]
    low, high = (None if end is None else end - human for end in (pair.low, pair.high))
    return [replace(pair, metric=_DIFFERENCE, value=pair.value - human, low=low, high=high)]
