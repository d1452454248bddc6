import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import metricsengine_mlflow as plugin
from metricsengine.errors import ConfigError
from metricsengine.estimate import Estimate
from metricsengine.launched import Launch
from metricsengine.locks import at_work
from metricsengine.multirun.manifest import Manifest
from metricsengine.results import Results
from metricsengine.run import Run, RunEnd, Sweep, SweepEnd
from metricsengine.settings import ObjectiveConf, Settings
from metricsengine_mlflow import limits, overview, sweeps
from metricsengine_mlflow.config import MlflowConf
from metricsengine_mlflow.notes import note
from metricsengine_mlflow.overview import JobRow, Overview
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


def planned(sweep: Sweep, *jobs: str) -> None:
    """Write which jobs the sweep has."""
    launch = Launch("metricsengine", (), "/", "/", datetime(2026, 1, 2, tzinfo=UTC))
    Manifest(launch, {str(i): tuple(words.split()) for i, words in enumerate(jobs)}).save(sweep.folder)


def children(client: Any, sweep: Sweep) -> dict[str, Any]:
    found = parent(client, sweep).info
    query = f"tags.`mlflow.parentRunId` = '{found.run_id}'"
    return {run.data.tags["job"]: run for run in client.search_runs([found.experiment_id], query)}


def test_jobs_lie_under_their_sweep_and_the_parent_tells_what_came_of_them(
    client: Any, sweep: Sweep, make_job: Callable[[int], Run], results: Results, table: Callable[..., Any]
) -> None:
    planned(sweep, "seed=0", "seed=1", "")
    plugin.metricsengine_sweep_started(sweep)
    for number in (0, 1):
        plugin.metricsengine_preflight(make_job(number))
        plugin.metricsengine_run_started(make_job(number))
    plugin.metricsengine_run_finished(make_job(0), FINISHED, results)
    shifted = [replace(e, value=e.value + 0.25, low=None, high=None) for e in results.estimates if e.value is not None]
    plugin.metricsengine_run_finished(make_job(1), FINISHED, replace(results, estimates=shifted))
    bad = RunEnd("failed", "study.n=0 | is not allowed")
    line = plugin.metricsengine_sweep_finished(sweep, SweepEnd({"0": FINISHED, "1": FINISHED, "2": bad}, 3), None)

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
    first_id, run_id = (children(client, sweep)[job].info.run_id for job in "01")
    assert f"**Sweep over seed (0, 1): 3 jobs, 2 finished, 1 failed.** Its files are in `{sweep.folder}`." in note
    link = f"#/experiments/{found.info.experiment_id}/runs/{run_id}?workflowType=machine_learning"
    assert f"| [1]({link})&emsp; | seed=1&emsp; | finished&emsp; | 0.75 |" in note
    lowest, highest = f"[job 0]({link.replace(run_id, first_id)}) (seed=0)", f"[job 1]({link}) (seed=1)"
    assert f"- exaggeration mean: lowest 0.5 in {lowest}, highest 0.75 in {highest}" in note
    assert f"- job 2 failed: study.n=0 \\| is not allowed (see `{sweep.folder}/2`)" in note
    assert found.data.tags["seed"] == "0, 1"
    assert found.data.tags["swept"] == "seed"
    assert found.data.tags["study"] == "another study"
    assert (found.data.tags["persona"], found.data.tags["context"]) == ("2 personas", "forum")
    assert [(one.dataset.name, one.dataset.digest) for one in found.inputs.dataset_inputs] == [
        ("quick", ("ab12" * 16)[:36])
    ]
    jobs = table(found.info.run_id, "jobs.json")
    assert list(jobs["status"]) == ["finished", "finished", "failed"]
    assert list(jobs["exaggeration/mean"])[:2] == [0.5, 0.75]


def test_what_killed_jobs_left_open_is_closed_but_not_what_is_at_work(
    client: Any, sweep: Sweep, make_job: Callable[[int], Run], results: Results
) -> None:
    plugin.metricsengine_sweep_started(sweep)
    for number in range(3):
        plugin.metricsengine_run_started(make_job(number))
    plugin.metricsengine_run_finished(make_job(1), FINISHED, results)
    killed = RunEnd("interrupted", "interrupted")
    with at_work(sweep.folder / "2"):
        plugin.metricsengine_sweep_finished(sweep, SweepEnd({"0": killed, "1": FINISHED}), None)
    found = {job: run.info.status for job, run in children(client, sweep).items()}
    assert found == {"0": "KILLED", "1": "FINISHED", "2": "RUNNING"}
    assert children(client, sweep)["0"].data.tags["error"].startswith("killed: ")
    assert parent(client, sweep).info.status == "KILLED"


