"""Diaries: simulated people write a page for each mood, and the pages' lengths are measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metricsengine import hookimpl
from metricsengine_diary import events

if TYPE_CHECKING:
    from metricsengine.estimate import Estimate
    from metricsengine.metric import MetricSpec
    from metricsengine.model import ModelSpec, Response
    from metricsengine.results import Results
    from metricsengine.run import Run, RunEnd
    from metricsengine.sets import SetSpec
    from metricsengine.study import StudySpec


@hookimpl
def metricsengine_models() -> Sequence[ModelSpec]:
    from metricsengine_diary.parrot import PARROT

    return [PARROT]


@hookimpl
def metricsengine_studies() -> Sequence[StudySpec]:
    from metricsengine_diary.study import DIARY

    return [DIARY]


@hookimpl
def metricsengine_metrics() -> Sequence[MetricSpec]:
    from metricsengine_diary.length import PAGE_LENGTH

    return [PAGE_LENGTH]


@hookimpl
def metricsengine_sets() -> Sequence[SetSpec]:
    from metricsengine_diary.study import MOODS

    return [MOODS]


@hookimpl
def metricsengine_config() -> Sequence[str]:
    return ["metricsengine_diary.conf"]


@hookimpl
def metricsengine_run_started(run: Run) -> None:
    events.write(run, "run_started", run.name)


@hookimpl
def metricsengine_responses_stored(run: Run, responses: Sequence[Response]) -> None:
    events.write(run, "responses_stored", len(responses))


@hookimpl
def metricsengine_estimates_computed(run: Run, estimates: Sequence[Estimate]) -> None:
    events.write(run, "estimates_computed", len(estimates))


@hookimpl
def metricsengine_run_finished(run: Run, end: RunEnd, results: Results | None) -> str:
    events.write(run, "run_finished", end.status)
    return f"Events: {run.folder / events.FILE}"
