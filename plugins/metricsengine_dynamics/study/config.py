"""Options of the simulation of opinion dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from metricsengine.errors import ConfigError, require
from metricsengine.options import listed
from metricsengine_dynamics.prompting.options import AskingConf

AGENTS = ("llm", "zero", "random", "rounded")
ENCODINGS = ("discrete", "scalar")
MODES = ("forced", "free")


@dataclass
class OpinionConf(AskingConf):
    """Options of the study (Sense and Sensitivity, sections 3 to 5).

    Attributes:
        n_agents: Number of agents N, >= 1; 0 for as many as the network or ``opinions`` have.
        epsilon: Confidence bound, >= 0, on the scale from -1 to 1; reference models read it.
        steps: Steps of a run: the inputs are x(0) to x(steps - 1).
        runs: Number of runs, each with its own network, initial opinions and personas.
        mode: ``forced`` feeds the reference model's state into the next step (the paper's), ``free`` the agents' own.
        agents: Who updates: ``llm``; and, without a model, ``zero``, ``random`` (uniform on the 11 integers) and
            ``rounded`` (applies the reference model to rounded opinions, and rounds).
        opinions: Initial opinions, each in [-1, 1], the same in every run; empty for those that the network gives, or
            else the reference model draws.
        encoding: ``discrete`` words an opinion by the scale's phrases, ``scalar`` leaves the number to the model.
        summarise: Whether the model first sums up each persona, once.
    """

    n_agents: int = 20
    epsilon: float = 0.3
    steps: int = 20
    runs: int = 5
    mode: str = "forced"
    agents: Any = field(default_factory=lambda: list(AGENTS))
    opinions: Any = field(default_factory=list)
    encoding: str = "discrete"
    summarise: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.agents = listed("study.agents", self.agents)
        self.opinions = _opinions(self.opinions)
        require(self.n_agents >= 0, "study.n_agents", self.n_agents, "at least 1, or 0 for the network's")
        require(0 <= self.epsilon < float("inf"), "study.epsilon", self.epsilon, "a finite number >= 0")
        require(self.steps >= 1, "study.steps", self.steps, "at least 1")
        require(self.runs >= 1, "study.runs", self.runs, "at least 1")
        require(self.mode in MODES, "study.mode", self.mode, f"one of {', '.join(MODES)}")
        require(bool(self.agents), "study.agents", "[]", f"at least one of {', '.join(AGENTS)}")
        for agent in self.agents:
            require(agent in AGENTS, "study.agents", agent, f"one of {', '.join(AGENTS)}")
        require(self.encoding in ENCODINGS, "study.encoding", self.encoding, f"one of {', '.join(ENCODINGS)}")


def _opinions(given: object) -> list[float]:
    wanted = "a list of numbers in [-1, 1]"
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise ConfigError(f"study.opinions must be {wanted}, got {given!r}")
    for value in given:
        if isinstance(value, bool) or not isinstance(value, int | float) or not -1 <= value <= 1:
            raise ConfigError(f"study.opinions must be {wanted}, got {value!r} in it")
    return [float(value) for value in given]
