"""Conversations with the engine, and what a study has without saying so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
import pytest

from metricsengine.errors import ConfigError
from metricsengine.model import Outcome, Request, Response
from metricsengine.records import Tables
from metricsengine.results import Results
from metricsengine.study import Rounds, Study, exhibits_of, together


def answer(requests: Sequence[Request]) -> list[Response]:
    return [Response(Outcome.ANSWERED, f"re {request.prompt}") for request in requests]


def conversation(name: str, rounds: int, closed: list[str]) -> Rounds[list[str]]:
    said: list[str] = []
    try:
        for i in range(rounds):
            replies = yield [Request(f"{name}{i}.{j}") for j in range(i + 1)]
            said += [reply.text for reply in replies]
    finally:
        closed.append(name)
    return said


def carried_out(rounds: Rounds[Any]) -> tuple[Any, list[list[str]]]:
    asked: list[list[str]] = []
    try:
        requests = next(rounds)
        while True:
            asked.append([str(request.prompt) for request in requests])
            requests = rounds.send(answer(requests))
    except StopIteration as stop:
        return stop.value, asked


class TestTogether:
    def test_conversations_of_unlike_length_go_on_side_by_side(self) -> None:
        closed: list[str] = []
        told, asked = carried_out(together(conversation(name, n, closed) for name, n in (("a", 2), ("b", 0), ("c", 1))))
        assert asked == [["a0.0", "c0.0"], ["a1.0", "a1.1"]]
        assert told == [["re a0.0", "re a1.0", "re a1.1"], [], ["re c0.0"]]
        assert sorted(closed) == ["a", "b", "c"]

    @pytest.mark.parametrize("lengths", [[], [0, 0]])
    def test_nobody_asks_anything(self, lengths: list[int]) -> None:
        told, asked = carried_out(together(conversation("x", n, []) for n in lengths))
        assert (told, asked) == ([[] for _ in lengths], [])

    def test_all_are_closed_when_the_engine_stops(self) -> None:
        closed: list[str] = []
        both = together([conversation("a", 2, closed), conversation("b", 2, closed)])
        next(both)
        both.close()
        assert sorted(closed) == ["a", "b"]


class Silent(Study):
    def run(self) -> Rounds[Tables]:
        return {}
        yield

    def exhibits(self, results: Results) -> Iterable[Any]:
        raise ZeroDivisionError


def test_a_study_reads_no_file_unless_it_says_how() -> None:
    with pytest.raises(ConfigError, match="study Silent does not read recorded responses; run it with a model"):
        Silent().read(pd.DataFrame())


def test_a_study_that_needs_nothing_asks_nothing() -> None:
    study = Silent()
    study.check()
    assert study.needs == frozenset()
    assert carried_out(study.run()) == ({}, [])
    assert study.compost({}) == {}


def test_exhibits_fail_where_they_are_gathered() -> None:
    gathered = exhibits_of(Silent(), None)
    with pytest.raises(ZeroDivisionError):
        next(iter(gathered))