@pytest.mark.parametrize(("goal", "best", "reached"), [("minimize", "0", "0.5"), ("maximize", "1", "0.75")])
def test_the_best_job_by_the_objective_is_linked(
    client: Any, sweep: Sweep, make_job: Callable[[int], Run], results: Results, goal: str, best: str, reached: str
) -> None:
    objective = ObjectiveConf("exaggeration", {"encoder": "minilm"}, goal)
    sweep = replace(sweep, settings=replace(sweep.settings, objective=objective))
    planned(sweep, "seed=0", "seed=1")
    plugin.metricsengine_sweep_started(sweep)
    for number in (0, 1):
        job = make_job(number)
        job = replace(job, settings=replace(job.settings, objective=objective))
        shifted = [
            replace(e, value=e.value + number / 4, low=None, high=None)
            for e in results.estimates
            if e.value is not None
        ]
        plugin.metricsengine_run_started(job)
        plugin.metricsengine_run_finished(job, FINISHED, replace(results, estimates=shifted))
    plugin.metricsengine_sweep_finished(sweep, SweepEnd({"0": FINISHED, "1": FINISHED}, 2), None)
    jobs = children(client, sweep)
    assert {name: run.data.metrics["objective"] for name, run in jobs.items()} == {"0": 0.5, "1": 0.75}
    extreme = {"minimize": "lowest", "maximize": "highest"}[goal]
    note = parent(client, sweep).data.tags["mlflow.note.content"]
    assert f"**Best: [job {best}](#/experiments/" in note
    assert f"runs/{jobs[best].info.run_id}?" in note.split("**Best:")[1].splitlines()[0]
    assert f", seed={best}, with the {extreme} exaggeration encoder minilm: {reached}" in note


def test_what_was_compared_over_the_jobs_and_their_report_are_on_the_parent(
    client: Any, sweep: Sweep, make_job: Callable[[int], Run]
) -> None:
    plugin.metricsengine_sweep_started(sweep)
    of = [
        Estimate("sensitivity", 0.25 + i, 9, {"of": metric, "seed": str(i)}, low=0.0, high=2.0)
        for metric in ("warmth", "rain")
        for i in range(2)
    ]
    own = Estimate("warmth", 1.0, 9, {"seed": "0"})
    swept = Results(
        "weather", "paper", 0, None, {}, {"jobs": 2}, [*of, own], tables={}, compared=["sensitivity"],
    )  # fmt: skip
    for path in ("report.html", "estimates.csv", "estimates.parquet", "card.md", "sweep.json", "figures/surface.svg"):
        (sweep.folder / path).parent.mkdir(exist_ok=True)
        (sweep.folder / path).write_text("{}")
    (sweep.folder / "sweep.json").unlink()
    swept.save(sweep.folder)
    conf = replace(sweep.settings.tracking, columns=20)
    sweep = replace(sweep, settings=replace(sweep.settings, tracking=conf))
    plugin.metricsengine_sweep_finished(sweep, SweepEnd({"0": FINISHED}, 2), swept)
    found = parent(client, sweep)
    assert found.data.metrics["sensitivity/of/warmth/seed/1"] == 1.25
    assert found.data.metrics["sensitivity/of/warmth/seed/1 n"] == 9.0
    assert found.data.metrics["sensitivity/of/rain/seed/0 low"] == 0.0
    assert "warmth" not in found.data.metrics
    assert {info.path for info in client.list_artifacts(found.info.run_id)} == {
        "report.html", "results.json", "estimates.csv", "estimates.parquet", "card.md", "figures", "jobs.json",
    }  # fmt: skip
    assert "2 jobs, 1 finished, 1 not begun" in found.data.tags["mlflow.note.content"]


def test_a_resumed_sweep_goes_on_in_the_same_parent(
    client: Any, sweep: Sweep, make_job: Callable[[int], Run], results: Results
) -> None:
    plugin.metricsengine_sweep_started(sweep)
    first = parent(client, sweep).info.run_id
    plugin.metricsengine_run_started(make_job(0))
    plugin.metricsengine_sweep_finished(sweep, SweepEnd({"0": RunEnd("failed", "killed")}), None)

    plugin.metricsengine_sweep_started(sweep)
    assert parent(client, sweep).info.status == "RUNNING"
    plugin.metricsengine_run_started(make_job(0))
    plugin.metricsengine_run_finished(make_job(0), FINISHED, results)
    plugin.metricsengine_sweep_finished(sweep, SweepEnd({"0": FINISHED}), None)
    found = parent(client, sweep)
    assert (found.info.run_id, found.info.status) == (first, "FINISHED")
    assert len(children(client, sweep)) == 1
    assert len(client.search_runs([found.info.experiment_id])) == 2


