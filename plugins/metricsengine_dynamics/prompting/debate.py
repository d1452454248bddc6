"""What the files under ``conf/debate`` hold: a topic with two poles, and the stances that can be taken on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import StringConstraints

_STRICT = {"extra": "forbid"}

Text = Annotated[str, StringConstraints(pattern=r"\S")]


@dataclass(frozen=True)
class Pole:
    """One of the two opposed positions.

    Attributes:
        topic: As a prompt names it: "a free market economy".
        name: As a reply names it: "free market economy".
        short: As tables name it: "free market".
    """

    __pydantic_config__ = _STRICT

    topic: Text
    name: Text
    short: Text


@dataclass(frozen=True)
class Debate:
    """A topic pair: support of one pole is opposition to the other (Sense and Sensitivity, section 5).

    Attributes:
        title: What it is about, in one line.
        topic: The debate as a whole, which a neutral opinion is about: "the planned economy versus free market economy
            debate".
        positive: The pole of opinions above 0.
        negative: The pole of opinions below 0.
        source: Where it was taken from.
    """

    __pydantic_config__ = _STRICT

    title: Text
    topic: Text
    positive: Pole
    negative: Pole
    source: str = ""
