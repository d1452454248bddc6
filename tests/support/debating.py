"""Agents in tests: sets of prompts that are read at a glance, and models that answer by script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from metricsengine.elicit import drive
from metricsengine.encoder import no_vectors
from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine.model import Outcome, Request, Response
from metricsengine.sets import NamedSet, SetFile
from metricsengine.study import Study, StudyInputs
from metricsengine_dynamics.prompting.debate import Debate, Pole
from metricsengine_dynamics.prompting.personas import AgentPersona, AgentPersonaSet
from metricsengine_dynamics.prompting.prompts import FramingPrompts, PromptSet, Question

SCALE = ["neutral on", "a bit for", "slightly for", "moderately for", "clearly for", "strongly for"]
TEA, COFFEE = Pole("green tea", "tea", "tea"), Pole("black coffee", "coffee", "coffee")
DEBATE = Debate("Tea against coffee", "hot drinks", TEA, COFFEE)
FRAMING = FramingPrompts(
    author="AUTHOR|{persona}|{stance}",
    reader="READER|{persona}|{stance}|{post}",
    options={"strong disagree": -2, "strongly disagree": -2, "disagree": -1, "indifferent": 0, "agree": 1,
             "strong agree": 2},
    pro="for {topic}",
    contra="against {topic}",
)  # fmt: skip
BASE = PromptSet(
    "Base",
    encode_discrete="WORDS|{persona}|{opinion}|{topic}",
    encode_scalar="NUMBER|{persona}|{opinion}|{debate}",
    dynamics="{timeline}",
    summary="{persona}",
    post="{handle}: {text}",
    separator="\n",
    scale=SCALE,
    decode=[
        Question("polarity", "SIDE|{topic}|{text}", {"yes": 1, "no": -1}),
        Question("magnitude", "STRENGTH|{topic}|{text}", {phrase: i for i, phrase in enumerate(SCALE)}),
    ],
    framing=FRAMING,
)

Script = Callable[[str], str | Response]
"""What a model answers to a prompt."""


def inputs(people: int = 6, seed: int = 3, debate: Debate = DEBATE, **variants: PromptSet) -> StudyInputs:
    """Sets of so many personas and of the variants, beside ``base``."""
    prompts = {"base": BASE, **variants}
    persons = [AgentPersona(f"person {i}", f"You are person {i}.") for i in range(people)]
    sets = {
        "prompt": [_named("prompt", "base", BASE)],
        "debate": [_named("debate", "drinks", debate)],
        "agent_persona": [_named("agent_persona", "few", AgentPersonaSet("Few", persons))],
    }
    return StudyInputs(sets, seed=seed, find=lambda group, name: _named(group, name, prompts[name]))


def louder(prompts: PromptSet = BASE) -> PromptSet:
    """A variant that shouts at authors and writers."""
    return replace(prompts, encode_discrete=f"LOUD {prompts.encode_discrete}", framing=replace(
        FRAMING, reader=f"LOUD {FRAMING.reader}"))  # fmt: skip


def asked(study: Study, script: Script, seen: list[Request] | None = None) -> dict[str, pd.DataFrame]:
    """The study's tables with a model that answers by script."""

    def answer(request: Request) -> Response:
        [turn] = request.prompt
        said = script(turn.content)  # type: ignore[union-attr] # every prompt of these tests is a chat
        return said if isinstance(said, Response) else Response(Outcome.ANSWERED, said)

    def ask(requests: Sequence[Request]) -> list[Response]:
        if seen is not None:
            seen.extend(requests)
        return [answer(request) for request in requests]

    study.check()
    return dict(drive(study.run(), ask))


def measured(metric: Metric, table: pd.DataFrame, seed: int = 3) -> MetricResult:
    """What the metric finds."""
    return metric.compute(table, MetricContext("paper", seed, no_vectors, ""))


def only(estimates: Sequence[Estimate], metric: str, **labels: Any) -> Estimate:
    """The one estimate of the metric with just these labels."""
    wanted = {name: str(value) for name, value in labels.items()}
    found = [e for e in estimates if e.metric == metric and dict(e.labels) == wanted]
    assert len(found) == 1, f"{len(found)} estimates of {metric} are labelled {wanted}"
    return found[0]


def _named(group: str, name: str, value: Any) -> NamedSet:
    return NamedSet(SetFile(group, name, Path(f"{name}.toml"), "0"), value)
