"""MLflow's own pages on this project's store, served by a child process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from urllib.error import URLError
from urllib.request import urlopen

from metricsengine.arguments import Parser
from metricsengine.errors import ConfigError, MetricsEngineError
from metricsengine_mlflow import library, links
from metricsengine_mlflow.config import MlflowConf
from metricsengine_mlflow.reaping import reap_once
from metricsengine_mlflow.store import Store, connect, resolve

START_SECONDS = 120.0
_STOP_SECONDS = 10.0
_PORTS = 65536


def main(arguments: Sequence[str]) -> int:
    """Serve until interrupted, as ``metricsengine ui`` asks: ``--host``, ``--port``, ``--uri``.

    Returns:
        Exit status.

    Raises:
        ConfigError: An argument is wrong, there is no store yet, or the port is taken.
    """
    parser = Parser(f"{links.COMMAND} [--host H] [--port P] [--uri STORE]")
    parser.add_argument("--host", default=links.HOST)
    parser.add_argument("--port", type=int, default=links.PORT)
    parser.add_argument("--uri", default="")
    chosen = parser.parse_args(arguments)
    if not 0 < chosen.port < _PORTS:
        parser.error(f"argument --port: {chosen.port} is no port")
    return serve(MlflowConf(uri=chosen.uri), _say, chosen.host, chosen.port)


def serve(conf: MlflowConf, say: Callable[[str], object], host: str = links.HOST, port: int = links.PORT) -> int:
    """Serve the store's pages until interrupted.

    Args:
        conf: Which store.
        say: Is told that they are coming up, and then their address.
        host: Interface to listen at.
        port: Port to listen at.

    Returns:
        Exit status.

    Raises:
        ConfigError: There is no store yet, it is a server already, or the port is taken.
        MetricsEngineError: MLflow's server did not come up.
    """
    store = resolve(conf)
    _check(store, host, port)
    reap_once(store)
    address = f"http://{host}:{port}"
    page = f"{address}/{_first_page(store)}"
    say("MLflow's server is starting ...")
    child = _start(store, host, port)
    try:
        _await(child, address)
        say(f"MLflow: {page} (Ctrl+C ends it)")
        return child.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        _stop(child)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _check(store: Store, host: str, port: int) -> None:
    if store.server:
        raise ConfigError(f"tracking.uri={store.public} is a server already: open it in a browser")
    if store.file and not store.file.is_file():
        raise ConfigError(
            f"no runs are tracked at {store.file} yet: run `metricsengine` first, "
            "or point METRICSENGINE_OUTPUTS or --uri at where they are"
        )
    try:
        with socket.create_server((host, port)):
            pass
    except OSError as error:
        raise ConfigError(
            f"{host}:{port} cannot be listened at ({error}): perhaps these pages are served there already; "
            f"if not, choose another port with --port {port % (_PORTS - 1) + 1}"
        ) from error


def _first_page(store: Store) -> str:
    """The runs of the only experiment, or the list of experiments."""
    found = [e for e in connect(store).search_experiments() if e.experiment_id != "0"]
    return links.of_experiment(found[0].experiment_id) if len(found) == 1 else "#/experiments"


def _start(store: Store, host: str, port: int) -> subprocess.Popen[bytes]:
    command = ["--host", host, "--port", str(port), "--workers", "1", "--no-serve-artifacts"]
    command += ["--default-artifact-root", store.artifacts, "--uvicorn-opts", "--log-level warning"]
    environment = {
        **os.environ,
        **library.ENVIRONMENT,
        "MLFLOW_BACKEND_STORE_URI": store.uri,  # not an argument, which everyone on the machine can read
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",  # half a dozen processes that only evaluate traces
        "MLFLOW_LOGGING_LEVEL": "WARNING",
        "PYTHONWARNINGS": "ignore",
    }
    return subprocess.Popen(  # noqa: S603 - our own interpreter, no shell
        [sys.executable, "-m", "mlflow", "server", *command],
        env=environment,
        stdout=subprocess.DEVNULL,  # one line per page view; trouble goes to stderr
        start_new_session=True,
    )


def _await(child: subprocess.Popen[bytes], address: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if child.poll() is not None:
            raise MetricsEngineError(f"MLflow's server ended with status {child.returncode}; its messages are above")
        with suppress(URLError, OSError), urlopen(f"{address}/health", timeout=5):  # noqa: S310 - an http address
            return
        time.sleep(0.2)
    raise MetricsEngineError(f"MLflow's server did not answer at {address} within {START_SECONDS:.0f} s")


def _stop(child: subprocess.Popen[bytes]) -> None:
    """End the server with the workers it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(OSError):
            os.killpg(child.pid, number)
        with suppress(subprocess.TimeoutExpired):
            child.wait(_STOP_SECONDS)
            return
