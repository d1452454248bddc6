"""How authors and readers are asked, and how a reader's answer is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from metricsengine.model import Request, Response
from metricsengine.reading.opinion import decode
from metricsengine.reading.read import settled
from metricsengine.reading.refusal import unless_refused
from metricsengine_dynamics.framing.framings import Framing
from metricsengine_dynamics.prompting.asking import Asking
from metricsengine_dynamics.prompting.debate import Debate
from metricsengine_dynamics.prompting.prompts import FramingPrompts
from metricsengine_dynamics.prompting.slots import fill


@dataclass(frozen=True)
class Framed:
    """The requests of one trial, under one set of prompts.

    Attributes:
        prompts: The set's prompts for framing trials.
        debate: The debate.
        asking: How texts are drawn.
        replicate: Index of the trial.
    """

    prompts: FramingPrompts
    debate: Debate
    asking: Asking
    replicate: int

    def post(self, framing: Framing, persona: str) -> Request:
        """Asks an author with that stance for a post."""
        return self.asking.writing(self._filled(self.prompts.author, framing, persona), self.replicate)

    def reader(self, framing: Framing, persona: str, post: str) -> Request:
        """Asks a reader with that stance for an opinion of a post."""
        text = self._filled(self.prompts.reader, framing, persona, post=post.strip())
        return self.asking.question(text, self.replicate, next(iter(self._options(framing))))

    def read(self, framing: Framing, response: Response) -> dict[str, Any]:  # cells of a row
        """Reply, opinion and outcome of a reader's answer."""
        options = self._options(framing)
        response, found = settled(response, lambda reply: unless_refused(decode(reply, options), reply))
        told = {"reply": response.text or None, "outcome": str(response.outcome)}
        return told | ({"reason": found.reason} if found.value is None else {"opinion": float(found.value)})

    def _options(self, framing: Framing) -> dict[str, float]:
        slots = self._slots(framing)
        return {fill(phrase, slots): value for phrase, value in self.prompts.options.items()}

    def _filled(self, template: str, framing: Framing, persona: str, **more: str) -> str:
        slots = self._slots(framing)
        stance = fill(self.prompts.contra if framing.contra else self.prompts.pro, slots)
        return fill(template, {**slots, "persona": persona, "stance": stance, **more})

    def _slots(self, framing: Framing) -> dict[str, str]:
        return {**self.debate.slots, "topic": framing.topic}
