"""The Trait Balance Score of texts (TRAIT, appendix E.2)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from metricsengine import seeds
from metricsengine.arrays import Floats
from metricsengine.clustered import alike
from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine_psychometrics.evaluator.config import TraitBalanceMetricConf
from metricsengine_psychometrics.traits import ordered

if TYPE_CHECKING:
    import pandas as pd

    from metricsengine.stats import Interval

BALANCE = "trait_balance"
DIFFERENCE = "chosen_minus_rejected"
"""The side of T, where texts come in pairs."""

CONDITIONS = ["model", "persona"]
FEW = 10
"""Below this many texts a percentile bootstrap covers less than it says."""

EQUAL = 1e-9
"""Percentages that differ by no more are equal: their sums are rounded."""


class TraitBalanceMetric(Metric):
    """Percentage of texts that show a trait at a high level less that at a low one, d = pH - pL (E.2).

    Percentages are of all texts in class, of whatever trait; those out of class, refused or empty are counted. Where
    texts come in pairs, T is d of the chosen less d of the rejected ones. The interval resamples texts; a pair, and all
    turns of a conversation, are drawn together. Where texts are turns, each turn has estimates of its own too.
    """

    def __init__(self, conf: TraitBalanceMetricConf) -> None:
        self._draws = conf.draws

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each trait and side, of all turns together and of each."""
        traits = _traits(table)
        if table.empty or not traits:
            return MetricResult([Estimate.undefined(BALANCE, "no text was classified", labels={})])
        seed = seeds.derive(context.seed, BALANCE)
        return MetricResult(
            [
                estimate
                for labels, rows in _cells(table)
                for trait in traits
                for estimate in self._estimates(rows, trait, labels, seed)
            ]
        )

    def _estimates(self, rows: pd.DataFrame, trait: str, labels: Mapping[str, str], seed: int) -> Iterator[Estimate]:
        counts = {
            side: _counts(rows, side, trait) for side in ("all", "chosen", "rejected") if (rows["side"] == side).any()
        }
        for side, counted in counts.items():
            yield self._estimate(rows, [side], counted, {**labels, "trait": trait, "side": side}, seed)
        if "chosen" in counts and "rejected" in counts:
            both = np.column_stack([counts["chosen"], counts["rejected"]])
            yield self._estimate(
                rows, ["chosen", "rejected"], both, {**labels, "trait": trait, "side": DIFFERENCE}, seed
            )

    def _estimate(
        self, rows: pd.DataFrame, sides: list[str], counts: Floats, labels: dict[str, str], seed: int
    ) -> Estimate:
        own = rows.loc[rows["side"].isin(sides)]
        classified = own["outcome"] == "classified"
        excluded = Counter(str(outcome).replace("_", " ") for outcome in own.loc[~classified, "outcome"])
        value = float(balance(counts.sum(axis=0)))
        if math.isnan(value):
            return Estimate.undefined(BALANCE, "no text is in class", labels=labels, unit="%", excluded=excluded)
        n = int(classified.sum())
        counts = counts[(counts != 0).any(axis=1)]
        return Estimate(
            BALANCE,
            value,
            n,
            labels,
            unit="%",
            excluded=excluded,
            flags=("few_units",) * (len(counts) < FEW),
            **self._interval(counts, seed, "conversations" if own["conversation"].notna().any() else "texts"),
        )

    def _interval(self, counts: Floats, seed: int, unit: str) -> dict[str, Any]:  # fields of an estimate
        if not self._draws:
            return {"interval": "none: not asked for"}
        found = bootstrap_balance(counts, self._draws, seed, unit)
        if found is None:
            return {
                "interval": f"none: a single one of {unit}" if len(counts) < 2 else "none: too few draws have a value"
            }
        return {"low": found.low, "high": found.high, "interval": found.method}