def test_what_no_longer_holds_of_a_sweep_that_went_on_is_named(client: Any, sweep: Sweep) -> None:
    found = [Results("weather", "paper", 0, None, {}, {}, [e], compared=["sensitivity"]) for e in (
        Estimate("sensitivity", 0.25, 9, {"of": "rain"}), Estimate.undefined("sensitivity", "no", labels={"of": "rain"})
    )]  # fmt: skip
    told = []
    for results in (*found, found[0]):
        plugin.metricsengine_sweep_started(sweep)
        plugin.metricsengine_sweep_finished(sweep, SweepEnd({"0": FINISHED}), results)
        told.append(parent(client, sweep).data.tags.get("outdated"))
    assert told == [None, "sensitivity; sensitivity n", None]


@pytest.fixture
def dated(sweep: Sweep) -> Sweep:
    """The sweep as the host tells of it: with when it was started, and with its manifest."""
    planned(sweep, "seed=0", "seed=1")
    return begun_anew(sweep, 2)


def begun_anew(sweep: Sweep, day: int) -> Sweep:
    manifest = Manifest.load(sweep.folder)
    assert manifest is not None
    started = datetime(2026, 1, day, tzinfo=UTC)
    replace(manifest, launch=replace(manifest.launch, started=started)).save(sweep.folder)
    return replace(sweep, started=started)


def went_through(sweep: Sweep, *jobs: Run, found: Results | None = None) -> None:
    """Track jobs of a sweep from their start to their end, and the sweep's end."""
    for job in jobs:
        plugin.metricsengine_run_started(job)
        plugin.metricsengine_run_finished(job, FINISHED, found)
    plugin.metricsengine_sweep_finished(sweep, SweepEnd({"0": FINISHED, "1": FINISHED}, 2), None)


def lying_in(run: Run, folder: Path) -> Run:
    return replace(run, folder=folder / run.folder.name, sweep=folder)


def experiment_runs(client: Any, sweep: Sweep) -> dict[str, str | None]:
    """The parents of all runs, by run."""
    runs = client.search_runs([parent(client, sweep).info.experiment_id])
    return {run.info.run_id: run.data.tags.get("mlflow.parentRunId") for run in runs}


@pytest.mark.parametrize("killed", [False, True])
def test_another_sweep_in_the_same_folder_has_a_parent_and_jobs_of_its_own(
    client: Any, dated: Sweep, make_job: Callable[[int], Run], killed: bool
) -> None:
    plugin.metricsengine_sweep_started(dated)
    if killed:
        plugin.metricsengine_run_started(make_job(0))
    else:
        went_through(dated, make_job(0), make_job(1))
    first, status = parent(client, dated), "KILLED" if killed else "FINISHED"
    of_first = children(client, dated)

    another = begun_anew(dated, 3)
    with at_work(another.folder):
        plugin.metricsengine_sweep_started(another)
    assert parent(client, another).info.run_id != first.info.run_id
    ended = client.get_run(first.info.run_id)
    assert ended.info.status == status
    assert ended.data.tags.get("error", "").startswith("killed: ") == killed
    went_through(another, make_job(0), make_job(1))
    assert children(client, another).keys() == {"0", "1"}
    assert {run.info.status for run in children(client, another).values()} == {"FINISHED"}
    for run in of_first.values():
        before = client.get_run(run.info.run_id)
        assert (before.info.status, before.data.tags["mlflow.parentRunId"]) == (status, first.info.run_id)


def test_a_sweep_that_could_not_be_opened_takes_no_run_of_an_earlier_one(
    client: Any, dated: Sweep, make_job: Callable[[int], Run]
) -> None:
    plugin.metricsengine_sweep_started(dated)
    went_through(dated, make_job(0))
    first, jobs = parent(client, dated), children(client, dated)
    another = begun_anew(dated, 3)
    went_through(another, make_job(0))
    assert parent(client, another).info.run_id != first.info.run_id
    assert client.get_run(first.info.run_id).info.end_time == first.info.end_time
    place = Place.load(make_job(0).folder)
    assert place is not None
    assert place.run != jobs["0"].info.run_id
    assert "mlflow.parentRunId" not in client.get_run(place.run).data.tags


