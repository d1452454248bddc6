"""Items answered under several conditions, and the share of them whose answers do not all agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from numpy.typing import ArrayLike

from metricsengine import seeds
from metricsengine.aggregate import FEW
from metricsengine.bootstrap import Resampling, bootstrap_mean
from metricsengine.estimate import Estimate
from metricsengine.metric import MetricContext
from metricsengine.stats import Interval, wilson
from metricsengine_psychometrics.measures import judged
from metricsengine_psychometrics.traits import BIG_FIVE, DARK_TRIAD, ordered

TEST = ("model", "test", "mode")
"""What tells one model's answers to one test from others; a model is named only where there are several."""

NOT_ASKED = "not asked under every condition"

_GROUPS = {"big_five": BIG_FIVE, "dark_triad": DARK_TRIAD}
_ITEM = ["item", "trait", "description"]


def disagreeing(answers: ArrayLike) -> npt.NDArray[np.bool_]:
    """Which items are not answered alike under all conditions at once (TRAIT, Appendix E.1.3).

    Args:
        answers: Answers of any type that can be compared, shape (items, conditions); a tie is an answer of its own.

    Returns:
        Whether some answer differs, shape (items,).

    Example:
        >>> disagreeing([["high", "high", "high"], ["high", "low", "high"], ["tie", "tie", "high"]]).tolist()
        [False, True, True]
    """
    table = np.asarray(answers)
    different: npt.NDArray[np.bool_] = (table != table[:, :1]).any(axis=1)
    return different


def pooled(shares: ArrayLike, sizes: ArrayLike) -> float:
    """The share in several groups together.

    Args:
        shares: Share in each group, shape (groups,), 0 to 1 (or percent).
        sizes: Items of each group, shape (groups,); equal ones give the mean of the groups.

    Returns:
        The share, in the unit of the shares.

    Example:
        >>> round(pooled([0.316, 0.281], [5000, 3000]), 3)
        0.303
    """
    return float(np.average(np.asarray(shares, dtype=np.float64), weights=np.asarray(sizes, dtype=np.float64)))


