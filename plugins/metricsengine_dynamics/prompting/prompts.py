"""What the files under ``conf/prompt`` hold: how an opinion is put into words, updated, and read again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from metricsengine_dynamics.prompting.slots import slotted

_STRICT = {"extra": "forbid"}

Text = Annotated[str, StringConstraints(pattern=r"\S")]
Phrase = Annotated[str, StringConstraints(pattern=r"\S"), slotted("topic")]
Asked = Annotated[Text, slotted("text", "topic", needed=["text"])]
Stance = Annotated[Text, slotted("topic", needed=["topic"])]

Removal = Literal["removed", "space"]
Reads = Literal["polarity", "magnitude", "score"]

RANGES: Mapping[Reads, tuple[int, int]] = {"polarity": (-1, 1), "magnitude": (0, 5), "score": (-5, 5)}
"""Smallest and largest value of an answer, by what a question reads."""

_NEWLINES = re.compile(r"\n+")
_APOSTROPHES = re.compile("['‘’ʼ]")


@dataclass(frozen=True)
class Question:
    """One question by which a text is decoded.

    Slots of ``text`` and of the phrases, beside those of the debate: ``{text}`` (what is decoded; not in phrases),
    ``{topic}`` (the pole asked about: the positive one, unless an earlier question of polarity found the negative one).

    Attributes:
        reads: ``polarity``: the sign, by the values -1, 0 and 1; ``magnitude``: the strength for the found sign, 0 to
            5, where 0 overrides the sign; ``score``: the opinion itself, -5 to 5.
        text: The question.
        options: Value of each phrase that may answer it.
    """

    __pydantic_config__ = _STRICT

    reads: Reads
    text: Asked
    options: Annotated[Mapping[Phrase, float], Field(min_length=2)]

    def __post_init__(self) -> None:
        low, high = RANGES[self.reads]
        for phrase, value in self.options.items():
            if not low <= value <= high or (self.reads == "polarity" and value not in (-1, 0, 1)):
                wanted = "-1, 0 or 1" if self.reads == "polarity" else f"from {low} to {high}"
                raise ValueError(f"the value of {phrase!r} must be {wanted} in a question of {self.reads}, got {value}")


@dataclass(frozen=True)
class FramingPrompts:
    """Prompts of the framing trials (Fig. 4e).

    Slots beside those of the debate: ``{persona}``, ``{stance}`` ("in favor of a free market economy"); of ``reader``
    also ``{post}``.

    Attributes:
        author: Asks an author for a post.
        reader: Asks a reader for an opinion of a post.
        options: Value of each phrase that a reader may answer, -2 to 2.
        pro: How a stance for a pole is worded: "in favor of {topic}".
        contra: How a stance against a pole is worded.
    """

    __pydantic_config__ = _STRICT

    author: Annotated[Text, slotted("persona", "stance", needed=["stance"])]
    reader: Annotated[Text, slotted("persona", "stance", "post", needed=["stance", "post"])]
    options: Annotated[Mapping[Phrase, Annotated[float, Field(ge=-2, le=2)]], Field(min_length=2)]
    pro: Stance
    contra: Stance


def _scale(phrases: list[str]) -> list[str]:
    if phrases and len(phrases) != 6:
        raise ValueError(f"must have 6 phrases, for the magnitudes 0 to 5, got {len(phrases)}")
    counted = Counter(phrase.strip().casefold() for phrase in phrases)
    if repeated := [phrase for phrase, n in counted.items() if n > 1]:
        raise ValueError(f"its phrases must all be different, got {repeated[0]!r} for several magnitudes")
    return phrases


def _decode(questions: list[Question]) -> list[Question]:
    reads = [question.reads for question in questions]
    if reads and reads not in (["score"], ["polarity", "magnitude"]):
        wanted = "one question of score, or one of polarity and then one of magnitude"
        raise ValueError(f"must hold {wanted}, got {', '.join(reads)}")
    return questions


@dataclass(frozen=True)
class PromptSet:
    """One file of prompts (Sense and Sensitivity, Tables 2 and 3). What a file leaves out it takes from ``of``.

    Slots beside those of the debate: ``encode_discrete``: ``{persona}``, ``{opinion}`` (a phrase of ``scale``),
    ``{topic}`` (the pole of the opinion's sign; the debate where it is 0); ``encode_scalar``: ``{persona}``,
    ``{opinion}`` (a number); ``dynamics``: ``{persona}``, ``{timeline}``; ``summary``: ``{persona}``; ``post``:
    ``{handle}``, ``{text}``, and no others. A brace that is no slot is written twice.

    Attributes:
        title: What the set is, in one line.
        of: Name of the set that this one varies; empty where it is complete.
        source: Where it was taken from.
        encode_discrete: Asks for a post that states an opinion in words.
        encode_scalar: Asks for a post that states an opinion given as a number.
        dynamics: Shows a timeline and asks for an opinion.
        summary: Asks for a summary of a persona.
        post: How a post stands in a timeline.
        separator: What stands between two posts; a space where a removal leaves nothing of it.
        scale: Phrases of the magnitudes 0 to 5.
        decode: Questions by which a text is decoded: one of score, or one of polarity and then one of magnitude.
        framing: Prompts of the framing trials.
        newlines: What becomes of line breaks in all prompts: kept where absent, ``removed``, or ``space``, a space for
            each run of them. What fills the slots stays as it is.
        apostrophes: What becomes of apostrophes in all prompts, likewise. Single quotation marks are apostrophes.
    """

    __pydantic_config__ = _STRICT

    title: Text
    of: str = ""
    source: str = ""
    encode_discrete: Annotated[str, slotted("persona", "opinion", "topic", needed=["opinion", "topic"])] = ""
    encode_scalar: Annotated[str, slotted("persona", "opinion", needed=["opinion"])] = ""
    dynamics: Annotated[str, slotted("persona", "timeline", needed=["timeline"])] = ""
    summary: Annotated[str, slotted("persona", needed=["persona"])] = ""
    post: Annotated[str, slotted("handle", "text", needed=["handle", "text"], debate=False)] = ""
    separator: str | None = None
    scale: Annotated[list[Text], AfterValidator(_scale)] = field(default_factory=list)
    decode: Annotated[list[Question], AfterValidator(_decode)] = field(default_factory=list)
    framing: FramingPrompts | None = None
    newlines: Removal | None = None
    apostrophes: Removal | None = None


TEMPLATES = ("encode_discrete", "encode_scalar", "dynamics", "summary", "post")
"""Texts of a set by key, its questions and framing prompts aside."""

Change = Callable[[str], str]


def changed(prompts: PromptSet, change: Change) -> PromptSet:
    """A set with every prompt put through a function, slots included; empty texts stay empty.

    Phrases, of the scale and of options, stay as they are. The title of a set that varies another tells of the change,
    as what it takes over from the other changes too.
    """

    def told(text: str) -> str:
        return text and change(text)

    questions = [replace(question, text=change(question.text)) for question in prompts.decode]
    framing = prompts.framing and replace(
        prompts.framing, author=change(prompts.framing.author), reader=change(prompts.framing.reader)
    )
    return replace(
        prompts,
        title=f"{prompts.title}, changed" if prompts.of else prompts.title,
        encode_discrete=told(prompts.encode_discrete),
        encode_scalar=told(prompts.encode_scalar),
        dynamics=told(prompts.dynamics),
        summary=told(prompts.summary),
        post=told(prompts.post),
        decode=questions,
        framing=framing,
    )


def without(prompts: PromptSet) -> PromptSet:
    """A set without the line breaks and apostrophes that it removes."""
    stripped = prompts
    for pattern, removal in ((_NEWLINES, prompts.newlines), (_APOSTROPHES, prompts.apostrophes)):
        if removal:
            stripped = _without(stripped, partial(pattern.sub, " " if removal == "space" else ""))
    return stripped


def _without(prompts: PromptSet, strip: Change) -> PromptSet:
    separator = prompts.separator and (strip(prompts.separator) or " ")
    return replace(changed(prompts, strip), separator=separator, scale=[strip(phrase) for phrase in prompts.scale])
