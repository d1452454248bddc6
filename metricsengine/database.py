"""One SQLite file that several threads and processes use at once, and what can go wrong with it in one line."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from metricsengine.errors import ConfigError, MetricsEngineError

Steps: TypeAlias = Sequence[Sequence[str]]
"""Statements that each schema version adds to the one before."""

_PATIENCE = 60.0  # seconds to wait for another process's transaction
_KEYS_AT_ONCE = 500
_LONGEST_LOG = 64 * 2**20  # bytes of the write-ahead log beyond which a writer waits for readers and folds it in

_WAYS_OUT = {
    "SQLITE_FULL": "the disk is full; free some space and run again",
    "SQLITE_IOERR": "reading or writing failed; look at the disk's space and health",
    "SQLITE_CANTOPEN": "it cannot be opened; look at the path and its permissions",
    "SQLITE_READONLY": "it cannot be written; look at the permissions of the file and its folder",
    "SQLITE_NOTADB": "it is not an SQLite database; choose another path or move the file away",
    "SQLITE_CORRUPT": "it is damaged; move the file away, or restore a copy of it",
    "SQLITE_BUSY": "another process keeps it locked; end that process, or wait for it",
}


class Database:
    """A file of tables, which is created where it is missing; one of an older version gets what it lacks.

    What a transaction wrote survives the process's death at any moment, and is there whole or not at all. Several
    processes of one host may use one file (write-ahead logging does not work across hosts).

    Args:
        path: The file.
        steps: Its schema.

    Attributes:
        path: The file.

    Raises:
        ConfigError: The path is a folder, holds something else, was written by a newer version, or cannot be used.
    """

    def __init__(self, path: Path, steps: Steps) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._fold_at = _LONGEST_LOG
        with _explained(path, ConfigError):
            self._connection = _open(path, steps)

    def close(self) -> None:
        """Let go of the file. The last process that does so folds the write-ahead log into it."""
        with self._lock, _explained(self.path, MetricsEngineError):
            self._connection.close()

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query.

        Raises:
            MetricsEngineError: The file cannot be read.
        """
        with self._lock, _explained(self.path, MetricsEngineError):
            return self._connection.execute(query, values).fetchall()

    def select(self, query: str, keys: Iterable[bytes]) -> Iterator[tuple[Any, ...]]:
        """Rows of a query that ends where its keys belong, each of them once."""
        distinct = list(dict.fromkeys(keys))
        for start in range(0, len(distinct), _KEYS_AT_ONCE):
            some = distinct[start : start + _KEYS_AT_ONCE]
            yield from self.rows(f"{query} ({','.join('?' * len(some))})", some)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction that takes the write lock at its start, so that it never fails half-way for want of it."""
        with self._lock, _explained(self.path, MetricsEngineError):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # a full disk ends the transaction by itself
                    self._connection.execute("ROLLBACK")
                raise
            if self._log_size() > self._fold_at:
                # Busy readers keep SQLite from doing so by itself; a reader that never ends is waited for only once.
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._fold_at = _LONGEST_LOG + self._log_size()

    @property
    def size(self) -> int:
        """Bytes on disk, the write-ahead log included."""
        with _explained(self.path, MetricsEngineError):
            return self.path.stat().st_size + self._log_size()

    def _log_size(self) -> int:
        try:
            return self.path.with_name(f"{self.path.name}-wal").stat().st_size
        except FileNotFoundError:
            return 0


@contextmanager
def _explained(path: Path, kind: type[MetricsEngineError]) -> Iterator[None]:
    """Turn what goes wrong with the file into one line that names it."""
    try:
        yield
    except sqlite3.Error as error:
        # Extended codes are spelt with a suffix: SQLITE_CANTOPEN_ISDIR.
        code = "_".join(getattr(error, "sqlite_errorname", "").split("_")[:2])
        raise kind(f"response store {path}: {_WAYS_OUT.get(code, str(error))}") from error
    except OSError as error:
        raise kind(f"response store {path}: {error}") from error


def _open(path: Path, steps: Steps) -> sqlite3.Connection:
    """A connection to a file that holds the tables; tried again while other processes are creating them.

    SQLite's own patience does not cover the switch of a fresh file to write-ahead logging.
    """
    if path.is_dir():
        raise ConfigError(f"response store {path}: it is a folder; name a file")
    path.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + _PATIENCE
    while True:
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, path, steps)
        except sqlite3.OperationalError as error:
            connection.close()
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        except BaseException:
            connection.close()
            raise
        else:
            return connection


def _prepare(connection: sqlite3.Connection, path: Path, steps: Steps) -> None:
    """Create the tables that are missing; a file that is not ours is left as it is."""
    # Safe against a killed process; only a power cut can lose the last commits, and never the file.
    connection.execute("PRAGMA synchronous=NORMAL")
    version = _version(connection, path, len(steps))
    if version < len(steps):
        if not version:
            connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("BEGIN IMMEDIATE")
        for step in steps[_version(connection, path, len(steps)) :]:  # another process may have been first
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version={len(steps)}")
        connection.execute("COMMIT")


def _version(connection: sqlite3.Connection, path: Path, known: int) -> int:
    """The file's schema version; 0 where it is empty."""
    # Tables first: both appear in one transaction, so that whoever sees the tables sees the version after them.
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > known:
        raise ConfigError(
            f"response store {path}: written by a newer metricsengine (schema {version}, this one knows "
            f"{known}); upgrade metricsengine, or choose another path"
        )
    if tables and not version:
        raise ConfigError(f"response store {path}: it is a database of something else; choose another path")
    return int(version)
