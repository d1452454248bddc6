"""Simulations whose opinions are read from scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from rich.console import Console
from scoring import chosen
from simulated import Scripted, Simulate, edges, find, inputs, named, prompt_of

from metricsengine.elicit import Asker, drive
from metricsengine.forecast import forecast
from metricsengine.model import Capabilities, ModelIdentity, Request, Response
from metricsengine.preflight import Job
from metricsengine.sets import NamedSet
from metricsengine.store import ResponseStore
from metricsengine.terminal import EngineProgress
from metricsengine_dynamics.models.hegselmann_krause import HegselmannKrause
from metricsengine_dynamics.prompting.prompts import PromptSet, Question
from metricsengine_dynamics.study.config import OpinionConf
from metricsengine_dynamics.study.study import OpinionStudy

LABELS = {"a lot against": -4.0, "a lot for": 4.0, "neither": 0.0}
ALIKE = PromptSet(title="Alike", of="base", decode=[Question("score", "SCORE of {text}\n{positive}?", LABELS)])


class Scoring(Scripted):
    """Scores options, and writes where there are none."""

    def __call__(self, requests: Sequence[Request]) -> list[Response]:
        self.rounds.append(list(requests))
        return [
            chosen(request, self.reply(prompt_of(request))) if request.options else self._response(prompt_of(request))
            for request in requests
        ]


@dataclass
class Adapter:
    """The scripted model as an adapter."""

    model: Scoring

    identity = ModelIdentity("scripted", "Scripted", "w", 1)
    capabilities = Capabilities(chat=True, option_scores=True)
    prices = None

    def render(self, request: Request) -> str:
        return prompt_of(request)

    def answer(self, requests: Sequence[Request]) -> Iterator[list[tuple[int, Response]]]:
        yield list(enumerate(self.model(requests)))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ResponseStore]:
    with ResponseStore(tmp_path / "store.db") as opened:
        yield opened


def test_a_model_that_chooses_what_it_would_write_has_the_same_opinions(simulate: Simulate) -> None:
    written, scored = (
        simulate(Scoring(), decoding=decoding, prompts=["base", "loud"], repeats=2) for decoding in ("text", "scores")
    )
    unread = [column for column in written.table.columns if column != "decoding"]
    pd.testing.assert_frame_equal(scored.table[unread], written.table[unread])
    told = scored.of("llm", "base")["decoding"].dropna()
    # The other spelling of "yes" and the two of "no" have a tenth each, as have the other 11 of the 12 of the scale.
    assert set(told.str.split("\n").str[0]) <= {"yes (0.80 of 1)", "no (0.80 of 1)"}
    assert told.str.fullmatch(r"(yes|no) \(0\.80 of 1\)\n[a-z ]+ \(0\.73 of 1\)").all()
    assert not any(request.options for asked in written.asked.rounds for request in asked)


def test_a_text_is_scored_once_in_a_repeat_however_many_runs_it_comes_from(simulate: Simulate) -> None:
    ran = simulate(Scoring(lambda labels: 3), decoding="scores", repeats=2)
    keys = {(r.prompt, r.options, r.replicate) for asked in ran.asked.rounds for r in asked if r.options}
    assert len(keys) == 2 * 2
    assert {replicate for _, _, replicate in keys} == {0, 1}


def test_needs_and_labels_tell_of_it() -> None:
    def study(**options: Any) -> OpinionStudy:
        return OpinionStudy(OpinionConf(n_agents=6, **options), inputs())

    assert study(decoding="scores").needs == {"chat", "option_scores"}
    assert study(decoding="scores").labels["decoding"] == "scores"
    assert study().needs == {"chat"}
    assert "decoding" not in study().labels
    baselines = study(decoding="scores", agents=["zero", "random"])
    assert baselines.needs == frozenset()
    assert "decoding" not in baselines.labels


def test_what_had_to_be_written_all_the_same_is_said_once_for_each_prompt_set() -> None:
    class Model(Scoring):
        def reply(self, prompt: str) -> str:
            return "neither" if prompt.startswith("SCORE") else super().reply(prompt)

    sets = {"alike": ALIKE, "again": replace(ALIKE, title="Again", separator=" ")}

    def found(group: str, name: str) -> NamedSet:
        return named(group, name, sets[name]) if name in sets else find(group, name)

    given = replace(inputs(), find=found)
    for decoding in ("scores", "text"):
        conf = OpinionConf(n_agents=6, steps=2, runs=1, agents=["llm"], prompts=["base", *sets], decoding=decoding)
        study, model = OpinionStudy(conf, given), Model()
        study.check()
        assert study.notices == []
        table = drive(study.run(), model)["Transitions"]
        assert (table.loc[(table["variant"] == "alike") & ~table["isolated"], "decoding"] == "neither").all()
        asked = {prompt_of(r).split()[0]: bool(r.options) for requests in model.rounds for r in requests}
        assert asked == {"POST": False, "READ": False, "SCORE": False} | dict.fromkeys(
            ("SIDE", "DEGREE"), decoding == "scores"
        )
        alike = [
            f"prompt set {name}: its question of 3 labels was answered in writing, as several labels begin alike"
            for name in sets
        ]
        assert study.notices == (alike if decoding == "scores" else [])


def test_a_plan_bounds_what_is_asked_and_is_exact_where_it_is_stored(store: ResponseStore) -> None:
    conf = OpinionConf(n_agents=3, steps=2, runs=2, agents=["llm"], decoding="scores", opinions=[0.4, -0.9, 0.2])
    adapter = Adapter(Scoring(lambda labels: labels[0]))

    def study() -> OpinionStudy:
        return OpinionStudy(conf, inputs(edges(3, (0, 1), (1, 2)), HegselmannKrause(2)))

    def planned() -> Any:
        return forecast(Job(None, None, study(), (), adapter, None, store))  # type: ignore[arg-type] # all it looks at

    before = planned()
    assert not before.exact
    ask = Asker(adapter, store, EngineProgress(Console(quiet=True)), lambda _: None)  # type: ignore[arg-type] # as above
    drive(study().run(), ask)
    assert 0 < ask.tally.misses < before.calls
    assert ask.tally.requests == before.requests
    after = planned()
    assert (after.requests, after.stored, after.calls, after.exact) == (before.requests, before.requests, 0, True)