def test_a_copied_sweep_leaves_the_runs_of_the_original_alone_and_tells_of_its_finished_jobs(
    client: Any, dated: Sweep, make_job: Callable[[int], Run], results: Results
) -> None:
    plugin.metricsengine_sweep_started(dated)
    went_through(dated, make_job(0), make_job(1), found=results)
    before = experiment_runs(client, dated)
    copied = replace(dated, folder=dated.folder.with_name("copy"))
    shutil.copytree(dated.folder, copied.folder)
    client.update_run(parent(client, dated).info.run_id, status="RUNNING")  # the original may be going on
    plugin.metricsengine_sweep_started(copied)
    went_through(copied, lying_in(make_job(1), copied.folder), found=results)
    added = experiment_runs(client, dated).keys() - before.keys()
    assert added == {parent(client, copied).info.run_id, children(client, copied)["1"].info.run_id}
    original = parent(client, dated)
    assert (original.info.status, original.data.tags["folder"]) == ("RUNNING", str(dated.folder))
    note = parent(client, copied).data.tags["mlflow.note.content"]
    assert f"[0](#/experiments/{original.info.experiment_id}/runs/{children(client, dated)['0'].info.run_id}?" in note
    assert note.count("| finished&emsp; | 0.5 |") == 2


def test_a_copied_run_leaves_that_of_the_original_alone(client: Any, make_run: MakeRun) -> None:
    original = make_run()
    plugin.metricsengine_run_started(original)
    copied = replace(original, folder=original.folder.with_name("copy"))
    shutil.copytree(original.folder, copied.folder)
    plugin.metricsengine_run_finished(copied, FINISHED, None)
    places = [Place.load(run.folder) for run in (original, copied)]
    assert [client.get_run(place.run).info.status for place in places if place] == ["RUNNING", "FINISHED"]


def test_a_moved_sweep_goes_on_in_its_runs_which_tell_where_it_is_then(
    client: Any, dated: Sweep, make_job: Callable[[int], Run]
) -> None:
    plugin.metricsengine_sweep_started(dated)
    went_through(dated, make_job(0), make_job(1))
    before = experiment_runs(client, dated)
    jobs = [make_job(0), make_job(1)]
    moved = replace(dated, folder=dated.folder.rename(dated.folder.with_name("moved")))
    plugin.metricsengine_sweep_started(moved)
    went_through(moved, *(lying_in(job, moved.folder) for job in jobs))
    assert experiment_runs(client, moved) == before
    assert parent(client, moved).data.tags["folder"] == str(moved.folder)
    assert {run.data.tags["folder"] for run in children(client, moved).values()} == {
        str(moved.folder / job) for job in "01"
    }
    place = Place.load(moved.folder)
    assert place is not None
    assert place.folder == str(moved.folder)


def test_places_of_earlier_versions_are_taken_up_and_tell_more_from_then_on(
    client: Any, dated: Sweep, make_job: Callable[[int], Run]
) -> None:
    plugin.metricsengine_sweep_started(dated)
    went_through(dated, make_job(0), make_job(1))
    before = experiment_runs(client, dated)
    for path in dated.folder.rglob("mlflow.json"):
        row = json.loads(path.read_text())
        path.write_text(json.dumps({key: row[key] for key in ("store", "experiment", "run")}))
    plugin.metricsengine_sweep_started(dated)
    went_through(dated, make_job(0), make_job(1))
    assert experiment_runs(client, dated) == before
    for path in dated.folder.rglob("mlflow.json"):
        place = Place.load(path.parent)
        assert place is not None
        assert (place.sweep, place.folder) == ("2026-01-02T00:00:00+00:00", str(path.parent))


def test_what_an_earlier_sweep_left_in_the_folder_is_not_uploaded(client: Any, dated: Sweep) -> None:
    for path in ("results.json", "report.html", "estimates.csv", "estimates.parquet", "card.md", "figures/surface.svg"):
        (dated.folder / path).parent.mkdir(exist_ok=True)
        (dated.folder / path).write_text("{}")
    plugin.metricsengine_sweep_finished(dated, SweepEnd({"0": FINISHED}, 1), None)
    artifacts = client.list_artifacts(parent(client, dated).info.run_id)
    assert {info.path for info in artifacts} == {"sweep.json", "jobs.json"}


