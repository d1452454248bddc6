"""Whether an induced personality moves the scores: up where it is high in a trait, down where it is low."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from metricsengine.aggregate import FEW
from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine.stats import wilson
from metricsengine_psychometrics.measures.cells import labels
from metricsengine_psychometrics.measures.config import InternalValidityConf
from metricsengine_psychometrics.measures.judged import shared

if TYPE_CHECKING:
    import pandas as pd

EQUAL = 1e-9
"""Scores that differ by no more are equal: sums of the same numbers in another order differ by less."""

SCORES = ("base", "high", "low")

COLUMNS = ("test", "mode", "wording", "technique", "model", "trait", *SCORES)
"""Columns of a case; ``passes`` and ``weak`` stand behind them."""

ITEM = (*COLUMNS[:6], "induced_trait", "level", "template", "repeat", "score")
"""Columns of which cases are made: conditions, and the score from 0 to 1, missing where there is none."""

_GROUP = list(COLUMNS[:4])
_CASE = list(COLUMNS[:6])
ADVICE = "add study.induce=[none,high,low]"
"""What one job needs for its cases to have all scores."""


def passes(base: float, high: float, low: float) -> bool:
    """Whether inducing a high level raises the score above the base and a low level lowers it (TRAIT, section 2.3).

    Example:
        >>> passes(base=50, high=90, low=10), passes(base=50, high=50, low=10)
        (True, False)
    """
    return high - base > EQUAL and base - low > EQUAL


def passes_weakly(high: float, low: float) -> bool:
    """Whether the score is higher under a high than under a low level, wherever the base lies.

    Example:
        >>> passes_weakly(high=60, low=55), passes_weakly(high=60, low=60)
        (True, False)
    """
    return high - low > EQUAL


def validity(passed: Sequence[bool]) -> float:
    """Share of cases that pass, from 0 to 1.

    Args:
        passed: Whether each case passes, at least one.

    Example:
        >>> validity([True] * 39 + [False])
        0.975
    """
    return sum(passed) / len(passed)


class InternalValidityMetric(Metric):
    """Share of models and traits whose scores follow the induced level."""

    def __init__(self, conf: InternalValidityConf) -> None:
        self._conf = conf

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """Two estimates for each test, mode and technique, and a table with the scores of every case."""
        items = shared(table, context)
        found = cases(items)
        return MetricResult(validities(found, items), {"internal_validity": found} if len(found) else {})

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """What lacks a level that is never induced: undefined even if every item has a score."""
        items = shared(table, context).assign(score=0.0)
        return [found for found in validities(cases(items), items) if not found.defined]


def validities(found: pd.DataFrame, items: pd.DataFrame, advice: str = ADVICE) -> list[Estimate]:
    """The shares of cases that pass, strictly and weakly, for each test, mode, wording and technique.

    Args:
        found: What :func:`cases` found.
        items: Of what: also tells the tests of which no personality was induced.
        advice: What to do where a share is undefined.
    """
    groups = found.groupby(_GROUP, sort=True)
    induced = [estimate for key, group in groups for estimate in _estimates(key, group, advice)]
    return [*induced, *_never_induced(items, advice)]


def cases(items: pd.DataFrame) -> pd.DataFrame:
    """The scores of every model and trait at the base and under both induced levels, each a mean over templates.

    Args:
        items: Judged items, or means of several with the same columns; of these are read those of :data:`ITEM`.

    Returns:
        A row for each case of a technique, with :data:`COLUMNS`: scores from 0 to 100, missing where no item was
        answered, and whether the case passes, which is false where a score is missing.
    """
    first = items[(items["repeat"] == 0) & (items["level"].eq("none") | items["induced_trait"].eq(items["trait"]))]
    by_template = first.groupby([*_CASE, "level", "template"])["score"].mean()
    means = (100 * by_template.groupby([*_CASE, "level"]).mean()).reset_index()
    tested = first[[name for name in _CASE if name != "technique"]].drop_duplicates()
    techniques = first.loc[first["level"] != "none", _GROUP].drop_duplicates()
    found = tested.merge(techniques, on=[name for name in _GROUP if name != "technique"])[_CASE]
    for name, level in zip(SCORES, ("none", "high", "low"), strict=True):
        scores = means[means["level"] == level].rename(columns={"score": name}).drop(columns="level")
        keys = [key for key in _CASE if key != "technique"] if level == "none" else _CASE
        found = found.merge(scores[[*keys, name]], on=keys, how="left")
    found = found.sort_values(_CASE, ignore_index=True)
    return found.assign(passes=_holds(found, passes, SCORES), weak=_holds(found, passes_weakly, ("high", "low")))


def _holds(found: pd.DataFrame, passed: Callable[..., bool], scores: Sequence[str]) -> list[bool]:
    """Whether each case passes; what is missing compares false."""
    return [passed(**dict(zip(scores, row, strict=True))) for row in found[list(scores)].itertuples(index=False)]


def _estimates(key: object, group: pd.DataFrame, advice: str) -> Iterator[Estimate]:
    named = labels(dict(zip(_GROUP, map(str, key if isinstance(key, tuple) else ()), strict=True)))
    for name, column, scores in (
        ("internal_validity", "passes", SCORES),
        ("internal_validity.weak", "weak", ("high", "low")),
    ):
        lacking = [next((score for score in scores if missing[score]), "") for missing in _missing(group)]
        excluded = dict(sorted(Counter(f"no score: {score}" for score in lacking if score).items()))
        passed = [bool(value) for value, score in zip(group[column], lacking, strict=True) if not score]
        if not passed:
            never = [score for score in scores if group[score].isna().all()] or scores
            reason = f"no model and trait has scores at {', '.join(never)}: {advice}"
            yield Estimate.undefined(name, reason, labels=named, excluded=excluded)
            continue
        interval = wilson(sum(passed), len(passed))
        low, high = (interval.low, interval.high) if interval else (None, None)
        method = "Wilson, over cases (model and trait)"
        few = ("few_units",) if len(passed) < FEW else ()
        yield Estimate(
            name, validity(passed), len(passed), named, low, high, excluded=excluded, interval=method, flags=few
        )


def _missing(group: pd.DataFrame) -> list[dict[str, bool]]:
    """Which scores each case lacks."""
    lacks = group[list(SCORES)].isna().to_numpy()
    return [dict(zip(SCORES, map(bool, row), strict=True)) for row in lacks]


def _never_induced(items: pd.DataFrame, advice: str) -> Iterator[Estimate]:
    """An undefined estimate for each test of which no personality was induced."""
    keys = ["test", "mode", "wording"]
    induced = set(items.loc[items["level"] != "none", keys].itertuples(index=False, name=None))
    for key in sorted(set(items[keys].itertuples(index=False, name=None)) - induced):
        named = labels(dict(zip(keys, map(str, key), strict=True)))
        for name in ("internal_validity", "internal_validity.weak"):
            yield Estimate.undefined(name, f"no personality was induced: {advice}", labels=named)