@dataclass(frozen=True)
class Comparison:
    """What is compared with what.

    Attributes:
        across: The condition whose values are compared.
        within: Conditions that are the same for all that is compared.
        averaged: Those of ``within`` that have no estimates of their own.
        strict: Whether the option itself must be the same, not its level only.
    """

    across: str
    within: tuple[str, ...]
    averaged: tuple[str, ...]
    strict: bool

    @property
    def answer(self) -> str:
        """The column of what must agree."""
        return "identity" if self.strict else "state"

    def items(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Every item of one test within each of the conditions, and whether its answers differ.

        Args:
            rows: Rows of :func:`~metricsengine_psychometrics.measures.judged.judged` or ``by_arrangement``.

        Returns:
            The columns of the item and of ``within``, ``cell`` (their number), ``excluded`` (why it cannot be compared;
            empty where it can) and ``differs``. No rows where nothing is asked under two conditions.
        """
        parts = rows.groupby(["family", *self.within], sort=True)
        found = [self._compared(part) for _, part in parts if part[self.across].nunique() > 1]
        if not found:
            return pd.DataFrame(columns=[*_ITEM, *self.within, "cell", "excluded", "differs"])
        items = pd.concat(found, ignore_index=True)
        return items.assign(cell=items.groupby(list(self.within)).ngroup() if self.within else 0)

    def _compared(self, part: pd.DataFrame) -> pd.DataFrame:
        wide = part.pivot(index=[*_ITEM, *self.within], columns=self.across, values=[self.answer, "excluded"])
        excluded = wide["excluded"]
        reasons = excluded.where(excluded.notna(), NOT_ASKED).to_numpy(dtype=object)
        items = wide.index.to_frame(index=False)
        items["excluded"] = [next(filter(None, row), "") for row in reasons]
        # Of an item that is excluded this says nothing: its missing answers are texts like any other here.
        items["differs"] = disagreeing(wide[self.answer].astype(str).to_numpy(dtype=object))
        return items


@dataclass(frozen=True)
class Slice:
    """Items that one estimate is about.

    Attributes:
        items: Rows of :meth:`Comparison.items`.
        labels: What they are, beside the test.
        over: What is averaged over.
    """

    items: pd.DataFrame
    labels: Mapping[str, str]
    over: tuple[str, ...]

    def share(self, metric: str, labels: Mapping[str, str], how: Resampling) -> Estimate:
        """The share of items whose answers differ: each cell's by itself, then their mean.

        The interval resamples descriptions, as items of one description resemble each other. Where all items are alike,
        so would all resamples be: Wilson's interval then takes each description for one trial.
        """
        kept = self.items[self.items["excluded"] == ""]
        excluded = dict(sorted(Counter(self.items["excluded"][self.items["excluded"] != ""]).items()))
        labels = {**labels, **self.labels}
        if kept.empty:
            reasons = ", ".join(f"{reason} ({n})" for reason, n in excluded.items())
            reason = f"no item was answered under every condition compared: {reasons}"
            return Estimate.undefined(metric, reason, labels=labels, over=self.over, excluded=excluded)
        differs = kept["differs"].to_numpy(dtype=np.float64)
        cells = kept.groupby("cell")["differs"]
        shares = cells.mean()
        interval = _interval(differs, kept["description"].tolist(), 1 / cells.transform("size").to_numpy(), how)
        return Estimate(
            metric,
            pooled(shares, np.ones(len(shares))),
            n=len(kept),
            labels=labels,
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            excluded=excluded,
            over=self.over,
            interval=interval.method if interval else "none: all items share one description",
            flags=("few_units",) if kept["description"].nunique() < FEW else (),
        )


def _interval(
    differs: npt.NDArray[np.float64], descriptions: list[str], weights: Any, how: Resampling
) -> Interval | None:
    if np.ptp(differs) > 0:
        return bootstrap_mean(differs, how, unit="descriptions", clusters=descriptions, weights=weights)
    trials = len(set(descriptions))
    found = wilson(trials * float(differs[0]), trials)
    return Interval(found.low, found.high, f"{found.method} over descriptions, all items alike") if found else None


def slices(items: pd.DataFrame, comparison: Comparison) -> Iterator[Slice]:
    """Each trait, the Big Five and the Dark Triad apart, and the whole test; in each template and over all."""
    always = tuple(name for name in comparison.within if name in comparison.averaged)
    own = [name for name in comparison.within if name not in comparison.averaged]
    for part, labels, over in _parts(items):
        for values, cell in part.groupby(own, sort=True) if own else ():
            yield Slice(cell, {**labels, **dict(zip(own, map(str, values), strict=True))}, (*always, *over))
        yield Slice(part, labels, (*own, *always, *over))


def _parts(items: pd.DataFrame) -> Iterator[tuple[pd.DataFrame, dict[str, str], tuple[str, ...]]]:
    traits = set(items["trait"])
    for trait in ordered(traits):
        yield items[items["trait"] == trait], {"trait": trait}, ()
    if all(traits.intersection(group) for group in _GROUPS.values()):
        for name, group in _GROUPS.items():
            yield items[items["trait"].isin(group)], {"trait_group": name}, ("trait",)
    yield items, {}, ("trait",)


def by_test(rows: pd.DataFrame) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """The answers of each model to each test in each mode, with their labels."""
    for values, part in rows.groupby(list(TEST), sort=True):
        yield {name: str(value) for name, value in zip(TEST, values, strict=True) if value}, part


def base(rows: pd.DataFrame, wordings: Sequence[str] = ("original",)) -> pd.DataFrame:
    """The rows without an induced personality, in these wordings."""
    return rows[(rows["level"] == "none") & rows["wording"].isin(wordings)]


def answered(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows as if every item were answered, and all alike: what is undefined of them is so whatever is answered."""
    return rows.assign(excluded="", state="high", identity="high1")


def arranged(answers: pd.DataFrame, context: MetricContext) -> pd.DataFrame:
    """``by_arrangement`` of a run's table, computed once for all metrics; not to be changed."""
    key = ("psychometrics.by_arrangement", id(answers))
    return context.shared(key, lambda: (answers, judged.by_arrangement(answers, context.protocol)))[1]


def resampling(context: MetricContext) -> Resampling:
    """One seed for all estimates: neither a trait's name nor another estimate may move an interval."""
    return Resampling(seeds.derive(context.seed, "conditions"))
