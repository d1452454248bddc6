import json
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import metricsengine_mlflow as plugin
from metricsengine.errors import ConfigError
from metricsengine.estimate import Estimate
from metricsengine.results import Results
from metricsengine.run import Run, RunEnd
from metricsengine.settings import Settings
from metricsengine_mlflow import runs
from metricsengine_mlflow.config import MlflowConf
from metricsengine_mlflow.place import Place

FINISHED = RunEnd("finished")
MakeRun = Callable[..., Run]
Table = Callable[[str, str], pd.DataFrame]


def stored(client: Any, run: Run) -> Any:
    place = Place.load(run.folder)
    assert place is not None
    return client.get_run(place.run)


def files(client: Any, run: Run, folder: str = "") -> set[str]:
    return {info.path for info in client.list_artifacts(stored(client, run).info.run_id, folder or None)}


def text(client: Any, run: Run, path: str, to: Path) -> str:
    return Path(client.download_artifacts(stored(client, run).info.run_id, path, str(to))).read_text(encoding="utf-8")


def track(run: Run, end: RunEnd = FINISHED, results: Results | None = None) -> str | None:
    plugin.metricsengine_preflight(run)
    plugin.metricsengine_run_started(run)
    if results is not None:
        results.save(run.folder)
    return plugin.metricsengine_run_finished(run, end, results)


def test_a_finished_run_is_there_with_all_it_found(
    client: Any, make_run: MakeRun, results: Results, tmp_path: Path
) -> None:
    run = make_run(overrides=("study.n=10",))
    (run.folder / "figures").mkdir()
    (run.folder / "figures" / "map.svg").write_text("<svg/>")
    (run.folder / "report.html").write_text("<p>")
    (run.folder / "environment.json").write_text("{}")
    (run.folder / "sets" / "persona").mkdir(parents=True)
    (run.folder / "sets" / "persona" / "quick.toml").write_text("")
    (run.folder / "card.md").write_text("# Card\n\nWhat was simulated.")
    line = track(run, results=results)

    found = stored(client, run)
    assert found.info.status == "FINISHED"
    assert found.info.run_name == "caricature 0"
    assert found.info.start_time == 1767323045000
    assert client.get_experiment(found.info.experiment_id).name == "caricature"
    assert line == (
        f"MLflow: `metricsengine ui`, then http://127.0.0.1:5000/#/experiments/{found.info.experiment_id}"
        f"/runs/{found.info.run_id}?workflowType=machine_learning"
    )
    assert found.data.params == {"model": "smollm2", "study.n": "10"}
    assert found.data.metrics["exaggeration/mean"] == 0.5
    assert found.data.metrics["exaggeration/persona/Black person"] == 0.25
    assert len(found.data.metrics) == 11
    tags = found.data.tags
    assert (tags["study"], tags["protocol"], tags["persona"]) == ("caricature", "paper", "2 personas")
    assert (tags["command"], tags["overrides"]) == ("metricsengine study=caricature", "study.n=10")
    assert tags["mlflow.note.content"] == "# Card\n\nWhat was simulated."
    assert tags["undefined"] == (
        "1 of 7 estimates: exaggeration/persona/Black person/topic/Golf: 1 response, at least 2 needed"
    )
    assert "error" not in tags
    assert files(client, run) == {
        "config.yaml", "environment.json", "results.json", "report.html", "card.md", "figures", "sets", "tables",
        "estimates.json", "names.json",
    }  # fmt: skip
    assert files(client, run, "figures") == {"figures/map.svg"}
    assert files(client, run, "tables") == {
        "tables/Simulations.parquet", "tables/Simulations.json", "tables/seed_words.parquet", "tables/seed_words.json",
    }  # fmt: skip
    names = json.loads(text(client, run, "names.json", tmp_path))
    assert names["exaggeration/persona/woman"]["labels"] == {"persona": "woman", "encoder": "minilm"}
    dataset = found.inputs.dataset_inputs[0].dataset
    assert (dataset.name, dataset.digest, dataset.source_type) == ("quick", ("ab12" * 16)[:36], "code")
    assert {c["name"] for c in json.loads(dataset.schema)["mlflow_colspec"]} == {"persona", "text", "replicate"}
    assert json.loads(dataset.profile)["num_rows"] == 2