def test_the_experiment_is_the_studys_unless_named(client: Any, sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    host = SimpleNamespace(spec_of=lambda kind, config: SimpleNamespace(name=f"{kind} of {config}"))
    monkeypatch.setattr(sweeps, "Host", lambda: host)
    plugin.metricsengine_sweep_started(replace(sweep, settings=Settings(study="options", tracking=MlflowConf())))
    assert client.get_experiment(parent(client, sweep).info.experiment_id).name == "study of options"


def test_preflight_of_a_sweep_refuses_a_deleted_experiment(
    client: Any, sweep: Sweep, make_job: Callable[[int], Run]
) -> None:
    client.delete_experiment(client.create_experiment("another study"))
    with pytest.raises(ConfigError, match="'another study' was deleted"):
        plugin.metricsengine_preflight(make_job(0))
    plugin.metricsengine_sweep_started(sweep)
    plugin.metricsengine_preflight(make_job(0))  # it goes where its sweep's run is


def test_a_job_in_another_store_stands_alone(client: Any, sweep: Sweep, make_job: Callable[[int], Run]) -> None:
    Place("sqlite:////elsewhere.db", "99", "0" * 32).save(sweep.folder)
    run = make_job(0)
    plugin.metricsengine_run_started(run)
    place = Place.load(run.folder)
    assert place is not None
    assert "mlflow.parentRunId" not in client.get_run(place.run).data.tags


def test_the_ranges_that_a_sweep_shows_are_those_of_the_most_jobs_and_fit() -> None:
    metrics = {name: {name: i / 2, f"{name} n": 9.0} for i, name in enumerate(["odd", "common", "equal"])}
    rows = [
        JobRow("0", FINISHED, metrics={**metrics["odd"], **metrics["common"], **metrics["equal"]}),
        JobRow("1", FINISHED, metrics={"common": 7.0, "common n": 9.0, **metrics["equal"]}),
    ]
    shown = overview.columns(Overview(rows, 2), limit=9).values
    assert len(shown) == 8
    assert (shown["common lowest of jobs"], shown["common highest of jobs"]) == (0.5, 7.0)
    assert overview.columns(Overview(rows, 2), limit=0).values.keys() == {
        "jobs", "jobs finished", "jobs failed", "jobs interrupted",
    }  # fmt: skip
    told = note(Sweep(Path("/s"), Settings(study=None), "", ()), Overview(rows, 2))
    assert "- common: lowest 0.5 in job 0, highest 7 in job 1\n- equal: 1 in every job that has it\n" in told


def test_a_note_on_many_jobs_is_cut_between_rows() -> None:
    sweep = Sweep(Path("/s"), Settings(study=None), "", ())
    rows = [JobRow(str(i), FINISHED, None, (f"seed={i}",)) for i in range(1000)]
    whole = note(sweep, Overview(rows, 1000))
    assert "seed (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 988 more)" in whole
    cut = limits.cut_markdown(whole, "jobs.json")
    assert cut.endswith("`jobs.json` among the artifacts.*")
    assert cut.split("\n\n")[-2].splitlines()[-1].endswith("| finished |")


def test_sweeps_that_are_not_tracked_leave_nothing(sweep: Sweep) -> None:
    untracked = replace(sweep, settings=Settings(study=None))
    plugin.metricsengine_sweep_started(untracked)
    assert plugin.metricsengine_sweep_finished(untracked, SweepEnd({}), None) is None
    assert list(sweep.folder.iterdir()) == []


JOB = """
import sys
from datetime import datetime
from pathlib import Path
import metricsengine_mlflow as plugin
from metricsengine.locks import at_work
from metricsengine.settings import Settings
from metricsengine.run import Run, RunEnd
from metricsengine_mlflow.config import MlflowConf
sweep, number = Path(sys.argv[1]), int(sys.argv[2])
folder = sweep / str(number)
folder.mkdir()
run = Run(folder, "job", Settings(study=None, tracking=MlflowConf()), {}, datetime.now(), "", sweep, number)
with at_work(folder):
    plugin.metricsengine_preflight(run)
    plugin.metricsengine_run_started(run)
    plugin.metricsengine_run_finished(run, RunEnd("finished"), None)
"""


@pytest.mark.slow
def test_jobs_in_other_processes_find_their_sweep_whatever_they_inherit(client: Any, sweep: Sweep) -> None:
    plugin.metricsengine_sweep_started(sweep)
    environment = {**os.environ, "MLFLOW_RUN_ID": "0" * 32}
    with at_work(sweep.folder):
        commands = [[sys.executable, "-c", JOB, str(sweep.folder), str(n)] for n in range(2)]
        jobs = [subprocess.Popen(command, env=environment) for command in commands]
        assert [job.wait() for job in jobs] == [0, 0]
        assert parent(client, sweep).info.status == "RUNNING"
    assert {run.info.status for run in children(client, sweep).values()} == {"FINISHED"}
    assert children(client, sweep).keys() == {"0", "1"}
