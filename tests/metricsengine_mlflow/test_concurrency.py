"""Eight writers at once: on a fresh SQLite file, and on MLflow's server with PostgreSQL behind it."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import metricsengine_mlflow as plugin
from metricsengine.locks import at_work
from metricsengine.run import RunEnd, Sweep, SweepEnd
from metricsengine.settings import Settings
from metricsengine_mlflow.config import MlflowConf
from metricsengine_mlflow.place import Place
from metricsengine_mlflow.store import connect, resolve

WRITERS = 8

JOBS = """
import os, sys, time, traceback
from datetime import datetime
from pathlib import Path
import metricsengine_mlflow as plugin
from metricsengine.estimate import Estimate
from metricsengine.locks import at_work
from metricsengine.results import Results
from metricsengine.run import Run, RunEnd
from metricsengine.settings import Settings
from metricsengine_mlflow import library, runs
from metricsengine_mlflow.config import MlflowConf
sweep, uri, writers = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
library.load()  # once for all of them

def job(number):
    folder = sweep / str(number)
    settings = Settings(study=None, tracking=MlflowConf(uri=uri))
    run = Run(
        folder, f"{number} seed={number}", settings, {}, datetime.now(), "", sweep, number, (f"seed={number}",),
        {"study": "written"}, {"seed": str(number)},
    )
    estimates = [Estimate("distance", number / 8, 5, {"step": str(step)}, low=0.0, high=1.0) for step in range(20)]
    results = Results("written", "paper", number, None, {"topic": "wind"}, {"requests": number}, estimates)
    with at_work(folder):
        while len(list(sweep.glob("*/.lock"))) < writers:
            time.sleep(0.01)
        plugin.metricsengine_preflight(run)
        plugin.metricsengine_run_started(run)
        results.save(folder)
        plugin.metricsengine_run_finished(run, RunEnd("finished"), results)

for number in range(writers):
    if os.fork() == 0:
        try:
            job(number)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
ends = [os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(writers)]
raise SystemExit(max(map(abs, ends)))
"""


def write_at_once(folder: Path, uri: str) -> None:
    """Track a sweep whose jobs are processes that write at one time, and look at what is there then."""
    conf = MlflowConf(uri=uri, experiment=folder.name)
    sweep = Sweep(folder, Settings(study=None, tracking=conf), "metricsengine -m", ("seed=range(8)",))
    with at_work(folder):
        plugin.metricsengine_sweep_started(sweep)
        command = [sys.executable, "-c", JOBS, str(folder), uri, str(WRITERS)]
        jobs = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (jobs.returncode, jobs.stdout, jobs.stderr) == (0, "", "")
        ends = {str(number): RunEnd("finished") for number in range(WRITERS)}
        plugin.metricsengine_sweep_finished(sweep, SweepEnd(ends, WRITERS), None)
    parent, children = family(folder, conf)
    assert parent.data.metrics["jobs finished"] == WRITERS
    assert {run.data.metrics["distance by step"] for run in children} == {n / 8 for n in range(WRITERS)}


def family(folder: Path, conf: MlflowConf) -> tuple[Any, list[Any]]:
    """The run of a sweep and those of its jobs, after a look at whether all are closed and where they belong."""
    client, place = connect(resolve(conf)), Place.load(folder)
    assert place is not None
    parent = client.get_run(place.run)
    children = list(client.search_runs([place.experiment], f"tags.`mlflow.parentRunId` = '{place.run}'"))
    assert len(children) == WRITERS
    assert {run.info.status for run in (parent, *children)} == {"FINISHED"}
    assert {run.data.tags["seed"] for run in children} == {str(number) for number in range(WRITERS)}
    return parent, children


def swept(outputs: Path, *words: str) -> None:
    """Run a whole sweep, and look at what it leaves."""
    command = ["metricsengine", "-m", "experiment=opinion_baselines", "seed=range(8)", "study.runs=2", "study.steps=4"]
    command = [sys.executable, "-m", *command, "hydra/launcher=joblib", *words]
    environment = {**os.environ, "METRICSENGINE_OUTPUTS": str(outputs)}
    ended = subprocess.run(command, env=environment, cwd=outputs, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert not [line for line in ended.stderr.splitlines() if "rror" in line or "locked" in line]
    assert "8 of 8 jobs done" in ended.stdout


def of_sweep(outputs: Path) -> Path:
    (folder,) = (path.parent for path in (outputs / "sweeps").glob("*/*/mlflow.json"))
    return folder


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An outputs folder without a store."""
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    monkeypatch.setenv("METRICSENGINE_OUTPUTS", str(tmp_path))
    return tmp_path


@pytest.mark.slow
def test_on_a_fresh_file(bare: Path) -> None:
    write_at_once(bare / "sweep", "")


@pytest.mark.slow
def test_on_a_server(bare: Path, server: str) -> None:
    write_at_once(bare / "sweep", server)


@pytest.mark.slow
def test_a_whole_sweep_on_a_server(bare: Path, server: str) -> None:
    swept(bare, f"tracking.uri={server}")
    parent, children = family(of_sweep(bare), MlflowConf(uri=server))
    assert parent.data.metrics["jobs"] == WRITERS
    client = connect(resolve(MlflowConf(uri=server)))
    kept = {info.path for info in client.list_artifacts(parent.info.run_id)}
    assert {"report.html", "estimates.csv", "estimates.parquet", "results.json", "sweep.json", "figures"} <= kept
    assert "estimates.json" in {info.path for info in client.list_artifacts(children[0].info.run_id)}
    assert not (bare / "mlflow.db").exists()


@pytest.mark.slow
def test_in_the_database_itself(server: str, database: str, make_run: Any) -> None:
    conf = MlflowConf(uri=database)
    run = replace(make_run(conf=conf), tags={"study": "direct"})
    plugin.metricsengine_preflight(run)
    plugin.metricsengine_run_started(run)
    plugin.metricsengine_run_finished(run, RunEnd("finished"), None)
    for uri in (database, server):
        client = connect(resolve(MlflowConf(uri=uri)))
        experiment = client.get_experiment_by_name("direct")
        assert experiment is not None
        assert [one.info.status for one in client.search_runs([experiment.experiment_id])] == ["FINISHED"]


@pytest.mark.nightly
@pytest.mark.parametrize("attempt", range(10))
def test_again_and_again_on_a_fresh_file(bare: Path, attempt: int) -> None:
    swept(bare)
    family(of_sweep(bare), MlflowConf())


@pytest.mark.nightly
@pytest.mark.parametrize("attempt", range(10))
def test_again_and_again_on_a_server(bare: Path, server: str, attempt: int) -> None:
    write_at_once(bare / f"sweep {attempt}", server)
