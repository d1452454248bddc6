"""A metric: how many words a page has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metricsengine.estimate import Estimate
from metricsengine.metric import Measure, Metric, MetricContext, MetricResult, MetricSpec

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class PageLengthConf:
    pass


class PageLength(Metric):
    def __init__(self, conf: PageLengthConf) -> None:
        pass

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        lengths = table["text"].str.split().str.len().groupby(table["mood"])
        return MetricResult(
            [
                Estimate("page_length", float(words.mean()), n=len(words), labels={"mood": str(mood)}, unit="words")
                for mood, words in lengths
            ]
        )


PAGE_LENGTH = MetricSpec(
    "page_length",
    PageLengthConf,
    PageLength,
    table="Entries",
    measures=(Measure("page_length", unit="words", bounds=(0, None), units=("mood",), keep=((),)),),
    doc="mean number of words on a page",
)
