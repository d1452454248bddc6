"""Claims: which requests are being asked, and by which process, so that another waits for the answer and pays nothing.

Who claims is known by a file beside the store that the process holds locked. The lock ends with the process, however
that ends, and with it all that it claimed; nobody has to send signs of life, or to guess from a process's number.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import islice
from pathlib import Path

from filelock import FileLock, Timeout

from metricsengine.database import Database

_POLL = 0.2
"""Seconds between two looks at what others ask for."""

_CLAIM = "INSERT OR REPLACE INTO claim (key, owner) VALUES (?, ?)"

_AT_ONCE = 10_000
"""Keys claimed in one transaction: mostly a whole round, so that two that ask for the same do not divide it."""


class Claims:
    """Who asks what, in one store.

    A claim counts as long as its process lives; an answer in the store ends its use. Threads of one process claim from
    each other as processes do, and so do two stores that are open on one file.

    Args:
        database: That of the store, which holds the claims, too.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._owner = Owner(database.path.with_name(f"{database.path.name}-claims"))

    @contextmanager
    def held(self, keys: Collection[bytes]) -> Iterator[list[bytes]]:
        """Hold for a while what nobody else holds and nobody has answered.

        Whoever holds a key must not wait for another: two processes would wait for each other.

        Args:
            keys: Keys of requests or of findings.

        Yields:
            Those that are held, in the order given.

        Raises:
            MetricsEngineError: The store cannot be written.
        """
        mine: list[bytes] = []
        try:
            for some in _chunks(keys):
                mine += self._take(some)
            yield mine
        finally:
            for some in _chunks(mine):
                self._let_go(some)

    def free(self, keys: Iterable[bytes]) -> set[bytes]:
        """The keys that no live process holds."""
        distinct = set(keys)
        lives = cache(self._owner.lives)
        rows = self._database.select("SELECT key, owner FROM claim WHERE key IN", distinct)
        return distinct - {key for key, owner in rows if lives(owner)}

    @contextmanager
    def after_another(self, key: bytes) -> Iterator[None]:
        """Hold a key, or else wait until the process that holds it lets go.

        Nobody waits for a second one, so that what takes long and fails does not take as long again for each.

        Args:
            key: What is about to be found out.
        """
        with self.held([key]) as mine:
            if mine:
                yield
                return
        for _ in looks():
            if self.free([key]):
                break
        yield

    def close(self) -> None:
        """Let go of everything."""
        self._owner.close()

    def _take(self, keys: list[bytes]) -> list[bytes]:
        with self._database.transaction() as connection:
            if not self._owner.name:
                self._owner.enter()
                self._forget_the_dead(connection)
            name = self._owner.name
            answered = self._database.select("SELECT outcome <> 'error', key FROM response WHERE key IN", keys)
            free = self.free(keys) - {key for answer, key in answered if answer}
            connection.executemany(_CLAIM, sorted((key, name) for key in free))  # in the table's order, which is cheap
        return [key for key in keys if key in free]

    def _let_go(self, keys: list[bytes]) -> None:
        name = self._owner.name
        with self._database.transaction() as connection:
            connection.executemany("DELETE FROM claim WHERE key = ? AND owner = ?", sorted((key, name) for key in keys))

    def _forget_the_dead(self, connection: sqlite3.Connection) -> None:
        owners = connection.execute("SELECT DISTINCT owner FROM claim").fetchall()
        dead = [owner for owner in owners if not self._owner.lives(*owner)]
        connection.executemany("DELETE FROM claim WHERE owner = ?", dead)
        self._owner.tidy()


class Owner:
    """What others know a process by: a file of its own, locked as long as the process lives.

    No file is made before it is needed. A forked child owns nothing of its parent's, and gets a file of its own.

    Args:
        folder: Where the files are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock: FileLock | None = None
        self._process = 0

    @property
    def name(self) -> str:
        """Its name, which no other has or will have; empty as long as there is no file."""
        ours = self._lock is not None and self._process == os.getpid()
        return Path(self._lock.lock_file).stem if self._lock and ours else ""

    def enter(self) -> None:
        """Make the file, and lock it."""
        lock = FileLock(self._path(secrets.token_hex(8)), thread_local=False)
        while not lock.is_locked:
            self._folder.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):  # whoever was the last there takes the folder along
                lock.acquire()
        self._lock, self._process = lock, os.getpid()

    def lives(self, name: str) -> bool:
        """Whether the process of that name does; where it does not, nothing remains of it."""
        return name == self.name or self._is_locked(self._path(name))

    def tidy(self) -> None:
        """Remove what processes have left that live no longer; no other may enter meanwhile."""
        for path in self._folder.glob("*.lock"):
            self.lives(path.stem)

    def close(self) -> None:
        """Remove the file, and the folder after the last."""
        if self._lock and self.name:
            self._lock.release()
            self._remove(Path(self._lock.lock_file))
            self._lock = None

    def _is_locked(self, path: Path) -> bool:
        try:
            if path.exists():
                with FileLock(path, timeout=0):
                    self._remove(path)
        except Timeout:
            return True
        except OSError:  # it has just been removed, or is nothing that this user may look at
            return False
        return False

    def _remove(self, path: Path) -> None:
        with suppress(OSError):  # others are in the folder, or look at the file, which some systems keep then
            path.unlink(missing_ok=True)
            self._folder.rmdir()

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.lock"


def looks() -> Iterator[None]:
    """Occasions to look whether something has changed, for as long as they are taken."""
    while True:
        began = time.monotonic()
        yield
        time.sleep(max(_POLL, 4 * (time.monotonic() - began)))  # a fifth of the time, where there is much to look at


def _chunks(keys: Iterable[bytes]) -> Iterator[list[bytes]]:
    left = iter(keys)
    while some := list(islice(left, _AT_ONCE)):
        yield some
