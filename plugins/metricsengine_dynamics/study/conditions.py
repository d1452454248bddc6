"""Who updates, what it meets, and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricsengine_dynamics.study.runs import Moment, Run

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from metricsengine_dynamics.prompting.personas import Inhabitant

LLM = "llm"


@dataclass(frozen=True, order=True)
class Condition:
    """Who updates.

    Attributes:
        agent: Kind of the agents.
        variant: Prompt set; empty where no model is asked.
        repeat: Which time the same prompts are asked, from 0.
    """

    agent: str
    variant: str = ""
    repeat: int = 0


@dataclass(frozen=True)
class Told:
    """What an LLM agent said in one update, and who it is; columns of the table.

    Attributes:
        opinion: Its opinion, on -5 to 5; None where there is none.
        outcome: What became of the requests; empty where nothing was asked.
        reason: Why there is no opinion.
        persona: Who it is.
        handle: Under which name it posts.
        post: Its own post, where somebody hears it.
        reply: What it answered to its timeline.
        decoding: What the decoding questions were answered.
        cut: Posts left out because the context is too small.
        lost: Posts of agents heard that could not be written.
    """

    opinion: float | None = None
    outcome: str = ""
    reason: str = ""
    persona: str = ""
    handle: str = ""
    post: str = ""
    reply: str = ""
    decoding: str = ""
    cut: int = 0
    lost: int = 0


@dataclass(frozen=True)
class View:
    """What one population meets in one step.

    Attributes:
        condition: Who it is.
        run: The run.
        moment: The state before the step.
        heard: Whom each agent hears, shape (n, n).
        people: Its agents, in the order of the nodes; empty for those that are not asked.
    """

    condition: Condition
    run: Run
    moment: Moment
    heard: csr_array
    people: Sequence[Inhabitant] = ()

    @property
    def speakers(self) -> list[int]:
        """Who is heard by anybody."""
        nodes: list[int] = np.unique(self.heard.indices).tolist()
        return nodes

    def heard_by(self, node: int) -> list[int]:
        """Whom an agent hears, in the order of the nodes."""
        begin, end = self.heard.indptr[node : node + 2]
        nodes: list[int] = np.sort(self.heard.indices[begin:end]).tolist()
        return nodes
