"""One job, one run in MLflow."""

from __future__ import annotations

import functools
import json
import logging
import os
import shlex
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from metricsengine.errors import ConfigError
from metricsengine.estimate import Estimate
from metricsengine.multirun.manifest import Manifest
from metricsengine.objective import value
from metricsengine.results import Results
from metricsengine.run import Run, RunEnd
from metricsengine_mlflow import columns, limits, links, names, tables, tagging
from metricsengine_mlflow.config import MlflowConf
from metricsengine_mlflow.curves import curves, stepped
from metricsengine_mlflow.overview import OBJECTIVE
from metricsengine_mlflow.place import Owner, Place
from metricsengine_mlflow.reaping import reap_once
from metricsengine_mlflow.session import NOTE, PARENT, STATUS, Session, milliseconds, origin
from metricsengine_mlflow.store import Store, connect, experiment_id, find_experiment, with_store

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run as MlflowRun

SETUP = ("config.yaml",)
"""Files of the run folder that become artifacts when it starts."""

FILES = ("launch.json", "environment.json", "results.json", "report.html", "*.md", "error*.txt")
"""Files that become artifacts when it ended."""

FOLDERS = ("figures", "sets", "tables")
"""Folders of the run folder that become artifacts."""

TABLES = "mlflow.loggedArtifacts"
"""Tag with the tables that MLflow's page of a run offers."""

_REASONS = 3

INHERITED = ("MLFLOW_RUN_ID", "MLFLOW_EXPERIMENT_ID", "MLFLOW_EXPERIMENT_NAME")

_log = logging.getLogger(__name__)


@with_store
def check(store: Store, conf: MlflowConf, run: Run) -> None:
    """Before the run: the store answers, and the experiment can take runs.

    Raises:
        ConfigError: It does not, or cannot.
    """
    _notice_inherited(conf.uri)
    client = connect(store)
    if _parent(store, run) is None:
        find_experiment(client, _experiment(conf, run))


@with_store
def start(store: Store, conf: MlflowConf, run: Run) -> None:
    """Open the run, under its sweep's where it belongs to one, and log how it was set up."""
    _start(store, conf, run)


@with_store
def finish(store: Store, conf: MlflowConf, run: Run, end: RunEnd, results: Results | None) -> str:
    """Log what the run left and close it; where logging fails it is closed as failed.

    Returns:
        Where it can be looked at.
    """
    session = Session.of(store, _owner(store, run)) or _start(store, conf, run)
    status = "FAILED"
    try:
        session.keep(run.folder, FILES, FOLDERS)
        ended = _end_tags(run.folder, end)
        if results is None:
            session.log(ended)
        else:
            _log_results(session, run, results, ended)
        status = STATUS[end.status]
    finally:
        session.end(status)
    return links.line(store, links.of_run(session.place))


def _start(store: Store, conf: MlflowConf, run: Run) -> Session:
    reap_once(store)
    tags = {**tagging.of_settings(run), **origin(run.folder, run.command), **_job_tags(run)}
    create = functools.partial(_create, store, conf, run)
    session = Session.open(store, _owner(store, run), tags, create, run.parameters)
    session.keep(run.folder, SETUP)
    return session


def _create(store: Store, conf: MlflowConf, run: Run, client: MlflowClient, tags: dict[str, str]) -> MlflowRun:
    sweep = _parent(store, run)
    experiment = sweep.experiment if sweep else experiment_id(client, store, _experiment(conf, run))
    parent = {PARENT: sweep.run} if sweep else {}
    return client.create_run(experiment, milliseconds(run.started), tags | parent, run.name)


def _owner(store: Store, run: Run) -> Owner:
    parent = _parent(store, run)
    return Owner(run.folder, _sweep(run), parent.run if parent else None)


def _parent(store: Store, run: Run) -> Place | None:
    """The run of the sweep that a job belongs to, if it has one in the same store."""
    place = Place.load(run.sweep) if run.sweep else None
    if run.sweep is None or place is None or place.store != store.public:
        return None
    return place if place.is_of(Owner(run.sweep, _sweep(run))) else None


def _sweep(run: Run) -> str | None:
    """When a job's sweep was first started, as far as that is known."""
    manifest = Manifest.load(run.sweep) if run.sweep else None
    return manifest.launch.started.isoformat() if manifest else None


