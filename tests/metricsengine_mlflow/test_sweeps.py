import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import metricsengine_mlflow as plugin
from metricsengine.results import Results
from metricsengine.run import Run, RunEnd, Sweep, SweepEnd
from metricsengine.settings import Settings
from metricsengine_mlflow import limits, sweeps
from metricsengine_mlflow.config import MlflowConf
from metricsengine_mlflow.place import Place

MakeRun = Callable[..., Run]
FINISHED = RunEnd("finished")


@pytest.fixture
def sweep(outputs: Path) -> Sweep:
    folder = outputs / "sweeps" / "08-00-00"
    folder.mkdir(parents=True)
    settings = Settings(study=None, tracking=MlflowConf(experiment="caricature"))
    return Sweep(folder, settings, "metricsengine -m seed=0,1", ("seed=0,1",))


@pytest.fixture
def make_job(make_run: MakeRun, sweep: Sweep) -> Callable[[int], Run]:
    def make(number: int) -> Run:
        folder = sweep.folder / str(number)
        folder.mkdir(exist_ok=True)
        return replace(
            make_run(), folder=folder, name=f"{number} seed={number}", sweep=sweep.folder, job=number,
            overrides=("study=caricature", f"seed={number}"), tags={"study": "another study"},
        )  # fmt: skip

    return make


def parent(client: Any, sweep: Sweep) -> Any:
    place = Place.load(sweep.folder)
    assert place is not None
    return client.get_run(place.run)


def children(client: Any, sweep: Sweep) -> dict[str, Any]:
    found = parent(client, sweep).info
    query = f"tags.`mlflow.parentRunId` = '{found.run_id}'"
    return {run.data.tags["job"]: run for run in client.search_runs([found.experiment_id], query)}


def test_jobs_lie_under_their_sweep_and_the_parent_tells_what_came_of_them(
    client: Any, sweep: Sweep, make_job: Callable[[int], Run], results: Results, table: Callable[..., Any]
) -> None:
    plugin.metricsengine_sweep_started(sweep)
    for number in (0, 1):
        plugin.metricsengine_preflight(make_job(number))
        plugin.metricsengine_run_started(make_job(number))
    plugin.metricsengine_run_finished(make_job(0), FINISHED, results)
    shifted = [replace(e, value=e.value + 0.25, low=None, high=None) for e in results.estimates if e.value is not None]
    plugin.metricsengine_run_finished(make_job(1), FINISHED, replace(results, estimates=shifted))
    bad = RunEnd("failed", "study.n=0 | is not allowed")
    line = plugin.metricsengine_sweep_finished(sweep, SweepEnd({"0": FINISHED, "1": FINISHED, "2": bad}))

    found = parent(client, sweep)
    assert line == (
        "MLflow: `metricsengine ui`, then http://127.0.0.1:5000/"
        f"#/experiments/{found.info.experiment_id}/runs?workflowType=machine_learning"
    )
    assert (found.info.status, found.info.run_name) == ("FAILED", "sweep 08-00-00")
    assert children(client, sweep).keys() == {"0", "1"}
    assert {run.info.status for run in children(client, sweep).values()} == {"FINISHED"}
    assert found.data.metrics == {
        "jobs": 3.0,
        "jobs finished": 2.0,
        "jobs failed": 1.0,
        "jobs interrupted": 0.0,
        "exaggeration/mean lowest of jobs": 0.5,
        "exaggeration/mean highest of jobs": 0.75,
    }
    note = found.data.tags["mlflow.note.content"]
    run_id = children(client, sweep)["1"].info.run_id
    assert "**Sweep of 3 jobs: 2 finished, 1 failed.**" in note
    link = f"#/experiments/{found.info.experiment_id}/runs/{run_id}?workflowType=machine_learning"
    assert f"| [1]({link}) | seed=1 | finished | 0.75 |" in note
    assert "- job 2 failed: study.n=0 \\| is not allowed" in note
    jobs = table(found.info.run_id, "jobs.json")
    assert list(jobs["status"]) == ["finished", "finished", "failed"]
    assert list(jobs["exaggeration/mean"])[:2] == [0.5, 0.75]


def test_what_killed_jobs_left_open_is_closed(
    client: Any, sweep: Sweep, make_job: Callable[[int], Run], results: Results
) -> None:
    plugin.metricsengine_sweep_started(sweep)
    plugin.metricsengine_run_started(make_job(0))
    plugin.metricsengine_run_started(make_job(1))
    plugin.metricsengine_run_finished(make_job(1), FINISHED, results)
    killed = RunEnd("interrupted", "interrupted")
    plugin.metricsengine_sweep_finished(sweep, SweepEnd({"0": killed, "1": FINISHED}))
    assert {job: run.info.status for job, run in children(client, sweep).items()} == {"0": "KILLED", "1": "FINISHED"}
    assert parent(client, sweep).info.status == "KILLED"


