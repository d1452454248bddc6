"""Puts runs and sweeps into MLflow. Its hooks do nothing where another tracker, or none, was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metricsengine import hookimpl
from metricsengine.run import TrackerSpec
from metricsengine_mlflow.config import MlflowConf

if TYPE_CHECKING:
    from metricsengine.doctor import Check
    from metricsengine.results import Results
    from metricsengine.run import Run, RunEnd, Sweep, SweepEnd


@hookimpl
def metricsengine_trackers() -> Sequence[TrackerSpec]:
    """The option ``tracking=mlflow``."""
    return [TrackerSpec("mlflow", MlflowConf, "MLflow runs, on this machine or on a server")]


@hookimpl
def metricsengine_checkup() -> Sequence[Check]:
    """Whether this project's own store can be opened."""
    from metricsengine_mlflow import store

    return [store.checkup()]


@hookimpl
def metricsengine_ui(arguments: Sequence[str]) -> int:
    """Serve MLflow's pages on this project's store."""
    from metricsengine_mlflow import ui

    return ui.main(arguments)


@hookimpl
def metricsengine_preflight(run: Run) -> None:
    """The store answers, before anything is paid for."""
    if isinstance(run.settings.tracking, MlflowConf):
        from metricsengine_mlflow import runs

        runs.check(run.settings.tracking, run)


@hookimpl
def metricsengine_run_started(run: Run) -> None:
    """Open the run in MLflow, or take up the one that this folder began."""
    if isinstance(run.settings.tracking, MlflowConf):
        from metricsengine_mlflow import runs

        runs.start(run.settings.tracking, run)


@hookimpl
def metricsengine_run_finished(run: Run, end: RunEnd, results: Results | None) -> str | None:
    """Log what there is, and close the run."""
    if not isinstance(run.settings.tracking, MlflowConf):
        return None
    from metricsengine_mlflow import runs

    return runs.finish(run.settings.tracking, run, end, results)


@hookimpl
def metricsengine_sweep_started(sweep: Sweep) -> None:
    """Open the parent run that the jobs will find."""
    if isinstance(sweep.settings.tracking, MlflowConf):
        from metricsengine_mlflow import sweeps

        sweeps.start(sweep.settings.tracking, sweep)


@hookimpl
def metricsengine_sweep_finished(sweep: Sweep, end: SweepEnd, results: Results | None) -> str | None:
    """Summarise the jobs on the parent run, and close it and whatever a killed job left open."""
    if not isinstance(sweep.settings.tracking, MlflowConf):
        return None
    from metricsengine_mlflow import sweeps

    return sweeps.finish(sweep.settings.tracking, sweep, end, results)
