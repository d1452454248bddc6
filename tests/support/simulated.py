"""Small simulations in tests: prompts, networks that are what they are, agents that read labels in their timelines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from metricsengine.model import Outcome, Request, Response
from metricsengine.sets import NamedSet, SetFile
from metricsengine.study import StudyInputs
from metricsengine_dynamics.models.hegselmann_krause import HegselmannKrause
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.networks.network import Network
from metricsengine_dynamics.prompting.debate import Debate, Pole
from metricsengine_dynamics.prompting.personas import AgentPersona, AgentPersonaSet
from metricsengine_dynamics.prompting.prompts import PromptSet, Question
from metricsengine_dynamics.study.study import OpinionStudy

SCALE = ["indifferent to", "barely for", "slightly for", "rather for", "clearly for", "wholly for"]

DEBATE = Debate(
    title="Cats or dogs",
    topic="the cats versus dogs debate",
    positive=Pole("keeping cats", "cats", "cats"),
    negative=Pole("keeping dogs", "dogs", "dogs"),
)

BASE = PromptSet(
    title="Small",
    encode_discrete="POST\n{persona}\nYou are {opinion} {topic}.",
    encode_scalar="POST\n{persona}\nFrom -5 ({negative}) to 5 ({positive}) you are at {opinion}.",
    dynamics="READ\n{persona}\n{timeline}\nWhat do you think of {debate}?",
    summary="SUM UP\n{persona}",
    post="{handle} says: {text}",
    separator="\n",
    scale=SCALE,
    decode=[
        Question("polarity", "SIDE of {text}\nIs this for {topic}?", {"yes": 1.0, "no": -1.0}),
        Question("magnitude", "DEGREE of {text}\nHow much?", {phrase: float(i) for i, phrase in enumerate(SCALE)}),
    ],
)
PROMPTS = {
    "base": BASE,
    "newline": PromptSet(title="Without line breaks", of="base", newlines="space"),
    "loud": PromptSet(title="Loud", of="base", dynamics="READ!\n{persona}\n{timeline}\nNow what of {debate}?!"),
}
PERSONAS = AgentPersonaSet("Few", [AgentPersona(f"p{i}", f"You own {i} boats.") for i in range(40)])


def stances(text: str, debate: Debate = DEBATE, scale: Sequence[str] = SCALE) -> list[int]:
    """The labels that a text states, on -5 to 5: a phrase of the scale and what it is about."""
    topics = {debate.topic_of(sign): sign for sign in (0, 1, -1)}
    found = re.findall(f"({'|'.join(scale)}) ({'|'.join(topics)})", text)
    return [scale.index(phrase) * topics[topic] for phrase, topic in found]


def stated(label: int, debate: Debate = DEBATE, scale: Sequence[str] = SCALE) -> str:
    """A text that states a label."""
    return f"I am {scale[abs(label)]} {debate.topic_of(label)}."


def mean(labels: Sequence[int]) -> int:
    """The mean of what was heard, rounded half to even, as Hegselmann and Krause have it."""
    return round(sum(labels) / len(labels))


Opine = Callable[[Sequence[int]], int]


@dataclass
class Scripted:
    """A model that posts what it is told to, and makes of its timeline what a function makes of the labels in it.

    Attributes:
        opine: From the labels in a timeline to the label of the reply.
        broken: Responses by a text that the prompt holds.
        rounds: Requests that were asked, by round.
    """

    opine: Opine = mean
    broken: Mapping[str, Response] = field(default_factory=dict)
    rounds: list[list[Request]] = field(default_factory=list)

    def __call__(self, requests: Sequence[Request]) -> list[Response]:
        self.rounds.append(list(requests))
        return [self._response(prompt_of(request)) for request in requests]

    def prompts(self, beginning: str = "") -> list[str]:
        """All prompts that begin so, in order."""
        every = (prompt_of(request) for asked in self.rounds for request in asked)
        return [prompt for prompt in every if prompt.startswith(beginning)]

    def reply(self, prompt: str) -> str:
        """What it says."""
        if prompt.startswith("SUM UP"):
            return f"Briefly: {prompt.split()[-2]} boats."
        labels = stances(prompt)
        if prompt.startswith("POST"):
            return stated(labels[0])
        if prompt.startswith("READ"):
            return stated(self.opine(labels))
        return ("no" if labels[0] < 0 else "yes") if prompt.startswith("SIDE") else SCALE[abs(labels[0])]

    def _response(self, prompt: str) -> Response:
        for held, response in self.broken.items():
            if held in prompt:
                return response
        return Response(Outcome.ANSWERED, self.reply(prompt), completion_tokens=10)


def prompt_of(request: Request) -> str:
    """The text of a request."""
    return request.prompt if isinstance(request.prompt, str) else request.prompt[0].content


@dataclass(frozen=True)
class Known(Network):
    """A network that is always the same."""

    graph: Graph
    sized: bool = False

    @property
    def labels(self) -> Mapping[str, str]:
        return {"network": "known"}

    @property
    def size(self) -> int | None:
        return self.graph.n if self.sized else None

    def draw(self, n: int, rng: np.random.Generator) -> Graph:
        return self.graph


@dataclass(frozen=True)
class Drawn(Network):
    """Any two know each other with a probability of one half."""

    def draw(self, n: int, rng: np.random.Generator) -> Graph:
        return Graph(n, np.argwhere(np.triu(rng.random((n, n)) < 0.5, 1)))


def edges(n: int, *pairs: tuple[int, int]) -> Known:
    """A network of the given edges."""
    return Known(Graph(n, np.array(pairs, dtype=np.intp).reshape(-1, 2)))


def named(group: str, name: str, value: Any) -> NamedSet:
    return NamedSet(SetFile(group, name, Path(f"conf/{group}/{name}.toml"), name), value)


def find(group: str, name: str) -> NamedSet:
    assert group == "prompt"
    return named(group, name, PROMPTS[name])


def inputs(network: Network | None = None, reference: Any = None, seed: int = 7) -> StudyInputs:
    sets = {
        "prompt": [find("prompt", "base")],
        "debate": [named("debate", "pets", DEBATE)],
        "agent_persona": [named("agent_persona", "few", PERSONAS)],
    }
    parts = {
        "network": {"some": network or Drawn()},
        "reference": {"hegselmann_krause": reference or HegselmannKrause(0.3)},
    }
    return StudyInputs(sets, seed, parts=parts, find=find)


@dataclass(frozen=True)
class Ran:
    """What a study returned, and who was asked."""

    table: pd.DataFrame
    asked: Scripted
    study: OpinionStudy

    def of(self, agent: str, variant: str | None = None, repeat: int = 0) -> pd.DataFrame:
        """Rows of one condition, in the order of runs, steps and nodes."""
        rows = self.table[(self.table["agent"] == agent) & (self.table["repeat"] == repeat)]
        if variant is not None:
            rows = rows[rows["variant"] == variant]
        return rows.sort_values(["run", "step", "node"], ignore_index=True)


Simulate = Callable[..., Ran]
