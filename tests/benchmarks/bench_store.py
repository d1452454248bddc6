"""How fast the response store is: ``python tests/benchmarks/bench_store.py [FOLDER]``.

Prints rows per second for puts of 1 and 100 responses of about 1.4 KB, for lookups, for vectors, and how long the
write-ahead log grows while four processes write and two read without pause.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from metricsengine.keys import Entry, digest, key
from metricsengine.model import ModelIdentity, Outcome, Request, Response
from metricsengine.store import ResponseStore, StoredVector

IDENTITY = ModelIdentity("scripted", "scripted", "0" * 32, 1)
SECONDS = 5.0


def entries(writer: int, first: int, n: int) -> list[Entry]:
    made = []
    for i in range(first, first + n):
        request = Request(f"writer {writer} asks {i}: " + "why " * 80, replicate=i)
        response = Response(Outcome.ANSWERED, "because " * 90, finish_reason="stop", completion_tokens=90)
        made.append(
            Entry(key(IDENTITY, str(request.prompt), request), IDENTITY, str(request.prompt), request, response)
        )
    return made


def timed(label: str, rows: int, work: Callable[[], object]) -> None:
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    print(f"{label:<44}{rows / seconds:>12,.0f} rows/s")


def write(path: Path, writer: int) -> None:
    with ResponseStore(path) as store:
        first, end = 0, time.monotonic() + SECONDS
        while time.monotonic() < end:
            store.put(entries(writer, first, 100))
            first += 100


def read(path: Path) -> None:
    keys = [entry.key for entry in entries(0, 0, 5_000)]
    with ResponseStore(path) as store:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            store.get(keys)


def single(folder: Path) -> None:
    with ResponseStore(folder / "single.db") as store:
        many, few = entries(0, 0, 100_000), entries(1, 0, 5_000)
        timed("keys", len(many), lambda: entries(2, 0, len(many)))
        timed(
            "put, 100 a transaction", len(many), lambda: [store.put(many[i : i + 100]) for i in range(0, 100_000, 100)]
        )
        timed("put, 1 a transaction", len(few), lambda: [store.put([entry]) for entry in few])
        keys = [entry.key for entry in many]
        timed("get, 100,000 keys at once", len(keys), lambda: store.get(keys))
        timed("get, 1 key at a time", len(few), lambda: [store.get([entry.key]) for entry in few])
        vectors = {digest(i): StoredVector(bytes(4 * 384), False) for i in range(25_600)}
        parts = [dict(list(vectors.items())[i : i + 256]) for i in range(0, len(vectors), 256)]
        timed(
            "put vectors, 384 dimensions, 256 at once",
            len(vectors),
            lambda: [store.put_vectors(part) for part in parts],
        )
        timed("get vectors", len(vectors), lambda: store.get_vectors(vectors))
        print(store.figures())


def shared(folder: Path) -> None:
    path = folder / "shared.db"
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=write, args=(path, i)) for i in range(4)]
    workers += [spawn.Process(target=read, args=(path,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    longest, log = 0, path.with_name("shared.db-wal")
    while any(worker.is_alive() for worker in workers):
        longest = max(longest, log.stat().st_size if log.exists() else 0)
        time.sleep(0.02)
    with ResponseStore(path) as store:
        rows = store.figures().responses
    print(f"{'4 writers, 2 readers, 100 a transaction':<44}{rows / SECONDS:>12,.0f} rows/s")
    print(f"{'longest write-ahead log':<44}{longest / 2**20:>12,.1f} MiB")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as made:
        single(Path(made))
        shared(Path(made))
