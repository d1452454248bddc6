"""How often a model declines to answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine.reading.refusal import DETECTORS, Detector
from metricsengine.stats import wilson
from metricsengine_psychometrics.measures.cells import Cell, cells, labels, resampled
from metricsengine_psychometrics.measures.config import CLASSIFIER, ClassifierConf, RefusalConf
from metricsengine_psychometrics.tables import ANSWERS

if TYPE_CHECKING:
    import pandas as pd

BY_PROVIDER = "refused_by_provider"

Judge = Callable[[Sequence[str]], Sequence[bool]]
"""Says of each reply whether it declines to answer."""


def refused(reply: str, chosen: bool, detector: Detector) -> bool:
    """Whether a reply is a refusal: it chooses none of the options, and the detector says so (TRAIT, Table 15).

    Args:
        reply: What the model wrote.
        chosen: Whether it chooses one of the options it was shown.
        detector: Says why a reply is a refusal.

    Example:
        >>> refused("I cannot choose.", False, DETECTORS["keyword_strict"])
        True
        >>> refused("As an AI, I would say B.", True, DETECTORS["keyword"])
        False
    """
    return not chosen and bool(detector(reply))


def refusal_rate(refusals: Sequence[bool]) -> float:
    """Share of refusals, from 0 to 1.

    Args:
        refusals: Whether each reply, or what a provider sent instead of one, is a refusal; at least one.

    Example:
        >>> refusal_rate([True, False, False, False])
        0.25
    """
    return sum(refusals) / len(refusals)


class RefusalMetric(Metric):
    """Refusal rate by keywords (Tables 15 and 16)."""

    def __init__(self, conf: RefusalConf) -> None:
        self._detectors = {name: detector for name, detector in DETECTORS.items() if name in conf.detectors}

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each test, template, mode, induced level and detector."""
        judges: dict[str, Judge] = {name: _judge(detector) for name, detector in self._detectors.items()}
        return MetricResult([*_rates(table, judges, context.seed)])

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Tests whose replies are never written."""
        asked = _asked(table)
        return [found for name in self._detectors for found in _unwritten(asked, name)]


class ClassifierMetric(Metric):
    """Refusal rate by a classifier of sentence vectors."""

    def __init__(self, conf: ClassifierConf) -> None:
        self._conf = conf

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each test, template, mode and induced level."""
        from metricsengine_psychometrics.measures.refusal_classifier import read_examples, trained

        def judge(replies: Sequence[str]) -> Sequence[bool]:
            return trained(read_examples(self._conf.examples), context.encode)(replies)

        return MetricResult([*_rates(table, {CLASSIFIER: judge}, context.seed)])

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Tests whose replies are never written."""
        return _unwritten(_asked(table), CLASSIFIER)


def _judge(detector: Detector) -> Judge:
    return lambda replies: [bool(detector(reply)) for reply in replies]


def _rates(table: pd.DataFrame, judges: Mapping[str, Judge], seed: int) -> Iterator[Estimate]:
    asked = _asked(table)
    written = asked[_is_written(asked)]
    replies = sorted(set(written["reply"]))
    for name, judge in judges.items():
        said = dict(zip(replies, judge(replies), strict=True)) if replies else {}
        silent = written["choice"].eq("") & written["reply"].map(said).fillna(False).astype(bool)
        judged = written.assign(refused=silent | written["outcome"].eq(BY_PROVIDER))
        for cell in cells(judged):
            yield _rate(cell, name, seed)
        yield from _unwritten(asked, name)


def _unwritten(asked: pd.DataFrame, detector: str) -> list[Estimate]:
    """An undefined estimate for each test whose replies are never written."""
    reason = "no reply was written: study.answer=[text] or [open] asks for one"
    return [
        Estimate.undefined("refusal_rate", reason, labels={**where, "of": detector}) for where in _never_written(asked)
    ]


def _asked(table: pd.DataFrame) -> pd.DataFrame:
    """The table without holes; errors are excluded, and nothing else."""
    frame = ANSWERS.conform(table)
    frame = frame[
        [column.name for column in ANSWERS.columns if column.name not in ("points", "option_mass", "censored")]
    ]
    texts = {str(name): frame[name].fillna("").astype(str) for name in frame if frame[name].dtype == "string"}
    frame = frame.assign(**texts)
    return frame.assign(excluded=frame["outcome"].where(frame["outcome"] == "error", ""))


def _rate(cell: Cell, detector: str, seed: int) -> Estimate:
    about = {**cell.labels, "of": detector}
    answered, excluded = cell.answered, cell.excluded
    if not len(answered):
        return Estimate.undefined("refusal_rate", cell.nothing, labels=about, excluded=excluded)
    found = [bool(value) for value in answered["refused"]]
    return Estimate(
        "refusal_rate", refusal_rate(found), len(found), about, excluded=excluded, **_interval(answered, found, seed)
    )


def _interval(answered: pd.DataFrame, found: Sequence[bool], seed: int) -> dict[str, Any]:
    """Wilson's where each item was asked once, else a bootstrap of whole items."""
    items = list(answered["item"])
    if len(set(items)) < len(items):
        return resampled([float(value) for value in found], items, seed, unit="items")
    interval = wilson(sum(found), len(found))
    return {"low": interval.low, "high": interval.high, "interval": "Wilson, over items"} if interval else {}


def _never_written(asked: pd.DataFrame) -> list[dict[str, str]]:
    """The tests of which options were scored, or choices recorded, and nothing else."""
    written = set(asked.loc[_is_written(asked), ["model", "test"]].itertuples(index=False, name=None))
    modes = set(asked[["model", "test", "mode"]].itertuples(index=False, name=None))
    return [
        labels({"model": model, "test": test, "mode": mode})
        for model, test, mode in sorted(modes)
        if (model, test) not in written
    ]


def _is_written(asked: pd.DataFrame) -> pd.Series:
    """Rows of models, tests and modes in which replies were written; of recorded choices alone there are none.

    Where options were to be scored, a reply tells that the model wrote its answers instead (fallback answer_by_text).
    """
    failed = asked["mode"].ne("scores") & asked["outcome"].isin([BY_PROVIDER, "empty", "error"])
    said = asked["reply"].ne("") | failed
    return said.groupby([asked["model"], asked["test"], asked["mode"]]).transform("any")
