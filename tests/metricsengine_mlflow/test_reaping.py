import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import metricsengine_mlflow as plugin
from metricsengine.locks import at_work
from metricsengine.run import Run, RunEnd
from metricsengine_mlflow import reaping
from metricsengine_mlflow.config import MlflowConf
from metricsengine_mlflow.place import Place
from metricsengine_mlflow.reaping import reap
from metricsengine_mlflow.store import resolve

MakeRun = Callable[..., Run]

KILLED = """
import os, sys
from datetime import datetime
from pathlib import Path
import metricsengine_mlflow as plugin
from metricsengine.locks import at_work
from metricsengine.run import Run
from metricsengine.settings import Settings
from metricsengine_mlflow.config import MlflowConf
folder = Path(sys.argv[1])
with at_work(folder):
    run = Run(folder, "killed", Settings(study=None, tracking=MlflowConf()), {}, datetime.now(), "")
    plugin.metricsengine_run_started(run)
    os.kill(os.getpid(), 9)
"""


@pytest.fixture(autouse=True)
def _looks_again() -> None:
    reaping.reap_once.cache_clear()


def started(run: Run, client: Any, **tags: str) -> str:
    """A run that is open in MLflow."""
    plugin.metricsengine_run_started(run)
    place = Place.load(run.folder)
    assert place is not None
    for tag, value in tags.items():
        client.set_tag(place.run, tag, value)
    return place.run


def test_a_run_where_nobody_is_at_work_is_closed(client: Any, make_run: MakeRun) -> None:
    run = started(make_run(), client)
    assert client.get_run(run).data.tags["host"] == socket.gethostname()
    reap(resolve(MlflowConf()))
    found = client.get_run(run)
    assert found.info.status == "KILLED"
    assert found.info.end_time is not None
    assert found.data.tags["error"] == "killed: its process ended without closing this run"


def test_a_run_whose_folder_is_gone_is_closed_and_its_folder_not_made_again(client: Any, make_run: MakeRun) -> None:
    run = started(make_run(), client, folder="/nowhere/to/be/found")
    reap(resolve(MlflowConf()))
    assert client.get_run(run).info.status == "KILLED"
    assert not Path("/nowhere").exists()


def test_a_run_at_work_is_left_alone(client: Any, make_run: MakeRun) -> None:
    run = make_run()
    with at_work(run.folder):
        of = started(run, client)
        reap(resolve(MlflowConf()))
        assert client.get_run(of).info.status == "RUNNING"
        assert "error" not in client.get_run(of).data.tags


def test_a_run_that_ended_since_it_was_found_keeps_its_end(client: Any, make_run: MakeRun) -> None:
    run = make_run()
    of = started(run, client)
    (found,) = reaping.running(client, [client.get_run(of).info.experiment_id], f"tags.folder = '{run.folder}'")
    plugin.metricsengine_run_finished(run, RunEnd("finished"), None)
    reaping.close(client, found, run.folder)
    assert client.get_run(of).info.status == "FINISHED"
    assert "error" not in client.get_run(of).data.tags


def test_runs_of_other_hosts_and_others_runs_are_left_alone(client: Any, make_run: MakeRun) -> None:
    elsewhere = started(make_run("1"), client, host="another")
    untagged = started(make_run("2"), client)
    client.delete_tag(untagged, "host")
    no_folder = started(make_run("3"), client)
    client.delete_tag(no_folder, "folder")
    reap(resolve(MlflowConf()))
    assert {client.get_run(run).info.status for run in (elsewhere, untagged, no_folder)} == {"RUNNING"}


def test_it_is_looked_for_once_by_each_process(client: Any, make_run: MakeRun) -> None:
    first = started(make_run("1"), client)
    second = started(make_run("2"), client)  # the process looked before it opened the first
    assert client.get_run(first).info.status == client.get_run(second).info.status == "RUNNING"
    reaping.reap_once.cache_clear()
    started(make_run("3"), client)
    assert client.get_run(first).info.status == client.get_run(second).info.status == "KILLED"


def test_more_runs_than_a_page_holds_are_all_closed(client: Any, make_run: MakeRun) -> None:
    experiment = client.get_run(started(make_run(), client)).info.experiment_id
    found = [
        client.create_run(experiment, tags={"host": socket.gethostname(), "folder": "/gone"}).info.run_id
        for _ in range(4)
    ]
    pages = reaping.every(lambda token: client.search_runs([experiment], max_results=2, page_token=token))
    assert {run.info.run_id for run in pages} >= set(found)


@pytest.mark.slow
def test_a_process_killed_by_force_leaves_no_open_run(client: Any, outputs: Path) -> None:
    folder = outputs / "runs" / "killed"
    ended = subprocess.run([sys.executable, "-c", KILLED, str(folder)], env=dict(os.environ), check=False)
    assert ended.returncode == -9
    place = Place.load(folder)
    assert place is not None
    assert client.get_run(place.run).info.status == "RUNNING"
    reap(resolve(MlflowConf()))
    assert client.get_run(place.run).info.status == "KILLED"
