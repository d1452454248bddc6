"""Waiting for a store that is busy, such as a database file that another process holds locked."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from metricsengine.errors import MetricsEngineError
from metricsengine_mlflow.place import Place

PATIENCE = 30.0
"""Seconds, from the first failure on, in which another attempt is begun; MLflow itself waits 20 for a locked file."""

_FIRST_PAUSE = 1.0

T = TypeVar("T")


def patiently(call: Callable[[], T], place: Place) -> T:
    """What a call about a run returns; it is tried again, after growing pauses, while the store is busy.

    Raises:
        MetricsEngineError: The store was busy all the time.
    """
    from mlflow.exceptions import MlflowException

    pause, deadline = _FIRST_PAUSE, None
    while True:
        try:
            return call()
        except MlflowException as error:
            if error.error_code != "TEMPORARILY_UNAVAILABLE":
                raise
            now = time.monotonic()
            deadline = now + PATIENCE if deadline is None else deadline
            if now >= deadline:
                raise MetricsEngineError(_given_up(place, error)) from error
        time.sleep(min(pause, deadline - now))
        pause *= 2


def _given_up(place: Place, error: Exception) -> str:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return (
        f"the MLflow store {place.store} is busy: {reason}; run {place.run} was left open there, "
        "and the next command that is tracked there closes it"
    )