def test_tables_have_the_form_that_mlflow_shows(
    client: Any, make_run: MakeRun, results: Results, table: Table, tmp_path: Path
) -> None:
    run = make_run()
    track(run, results=results)
    found = stored(client, run)
    listed = json.loads(found.data.tags["mlflow.loggedArtifacts"])
    client.log_table(found.info.run_id, results.tables["Simulations"], "by_mlflow.json")
    of_mlflow = json.loads(stored(client, run).data.tags["mlflow.loggedArtifacts"])
    assert [*listed, {"path": "by_mlflow.json", "type": "table"}] == of_mlflow
    assert text(client, run, "tables/Simulations.json", tmp_path) == text(client, run, "by_mlflow.json", tmp_path)
    words = table(found.info.run_id, "tables/seed_words.json")
    assert words.to_dict("records") == [{"persona": "woman", "word": "she", "z": 3.25}]
    estimates = table(found.info.run_id, "estimates.json")
    assert len(estimates) == 7
    row = estimates[estimates["name"] == "exaggeration/mean"].iloc[0]
    assert (row["value"], row["low"], row["over"], row["encoder"]) == (0.5, 0.375, "persona, topic", "minilm")
    undefined = estimates[estimates["status"] == "undefined"].iloc[0]
    assert (undefined["persona"], undefined["reason"]) == ("Black person", "1 response, at least 2 needed")
    assert pd.isna(undefined["value"])


def test_opinion_time_is_a_metric_over_steps(client: Any, make_run: MakeRun, results: Results, table: Table) -> None:
    run = make_run()
    estimates = [Estimate("distance", i / 4, 5, {"step": str(i)}, low=0.0, high=1.0) for i in range(3)]
    track(run, results=replace(results, estimates=[Estimate("distance", 0.25, 15, {}), *estimates]))
    found = stored(client, run)
    history = client.get_metric_history(found.info.run_id, "distance by step")
    assert [(one.step, one.value) for one in sorted(history, key=lambda one: one.step)] == [
        (0, 0.0),
        (1, 0.25),
        (2, 0.5),
    ]
    assert {one.step for one in client.get_metric_history(found.info.run_id, "distance by step high")} == {0, 1, 2}
    assert (found.data.metrics["distance"], found.data.metrics["distance n"]) == (0.25, 15.0)
    assert list(table(found.info.run_id, "estimates.json")["name"]) == ["distance", *["distance by step"] * 3]


def test_the_schema_of_a_long_table_tells_cells_that_are_missing_far_down(
    client: Any, make_run: MakeRun, results: Results
) -> None:
    frame = pd.DataFrame({"text": ["a"] * 999 + [None], "rank": [0.5] * 1000})
    run = make_run()
    track(run, results=replace(results, tables={"Simulations": frame}))
    dataset = stored(client, run).inputs.dataset_inputs[0].dataset
    assert json.loads(dataset.profile) == {"num_rows": 1000, "num_elements": 2000}
    assert [(c["name"], c["required"]) for c in json.loads(dataset.schema)["mlflow_colspec"]] == [
        ("text", False),
        ("rank", True),
    ]


def test_a_long_table_stays_a_file(client: Any, make_run: MakeRun, results: Results) -> None:
    run = make_run()
    track(run, results=replace(results, tables={"Simulations": pd.DataFrame({"text": ["a"] * 2001})}))
    assert files(client, run, "tables") == {"tables/Simulations.parquet"}


@pytest.mark.parametrize(("status", "expected"), [("failed", "FAILED"), ("interrupted", "KILLED")])
def test_a_run_that_did_not_go_through_says_why(client: Any, make_run: MakeRun, status: Any, expected: str) -> None:
    run = make_run()
    (run.folder / "error.txt").write_text("Traceback")
    track(run, RunEnd(status, "the model stopped answering", ["metric 'x': too few"]))
    found = stored(client, run)
    assert found.info.status == expected
    assert found.info.end_time is not None
    assert found.data.tags["error"] == "the model stopped answering"
    assert found.data.tags["failures"] == "metric 'x': too few"
    assert found.data.metrics == {}
    assert files(client, run) == {"config.yaml", "error.txt"}


