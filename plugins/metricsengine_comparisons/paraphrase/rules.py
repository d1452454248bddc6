"""Rules that a paraphrase must keep; a complaint names its rule and says why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from metricsengine.perturbation.spans import labels
from metricsengine.reading.normalise import straight
from metricsengine.words import words

_BRACES = re.compile(r"\{+\w+\}+|[{}]+")
_LETTER = re.compile(r"[^\W\d_]")
_LONGER, _SLACK = 3, 10


class Complaint(NamedTuple):
    """Why a paraphrase is rejected: the ``rule``, and the ``reason`` in words."""

    rule: str
    reason: str


def wrong(told: str, text: str, before: Iterable[str] = ()) -> Complaint | None:
    """What is wrong with a paraphrase; None where nothing is.

    Args:
        told: The paraphrase.
        text: The original.
        before: Paraphrases of it that were taken before.

    Example:
        >>> wrong("Say ’yes’.", "Reply with ’yes’ or ’no’ on {topic}.")
        Complaint(rule='placeholder', reason='lacks {topic}')
        >>> wrong("On {topic}, say ’yes’.", "Reply with ’yes’ or ’no’ on {topic}.")
        Complaint(rule='label', reason="lacks 'no'")
    """
    if reason := _differing(_braced(told), _braced(text)):
        return Complaint("placeholder", reason)
    if reason := _differing(_quoted(told), _quoted(text)):
        return Complaint("label", reason)
    if words(told) == words(text):
        return Complaint("duplicate", "repeats the original")
    if any(words(told) == words(other) for other in before):
        return Complaint("duplicate", "repeats another paraphrase")
    if len(words(told)) > _LONGER * len(words(text)) + _SLACK:
        return Complaint("length", f"{len(words(told))} words for {len(words(text))}")
    return None


def _braced(text: str) -> Counter[str]:
    return Counter(_BRACES.findall(text))


def _quoted(text: str) -> Counter[str]:
    """The quoted labels, whatever their quotation marks; a quoted placeholder is none."""
    found = (label[0][1:-1] for label in labels(text))
    return Counter(f"'{straight(label)}'" for label in found if _LETTER.search(_BRACES.sub("", label)))


def _differing(told: Counter[str], text: Counter[str]) -> str:
    """What is lost or added; empty where nothing is."""
    lost, added = sorted((text - told).elements()), sorted((told - text).elements())
    found = [f"lacks {', '.join(lost)}"] * bool(lost) + [f"adds {', '.join(added)}"] * bool(added)
    return "; ".join(found)
