"""Runs whose process was killed before it could close them."""

from __future__ import annotations

import functools
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import Timeout

from metricsengine.locks import at_work
from metricsengine_mlflow.session import FOLDER, HOST, kill
from metricsengine_mlflow.store import Store, connect

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run as MlflowRun

_log = logging.getLogger(__name__)


@functools.cache
def reap_once(store: Store) -> None:
    """Close what was left open, the first time that this process asks; trouble with it is only noticed."""
    from mlflow.exceptions import MlflowException

    try:
        reap(store)
    except MlflowException as error:
        _log.warning("runs of killed processes were not looked for: %s", store.redacted(str(error)))


def reap(store: Store) -> None:
    """Close this host's runs at whose folders no process is at work. Those of other hosts are left alone."""
    client = connect(store)
    experiments = [e.experiment_id for e in every(lambda token: client.search_experiments(page_token=token))]
    for run in running(client, experiments, f"tags.{HOST} = '{socket.gethostname()}'"):
        if FOLDER in run.data.tags:
            close(client, run, Path(run.data.tags[FOLDER]))


def running(client: MlflowClient, experiments: list[str], query: str) -> list[MlflowRun]:
    """The runs that were not closed, among those that a query finds."""
    query = f"attributes.status = 'RUNNING' AND {query}"
    return list(every(lambda token: client.search_runs(experiments, query, page_token=token)))


def close(client: MlflowClient, run: MlflowRun, folder: Path) -> None:
    """Close a run as killed, unless a process is at work in its folder, or begins to just now."""
    try:
        with at_work(folder, seconds=0) if folder.is_dir() else nullcontext():
            if client.get_run(run.info.run_id).info.status == "RUNNING":  # it may have ended since it was found
                kill(client, run)
    except Timeout:
        return
    except OSError as error:  # another user's folder
        _log.debug("%s: %s", folder, error)


def every(search: Callable[[str | None], Any]) -> Iterator[Any]:
    """What a search of MLflow's finds, page after page, given the token of each."""
    token = None
    while True:
        page = search(token)
        yield from page
        token = page.token
        if not token:
            return
