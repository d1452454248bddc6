"""How many of the paraphrases that a model wrote could be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine.stats import wilson
from metricsengine_comparisons.paraphrase.config import YieldConf

if TYPE_CHECKING:
    import pandas as pd

YIELD = "paraphrase_yield"


class ParaphraseYield(Metric):
    """Share of replies that were taken as a paraphrase."""

    def __init__(self, conf: YieldConf) -> None:
        self._conf = conf

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each set, labelled by its group."""
        if table.empty:
            return MetricResult([Estimate.undefined(YIELD, "nothing was asked", labels={})])
        return MetricResult(
            [
                _share(rows, {str(group): str(name)})
                for (group, name), rows in table.groupby(["group", "set"], sort=False)
            ]
        )


def _share(rows: pd.DataFrame, labels: dict[str, str]) -> Estimate:
    errors = int((rows["outcome"] == "error").sum())
    excluded = {"error": errors} if errors else {}
    n, accepted = len(rows) - errors, int(rows["accepted"].sum())
    if (interval := wilson(accepted, n)) is None:
        return Estimate.undefined(YIELD, "every request ended in an error", labels=labels, excluded=excluded)
    named = "Wilson, over replies as if independent"
    low, high = interval.low, interval.high
    return Estimate(YIELD, accepted / n, n, labels, low=low, high=high, excluded=excluded, interval=named)
