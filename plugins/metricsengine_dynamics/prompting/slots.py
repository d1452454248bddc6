"""Slots of prompts: which a text may have, and filling them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import Formatter

from pydantic import AfterValidator

DEBATE = frozenset(
    {
        *("debate", "kind"),
        *("positive", "a_positive", "a_more_positive", "Positive", "a_Positive"),
        *("negative", "a_negative", "a_more_negative", "Negative", "a_Negative"),
    }
)
"""Slots that every prompt may have; see :attr:`metricsengine_dynamics.prompting.debate.Debate.slots`."""


def slotted(*own: str, needed: Iterable[str] = (), debate: bool = True) -> AfterValidator:
    """Checks a text of a set for slots; an empty one stands for none and is left alone.

    Args:
        *own: Slots that it may have.
        needed: Slots without which it would make no sense.
        debate: Whether it may have those of the debate too.
    """
    known, must = frozenset(own) | (DEBATE if debate else frozenset()), frozenset(needed)

    def check(text: str) -> str:
        if text:
            check_slots(text, known, must)
        return text

    return AfterValidator(check)


def check_slots(text: str, known: frozenset[str], needed: frozenset[str] = frozenset()) -> None:
    """Refuse a text with slots that nothing fills, or without those that it needs.

    Raises:
        ValueError: Names the slot.

    Example:
        >>> check_slots("You are {opinon} {topic}.", frozenset({"opinion", "topic"}))
        Traceback (most recent call last):
        ValueError: unknown slot {opinon}; known here: {opinion}, {topic}
    """
    try:
        parts = list(Formatter().parse(text))
    except ValueError as error:
        raise ValueError(f"{error}; a brace that is no slot is written twice") from error
    found = set()
    for _, name, spec, conversion in parts:
        if name is None:
            continue
        if name not in known:
            raise ValueError(f"unknown slot {{{name}}}; known here: {_braced(known)}")
        if spec or conversion:
            raise ValueError(f"a slot takes no conversion or format: write {{{name}}}")
        found.add(name)
    if missing := needed - found:
        raise ValueError(f"lacks the slot {_braced(missing)}")


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with its slots filled, in one pass: braces in what is filled in stay as they are.

    Example:
        >>> fill("{persona} {{sic}} {text}", {"persona": "You like {text}.", "text": "Hello."})
        'You like {text}. {sic} Hello.'
    """
    return text.format_map(values)


def _braced(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))