def test_a_resumed_sweep_goes_on_in_the_same_parent(
    client: Any, sweep: Sweep, make_job: Callable[[int], Run], results: Results
) -> None:
    plugin.metricsengine_sweep_started(sweep)
    first = parent(client, sweep).info.run_id
    plugin.metricsengine_run_started(make_job(0))
    plugin.metricsengine_sweep_finished(sweep, SweepEnd({"0": RunEnd("failed", "killed")}))

    plugin.metricsengine_sweep_started(sweep)
    assert parent(client, sweep).info.status == "RUNNING"
    plugin.metricsengine_run_started(make_job(0))
    plugin.metricsengine_run_finished(make_job(0), FINISHED, results)
    plugin.metricsengine_sweep_finished(sweep, SweepEnd({"0": FINISHED}))
    found = parent(client, sweep)
    assert (found.info.run_id, found.info.status) == (first, "FINISHED")
    assert len(children(client, sweep)) == 1
    assert len(client.search_runs([found.info.experiment_id])) == 2


def test_the_experiment_is_the_studys_unless_named(client: Any, sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    host = SimpleNamespace(spec_of=lambda kind, config: SimpleNamespace(name=f"{kind} of {config}"))
    monkeypatch.setattr(sweeps, "Host", lambda: host)
    plugin.metricsengine_sweep_started(replace(sweep, settings=Settings(study="options", tracking=MlflowConf())))
    assert client.get_experiment(parent(client, sweep).info.experiment_id).name == "study of options"


def test_a_job_in_another_store_stands_alone(client: Any, sweep: Sweep, make_job: Callable[[int], Run]) -> None:
    Place("sqlite:////elsewhere.db", "99", "0" * 32).save(sweep.folder)
    run = make_job(0)
    plugin.metricsengine_run_started(run)
    place = Place.load(run.folder)
    assert place is not None
    assert "mlflow.parentRunId" not in client.get_run(place.run).data.tags


def test_a_note_on_many_jobs_is_cut_between_rows() -> None:
    sweep = Sweep(Path("/s"), Settings(study=None), "", ())
    rows = [sweeps.JobRow(str(i), FINISHED, None, (f"seed={i}",)) for i in range(1000)]
    note = sweeps.note(sweep, rows)
    cut = limits.cut_markdown(note, "jobs.json")
    assert cut.endswith("`jobs.json` among the artifacts.*")
    assert cut.split("\n\n")[-2].splitlines()[-1].endswith("| finished |")


def test_sweeps_that_are_not_tracked_leave_nothing(sweep: Sweep) -> None:
    untracked = replace(sweep, settings=Settings(study=None))
    plugin.metricsengine_sweep_started(untracked)
    assert plugin.metricsengine_sweep_finished(untracked, SweepEnd({})) is None
    assert list(sweep.folder.iterdir()) == []


JOB = """
import sys
from datetime import datetime
from pathlib import Path
import metricsengine_mlflow as plugin
from metricsengine.settings import Settings
from metricsengine.run import Run, RunEnd
from metricsengine_mlflow.config import MlflowConf
sweep, number = Path(sys.argv[1]), int(sys.argv[2])
folder = sweep / str(number)
folder.mkdir()
run = Run(folder, "job", Settings(study=None, tracking=MlflowConf()), {}, datetime.now(), "", sweep, number)
plugin.metricsengine_preflight(run)
plugin.metricsengine_run_started(run)
plugin.metricsengine_run_finished(run, RunEnd("finished"), None)
"""


@pytest.mark.slow
def test_jobs_in_other_processes_find_their_sweep_whatever_they_inherit(client: Any, sweep: Sweep) -> None:
    plugin.metricsengine_sweep_started(sweep)
    environment = {**os.environ, "MLFLOW_RUN_ID": "0" * 32}
    jobs = [subprocess.Popen([sys.executable, "-c", JOB, str(sweep.folder), str(n)], env=environment) for n in range(2)]
    assert [job.wait() for job in jobs] == [0, 0]
    assert {run.info.status for run in children(client, sweep).values()} == {"FINISHED"}
    assert children(client, sweep).keys() == {"0", "1"}
