"""What the files under ``conf/prompt`` hold: how an opinion is put into words, updated, and read again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

_STRICT = {"extra": "forbid"}

Text = Annotated[str, StringConstraints(pattern=r"\S")]
Phrase = Annotated[str, StringConstraints(pattern=r"\S")]

Removal = Literal["removed", "space"]


@dataclass(frozen=True)
class Question:
    """One question by which a text is decoded.

    Slots of ``text`` and of the phrases: ``{text}`` (what is decoded; not in phrases), ``{topic}`` (the pole asked
    about: the positive one, unless an earlier question of polarity found the negative one), ``{positive}``,
    ``{negative}`` (names of the poles), ``{debate}``.

    Attributes:
        reads: ``polarity``: the sign, by the values -1, 0 and 1; ``magnitude``: the strength for the found sign, 0 to
            5, where 0 overrides the sign; ``score``: the opinion itself, -5 to 5.
        text: The question.
        options: Value of each phrase that may answer it.
    """

    __pydantic_config__ = _STRICT

    reads: Literal["polarity", "magnitude", "score"]
    text: Text
    options: Annotated[Mapping[Phrase, float], Field(min_length=2)]


@dataclass(frozen=True)
class FramingPrompts:
    """Prompts of the framing trials (Fig. 4e).

    Slots: ``{persona}``, ``{stance}`` ("in favor of a free market economy"), ``{debate}``; of ``reader`` also ``{post}``.

    Attributes:
        author: Asks an author for a post.
        reader: Asks a reader for an opinion of a post.
        options: Value of each phrase that a reader may answer, -2 to 2.
        pro: How a stance for a pole is worded: "in favor of {topic}".
        contra: How a stance against a pole is worded.
    """

    __pydantic_config__ = _STRICT

    author: Text
    reader: Text
    options: Mapping[Phrase, float]
    pro: Text
    contra: Text


@dataclass(frozen=True)
class PromptSet:
    """One file of prompts (Sense and Sensitivity, Tables 2 and 3). What a file leaves out it takes from ``of``.

    Slots: ``encode_discrete``: ``{persona}``, ``{opinion}`` (a phrase of ``scale``), ``{topic}`` (the pole of the
    opinion's sign; the debate where it is 0); ``encode_scalar``: ``{persona}``, ``{opinion}`` (a number), ``{positive}``,
    ``{negative}``, ``{debate}``; ``dynamics``: ``{persona}``, ``{timeline}``, ``{debate}``; ``summary``: ``{persona}``;
    ``post``: ``{handle}``, ``{text}``.

    Attributes:
        title: What the set is, in one line.
        of: Name of the set that this one varies; empty where it is complete.
        source: Where it was taken from.
        encode_discrete: Asks for a post that states an opinion in words.
        encode_scalar: Asks for a post that states an opinion given as a number.
        dynamics: Shows a timeline and asks for an opinion.
        summary: Asks for a summary of a persona.
        post: How a post stands in a timeline.
        separator: What stands between two posts.
        scale: Phrases of the magnitudes 0 to 5.
        decode: Questions by which a text is decoded.
        framing: Prompts of the framing trials.
        newlines: What becomes of line breaks in all prompts: kept where empty, ``removed``, or ``space`` for each.
        apostrophes: What becomes of apostrophes in all prompts, likewise.
    """

    __pydantic_config__ = _STRICT

    title: Text
    of: str = ""
    source: str = ""
    encode_discrete: str = ""
    encode_scalar: str = ""
    dynamics: str = ""
    summary: str = ""
    post: str = ""
    separator: str | None = None
    scale: list[Phrase] = field(default_factory=list)
    decode: list[Question] = field(default_factory=list)
    framing: FramingPrompts | None = None
    newlines: Removal | None = None
    apostrophes: Removal | None = None
