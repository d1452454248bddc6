"""Outcomes that are remembered are exactly those that would be computed."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from metricsengine.errors import ConfigError
from metricsengine.memory import Ingredient, Memory, anew
from metricsengine.metric import MetricContext
from metricsengine.store import ResponseStore

VERSIONS = {"numpy": "2.0", "processor": "x86_64"}
OF: tuple[Ingredient, ...] = (1, "text", b"vectors", 0.5)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ResponseStore]:
    with ResponseStore(tmp_path / "store.db") as opened:
        yield opened


class Counted:
    """A computation that counts how often it is made."""

    def __init__(self, outcome: Any) -> None:
        self.outcome, self.times = outcome, 0

    def __call__(self) -> Any:
        self.times += 1
        return self.outcome


@pytest.mark.parametrize("outcome", [None, 0, 0.1 + 0.2, 5e-324, [], [1, [2.5, "\ud83c", True]], {"ü\n": {"a": None}}])
def test_an_outcome_is_computed_once_and_comes_back_as_it_was(store: ResponseStore, outcome: Any) -> None:
    computed = Counted(outcome)
    for _ in range(3):
        found = Memory(store, VERSIONS)("sum", OF, computed)
        assert (found, type(found)) == (outcome, type(outcome))
    assert computed.times == 1


@pytest.mark.parametrize(
    ("name", "of", "versions"),
    [
        ("product", OF, VERSIONS),
        ("sum", OF[:-1], VERSIONS),
        ("sum", (2, *OF[1:]), VERSIONS),
        ("sum", ("1", *OF[1:]), VERSIONS),
        ("sum", (1.0, *OF[1:]), VERSIONS),
        ("sum", (1, "tex", b"tvectors", 0.5), VERSIONS),
        ("sum", (1, "text", "vectors", 0.5), VERSIONS),
        ("sum", (1, "text", b"vectors", math.nextafter(0.5, 1)), VERSIONS),
        ("sum", OF, {**VERSIONS, "numpy": "2.1"}),
        ("sum", OF, {**VERSIONS, "processor": "aarch64"}),
    ],
)
def test_whatever_decides_it_makes_it_another(
    store: ResponseStore, name: str, of: Sequence[Ingredient], versions: dict[str, str]
) -> None:
    Memory(store, VERSIONS)("sum", OF, Counted(1))
    other = Counted(2)
    assert Memory(store, versions)(name, of, other) == 2
    assert other.times == 1


@pytest.mark.parametrize("outcome", [(1, 2), {1: 2}, [(1,)]])
def test_what_json_would_change_is_refused(store: ResponseStore, outcome: Any) -> None:
    with pytest.raises(TypeError, match="sum cannot be remembered"):
        Memory(store, VERSIONS)("sum", OF, Counted(outcome))
    assert Memory(store, VERSIONS)("sum", OF, Counted(3)) == 3


@pytest.mark.parametrize(("of", "outcome"), [(OF, math.nan), (OF, [math.inf]), ((math.nan,), 1)])
def test_what_is_no_number_is_refused(store: ResponseStore, of: Sequence[Ingredient], outcome: Any) -> None:
    with pytest.raises(ValueError, match="JSON"):
        Memory(store, VERSIONS)("sum", of, Counted(outcome))


def test_those_that_compute_at_once_go_on_with_the_same(tmp_path: Path) -> None:
    together, found = threading.Barrier(6), []

    def compute(own: int) -> int:
        together.wait(30)
        return own

    def ask(own: int) -> None:
        with ResponseStore(tmp_path / "store.db") as opened:
            found.append(Memory(opened, VERSIONS)("sum", OF, lambda: compute(own)))

    threads = [threading.Thread(target=ask, args=(own,)) for own in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 6
    assert len(set(found)) == 1


def test_a_failed_computation_leaves_nothing(store: ResponseStore) -> None:
    def fail() -> int:
        raise ConfigError("no")

    with pytest.raises(ConfigError):
        Memory(store, VERSIONS)("sum", OF, fail)
    assert Memory(store, VERSIONS)("sum", OF, Counted(1)) == 1


def test_nothing_is_remembered_by_itself() -> None:
    computed = Counted((1, 2))
    context = MetricContext("paper", 0, lambda texts: pytest.fail("no vectors are needed"), "")
    assert context.remembered is anew
    assert [context.remembered("sum", OF, computed) for _ in range(2)] == [(1, 2)] * 2
    assert computed.times == 2


def test_a_run_remembers_and_a_rerun_does_not(
    diary: Callable[..., Any],
    metricsengine: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from metricsengine_diary.length import PageLength

    measure, computed = PageLength.compute, Counted(1)

    def compute(self: PageLength, table: pd.DataFrame, context: MetricContext) -> Any:
        result = measure(self, table, context)
        factor = context.remembered("factor", ["diary"], computed)
        return replace(result, estimates=[replace(e, value=e.value * factor) for e in result.estimates])

    monkeypatch.setattr(PageLength, "compute", compute)
    first = diary()
    assert [diary().status, first.status, computed.times] == [0, 0, 1]
    again = metricsengine("rerun", str(first.folder))
    assert (again.status, again.out, computed.times) == (0, "The same 3 estimates\n", 2)
    computed.outcome = 2
    told = metricsengine("rerun", str(first.folder))
    assert (told.status, computed.times) == (1, 3)
    assert [diary().status, computed.times] == [0, 3]
