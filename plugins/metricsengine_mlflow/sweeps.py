"""One sweep, one parent run in MLflow."""

from __future__ import annotations

import functools
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metricsengine.host import Host
from metricsengine.run import RunEnd, Sweep, SweepEnd
from metricsengine_mlflow import limits, links, names, tables
from metricsengine_mlflow.config import MlflowConf
from metricsengine_mlflow.place import Place
from metricsengine_mlflow.session import NOTE, PARENT, STATUS, Session, origin
from metricsengine_mlflow.store import Store, experiment_id, resolve

if TYPE_CHECKING:
    import pandas as pd
    from mlflow import MlflowClient
    from mlflow.entities import Run as MlflowRun

TABLE = "jobs.json"
_TABLE_TAG = f'[{{"path": "{TABLE}", "type": "table"}}]'

HEADINGS = 4
"""Estimates that the note shows for each job."""


@dataclass(frozen=True)
class JobRow:
    """One job as the parent run tells it.

    Attributes:
        name: Name of its folder.
        end: How it ended.
        place: Its run in MLflow, if it came that far.
        overrides: What was set for it, as typed.
        headline: Its estimates that tell no label.
    """

    name: str
    end: RunEnd
    place: Place | None = None
    overrides: Sequence[str] = ()
    headline: Mapping[str, float] = field(default_factory=dict)


def start(conf: MlflowConf, sweep: Sweep) -> None:
    """Open the parent run; its jobs find it by the file in the sweep's folder."""
    _start(resolve(conf), conf, sweep)


def finish(conf: MlflowConf, sweep: Sweep, end: SweepEnd) -> str:
    """Summarise the jobs on the parent run, and close it and every job's run that was left open.

    Returns:
        Where the sweep can be looked at.
    """
    store = resolve(conf)
    session = Session.of(store, sweep.folder) or _start(store, conf, sweep)
    status = "FAILED"
    try:
        _close_abandoned(session)
        rows = [_row(session, sweep, name, job) for name, job in end.jobs.items()]
        session.metrics(_metrics(rows))
        session.tags({NOTE: limits.cut_markdown(note(sweep, rows), TABLE), "mlflow.loggedArtifacts": _TABLE_TAG})
        with session.files() as folder:
            tables.write(_frame(rows), folder / TABLE)
        status = STATUS[end.status]
    finally:
        session.end(status)
    return links.line(store, links.of_experiment(session.place.experiment))


def note(sweep: Sweep, rows: Sequence[JobRow]) -> str:
    """What was swept and what came of it, in Markdown."""
    counts = ", ".join(f"{n} {status}" for status, n in _counts(rows).items() if n)
    shown = list(dict.fromkeys(name for row in rows for name in row.headline))[:HEADINGS]
    told = [set(row.overrides) for row in rows if row.overrides]
    common = set.intersection(*told) if len(told) > 1 else set()
    head = ["job", "set", "ended", *shown]
    lines = [
        f"**Sweep of {len(rows)} jobs: {counts}.** One row here is one run below; files are in `{sweep.folder}`.",
        "",
        f"Swept: {', '.join(f'`{override}`' for override in sweep.overrides) or 'nothing'}",
        "",
        *(f"- job {row.name} {row.end.status}: {_cell(row.end.error)}" for row in rows if row.end.error),
        "",
        f"| {' | '.join(map(_cell, head))} |",
        f"|{'---|' * len(head)}",
        *(f"| {' | '.join(_cells(row, common, shown))} |" for row in rows),
    ]
    return "\n".join(lines)


def _start(store: Store, conf: MlflowConf, sweep: Sweep) -> Session:
    session = Session.open(store, sweep.folder, {}, functools.partial(_create, store, conf, sweep))
    session.tags({**origin(sweep.folder, sweep.command), "overrides": shlex.join(sweep.overrides)})
    return session


def _create(store: Store, conf: MlflowConf, sweep: Sweep, client: MlflowClient) -> MlflowRun:
    name = conf.experiment or str(Host().spec_of("study", sweep.settings.study).name)
    return client.create_run(experiment_id(client, store, name), run_name=f"sweep {sweep.folder.name}")


def _close_abandoned(session: Session) -> None:
    """Close the runs of jobs that were killed before they could."""
    query = f"tags.`{PARENT}` = '{session.place.run}' AND attributes.status = 'RUNNING'"
    while page := session.client.search_runs([session.place.experiment], filter_string=query):
        for run in page:
            session.client.set_terminated(run.info.run_id, "KILLED")


def _row(session: Session, sweep: Sweep, name: str, end: RunEnd) -> JobRow:
    place = Place.load(sweep.folder / name)
    if place is None or place.store != session.place.store:
        return JobRow(name, end)
    data = session.client.get_run(place.run).data
    headline = {key: value for key, value in data.metrics.items() if names.with_suffix(key, "n") in data.metrics}
    return JobRow(name, end, place, shlex.split(data.tags.get("overrides", "")), headline)


def _counts(rows: Sequence[JobRow]) -> dict[str, int]:
    return {status: sum(row.end.status == status for row in rows) for status in STATUS}


def _metrics(rows: Sequence[JobRow]) -> dict[str, float]:
    """How many jobs ended how, and the range of each headline over them."""
    found: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.headline.items():
            found.setdefault(name, []).append(value)
    counts = {"jobs": len(rows), **{f"jobs {status}": n for status, n in _counts(rows).items()}}
    ends = {"lowest of jobs": min, "highest of jobs": max}
    ranges = {names.with_suffix(name, word): end(v) for name, v in found.items() for word, end in ends.items()}
    return {name: float(value) for name, value in {**counts, **ranges}.items()}


def _cells(row: JobRow, common: set[str], shown: Sequence[str]) -> list[str]:
    own = ", ".join(override for override in row.overrides if override not in common)
    link = f"[{row.name}]({links.of_run(row.place)})" if row.place else row.name
    values = [f"{row.headline[name]:.4g}" if name in row.headline else "—" for name in shown]
    return [link, _cell(own), row.end.status, *values]


def _cell(text: str) -> str:
    """A text within one cell of a Markdown table, marks of Markdown and HTML shown as they are."""
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", " ".join(text.split()))


def _frame(rows: Sequence[JobRow]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "job": row.name,
                "status": row.end.status,
                "overrides": shlex.join(row.overrides),
                "error": row.end.error,
                "failures": "; ".join(row.end.failures),
                "run": row.place.run if row.place else "",
                **row.headline,
            }
            for row in rows
        ]
    )
