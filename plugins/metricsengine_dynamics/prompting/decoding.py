"""From a text to the opinion that it states, by asking the model about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from metricsengine.model import Outcome
from metricsengine.reading import opinion, refusal
from metricsengine.reading.read import Read, settled
from metricsengine.study import Rounds
from metricsengine_dynamics.prompting.asking import Asking
from metricsengine_dynamics.prompting.debate import Debate
from metricsengine_dynamics.prompting.library import Prompts
from metricsengine_dynamics.prompting.prompts import Reads
from metricsengine_dynamics.prompting.slots import fill


@dataclass(frozen=True)
class Decoded:
    """What a text was read as.

    Attributes:
        opinion: On -5 to 5; None where it cannot be told.
        outcome: ``answered``; otherwise of the first question without a usable answer (``refused``, ``unparsed``,
            ``truncated``, ``error`` ...), or ``empty`` where the text is.
        reason: Why there is no opinion; empty where there is one.
        replies: What the questions were answered, in their order, as far as they were asked.
    """

    opinion: float | None
    outcome: str
    reason: str = ""
    replies: tuple[str, ...] = ()


def decode(text: str, prompts: Prompts, debate: Debate, asking: Asking, replicate: int = 0) -> Rounds[Decoded]:
    """Ask what opinion a text states (Sense and Sensitivity, eq. 5 and Table 2).

    A question of polarity is about the positive pole; one of magnitude is about the pole that was found, and its 0
    overrides the polarity. After polarity 0 nothing more is asked.

    Args:
        text: What an agent wrote; one without a word is not asked about.
        prompts: The questions.
        debate: What the opinion is about.
        asking: How agents are asked.
        replicate: Index among the readings of this text, from 0.
    """
    if not text.strip():
        return Decoded(None, str(Outcome.EMPTY), "there is no text to decode")
    found = 1.0
    replies: tuple[str, ...] = ()
    for question in prompts.decode:
        slots = {**debate.slots, "topic": debate.topic_of(found)}
        options = {fill(phrase, slots): value for phrase, value in question.options.items()}
        prompt = fill(question.text, {**slots, "text": text})
        [response] = yield [asking.question(prompt, replicate, _example(options))]
        replies = (*replies, response.text)
        response, read = settled(response, partial(_read, options=options))
        if read.value is None:
            return Decoded(None, str(response.outcome), read.reason, replies)
        found = _opinion(question.reads, found, read.value)
        if found == 0:
            break
    return Decoded(found, str(Outcome.ANSWERED), replies=replies)


def _opinion(reads: Reads, found: float, value: float) -> float:
    """The opinion as far as it is known after an answer; the questions of a set come in an order that makes it so."""
    return found * value + 0.0 if reads == "magnitude" else value


def _read(reply: str, options: Mapping[str, float]) -> Read[float]:
    return refusal.unless_refused(opinion.decode(reply, options), reply)


def _example(options: Mapping[str, float]) -> str:
    """An answer after which a further question is asked, if there is one."""
    return next((phrase for phrase, value in options.items() if value > 0), next(iter(options)))
