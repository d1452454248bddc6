"""From a text to the opinion that it states, by asking the model about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from metricsengine.fallback import chose
from metricsengine.model import Outcome, Request, Response
from metricsengine.reading import opinion, refusal
from metricsengine.reading.read import Read, settled
from metricsengine.study import Rounds
from metricsengine_dynamics.prompting.asking import Asking
from metricsengine_dynamics.prompting.chosen import Prompts
from metricsengine_dynamics.prompting.debate import Debate
from metricsengine_dynamics.prompting.prompts import Reads
from metricsengine_dynamics.prompting.scoring import Likeliest, Phrases, begin_apart, likeliest, phrases, spelled
from metricsengine_dynamics.prompting.slots import fill


@dataclass(frozen=True)
class Decoded:
    """What a text was read as.

    Attributes:
        opinion: On -5 to 5; None where it cannot be told.
        outcome: ``answered``; otherwise of the first question without a usable answer (``refused``, ``unparsed``,
            ``truncated``, ``error`` ...), or ``empty`` where the text is.
        reason: Why there is no opinion; empty where there is one.
        replies: What the questions were answered, in their order, as far as they were asked; of scores which answer is
            the likeliest, and its share of the probability of all: ``yes (0.71 of 0.9)``.
        mass: Least probability that the answers to a scored question had together; None where none was scored.
    """

    opinion: float | None
    outcome: str
    reason: str = ""
    replies: tuple[str, ...] = ()
    mass: float | None = None


def decode(text: str, prompts: Prompts, debate: Debate, asking: Asking, replicate: int = 0) -> Rounds[Decoded]:
    """Ask what opinion a text states (Sense and Sensitivity, eq. 5 and Table 2).

    A question of polarity is about the positive pole; one of magnitude is about the pole that was found, and its 0
    overrides the polarity. After polarity 0 nothing more is asked. Answers are written; with ``decoding=scores`` they
    are those of the highest probability, where the phrases of a question begin differently.

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
    masses: list[float] = []
    for question in prompts.decode:
        options = phrases(question, debate, found)
        slots = {**debate.slots, "topic": debate.topic_of(found), "text": text}
        [response] = yield [_request(fill(question.text, slots), options, asking, replicate)]
        reply, response, read = _answer(response, options)
        replies = (*replies, reply)
        masses += [read.mass] if isinstance(read, Likeliest) else []
        if read.value is None:
            return Decoded(None, str(response.outcome), read.reason, replies, min(masses, default=None))
        found = _opinion(question.reads, found, read.value)
        if found == 0:
            break
    return Decoded(found, str(Outcome.ANSWERED), replies=replies, mass=min(masses, default=None))


def _request(prompt: str, options: Phrases, asking: Asking, replicate: int) -> Request:
    if asking.conf.decoding == "scores" and begin_apart(options):
        return asking.scoring(prompt, tuple(spelled(options)), _example(options))
    return asking.question(prompt, replicate, _example(options))


def _answer(response: Response, options: Phrases) -> tuple[str, Response, Read[float]]:
    """What is kept of an answer, the response with the outcome that it has, and what it says."""
    if response.scores and not chose(response):
        found = likeliest(response.scores, options)
        return found.reply, replace(response, outcome=found.outcome, reason=found.reason), found
    if chose(response) and response.outcome is Outcome.UNPARSED:
        # The fallback looks for options as they were asked, of which two that differ by their initial read the same.
        was_cut = response.finish_reason == "length"
        response = replace(response, outcome=Outcome.TRUNCATED if was_cut else Outcome.ANSWERED, reason="")
    return response.text, *settled(response, partial(_read, options=options))


def _opinion(reads: Reads, found: float, value: float) -> float:
    """The opinion as far as it is known after an answer; the questions of a set come in an order that makes it so."""
    return found * value + 0.0 if reads == "magnitude" else value


def _read(reply: str, options: Phrases) -> Read[float]:
    return refusal.unless_refused(opinion.decode(reply, options), reply)


def _example(options: Phrases) -> str:
    """An answer after which a further question is asked, if there is one."""
    return next((phrase for phrase, value in options.items() if value > 0), next(iter(options)))