def _experiment(conf: MlflowConf, run: Run) -> str:
    return conf.experiment or run.tags.get("study") or "metricsengine"


def _job_tags(run: Run) -> dict[str, str]:
    tags = {"overrides": shlex.join(run.overrides)} if run.overrides else {}
    return tags if run.job is None else {**tags, "job": str(run.job)}


def _end_tags(folder: Path, end: RunEnd) -> dict[str, str]:
    """What went wrong, and the simulation card as the run's note."""
    troubles = {"error": end.error, "failures": "\n".join(end.failures)}
    tags = {name: text for name, text in troubles.items() if text}
    card = folder / "card.md"
    if card.is_file():
        tags[NOTE] = limits.cut_markdown(card.read_text(encoding="utf-8"), card.name)
    return tags


def _log_results(session: Session, run: Run, results: Results, ended: Mapping[str, str]) -> None:
    named = _named(results)
    chosen = _chosen(run, results)
    shown = {"estimates.json": tables.estimates_frame(named, results.estimates)} | tables.shown(results.tables)
    with session.files() as folder:
        for path, frame in shown.items():
            tables.write(frame, folder / path)
        (folder / "names.json").write_text(json.dumps(chosen.meaning, indent=2), encoding="utf-8")
    tags = {**tagging.of_settings(run), **tagging.of_results(results), **run.tags}
    session.log({**tags, **ended, **_result_tags(named, results), TABLES: _listed(shown)}, chosen)
    if dataset := tables.dataset_input(run.dataset, results.tables):
        session.inputs([dataset])


def _chosen(run: Run, results: Results) -> columns.Columns:
    """The columns, and with them the number by which the jobs of a sweep are ranked."""
    chosen = columns.choose(results, run.settings.tracking.columns)
    objective = run.settings.objective
    reached = None
    if objective.metric:
        with suppress(ConfigError):  # the label of a persona that only other jobs have
            reached = value(results, objective)
    if reached is not None:
        chosen.add(columns.Columns({OBJECTIVE: reached}, meaning={OBJECTIVE: {"objective": asdict(objective)}}))
    return chosen


def _named(results: Results) -> list[tuple[str, Estimate]]:
    """The estimates that have a name in MLflow: one of its own, or that of a curve."""
    whole = names.name_estimates([e for e in results.estimates if not stepped(e)], results.measures)
    drawn = curves(results.estimates, results.measures)
    return [(n.name, n.estimate) for n in whole] + [(c.name, e) for c in drawn for e in c.steps.values()]


def _result_tags(named: list[tuple[str, Estimate]], results: Results) -> dict[str, str]:
    """How many estimates are undefined and why, and what a reader must know."""
    missing = [(name, estimate.reason) for name, estimate in named if not estimate.defined]
    total = sum(not e.defined for e in results.estimates)
    reasons = "; ".join(f"{name}: {reason}" for name, reason in missing[:_REASONS])
    model = results.model or {}
    found = {
        "notices": "\n".join(results.notices),
        "fallbacks": ", ".join(model.get("fallbacks", ())),
        "served_by": ", ".join(model.get("served_by", ())),
    }
    tags = {"undefined": f"{total} of {len(results.estimates)} estimates{f': {reasons}' if reasons else ''}"}
    return tags | {name: text for name, text in found.items() if text}


def _listed(paths: Iterable[str]) -> str:
    """The tables that MLflow's page of the run offers; the tag holds about a hundred."""
    listed: list[dict[str, str]] = []
    for path in paths:
        if len(json.dumps([*listed, {"path": path, "type": "table"}])) <= limits.TAG:
            listed.append({"path": path, "type": "table"})
    return json.dumps(listed)


@functools.cache
def _notice_inherited(uri: str) -> None:
    """Say once that the environment does not decide: the folder names the run, the configuration the store."""
    found = [name for name in INHERITED if os.environ.get(name)]
    if not uri and os.environ.get("MLFLOW_TRACKING_URI"):
        found.append("MLFLOW_TRACKING_URI (tracking.uri=env would use it)")
    if found:
        _log.warning("ignored from the environment: %s", ", ".join(found))
