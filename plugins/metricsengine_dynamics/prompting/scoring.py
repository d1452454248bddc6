"""Which answer to a question a model gives the highest probability, told by how its phrases begin."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from metricsengine.model import OptionScore
from metricsengine.reading.read import Read, Status
from metricsengine.wording import plural
from metricsengine_dynamics.prompting.chosen import Prompts
from metricsengine_dynamics.prompting.debate import Debate
from metricsengine_dynamics.prompting.prompts import Question
from metricsengine_dynamics.prompting.slots import fill

TIE = 1e-12
"""Sums of probabilities that are closer than this are equal."""

HALF = 0.5

_BEGINNING = re.compile(r"[^\W\d_]+|\S")

Phrases = Mapping[str, float]
"""Value of each phrase that may answer a question, its slots filled."""


@dataclass(frozen=True)
class Likeliest(Read[float]):
    """The answer of the highest probability.

    Attributes:
        value: Its value; None where there is none.
        reply: Its first phrase, with its share of the probability of all options, and that: ``yes (0.71 of 0.9)``.
        mass: Probability of all options; little of it means that the model would rather say something else.
    """

    reply: str = ""
    mass: float = 0.0


def phrases(question: Question, debate: Debate, found: float) -> Phrases:
    """The phrases of a question, when an opinion of this sign was found before."""
    slots = {**debate.slots, "topic": debate.topic_of(found)}
    return {fill(phrase, slots): value for phrase, value in question.options.items()}


def begin_apart(options: Phrases) -> bool:
    """Whether phrases of different values begin differently: with other words, in whatever case, or other signs.

    Example:
        >>> begin_apart({"yes": 1, "no": -1}), begin_apart({"a bit for": 1, "A bit against": -1})
        (True, False)
    """
    values = defaultdict(set)
    for phrase, value in options.items():
        values[_beginning(phrase).casefold()].add(value)
    return all(len(several) == 1 for several in values.values())


def spelled(options: Phrases) -> dict[str, float]:
    """What is scored: each phrase as it is and with a capital initial; of those that begin the same, the first.

    What begins the same has the same probability, which must not count twice.

    Example:
        >>> spelled({"neutral on": 0, "neutral": 0, "For": 1})
        {'neutral on': 0, 'Neutral on': 0, 'For': 1}
    """
    first: dict[str, tuple[str, float]] = {}
    for phrase, value in options.items():
        for text in (phrase, phrase[:1].upper() + phrase[1:]):
            first.setdefault(_beginning(text), (text, value))
    return dict(first.values())


def likeliest(scores: Sequence[OptionScore], options: Phrases) -> Likeliest:
    """The value whose phrases have the largest sum of probabilities.

    Args:
        scores: Of all that is :func:`spelled`.
        options: The phrases of the question.

    Example:
        >>> told = [OptionScore("yes", 0.3), OptionScore("Yes", 0.3), OptionScore("no", 0.2), OptionScore("No", 0.0)]
        >>> likeliest(told, {"yes": 1, "no": -1}).reply
        'yes (0.75 of 0.8)'
    """
    values = spelled(options)
    sums: dict[float, float] = dict.fromkeys(values.values(), 0.0)
    for score in scores:
        sums[values[score.option]] += score.probability
    total, most = sum(sums.values()), max(sums.values())
    if not most > 0:
        return Likeliest(None, Status.UNPARSED, "no answer has any probability")
    first = [value for value, sum_ in sums.items() if sum_ >= most - TIE]
    named = {value: phrase for phrase, value in reversed(list(options.items()))}
    reply = ", ".join(f"{named[value]} ({sums[value] / total:.2f} of {total:.2g})" for value in first)
    if len(first) > 1:
        return Likeliest(None, Status.AMBIGUOUS, "two answers are equally likely", reply, total)
    return Likeliest(first[0], Status.CHOSEN, reply=reply, mass=total)


def unscored(prompts: Mapping[str, Prompts], debate: Debate) -> list[str]:
    """One sentence for each prompt set with questions that are not :func:`begin_apart`, and so are asked in writing."""
    sentences, why = [], "as several labels begin alike"
    for name, chosen in prompts.items():
        if sizes := list(_alike(chosen, debate)):
            noun, verb = ("question", "was") if len(sizes) == 1 else ("questions", "were")
            sentences.append(
                f"prompt set {name}: its {noun} of {' and '.join(sizes)} labels {verb} answered in writing, {why}"
            )
    return sentences


def hardly(masses: Sequence[float]) -> list[str]:
    """One sentence where the model would often rather have said something else than an answer.

    Args:
        masses: Least mass of the answers to each reading's questions.

    Example:
        >>> hardly([0.9, 0.8, 0.1])
        []
        >>> [sentence] = hardly([0.9, 0.2, 0.1])
        >>> sentence[:71]
        'in 2 of 3 readings the answers had less than half of the probability: t'
    """
    few = sum(mass < HALF for mass in masses)
    if few <= HALF * len(masses):
        return []
    told = f"in {few:,} of {plural(len(masses), 'reading')} the answers had less than half of the probability"
    return [f"{told}: the model would rather say something else"]


def _alike(prompts: Prompts, debate: Debate) -> Iterator[str]:
    """Numbers of values of the questions, whatever pole they are about, whose phrases begin alike."""
    for question in prompts.decode:
        if not all(begin_apart(phrases(question, debate, found)) for found in (1.0, -1.0)):
            yield str(len(set(question.options.values())))


def _beginning(phrase: str) -> str:
    """A phrase's first word; where a digit or another sign stands before it, that."""
    found = _BEGINNING.search(phrase)
    return found[0] if found else ""
