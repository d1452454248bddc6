"""Claims: what one process asks no other asks, and what a process leaves behind is free at once."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from metricsengine.claims import Owner
from metricsengine.keys import Entry, digest
from metricsengine.model import ModelIdentity, Outcome, Request, Response
from metricsengine.store import ResponseStore

KEYS = [digest(i) for i in range(6)]

HEADER = textwrap.dedent(
    """
    import json, os, sys, time
    from pathlib import Path
    from rich.console import Console
    from metricsengine.elicit import Asker
    from metricsengine.keys import digest
    from metricsengine.model import Capabilities, ModelAdapter, ModelIdentity, Outcome, Request, Response
    from metricsengine.store import ResponseStore
    from metricsengine.terminal import EngineProgress
    """
)
JOB = HEADER + textwrap.dedent(
    """
    path, log, name, first, last, failing = sys.argv[1:]

    class Slow(ModelAdapter):
        identity = ModelIdentity("slow", "Slow", "1", 1)
        capabilities = Capabilities()

        def render(self, request):
            return request.prompt

        def answer(self, requests):
            with open(log, "a", buffering=1) as lines:
                for i, request in enumerate(requests):
                    lines.write(f"{name} asked {request.prompt}\\n")
                    time.sleep(0.005)
                    error = Response(Outcome.ERROR, reason="timeout")
                    yield [(i, error if request.prompt == failing else Response(Outcome.ANSWERED, name))]
                    lines.write(f"{name} stored {request.prompt}\\n")

    with ResponseStore(Path(path)) as store:
        ask = Asker(Slow(), store, EngineProgress(Console(quiet=True)), lambda _: None)
        print("ready", flush=True)
        sys.stdin.readline()
        came = ask([Request(str(i)) for i in range(int(first), int(last))])
        print(json.dumps({"hits": ask.tally.hits, "misses": ask.tally.misses, "from": [r.text for r in came]}))
    """
)
PARENT = HEADER + textwrap.dedent(
    """
    with ResponseStore(Path(sys.argv[1])) as store:
        with store.claims.held([digest(0), digest(1)]) as mine:
            child = os.fork()
            if not child:
                with store.claims.held([]):
                    print(f"child {os.getpid()} {store.claims._owner.name!r}", flush=True)
                store.claims.close()
            time.sleep(600)
    """
)


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metricsengine.claims._POLL", 0.01)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[ResponseStore]:
    with ResponseStore(path) as opened:
        yield opened


@pytest.fixture
def other(path: Path, store: ResponseStore) -> Iterator[ResponseStore]:
    with ResponseStore(path) as opened:
        yield opened


def rows(path: Path) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT key, owner FROM claim").fetchall()
    finally:
        connection.close()


def files(path: Path) -> list[str]:
    return sorted(file.stem for file in path.parent.glob(f"{path.name}-claims/*"))


class Jobs:
    """Processes that ask one slow model, with one store and one log."""

    def __init__(self, folder: Path) -> None:
        self.store, self.log = folder / "store.db", folder / "log.txt"

    def job(self, name: str, first: int, last: int, failing: str = "") -> subprocess.Popen[str]:
        return python(JOB, str(self.store), str(self.log), name, str(first), str(last), failing)

    def prompts(self, what: str, by: str = "") -> list[str]:
        lines = [line.split() for line in self.log.read_text().splitlines()] if self.log.exists() else []
        return [prompt for name, said, prompt in lines if said == what and by in ("", name)]

    def wait(self, what: str, by: str, n: int) -> None:
        until(lambda: len(self.prompts(what, by)) >= n)


@pytest.fixture
def jobs(tmp_path: Path) -> Jobs:
    return Jobs(tmp_path)


def python(code: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def go(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        assert line(process) == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


def end(process: subprocess.Popen[str]) -> dict[str, Any]:
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    found: dict[str, Any] = json.loads(said)
    return found


class TestProcesses:
    def test_two_that_need_the_same_ask_it_once(self, jobs: Jobs) -> None:
        both = [jobs.job(name, 0, 200) for name in ("a", "b")]
        go(*both)
        ends = [end(process) for process in both]
        assert Counter(jobs.prompts("asked")) == Counter(str(i) for i in range(200))
        assert [found["hits"] + found["misses"] for found in ends] == [200, 200]
        assert [found["misses"] for found in ends] == [len(jobs.prompts("asked", name)) for name in ("a", "b")]
        assert ends[0]["from"] == ends[1]["from"]
        assert rows(jobs.store) == []
        assert {file.name for file in jobs.store.parent.iterdir()} == {"store.db", "log.txt"}

    def test_two_that_share_some_of_it_ask_that_once(self, jobs: Jobs) -> None:
        both = [jobs.job("a", 0, 60), jobs.job("b", 30, 90)]
        go(*both)
        ends = [end(process) for process in both]
        assert Counter(jobs.prompts("asked")) == Counter(str(i) for i in range(90))
        assert ends[0]["from"][30:] == ends[1]["from"][:30]
        assert set(ends[0]["from"][:30]) == {"a"}
        assert set(ends[1]["from"][30:]) == {"b"}

    def test_what_a_killed_one_has_left_another_asks(self, jobs: Jobs) -> None:
        killed, other = jobs.job("killed", 0, 200), jobs.job("other", 0, 200)
        go(killed)
        jobs.wait("stored", "killed", 20)
        go(other)
        jobs.wait("stored", "killed", 40)
        killed.kill()
        killed.communicate()
        stored = set(jobs.prompts("stored", "killed"))
        found = end(other)
        assert 40 <= len(stored) < 200
        assert not stored & set(jobs.prompts("asked", "other"))
        asked = Counter(jobs.prompts("asked"))
        assert len(asked) == 200
        assert asked.total() <= 201  # at most the one that was on its way
        assert len(found["from"]) == 200

    def test_an_error_of_one_is_asked_by_the_other(self, jobs: Jobs) -> None:
        failing, other = jobs.job("failing", 0, 60, "7"), jobs.job("other", 0, 60)
        go(failing)
        jobs.wait("stored", "failing", 1)
        go(other)
        assert end(failing)["from"][7] == ""
        found = end(other)
        assert jobs.prompts("asked", "other") == ["7"]
        assert (found["from"][7], found["hits"], found["misses"]) == ("other", 59, 1)

    def test_one_that_waits_can_be_interrupted(self, jobs: Jobs) -> None:
        slow, waiting = jobs.job("slow", 0, 20_000), jobs.job("waiting", 0, 20_005)
        go(slow)
        jobs.wait("stored", "slow", 1)
        go(waiting)
        jobs.wait("stored", "waiting", 5)
        waiting.send_signal(signal.SIGINT)
        waiting.communicate(timeout=60)
        assert waiting.returncode == -signal.SIGINT
        assert slow.poll() is None
        assert len({owner for _, owner in rows(jobs.store)}) == 1
        assert len(files(jobs.store)) == 1
        slow.kill()
        slow.communicate()


class TestHolding:
    def test_nobody_holds_what_another_holds(self, store: ResponseStore, other: ResponseStore) -> None:
        with store.claims.held(KEYS[:3]) as mine, other.claims.held(KEYS[::-1]) as theirs:
            assert mine == KEYS[:3]
            assert theirs == KEYS[:2:-1]
            assert store.claims.free([*KEYS, digest("free")]) == {digest("free")}
        assert store.claims.free(KEYS) == set(KEYS)

    def test_threads_hold_as_processes_do(self, store: ResponseStore) -> None:
        theirs: list[list[bytes]] = []

        def hold() -> None:
            with store.claims.held(KEYS) as found:
                theirs.append(found)

        with store.claims.held(KEYS[:3]):
            thread = threading.Thread(target=hold)
            thread.start()
            thread.join()
            assert theirs == [KEYS[3:]]
            assert store.claims.free(KEYS) == set(KEYS[3:])

    def test_what_is_answered_is_not_held_but_an_error_is(self, store: ResponseStore, stored: Any) -> None:
        stored(KEYS[0], Response(Outcome.ANSWERED, "fine"))
        stored(KEYS[1], Response(Outcome.ERROR, reason="timeout"))
        with store.claims.held(KEYS) as mine:
            assert mine == KEYS[1:]

    def test_an_error_ends_the_claim(self, store: ResponseStore, other: ResponseStore, stored: Any) -> None:
        with store.claims.held(KEYS):
            stored(KEYS[1], Response(Outcome.ERROR, reason="timeout"))
            with other.claims.held(KEYS) as theirs:
                assert theirs == KEYS[1:2]
        assert rows(store.path) == []

    def test_whoever_fails_lets_go(self, store: ResponseStore, other: ResponseStore) -> None:
        def fail() -> None:
            with store.claims.held(KEYS):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            fail()
        with other.claims.held(KEYS) as theirs:
            assert theirs == KEYS

    def test_a_store_that_is_closed_holds_nothing(self, store: ResponseStore, other: ResponseStore) -> None:
        holding = store.claims.held(KEYS)
        holding.__enter__()
        store.claims.close()
        assert other.claims.free(KEYS) == set(KEYS)
        assert not store.path.with_name("store.db-claims").exists()

    def test_thousands_take_one_transaction(self, store: ResponseStore) -> None:
        said: list[str] = []
        store._database._connection.set_trace_callback(said.append)
        with store.claims.held([digest(i) for i in range(5000)]) as mine:
            assert len(mine) == 5000
            assert said.count("COMMIT") == 1
        assert said.count("COMMIT") == 2

    def test_more_than_fit_in_one_are_held_and_let_go(
        self, store: ResponseStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("metricsengine.claims._AT_ONCE", 4)
        with store.claims.held(KEYS) as mine:
            assert mine == KEYS
            assert {key for key, _ in rows(store.path)} == set(KEYS)
        assert rows(store.path) == []

    @pytest.fixture
    def stored(self, store: ResponseStore) -> Callable[[bytes, Response], None]:
        def put(key: bytes, response: Response) -> None:
            store.put([Entry(key, ModelIdentity("a", "a", "w", 1), "x", Request("x"), response)])

        return put


class TestAfterAnother:
    def test_it_waits_for_whoever_holds_the_key(self, store: ResponseStore, other: ResponseStore) -> None:
        said: list[str] = []
        waits = threading.Event()

        def second() -> None:
            waits.set()
            with other.claims.after_another(KEYS[0]):
                said.append("second")

        thread = threading.Thread(target=second)
        with store.claims.after_another(KEYS[0]):
            thread.start()
            waits.wait()
            time.sleep(0.05)
            said.append("first")
        thread.join()
        assert said == ["first", "second"]

    def test_nobody_waits_twice(self, path: Path, store: ResponseStore) -> None:
        inside = threading.Barrier(3, timeout=30)

        def wait() -> None:
            with ResponseStore(path) as another, another.claims.after_another(KEYS[0]):
                inside.wait()  # which opens only where all are in at once

        threads = [threading.Thread(target=wait) for _ in range(3)]
        with store.claims.after_another(KEYS[0]):
            for thread in threads:
                thread.start()
            until(lambda: len(files(path)) == 4)
            time.sleep(0.05)
        for thread in threads:
            thread.join()
        assert not inside.broken


class TestOwners:
    def test_a_killed_process_holds_nothing_though_its_child_lives(self, path: Path, store: ResponseStore) -> None:
        parent = python(PARENT, str(path))
        _, child, name = line(parent).split()
        try:
            assert name == "''"
            assert store.claims.free(KEYS) == set(KEYS[2:])
            parent.send_signal(signal.SIGKILL)
            parent.wait()
            until(lambda: store.claims.free(KEYS) == set(KEYS))
            os.kill(int(child), 0)  # it lives
        finally:
            os.kill(int(child), signal.SIGKILL)
        parent.communicate()

    def test_whoever_comes_next_tidies_up(self, path: Path, store: ResponseStore) -> None:
        parent = python(PARENT, str(path))
        child = int(line(parent).split()[1])
        for process in (parent.pid, child):
            os.kill(process, signal.SIGKILL)
        parent.communicate()
        assert len(files(path)) == 1
        assert len(rows(path)) == 2
        with store.claims.held([digest("else")]):
            assert len(files(path)) == 1
            assert [key for key, _ in rows(path)] == [digest("else")]

    def test_no_file_is_made_before_it_is_needed(self, path: Path, store: ResponseStore) -> None:
        store.get(KEYS)
        store.claims.free(KEYS)
        assert not path.with_name("store.db-claims").exists()

    def test_one_that_leaves_while_it_is_looked_at_is_gone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one, two = Owner(tmp_path / "claims"), Owner(tmp_path / "claims")
        one.enter()
        name = one.name

        def leaves(path: Path) -> bool:
            one.close()
            return True

        with monkeypatch.context() as patch:
            patch.setattr(Path, "exists", leaves)
            assert not two.lives(name)
        assert not list(tmp_path.glob("claims/*"))

    def test_each_has_a_name_of_its_own_and_the_last_takes_the_folder_along(self, tmp_path: Path) -> None:
        one, two = Owner(tmp_path / "claims"), Owner(tmp_path / "claims")
        for owner in (one, two):
            owner.enter()
        assert one.name != two.name
        assert one.lives(two.name)
        assert not one.lives("0" * 16)
        one.close()
        assert not two.lives(one.name)
        assert (tmp_path / "claims").exists()
        two.close()
        two.close()  # a second time does no harm
        assert not (tmp_path / "claims").exists()
