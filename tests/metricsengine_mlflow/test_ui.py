import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

import metricsengine_mlflow as plugin
from metricsengine.errors import ConfigError
from metricsengine.results import Results
from metricsengine.run import Run, RunEnd
from metricsengine_mlflow import links
from metricsengine_mlflow.config import MlflowConf
from metricsengine_mlflow.place import Place
from metricsengine_mlflow.store import connect, experiment_id, resolve


def test_a_store_that_does_not_exist_yet_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METRICSENGINE_OUTPUTS", str(tmp_path))
    with pytest.raises(ConfigError, match=r"no runs are tracked at .*mlflow\.db yet"):
        plugin.metricsengine_ui([])
    assert list(tmp_path.iterdir()) == []


def test_a_taken_port_is_named_with_a_free_one(outputs: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"127.0.0.1:{port} cannot be listened at.*--port"):
            plugin.metricsengine_ui(["--port", str(port)])


@pytest.mark.parametrize("arguments", [["--port", "many"], ["--colour"], ["x"], ["--port", "99999"]])
def test_odd_arguments_are_refused_in_one_line(outputs: Path, arguments: list[str]) -> None:
    with pytest.raises(ConfigError, match="--port"):
        plugin.metricsengine_ui(arguments)


def test_a_server_needs_no_pages() -> None:
    with pytest.raises(ConfigError, match="is a server already"):
        plugin.metricsengine_ui(["--uri", "http://me:secret@mlflow.example"])


def test_links_say_what_must_run_first() -> None:
    place = Place("", "7", "abc")
    local = resolve(MlflowConf(uri="sqlite:////x.db"))
    assert links.line(local, links.of_run(place)) == (
        "MLflow: `metricsengine ui`, then http://127.0.0.1:5000/#/experiments/7/runs/abc?workflowType=machine_learning"
    )
    server = resolve(MlflowConf(uri="https://me:secret@mlflow.example/"))
    assert links.line(server, links.of_experiment("7")) == (
        "MLflow: https://mlflow.example/#/experiments/7/runs?workflowType=machine_learning"
    )


@contextmanager
def served() -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """The command as a process of its own, once it says that the pages are there, and its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    script = f"from metricsengine_mlflow import ui; raise SystemExit(ui.main(['--port', '{port}']))"
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield port, process
        finally:
            process.send_signal(signal.SIGINT)


@pytest.mark.slow
def test_the_pages_are_served_and_end_with_the_command(outputs: Path) -> None:
    store = resolve(MlflowConf())
    experiment = experiment_id(connect(store), store, "study")
    left_open = connect(store).create_run(experiment, tags={"host": socket.gethostname(), "folder": "/gone"})
    with served() as (port, process):
        assert process.stdout is not None
        assert "starting" in process.stdout.readline()
        line = process.stdout.readline()
        page = f"http://127.0.0.1:{port}/#/experiments/{experiment}/runs?workflowType=machine_learning"
        assert line == f"MLflow: {page} (Ctrl+C ends it)\n"
        assert connect(store).get_run(left_open.info.run_id).info.status == "KILLED"
        with urlopen(f"http://127.0.0.1:{port}/", timeout=30) as answer:
            assert b"MLflow" in answer.read()
        with urlopen(f"http://127.0.0.1:{port}/ajax-api/3.0/mlflow/ui-telemetry", timeout=30) as answer:
            assert json.load(answer)["disable_ui_telemetry"]
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
        assert (process.returncode, "Traceback" in messages) == (0, False)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


@pytest.mark.slow
def test_a_server_takes_runs_as_a_database_does(outputs: Path, make_run: Callable[..., Run], results: Results) -> None:
    with served() as (port, process):
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)][1].startswith("MLflow: ")
        run = make_run(
            conf=MlflowConf(uri=f"http://127.0.0.1:{port}"),
            parameters={"persona": "学生 " * 1000, "empty": ""},
            tags={"study": "served", "persona": "学生 " * 10_000},
        )
        plugin.metricsengine_preflight(run)
        plugin.metricsengine_run_started(run)
        results.save(run.folder)
        line = plugin.metricsengine_run_finished(run, RunEnd("finished"), results)
    client = connect(resolve(MlflowConf()))
    experiment = client.get_experiment_by_name("served")
    assert experiment is not None
    (found,) = client.search_runs([experiment.experiment_id])
    assert (
        line
        == f"MLflow: http://127.0.0.1:{port}/#/experiments/{found.info.experiment_id}/runs/{found.info.run_id}?workflowType=machine_learning"
    )
    assert found.info.status == "FINISHED"
    assert found.data.metrics["exaggeration/mean"] == 0.5
    assert found.data.params["empty"] == ""
    assert "in parameters/persona.txt" in found.data.params["persona"]
    assert len(client.list_artifacts(found.info.run_id, "tables")) == 4
    assert found.inputs is not None
    assert found.inputs.dataset_inputs[0].dataset.name == "quick"
