import os
import shutil
import socket
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metricsengine.errors import ConfigError, MetricsEngineError
from metricsengine_mlflow.config import MlflowConf
from metricsengine_mlflow.store import Store, checkup, connect, experiment_id, find_experiment, resolve, with_store


def test_the_default_store_lies_in_the_outputs_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METRICSENGINE_OUTPUTS", str(tmp_path))
    store = resolve(MlflowConf())
    assert store.file == tmp_path / "mlflow.db"
    assert store.artifacts == (tmp_path / "mlartifacts").as_uri()
    assert not store.server


def test_the_environment_decides_only_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METRICSENGINE_OUTPUTS", str(tmp_path))
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "https://elsewhere.example")
    assert resolve(MlflowConf()).file == tmp_path / "mlflow.db"
    assert resolve(MlflowConf(uri="env")).uri == "https://elsewhere.example"
    monkeypatch.delenv("MLFLOW_TRACKING_URI")
    with pytest.raises(ConfigError, match="MLFLOW_TRACKING_URI is not set"):
        resolve(MlflowConf(uri="env"))


@pytest.mark.parametrize("uri", ["mlruns", "/data/mlruns", "file:///data/mlruns", "sqlite://", "sqlite:///:memory:"])
def test_an_address_that_cannot_keep_runs_is_refused(uri: str) -> None:
    with pytest.raises(ConfigError, match=r"tracking\.uri="):
        resolve(MlflowConf(uri=uri))


def test_a_server_keeps_its_own_artifacts_and_its_password_to_itself() -> None:
    store = resolve(MlflowConf(uri="https://me:secret@mlflow.example:8443/path"))
    assert store.server
    assert store.artifacts == ""
    assert store.public == "https://mlflow.example:8443/path"


def test_a_relative_database_and_artifact_folder_become_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("METRICSENGINE_OUTPUTS", str(tmp_path / "out"))
    store = resolve(MlflowConf(uri="sqlite:///here.db", artifact_location="art"))
    assert store.file == tmp_path / "here.db"
    assert store.artifacts == (tmp_path / "out" / "art").as_uri()
    assert resolve(MlflowConf(uri="postgresql://db/mlflow", artifact_location="s3://bucket")).artifacts == "s3://bucket"


@pytest.mark.parametrize(
    ("uri", "public"),
    [
        ("postgresql://db.example/x?user=me&password=secret", "postgresql://db.example/x"),
        ("postgresql://me:se/cr#et?@db.example/x", "postgresql://db.example/x"),
        ("https://me:sec@ret@mlflow.example/team@x", "https://mlflow.example/team@x"),
        ("sqlite:////data/me@home/mlflow.db", "sqlite:////data/me@home/mlflow.db"),
    ],
)
def test_what_is_secret_in_an_address_is_not_told(uri: str, public: str) -> None:
    store = Store(uri, "")
    assert store.public == public
    assert store.redacted(f"cannot open {uri}: refused") == f"cannot open {public}: refused"


def test_a_server_that_goes_away_is_named_without_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    from mlflow import MlflowClient

    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with socket.create_server(("127.0.0.1", 0)) as gone:
        address = f"127.0.0.1:{gone.getsockname()[1]}"
    conf = MlflowConf(uri=f"http://me:secret@{address}/")
    asked = with_store(lambda store, conf: MlflowClient(store.uri).get_run("0" * 32))
    with pytest.raises(MetricsEngineError, match=f"MLflow: API request to http://{address}/.*refused") as caught:
        asked(conf)
    assert "secret" not in "".join(traceback.format_exception(caught.value))


def test_odd_options_are_refused() -> None:
    with pytest.raises(ValueError, match=r"tracking\.timeout"):
        MlflowConf(timeout=0)
    with pytest.raises(ValueError, match=r"tracking\.columns"):
        MlflowConf(columns=-1)


def test_a_folder_with_odd_signs_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_database: Path) -> None:
    folder = tmp_path / "C&A (UK) #1? 50%41 ü"
    folder.mkdir()
    shutil.copy(fresh_database, folder / "mlflow.db")
    monkeypatch.setenv("METRICSENGINE_OUTPUTS", str(folder))
    store = resolve(MlflowConf())
    client = connect(store)
    run = client.create_run(experiment_id(client, store, "study"))
    client.log_text(run.info.run_id, "text", "a.txt")
    assert [path.read_text() for path in (folder / "mlartifacts").rglob("a.txt")] == ["text"]


def test_an_experiment_is_made_once_and_opens_on_its_runs(outputs: Path, client: Any) -> None:
    store = resolve(MlflowConf())
    first = experiment_id(client, store, "study")
    assert experiment_id(client, store, "study") == first
    experiment = client.get_experiment(first)
    assert experiment.artifact_location == (outputs / "mlartifacts").as_uri()
    assert experiment.tags["mlflow.experimentKind"] == "custom_model_development"


def test_a_deleted_experiment_is_refused_with_two_ways_out(client: Any) -> None:
    client.delete_experiment(experiment_id(client, resolve(MlflowConf()), "study"))
    with pytest.raises(ConfigError, match=r"tracking\.experiment=NAME.*restore"):
        find_experiment(client, "study")


def test_a_file_that_is_no_database_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("this is no database" * 100)
    with pytest.raises(ConfigError, match=r"x\.db cannot be opened.*tracking=none"):
        connect(resolve(MlflowConf(uri=f"sqlite:///{tmp_path}/x.db")))


def test_a_missing_driver_is_refused_without_telling_the_password(tmp_path: Path, outputs: Path) -> None:
    with pytest.raises(ConfigError, match=r"postgresql\+nosuch://db/x cannot be opened") as caught:
        connect(resolve(MlflowConf(uri="postgresql+nosuch://me:secret@db/x")))
    assert "secret" not in str(caught.value)


@pytest.fixture
def silent_server() -> Iterator[int]:
    """The port of a server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_server_that_says_nothing_is_refused(silent_server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "3")
    with pytest.raises(ConfigError, match=r"tracking\.uri.*does not answer.*tracking=none"):
        connect(resolve(MlflowConf(uri=f"http://127.0.0.1:{silent_server}", timeout=1)))
    assert os.environ["MLFLOW_HTTP_REQUEST_MAX_RETRIES"] == "3"
    assert "MLFLOW_HTTP_REQUEST_TIMEOUT" not in os.environ


def test_the_checkup_makes_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METRICSENGINE_OUTPUTS", str(tmp_path))
    assert checkup().ok
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "mlflow.db").write_text("this is no database" * 100)
    check = checkup()
    assert not check.ok
    assert "tracking=none" in check.remedy


def test_the_checkup_counts_experiments(outputs: Path) -> None:
    assert checkup().message.endswith("mlflow.db, 1 experiment")
