import os
import pwd
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from servers import POSTGRES, POSTGRES_USER, mlflow_server, postgres

from metricsengine.estimate import Estimate
from metricsengine.metric import Measure
from metricsengine.results import Results
from metricsengine.run import Run
from metricsengine.settings import Settings
from metricsengine_mlflow.config import MlflowConf
from metricsengine_mlflow.store import connect, resolve


@pytest.fixture(scope="session")
def fresh_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An initialised database; making one takes seconds, copying it none."""
    folder = tmp_path_factory.mktemp("template")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("METRICSENGINE_OUTPUTS", str(folder))
        connect(resolve(MlflowConf()))
    return folder / "mlflow.db"


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MLFLOW_RUN_ID", "MLFLOW_EXPERIMENT_ID", "MLFLOW_EXPERIMENT_NAME"):
        monkeypatch.delenv(name, raising=False)
    # Whatever falls back on MLflow's global state fails, instead of writing into the current directory.
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "nowhere://at/all")


@pytest.fixture
def outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_database: Path) -> Path:
    """An outputs folder with an empty store."""
    folder = tmp_path / "outputs"
    folder.mkdir()
    shutil.copy(fresh_database, folder / "mlflow.db")
    monkeypatch.setenv("METRICSENGINE_OUTPUTS", str(folder))
    return folder


@pytest.fixture
def client(outputs: Path) -> Any:
    """A client on the store below ``outputs``."""
    return connect(resolve(MlflowConf()))


@pytest.fixture
def table(client: Any, tmp_path: Path) -> Callable[[str, str], pd.DataFrame]:
    """Reads a table that a run logged."""

    def read(run: str, path: str) -> pd.DataFrame:
        return pd.read_json(client.download_artifacts(run, path, str(tmp_path)), orient="split")

    return read


@pytest.fixture
def make_run(outputs: Path) -> Callable[..., Run]:
    """Makes a run with its folder."""

    def make(name: str = "0", conf: Any = None, **changes: Any) -> Run:
        folder = outputs / "runs" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.yaml").write_text("seed: 1\n")
        row = {
            "folder": folder,
            "name": f"caricature {name}",
            "settings": Settings(study=None, tracking=MlflowConf() if conf is None else conf),
            "plain": {},
            "started": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
            "command": "metricsengine study=caricature",
            "tags": {"study": "caricature", "protocol": "paper"},
            "parameters": {"model": "smollm2", "study.n": "10"},
            "dataset": {"name": "quick", "source": "simulated", "digest": "ab12" * 16},
        }
        return Run(**{**row, **changes})

    return make


@pytest.fixture(scope="session")
def database() -> Iterator[str]:
    """The address of an empty PostgreSQL."""
    pytest.importorskip("psycopg", reason="PostgreSQL's driver is not installed: pip install psycopg[binary]")
    if POSTGRES is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    if os.geteuid() == 0 and not _is_user(POSTGRES_USER):
        pytest.skip(f"PostgreSQL refuses root, and there is no user {POSTGRES_USER}")
    with postgres() as address:
        yield address


@pytest.fixture(scope="session")
def server(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of MLflow's server with PostgreSQL behind it."""
    with mlflow_server(database, tmp_path_factory.mktemp("server")) as address:
        yield address


def _is_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def estimate(
    value: float | None, *, metric: str = "exaggeration", over: tuple[str, ...] = (), **labels: str
) -> Estimate:
    if value is None:
        return Estimate.undefined(metric, "1 response, at least 2 needed", labels=labels, over=over)
    return Estimate(metric, value, 10, labels, low=value - 0.125, high=value + 0.125, over=over)


@pytest.fixture
def results() -> Results:
    """Two personas by two topics, one cell undefined."""
    cells = [
        estimate(0.25, persona="Black person", topic="health", encoder="minilm"),
        estimate(None, persona="Black person", topic="Golf", encoder="minilm"),
        estimate(0.5, persona="woman", topic="health", encoder="minilm"),
        estimate(0.75, persona="woman", topic="Golf", encoder="minilm"),
    ]
    averages = [
        estimate(0.5, over=("persona", "topic"), encoder="minilm"),
        estimate(0.25, over=("topic",), persona="Black person", encoder="minilm"),
        estimate(0.625, over=("topic",), persona="woman", encoder="minilm"),
    ]
    simulations = pd.DataFrame(
        {
            "persona": pd.array(["woman", "woman"], dtype="string"),
            "text": pd.array(["Hello.", pd.NA], dtype="string"),
            "replicate": pd.array([0, 1], dtype="Int64"),
        }
    )
    words = pd.DataFrame({"persona": ["woman"], "word": ["she"], "z": [3.25]})
    return Results(
        study="caricature",
        protocol="paper",
        seed=1,
        model=None,
        compost={"context": "forum", "model": "smollm2", "persona": "2 personas", "topic": "2 topics"},
        counts={"requests": 20, "answered": 19},
        estimates=[*cells, *averages],
        measures={"exaggeration": Measure("exaggeration", units=("persona", "topic"))},
        tables={"Simulations": simulations, "seed_words": words},
    )
