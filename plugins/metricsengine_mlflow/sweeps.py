"""One sweep, one parent run in MLflow."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from metricsengine.host import Host
from metricsengine.multirun.manifest import Manifest
from metricsengine.results import Results
from metricsengine.run import Sweep, SweepEnd
from metricsengine_mlflow import columns, limits, links, notes, overview, reaping, tables, tagging
from metricsengine_mlflow.config import MlflowConf
from metricsengine_mlflow.overview import JobRow, Overview
from metricsengine_mlflow.place import Owner, Place
from metricsengine_mlflow.session import NOTE, PARENT, STATUS, Session, find, origin
from metricsengine_mlflow.store import Store, experiment_id, with_store

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import DatasetInput
    from mlflow.entities import Run as MlflowRun

FILES = ("sweep.json", "error*.txt")
"""Files of the sweep's folder that become artifacts."""

FOUND = ("results.json", "estimates.parquet", "estimates.csv", "report.html", "*.md")
"""Files that do where the jobs found something together; otherwise another sweep left them in the folder."""

FOLDERS = ("figures", "listings")
"""Folders that do as well."""

COMPARED = 40
"""The most columns that comparisons over the jobs take of a table which shows the jobs as well."""

TABLE = "jobs.json"
_TABLE_TAG = f'[{{"path": "{TABLE}", "type": "table"}}]'


@with_store
def start(store: Store, conf: MlflowConf, sweep: Sweep) -> None:
    """Open the parent run; its jobs find it by the file in the sweep's folder."""
    _start(store, conf, sweep)


@with_store
def finish(store: Store, conf: MlflowConf, sweep: Sweep, end: SweepEnd, results: Results | None) -> str:
    """Summarise the jobs on the parent run, and close it and every run that a killed job left open.

    Returns:
        Where the sweep can be looked at.
    """
    session = Session.of(store, _owner(sweep)) or _start(store, conf, sweep)
    status = "FAILED"
    try:
        jobs = _jobs(session, sweep.folder)
        found = overview.of(end, _rows(session, sweep, end, jobs))
        _log(session, sweep, found, results)
        if inputs := _inputs(jobs):
            session.inputs(inputs)
        status = STATUS[end.status]
    finally:
        session.end(status)
    return links.line(store, links.of_experiment(session.place.experiment))


def _start(store: Store, conf: MlflowConf, sweep: Sweep) -> Session:
    reaping.reap_once(store)
    tags = {**origin(sweep.folder, sweep.command), "overrides": shlex.join(sweep.overrides)}
    return Session.open(store, _owner(sweep), tags, functools.partial(_create, store, conf, sweep))


def _owner(sweep: Sweep) -> Owner:
    return Owner(sweep.folder, sweep.started.isoformat() if sweep.started else None)


def _create(store: Store, conf: MlflowConf, sweep: Sweep, client: MlflowClient, tags: dict[str, str]) -> MlflowRun:
    name = conf.experiment or str(Host().spec_of("study", sweep.settings.study).name)
    return client.create_run(experiment_id(client, store, name), tags=tags, run_name=f"sweep {sweep.folder.name}")


def _jobs(session: Session, folder: Path) -> list[MlflowRun]:
    """The runs of the jobs, those closed that were killed before they could."""
    client, experiment, query = session.client, session.place.experiment, f"tags.`{PARENT}` = '{session.place.run}'"
    for run in reaping.running(client, [experiment], query):
        reaping.close(client, run, folder / run.data.tags.get("job", ""))
    return list(reaping.every(lambda token: client.search_runs([experiment], query, page_token=token)))


def _rows(session: Session, sweep: Sweep, end: SweepEnd, jobs: Iterable[MlflowRun]) -> list[JobRow]:
    by_id = {run.info.run_id: run for run in jobs}
    manifest = Manifest.load(sweep.folder)
    rows = []
    for name, job_end in end.jobs.items():
        place = Place.load(sweep.folder / name)
        run = by_id.get(place.run) or _run_of_copied(session, sweep, place) if place else None
        overrides = manifest.jobs.get(name, ()) if manifest else ()
        if run is None:
            rows.append(JobRow(name, job_end, overrides=overrides))
        else:
            told = overrides or shlex.split(run.data.tags.get("overrides", ""))
            rows.append(JobRow(name, job_end, place, told, run.data.tags, run.data.metrics))
    return rows


def _run_of_copied(session: Session, sweep: Sweep, place: Place) -> MlflowRun | None:
    """The run of a job that had finished when the sweep's folder was copied: it is not run again."""
    started = _owner(sweep).sweep
    return find(session.client, place) if started and place.sweep == started else None


def _log(session: Session, sweep: Sweep, found: Overview, results: Results | None) -> None:
    limit = sweep.settings.tracking.columns
    numbers = overview.columns(found, limit)
    if results is not None:
        room = min(COMPARED, limit - len(numbers))
        numbers.add(columns.choose_compared(results, room))
    swept = {name: values.values() for name, values in found.swept.items()}
    tags = tagging.of_jobs([row.tags for row in found.rows], swept)
    note = limits.cut_markdown(notes.note(sweep, found), TABLE)
    session.keep(sweep.folder, FILES)
    if results is not None:
        session.keep(sweep.folder, FOUND, FOLDERS)
    with session.files() as folder:
        tables.write(overview.frame(found), folder / TABLE)
    session.log({**tags, NOTE: note, "mlflow.loggedArtifacts": _TABLE_TAG}, numbers)


def _inputs(jobs: Iterable[MlflowRun]) -> Sequence[DatasetInput]:
    """The datasets of the jobs, each once."""
    found = [one for run in jobs if run.inputs for one in run.inputs.dataset_inputs]
    return list({(one.dataset.name, one.dataset.digest): one for one in found}.values())
