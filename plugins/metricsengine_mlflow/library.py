"""The MLflow library: imported late, without telemetry and without chatter."""

from __future__ import annotations

import gc
import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

ENVIRONMENT = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",  # a server's client would ask for the run again, and print
}
"""Set in this process and in those it starts."""


def load() -> None:
    """Import MLflow such that it calls nobody and prints nothing but warnings. Call before any of its modules."""
    os.environ.update(ENVIRONMENT)
    with quiet():
        from mlflow.telemetry import client
    if client.get_telemetry_client() is not None:  # somebody imported MLflow before
        client.set_telemetry_client()  # type: ignore[no-untyped-call] # MLflow left this one without types
    if "MLFLOW_LOGGING_LEVEL" not in os.environ:
        for name in ("mlflow", "alembic"):
            logging.getLogger(name).setLevel(logging.WARNING)
        # The traceback of every error of a database, which is raised as well, and may be met again with success.
        logging.getLogger("mlflow.store.db.utils").setLevel(logging.CRITICAL)


@contextmanager
def uncollected() -> Iterator[None]:
    """Collect no garbage: importing hundreds of modules leaves none, and a fifth of its time goes into the search."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@contextmanager
def quiet() -> Iterator[None]:
    """Drop warnings that MLflow causes in its own dependencies; a user can do nothing about them."""
    with warnings.catch_warnings():
        # MLflow's models of its tables use a loader strategy that SQLAlchemy 2.1 is about to drop.
        warnings.filterwarnings("ignore", message="The ``noload`` loader strategy", category=DeprecationWarning)
        # Schema inference asks for float columns wherever integers could one day be missing.
        warnings.filterwarnings("ignore", message="Hint: Inferred schema contains integer column", category=UserWarning)
        yield
