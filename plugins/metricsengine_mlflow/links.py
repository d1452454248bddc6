"""Where runs and sweeps can be looked at."""

from __future__ import annotations

from metricsengine_mlflow.place import Place
from metricsengine_mlflow.store import Store

HOST = "127.0.0.1"
PORT = 5000
COMMAND = "metricsengine ui"

# Without this MLflow opens on traces of language model calls, of which there are none.
_VIEW = "?workflowType=machine_learning"


def of_run(place: Place) -> str:
    """Path of a run's page."""
    return f"#/experiments/{place.experiment}/runs/{place.run}{_VIEW}"


def of_experiment(experiment: str) -> str:
    """Path of an experiment's table of runs."""
    return f"#/experiments/{experiment}/runs{_VIEW}"


def line(store: Store, path: str) -> str:
    """One line for the terminal: the link, and what must run first where it is no server's."""
    if store.uri.startswith(("http://", "https://")):
        return f"MLflow: {store.public.rstrip('/')}/{path}"
    if store.server:
        return f"MLflow: {store.public}, {path}"
    return f"MLflow: `{COMMAND}`, then http://{HOST}:{PORT}/{path}"