def test_a_killed_run_is_taken_up_and_closed_by_the_next_attempt(
    client: Any, make_run: MakeRun, results: Results, table: Table
) -> None:
    run = make_run()
    plugin.metricsengine_run_started(run)
    first = stored(client, run)
    assert first.info.status == "RUNNING"
    track(run, RunEnd("failed", "no memory"))
    track(run, results=results)
    track(run, results=results)
    found = stored(client, run)
    assert (found.info.run_id, found.info.status) == (first.info.run_id, "FINISHED")
    assert "error" not in found.data.tags
    assert len(client.search_runs([found.info.experiment_id])) == 1
    estimates = table(found.info.run_id, "estimates.json")
    assert len(estimates) == 7


def test_other_parameters_begin_another_run_and_close_the_first(client: Any, make_run: MakeRun) -> None:
    run = make_run()
    plugin.metricsengine_run_started(run)
    first = stored(client, run)
    plugin.metricsengine_run_started(replace(run, parameters={"model": "smollm2", "study.n": "20"}))
    second = stored(client, run)
    assert second.info.run_id != first.info.run_id
    assert second.data.params["study.n"] == "20"
    assert client.get_run(first.info.run_id).info.status == "KILLED"


@pytest.mark.parametrize("lost", ["deleted", "unknown"])
def test_a_run_that_is_gone_is_replaced(client: Any, make_run: MakeRun, lost: str) -> None:
    run = make_run()
    plugin.metricsengine_run_started(run)
    first = stored(client, run).info.run_id
    if lost == "deleted":
        client.delete_run(first)
    else:
        Place("sqlite:///elsewhere", "7", "0" * 32).save(run.folder)
    track(run)
    assert stored(client, run).info.run_id != first
    assert stored(client, run).info.status == "FINISHED"


def test_a_damaged_record_is_an_error_that_names_the_file(client: Any, make_run: MakeRun) -> None:
    run = make_run()
    (run.folder / "mlflow.json").write_text("{")
    with pytest.raises(ConfigError, match=r"mlflow\.json is damaged"):
        plugin.metricsengine_run_started(run)


def test_numbers_of_an_earlier_attempt_that_no_longer_hold_are_named(
    client: Any, make_run: MakeRun, results: Results
) -> None:
    run = make_run()
    track(run, results=results)
    gone = Estimate.undefined("exaggeration", "none is defined", labels={}, over=("persona", "topic"))
    track(run, results=replace(results, estimates=[gone]))
    tags = stored(client, run).data.tags
    assert "exaggeration/mean;" in tags["outdated"]
    assert tags["undefined"] == "1 of 1 estimates: exaggeration/mean: none is defined"
    track(run, results=replace(results, estimates=[gone], counts={}))
    assert stored(client, run).data.tags["outdated"].startswith("counts/answered; counts/requests; exaggeration/mean;")
    track(run, results=results)
    assert "outdated" not in stored(client, run).data.tags


def test_how_the_model_was_asked_is_told_and_forgotten_by_the_next_attempt(
    client: Any, make_run: MakeRun, results: Results
) -> None:
    run = make_run()
    model = {"name": "m", "fallbacks": ["system_in_user"], "served_by": ["m-1", "m-2"]}
    track(run, results=replace(results, model=model, notices=("one", "two")))
    tags = stored(client, run).data.tags
    assert [tags[name] for name in ("fallbacks", "served_by", "notices")] == ["system_in_user", "m-1, m-2", "one\ntwo"]
    track(run, results=replace(results, notices=()))
    assert not {"fallbacks", "served_by", "notices"} & set(stored(client, run).data.tags)