def balance(counts: Floats) -> Floats:
    """The score of one side (d), or of two (T), in percent; NaN where a side has no text in class.

    Args:
        counts: Shape (..., 3) or (..., 6): of each side, texts high in the trait, low in it, and in class.

    Returns:
        Shape (...,).

    Example:
        >>> float(balance(np.array([1, 2, 4])))
        -25.0
        >>> float(balance(np.array([1, 0, 2, 0, 1, 1])))
        150.0
    """
    high, low, in_class = np.moveaxis(counts.reshape(*counts.shape[:-1], -1, 3).astype(np.float64), -1, 0)
    shares = 100 * np.divide(high - low, in_class, out=np.full(high.shape, np.nan), where=in_class > 0)
    score: Floats = shares[..., 0] - shares[..., 1:].sum(axis=-1)
    return score


def bootstrap_balance(counts: Floats, draws: int, seed: int, unit: str) -> Interval | None:
    """Percentile interval of the score, resampling clusters.

    Clusters of equal counts are drawn together, as a multinomial: as fast with a million texts as with a hundred. The
    order of the clusters does not matter.

    Args:
        counts: Shape (clusters, 3) or (clusters, 6).
        draws: Number of resamples.
        seed: Seed of the draws.
        unit: What the clusters are, in the plural.

    Returns:
        The interval, or None with fewer than two clusters, or where over 5 % of the draws have no score. Where all
        draws score alike, it is bounded by what others may score
        (:func:`~metricsengine.clustered.alike`).
    """
    from metricsengine.stats import Interval

    if len(counts) < 2:
        return None
    kinds, times = np.unique(counts, axis=0, return_counts=True)
    drawn = seeds.generator("bootstrap", seed).multinomial(len(counts), times / len(counts), size=draws)
    scores = balance(drawn @ kinds)
    defined = scores[np.isfinite(scores)]
    if draws - len(defined) > 0.05 * draws:
        return None
    if np.ptp(defined) < EQUAL:
        reach = 100 * counts.shape[1] // 3
        return alike(float(defined[0]), len(counts), unit, (-reach, reach))
    low, high = np.quantile(defined, [0.025, 0.975])
    note = f", {draws - len(defined)} undefined" if len(defined) < draws else ""
    return Interval(float(low), float(high), f"bootstrap over {unit}, {draws} draws{note}")


def _counts(rows: pd.DataFrame, side: str, trait: str) -> Floats:
    """Texts of one side by cluster, shape (clusters, 3): high in the trait, low in it, in class."""
    import pandas as pd

    told = (rows["side"] == side) & (rows["outcome"] == "classified")
    shown = told & (rows["trait"] == trait).fillna(False)
    columns = {
        "high": shown & (rows["level"] == "high").fillna(False),
        "low": shown & (rows["level"] == "low").fillna(False),
        "all": told,
    }
    flags = pd.DataFrame({name: column.astype("float64") for name, column in columns.items()})
    clusters = rows["conversation"].where(rows["conversation"].notna(), rows["text_id"]).astype(str)
    grouped: Floats = flags.groupby(clusters.to_numpy(), sort=True).sum().to_numpy(dtype=np.float64)
    return grouped


def _traits(table: pd.DataFrame) -> list[str]:
    """All traits that the evaluator knows: a trait that no text shows has a balance too."""
    known = {str(name).removeprefix("p_") for name in table.columns if str(name).startswith("p_")}
    return ordered(known | set(table["trait"].dropna().astype(str)))


def _cells(table: pd.DataFrame) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """The rows of each condition, of all its turns and of each turn."""
    for keys, rows in table.groupby(CONDITIONS, sort=True, dropna=False):
        labels = {name: key for name, key in zip(CONDITIONS, keys, strict=True) if isinstance(key, str)}
        yield labels, rows
        for turn in sorted(rows["turn"].dropna().unique(), key=_natural):
            yield {**labels, "turn": str(turn)}, rows.loc[rows["turn"] == turn]


def _natural(turn: object) -> tuple[float, str]:
    number = re.search(r"\d+", str(turn))
    return (int(number[0]) if number else math.inf, str(turn))
