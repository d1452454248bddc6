"""How far the trait scores of two models lie apart, on the items that both answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from metricsengine import seeds
from metricsengine.arrays import Floats
from metricsengine.errors import ConfigError, unknown
from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine.stats import holm
from metricsengine.wording import plural
from metricsengine_psychometrics.measures.cells import Cell, cells, resampled
from metricsengine_psychometrics.measures.judged import shared
from metricsengine_psychometrics.runs.config import ModelDifferenceConf
from metricsengine_psychometrics.runs.significance import sign_flips

if TYPE_CHECKING:
    import pandas as pd

METRIC = "model_difference"
UNIT = "items, by description"
SIGNIFICANT, NOT_SIGNIFICANT = "significant", "not_significant"
COLUMNS = (
    "test", "mode", "trait", "model", "of", "difference", "low", "high", "p", "p_corrected", "items", "descriptions",
    "templates",
)  # fmt: skip

Pair = tuple[str, str]


@dataclass(frozen=True)
class Compared:
    """Two models in one trait of one test.

    Attributes:
        labels: Labels of the estimate.
        differences: First less second model on each item, mean over templates, in points; shape (items,).
        descriptions: The description of each item.
        templates: Templates in which both were asked.
        unshared: Items that one of them did not answer in one of these templates.
        p: Two-sided p-value of the mean, before correction; None without items.
        exact: Whether it is exact.
    """

    labels: Mapping[str, str]
    differences: Floats
    descriptions: Sequence[str]
    templates: Sequence[str]
    unshared: int
    p: float | None
    exact: bool


class ModelDifferenceMetric(Metric):
    """Differences of trait scores between models, paired by item, with significance corrected over traits."""

    def __init__(self, conf: ModelDifferenceConf) -> None:
        self._conf = conf

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each pair of models, test, mode and trait.

        Raises:
            ConfigError: No model is called like the baseline.
        """
        import pandas as pd

        base = plain(shared(table, context))
        pairs = self._pairs(sorted(set(base["model"]) - {""}))
        if not pairs:
            reason = "fewer than two models; study=personality_runs reads the runs of several"
            return MetricResult([Estimate.undefined(METRIC, reason, labels={})])
        estimates: list[Estimate] = []
        rows: list[dict[str, Any]] = []
        seed = seeds.derive(context.seed, METRIC)
        for of_test in _by_test(cells(base, "trait", over=("model", "template"))):
            for pair in pairs:
                found = [compared(cell, pair, seed, self._conf.permutations) for cell in of_test]
                corrected = _corrected(found)
                for one, p in zip(found, corrected, strict=True):
                    estimate = self._estimate(one, p, len(corrected) - corrected.count(None), seed)
                    estimates.append(estimate)
                    rows.append(_row(one, estimate, p))
        return MetricResult(estimates, {METRIC: pd.DataFrame(rows, columns=list(COLUMNS))})

    def _pairs(self, models: Sequence[str]) -> list[Pair]:
        baseline = self._conf.baseline
        if not baseline:
            return list(combinations(models, 2))
        if baseline not in models:
            raise ConfigError(f"metric.{METRIC}.baseline: {unknown('model', baseline, models)}")
        return [(model, baseline) for model in models if model != baseline]

    def _estimate(self, found: Compared, p: float | None, tested: int, seed: int) -> Estimate:
        several = len(found.templates) > 1
        common: dict[str, Any] = {
            "labels": found.labels if several else {**found.labels, **_template(found.templates)},
            "over": ("template",) if several else (),
            "excluded": {"not answered by both": found.unshared} if found.unshared else {},
        }
        if p is None:
            return Estimate.undefined(METRIC, "no item was answered by both", **common)
        interval = resampled(found.differences, found.descriptions, seed, unit=UNIT, ends=(-100, 100))
        flags = (SIGNIFICANT if p <= self._conf.alpha else NOT_SIGNIFICANT, *interval.pop("flags"))
        how = "all" if found.exact else f"{self._conf.permutations}"
        test = f"significance by {how} sign changes of descriptions, Holm over {plural(tested, 'trait')}"
        interval["interval"] = f"{interval['interval']}; {test}"
        value = round(float(found.differences.mean()), 9)  # of equal scores the differences may not quite cancel out
        return Estimate(METRIC, value, len(found.differences), flags=flags, **common, **interval)


def plain(items: pd.DataFrame) -> pd.DataFrame:
    """What was asked of models as they are: no personality induced, original wording, asked first."""
    kept = (items["level"] == "none") & (items["wording"] == "original") & (items["repeat"] == 0)
    return items[kept]


def compared(cell: Cell, pair: Pair, seed: int, permutations: int) -> Compared:
    """Two models on the items of a cell, in the templates in which both were asked."""
    import pandas as pd

    first, second = pair
    of_both = cell.rows[cell.rows["model"].isin(pair)]
    asked = of_both.groupby("template")["model"].nunique()
    templates = sorted(map(str, asked.index[asked == 2]))
    own = of_both[of_both["template"].isin(templates)]
    labels = {**cell.labels, "model": first, "of": second}
    columns = pd.MultiIndex.from_product([pair, templates])
    wide = own.pivot(index=["item", "description"], columns=["model", "template"], values="score").reindex(
        columns=columns
    )
    both = wide.dropna() if templates else wide.iloc[:0]
    descriptions = list(both.index.get_level_values("description").astype(str))
    if both.empty:
        return Compared(labels, np.zeros(0), (), templates, of_both["item"].nunique(), None, exact=True)
    means = 100 * both.to_numpy(float).reshape(len(both), len(pair), len(templates)).mean(axis=2)
    differences = np.round(means[:, 0] - means[:, 1], 9)  # equal scores differ by their sums' rounding
    p, exact = sign_flips(differences, descriptions, seed, permutations)
    return Compared(labels, differences, descriptions, templates, len(wide) - len(both), p, exact)


def _by_test(found: Iterator[Cell]) -> list[list[Cell]]:
    """Cells of the traits of each test, family and mode: those that a correction is made over."""
    by_test: dict[tuple[tuple[str, str], ...], list[Cell]] = {}
    for cell in found:
        key = tuple(sorted(pair for pair in cell.labels.items() if pair[0] != "trait"))
        by_test.setdefault(key, []).append(cell)
    return list(by_test.values())


def _corrected(found: Sequence[Compared]) -> list[float | None]:
    """The corrected p-value of each that has one."""
    corrected = iter(holm([one.p for one in found if one.p is not None]))
    return [None if one.p is None else next(corrected) for one in found]


def _template(templates: Sequence[str]) -> dict[str, str]:
    return {"template": templates[0]} if templates else {}


def _row(found: Compared, estimate: Estimate, p: float | None) -> dict[str, Any]:
    return {
        **{name: found.labels.get(name) for name in ("test", "mode", "trait", "model", "of")},
        "difference": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "p": found.p,
        "p_corrected": p,
        "items": len(found.differences),
        "descriptions": len(set(found.descriptions)),
        "templates": ", ".join(found.templates),
    }
