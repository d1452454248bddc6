import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from metricsengine_mlflow import library

OURS = """
import socket
asked = []
def refuse(host, *rest, **more):
    asked.append(host)
    raise OSError("no network here")
socket.getaddrinfo = refuse
from metricsengine_mlflow.config import MlflowConf
from metricsengine_mlflow.store import connect, experiment_id, resolve
store = resolve(MlflowConf())
client = connect(store)
client.create_run(experiment_id(client, store, "study"))
from mlflow.telemetry.client import get_telemetry_client
from mlflow.telemetry.utils import is_telemetry_disabled
assert is_telemetry_disabled()
assert get_telemetry_client() is None
assert asked == [], asked
"""

AFTER_OTHERS = """
import socket
def refuse(host, *rest, **more):
    raise OSError("no network here")
socket.getaddrinfo = refuse
import mlflow
from mlflow.telemetry.client import get_telemetry_client
assert get_telemetry_client() is not None
from metricsengine_mlflow import library
library.load()
assert get_telemetry_client() is None
"""


def alone(script: str, folder: Path, **wishes: str) -> subprocess.CompletedProcess[str]:
    """Run a script where MLflow does not recognise a test or a continuous-integration machine, and so keep quiet."""
    kept = {name: os.environ[name] for name in ("PATH", "VIRTUAL_ENV", "LANG") if name in os.environ}
    environment = {**kept, "METRICSENGINE_OUTPUTS": str(folder), "HOME": str(folder), **wishes}
    command = [sys.executable, "-W", "error", "-c", script]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("wanted", [True, False])
def test_garbage_is_collected_afterwards_where_it_was_before(wanted: bool) -> None:
    try:
        (gc.enable if wanted else gc.disable)()
        with library.uncollected():
            assert not gc.isenabled()
        assert gc.isenabled() == wanted
    finally:
        gc.enable()


@pytest.mark.slow
@pytest.mark.parametrize("wishes", [{}, {"MLFLOW_DISABLE_TELEMETRY": "false", "DO_NOT_TRACK": "false"}])
def test_nobody_is_called_and_nothing_printed(tmp_path: Path, fresh_database: Path, wishes: dict[str, str]) -> None:
    (tmp_path / "mlflow.db").write_bytes(fresh_database.read_bytes())
    ended = alone(OURS, tmp_path, **wishes)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mlflow.db", "mlflow.lock"]


@pytest.mark.slow
def test_telemetry_that_others_began_is_ended(tmp_path: Path) -> None:
    ended = alone(AFTER_OTHERS, tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
