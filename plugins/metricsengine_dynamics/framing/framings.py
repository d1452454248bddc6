"""The framings of a stance, and which author meets which reader (Sense and Sensitivity, Fig. 4e)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product

from metricsengine_dynamics.prompting.debate import Debate

PRO, CONTRA = "pro", "contra"


@dataclass(frozen=True)
class Framing:
    """A stance, worded for or against a pole.

    Attributes:
        name: As tables name it: "pro free market".
        topic: The pole, as a prompt names it: "a free market economy".
        contra: Whether it is worded as being against the pole.
    """

    name: str
    topic: str
    contra: bool = False


def framings(debate: Debate) -> tuple[Framing, Framing, Framing]:
    """For the positive pole, for the negative one, and against the positive one: the last two mean the same."""
    positive, negative = debate.positive, debate.negative
    return (
        Framing(f"{PRO} {positive.short}", positive.topic),
        Framing(f"{PRO} {negative.short}", negative.topic),
        Framing(f"{CONTRA} {positive.short}", positive.topic, contra=True),
    )


def columns(debate: Debate) -> Mapping[Framing, tuple[Framing, ...]]:
    """The readers of each author: seven pairs, as the two wordings of one stance do not meet each other."""
    positive, negative, against = framings(debate)
    return {positive: (positive, negative, against), negative: (positive, negative), against: (positive, against)}


def pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """Names of author and reader of the pairs that are asked; seven of three framings.

    Example:
        >>> len(pairs(["pro free market", "pro planned economy", "contra free market"]))
        7
    """
    every = ordered(names)
    alike = set(every[1:])
    return [pair for pair in product(every, every) if set(pair) != alike]


def negative_wording(name: str) -> bool:
    """Whether a framing of that name is worded as being against something.

    Example:
        >>> negative_wording("contra free market"), negative_wording("pro contra")
        (True, False)
    """
    return name.startswith(f"{CONTRA} ")


def ordered(names: Iterable[str]) -> list[str]:
    """Names of framings in the order of Fig. 4e: for what the last one is against, for the other pole, against.

    Example:
        >>> ordered({"contra free market", "pro free market", "pro planned economy"})
        ['pro free market', 'pro planned economy', 'contra free market']
    """
    found = sorted(set(names))
    denied = {name.removeprefix(f"{CONTRA} ") for name in found if negative_wording(name)}
    return sorted(found, key=lambda name: (negative_wording(name), name.removeprefix(f"{PRO} ") not in denied))
