"""A store that another process holds locked."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import metricsengine_mlflow as plugin
from metricsengine.errors import MetricsEngineError
from metricsengine.run import Run, RunEnd
from metricsengine_mlflow import busy, library
from metricsengine_mlflow.config import MlflowConf
from metricsengine_mlflow.place import Place
from metricsengine_mlflow.reaping import reap
from metricsengine_mlflow.session import Session
from metricsengine_mlflow.store import resolve

MakeRun = Callable[..., Run]
PLACE = Place("sqlite:////s/mlflow.db", "1", "abc")
FINISHED = RunEnd("finished")


class Clock:
    """Time that passes in pauses, and as long as each attempt takes."""

    def __init__(self, attempt: float = 0.0) -> None:
        self.now, self.attempt = 0.0, attempt
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    library.load()
    clock = Clock()
    monkeypatch.setattr(busy, "time", clock)
    return clock


def locked_until(clock: Clock, free: float, code: str = "TEMPORARILY_UNAVAILABLE") -> Callable[[], float]:
    from mlflow.exceptions import MlflowException
    from mlflow.protos.databricks_pb2 import ErrorCode

    def attempt() -> float:
        if clock.now < free:
            clock.now = min(free, clock.now + clock.attempt)
        if clock.now < free:
            raise MlflowException("database is locked\n[SQL: ...]", ErrorCode.Value(code))
        return clock.now

    return attempt


def test_pauses_grow(clock: Clock) -> None:
    assert busy.patiently(locked_until(clock, 12.0), PLACE) == 15.0
    assert clock.pauses == [1.0, 2.0, 4.0, 8.0]


def test_a_lock_of_a_minute_is_sat_out_where_each_attempt_waits_itself(clock: Clock) -> None:
    clock.attempt = 20.0
    assert busy.patiently(locked_until(clock, 60.0), PLACE) == 60.0
    assert clock.pauses == [1.0, 2.0]


def test_it_is_given_up_after_half_a_minute_with_a_line_that_says_what_comes_of_it(clock: Clock) -> None:
    said = "sqlite:////s/mlflow.db is busy: database is locked; run abc was left open there, and the next command"
    with pytest.raises(MetricsEngineError, match=said):
        busy.patiently(locked_until(clock, 1e9), PLACE)
    assert sum(clock.pauses) == 30.0


def test_other_errors_are_raised_at_once(clock: Clock) -> None:
    from mlflow.exceptions import MlflowException

    with pytest.raises(MlflowException, match="locked"):
        busy.patiently(locked_until(clock, 9.0, "BAD_REQUEST"), PLACE)
    assert clock.pauses == []


@pytest.fixture
def other(outputs: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sqlite3.Connection]:
    """Another process's connection to the store; MLflow waits for it no longer than a moment."""
    from mlflow.store.db import utils

    real = utils.sql.text
    monkeypatch.setattr(
        utils.sql, "text", lambda words: real(words.replace("busy_timeout = 20000", "busy_timeout = 1"))
    )
    connection = sqlite3.connect(outputs / "mlflow.db", isolation_level=None)
    yield connection
    connection.close()


def status(client: Any, run: Run) -> str:
    place = Place.load(run.folder)
    assert place is not None
    return str(client.get_run(place.run).info.status)


class Freeing(Clock):
    """Frees the store after some seconds."""

    def __init__(self, other: sqlite3.Connection, after: float) -> None:
        super().__init__()
        self.other, self.after = other, after

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        if self.now >= self.after and self.other.in_transaction:
            self.other.execute("ROLLBACK")


def test_a_run_that_ends_while_the_store_is_locked_is_closed_once_it_is_free(
    client: Any, make_run: MakeRun, other: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    run = make_run()
    plugin.metricsengine_run_started(run)
    monkeypatch.setattr(busy, "time", Freeing(other, 7))
    other.execute("BEGIN EXCLUSIVE")
    plugin.metricsengine_run_finished(run, FINISHED, None)
    assert status(client, run) == "FINISHED"
    assert "Traceback" not in capfd.readouterr().err


def test_a_run_whose_logging_met_the_lock_is_closed_as_failed_once_it_is_free(
    client: Any, make_run: MakeRun, other: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow.exceptions import MlflowException

    run = make_run()
    plugin.metricsengine_run_started(run)
    monkeypatch.setattr(busy, "time", Freeing(other, 7))
    monkeypatch.setattr(Session, "keep", lambda *_: other.execute("BEGIN EXCLUSIVE"))
    with pytest.raises(MlflowException, match="locked"):
        plugin.metricsengine_run_finished(run, RunEnd("finished", failures=["a sink"]), None)
    assert status(client, run) == "FAILED"


def test_a_run_that_could_not_be_closed_is_closed_by_the_next_command(
    client: Any, make_run: MakeRun, other: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run()
    plugin.metricsengine_run_started(run)
    monkeypatch.setattr(busy, "time", Freeing(other, 1000))
    monkeypatch.setattr(Session, "keep", lambda *_: other.execute("BEGIN EXCLUSIVE"))
    with pytest.raises(MetricsEngineError, match=r"mlflow\.db is busy: .*database is locked; run \w+ was left open"):
        plugin.metricsengine_run_finished(run, FINISHED, None)
    other.execute("ROLLBACK")
    assert status(client, run) == "RUNNING"
    reap(resolve(MlflowConf()))
    assert status(client, run) == "KILLED"
