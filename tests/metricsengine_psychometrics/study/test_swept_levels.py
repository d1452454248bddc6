"""Induced levels as jobs of a sweep, each asked of a scripted model, from its prompts to the sweep's results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
from answered import context
from scoring import chosen
from swept import finished

from metricsengine.estimate import Estimate
from metricsengine.host import Host
from metricsengine.metric import MetricResult
from metricsengine.model import Message, Request, Response
from metricsengine.sweeping.finished import write_results
from metricsengine_psychometrics.measures.config import InternalValidityConf, TraitScoreConf
from metricsengine_psychometrics.measures.internal_validity import InternalValidityMetric
from metricsengine_psychometrics.measures.trait_score import TraitScoreMetric
from metricsengine_psychometrics.study.study import PersonalityStudy

Study = Callable[..., PersonalityStudy]
Answered = Callable[[PersonalityStudy, Callable[[Sequence[Request]], Sequence[Response]]], pd.DataFrame]

SAID = {
    "high openness": ("Try the loom.",),
    "low openness": ("Go home.",),
    "high extraversion": ("Very Accurate", "No"),
    "low extraversion": ("Very Accurate", "No"),  # it cannot play a quiet person
}
METRICS = (TraitScoreMetric(TraitScoreConf()), InternalValidityMetric(InternalValidityConf()))


def play(requests: Sequence[Request]) -> list[Response]:
    """Answers as the personality that a system text induces; without one always by the first option shown."""
    return [chosen(request, _symbol(request)) for request in requests]


def _symbol(request: Request) -> str:
    first = request.prompt[0]
    induced = first.content if isinstance(first, Message) and first.role == "system" else ""
    texts = next((texts for part, texts in SAID.items() if part in induced), ())
    return next((s for s, text in zip(request.options, request.meanings, strict=True) if text in texts), "A")


def found(table: pd.DataFrame) -> list[Estimate]:
    results: list[MetricResult] = [metric.compute(table, context()) for metric in METRICS]
    return [estimate for result in results for estimate in result.estimates]


def test_a_sweep_over_levels_tells_the_validity_of_one_job_with_all(
    study: Study, answered: Answered, tmp_path: Path
) -> None:
    for job, level in enumerate(("none", "high", "low")):
        table = answered(study(induce=[level]), play)
        finished(tmp_path, job, [f"study.induce=[{level}]"], estimates=found(table))
    written = write_results(tmp_path, Host(), "metricsengine -m study=personality study.induce=[none],[high],[low]")
    assert written is not None
    results, failures = written
    assert failures == []
    over_jobs = [e for e in results.estimates if e.metric.endswith(".over_jobs")]
    together = found(answered(study(induce=["none", "high", "low"]), play))
    alone = [e for e in together if e.metric.startswith("internal_validity")]
    assert [(e.value, e.n) for e in alone] == [(0.5, 2), (0.5, 2)]
    assert over_jobs == [
        replace(e, metric=f"{e.metric}.over_jobs", labels={"of": "trait_score", **e.labels}) for e in alone
    ]
