"""Internal validity over the jobs of a sweep, none of which holds the base and both induced levels by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from metricsengine.comparison import Comparison, Findings, spelled
from metricsengine.estimate import Estimate
from metricsengine_psychometrics.measures.config import ValidityOverJobsConf
from metricsengine_psychometrics.measures.internal_validity import ITEM, cases, validities

if TYPE_CHECKING:
    import pandas as pd

OF = "trait_score"
"""The metric whose estimates are compared."""

OVER_JOBS = ".over_jobs"
"""What is added to the names of the metric's estimates: each job has one of its own, which lacks what others hold."""

_ADVICE = "sweep study.induce=[none],[high],[low]"
_LEVELS = frozenset(("none", "high", "low"))
_INDUCED = ("induce", "level")
"""What swept levels are labelled by: their key, or the label of a score."""

_TOLD = frozenset(("induce", "induced_traits", "techniques", "templates", "traits", "wordings", "answer"))
"""Keys whose values scores tell by labels of their own; under any other swept key a case has an estimate of its own."""

_PLAIN = {"wording": "original", "level": "none", "technique": "", "model": "", "induced_trait": ""}
_KEYS = [name for name in ITEM if name not in ("repeat", "score")]
_OWN = frozenset((*_KEYS, "family"))


class ValidityOverJobs(Comparison):
    """The metric ``internal_validity`` where a level is the matter of a job of its own.

    Cases are made of the jobs' trait scores and judged as the metric judges them. As there, models are pooled; where
    there are several, each also has an estimate of its own. What else was swept is a condition and never mixed.
    """

    def __init__(self, conf: ValidityOverJobsConf) -> None:
        self._conf = conf

    def compare(self, findings: Findings, seed: int) -> Sequence[Estimate]:
        """Nothing within a job, where no level was swept, and where some job holds all levels: its own stand then."""
        swept = [label for label in findings.swept if _last(label) in _INDUCED]
        if findings.partial or not swept:
            return []
        conditions: dict[str, Mapping[str, str]] = {}
        rows: dict[str, list[dict[str, Any]]] = {}
        for estimate in findings.estimates:
            if estimate.metric == OF and not estimate.over:
                under = {name: value for name, value in estimate.labels.items() if not _is_own(name)}
                conditions[spelled(under)] = under
                rows.setdefault(spelled(under), []).append(_row(estimate, swept[0]))
        return [found for key in sorted(rows) for found in _over_jobs(rows[key], conditions[key])]


def _last(label: str) -> str:
    """The last part of a key, by which alone it is labelled unless that could mean two things."""
    return label.rpartition(".")[2]


def _is_own(label: str) -> bool:
    """Whether a label says of which case, level and template a score is."""
    return label in _OWN or _last(label) in _TOLD


def _row(estimate: Estimate, job: str) -> dict[str, Any]:
    """A score with its conditions, spelled out as the columns of items do."""
    labels = {**_PLAIN, **estimate.labels}
    mass = 0.0 if estimate.value is None else estimate.value * estimate.n
    n = 0 if estimate.value is None else estimate.n
    return {name: labels.get(name, "") for name in _KEYS} | {"mass": mass, "n": n, "job": labels.get(job, "")}


def _over_jobs(rows: Sequence[Mapping[str, Any]], conditions: Mapping[str, str]) -> Iterator[Estimate]:
    """What is found under the same conditions."""
    import pandas as pd

    table = pd.DataFrame(rows)
    held = table.groupby(["model", "job"])["level"].agg(set)
    if any(found >= _LEVELS for found in held):
        return
    scores = _scores(table)
    models = sorted(set(scores["model"]))
    yield from _labelled(scores, conditions, ("model",) if len(models) > 1 else ())
    for model in models if len(models) > 1 else ():
        yield from _labelled(scores[scores["model"] == model], {**conditions, "model": model}, ())


def _scores(table: pd.DataFrame) -> pd.DataFrame:
    """One score of each case, level and template: that of all items that families, or jobs, tell apart."""
    sums = table.groupby(_KEYS)[["mass", "n"]].sum()
    return (sums["mass"] / sums["n"] / 100).rename("score").reset_index().assign(repeat=0)


def _labelled(scores: pd.DataFrame, conditions: Mapping[str, str], over: tuple[str, ...]) -> Iterator[Estimate]:
    for found in validities(cases(scores), scores, _ADVICE):
        labels = {"of": OF, **found.labels, **conditions}
        yield replace(found, metric=f"{found.metric}{OVER_JOBS}", labels=labels, over=over)