def test_a_run_whose_logging_fails_is_closed_as_failed(
    client: Any, make_run: MakeRun, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run()
    monkeypatch.setattr(runs, "_log_results", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        track(run, results=results)
    assert stored(client, run).info.status == "FAILED"


def test_a_run_that_could_not_be_opened_is_opened_at_its_end(client: Any, make_run: MakeRun, results: Results) -> None:
    run = make_run()
    plugin.metricsengine_run_finished(run, FINISHED, results)
    assert stored(client, run).data.params["model"] == "smollm2"
    assert stored(client, run).info.status == "FINISHED"


def test_nothing_is_cut_and_nothing_lost_beyond_mlflows_limits(
    client: Any, make_run: MakeRun, results: Results, tmp_path: Path
) -> None:
    persona = "Ein Mensch, ausführlich beschrieben: 学生, 50 %. " * 250
    many = {f"option {i}%": str(i) for i in range(300)} | {"persona": persona}
    estimates = [
        Estimate("trait_score", i / 2000, 3, {"persona": f"persona {i}", "trait": "trait:openness(%)"})
        for i in range(1500)
    ]
    run = make_run(
        conf=MlflowConf(columns=2000), parameters=many, tags={"study": "many", "persona": persona}, name="many"
    )
    track(run, results=replace(results, estimates=estimates))
    found = stored(client, run)
    assert len(found.data.params) == 301
    assert found.data.params["option 299"] == "299"
    assert len(found.data.metrics) == 1502
    assert found.data.metrics["trait_score/persona/persona 1499"] == 1499 / 2000
    assert "characters" in found.data.params["persona"]
    assert text(client, run, "parameters/persona.txt", tmp_path) == persona
    assert text(client, run, "tags/persona.txt", tmp_path) == persona


def test_runs_of_one_study_share_an_experiment_unless_another_is_named(client: Any, make_run: MakeRun) -> None:
    one, two, three = make_run("1"), make_run("2"), make_run("3", conf=MlflowConf(experiment="my own"))
    for run in (one, two, three):
        track(run)
    ids = [stored(client, run).info.experiment_id for run in (one, two, three)]
    assert ids[0] == ids[1] != ids[2]
    assert client.get_experiment(ids[2]).name == "my own"


def test_inherited_settings_of_mlflow_are_ignored_with_a_notice(
    client: Any, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    runs._notice_inherited.cache_clear()
    monkeypatch.setenv("MLFLOW_RUN_ID", "0" * 32)
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "another")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "https://elsewhere.example")
    run = make_run()
    with caplog.at_level(logging.WARNING):
        track(run)
        track(run)
    assert [record.getMessage() for record in caplog.records] == [
        "ignored from the environment: MLFLOW_RUN_ID, MLFLOW_EXPERIMENT_NAME, "
        "MLFLOW_TRACKING_URI (tracking.uri=env would use it)"
    ]
    found = stored(client, run)
    assert found.info.run_id != "0" * 32
    assert client.get_experiment(found.info.experiment_id).name == "caricature"


def test_preflight_refuses_a_deleted_experiment(client: Any, make_run: MakeRun) -> None:
    run = make_run()
    track(run)
    client.delete_experiment(stored(client, run).info.experiment_id)
    with pytest.raises(ConfigError, match="was deleted"):
        plugin.metricsengine_preflight(run)


def test_where_nothing_is_tracked_nothing_happens(make_run: MakeRun, results: Results, outputs: Path) -> None:
    run = replace(make_run(), settings=Settings(study=None, tracking=None))
    assert track(run, results=results) is None
    assert not (run.folder / "mlflow.json").exists()
    assert not (outputs / "mlartifacts").exists()


def test_a_dataset_that_another_job_writes_at_the_same_time_is_found_there(
    client: Any, make_run: MakeRun, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow.exceptions import MlflowException

    log, refusals = type(client).log_inputs, [MlflowException("duplicate key value violates unique constraint")]

    def faster(self: Any, *arguments: Any) -> None:
        if refusals:
            raise refusals.pop()
        log(self, *arguments)

    monkeypatch.setattr(type(client), "log_inputs", faster)
    run = make_run()
    track(run, results=results)
    assert [found.dataset.name for found in stored(client, run).inputs.dataset_inputs] == ["quick"]
