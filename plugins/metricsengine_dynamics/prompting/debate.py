"""What the files under ``conf/debate`` hold: a topic with two poles, and the stances that can be taken on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
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
        more: As a question weighs it against the other: "a more planned economy"; ``topic`` where empty.
    """

    __pydantic_config__ = _STRICT

    topic: Text
    name: Text
    short: Text
    more: str = ""

    @property
    def large(self) -> str:
        """The name with a capital: "Free market economy"."""
        return self.name[:1].upper() + self.name[1:]

    @property
    def large_topic(self) -> str:
        """The topic with the name so: "a Free market economy"."""
        return self.topic.replace(self.name, self.large, 1)


@dataclass(frozen=True)
class Debate:
    """A topic pair: support of one pole is opposition to the other (Sense and Sensitivity, section 5).

    Attributes:
        title: What it is about, in one line.
        topic: The debate as a whole, which a neutral opinion is about: "the planned economy versus free market economy
            debate".
        positive: The pole of opinions above 0.
        negative: The pole of opinions below 0.
        kind: What both poles are: "economic system".
        source: Where it was taken from.
    """

    __pydantic_config__ = _STRICT

    title: Text
    topic: Text
    positive: Pole
    negative: Pole
    kind: Text = "position"
    source: str = ""

    def __post_init__(self) -> None:
        for key in ("topic", "name", "short"):
            if getattr(self.positive, key).casefold() == getattr(self.negative, key).casefold():
                raise ValueError(f"both poles have the {key} {getattr(self.positive, key)!r}")

    def pole(self, opinion: float) -> Pole | None:
        """The pole that an opinion supports; None where it is neutral."""
        return self.positive if opinion > 0 else self.negative if opinion < 0 else None

    def topic_of(self, opinion: float) -> str:
        """What an opinion is about: its pole, or the debate where it is neutral."""
        pole = self.pole(opinion)
        return pole.topic if pole else self.topic

    @cached_property
    def slots(self) -> Mapping[str, str]:
        """What fills the slots that every prompt may have.

        ``{debate}``, ``{kind}``; of each pole its name ``{positive}``, its topic ``{a_positive}``, the topic as it is
        weighed against the other, ``{a_more_positive}``, and name and topic with a capital, ``{Positive}`` and
        ``{a_Positive}``.
        """
        filled = {"debate": self.topic, "kind": self.kind}
        for slot, pole in (("positive", self.positive), ("negative", self.negative)):
            filled |= {slot: pole.name, f"a_{slot}": pole.topic, f"a_more_{slot}": pole.more or pole.topic}
            filled |= {slot.capitalize(): pole.large, f"a_{slot.capitalize()}": pole.large_topic}
        return filled
