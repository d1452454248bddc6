"""Perturbations of labels: their case, and the order of those that are listed as options."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from metricsengine.perturbation.spans import LABEL, PLACEHOLDER, runs

_LABELS = re.compile(rf"{LABEL}|(?m:^[ \t]*[^\W\d_]+(?: [^\W\d_]+)?:(?=\s|$))")
_WORDS = re.compile(rf"(?P<kept>{PLACEHOLDER})|[^{{}}]+")
_FIRST = re.compile(r"\A\W*[^\W\d_]")


def cased(text: str, case: Callable[[str], str]) -> str:
    r"""With another case of its quoted labels, and of the one or two words before a colon that open a line.

    Example:
        >>> cased("Options:\n{options}\nReply with ’yes’ or ’{topic}’.", str.upper)
        'OPTIONS:\n{options}\nReply with ’YES’ or ’{topic}’.'
    """

    def told(label: re.Match[str]) -> str:
        return _WORDS.sub(lambda found: found[0] if found["kept"] else case(found[0]), label[0])

    return _LABELS.sub(told, text)


def capital(label: str) -> str:
    """With a capital where a letter comes first.

    Example:
        >>> capital("’a bit in favor of’")
        '’A bit in favor of’'
    """
    return _FIRST.sub(lambda found: found[0].upper(), label)


def reordered(text: str, order: Callable[[int], list[int]]) -> str:
    """With every list of three quoted labels or more in another order; what stands between them stays.

    Args:
        text: The text.
        order: From how many there are to the old place of each.

    Example:
        >>> reordered("Choose ’low’, ’mid’ or ’high’.", backwards)
        'Choose ’high’, ’mid’ or ’low’.'
    """
    parts, end = [], 0
    for run in runs(text):
        for label, place in zip(run, order(len(run)), strict=True):
            parts += [text[end : label.start()], run[place][0]]
            end = label.end()
    return "".join([*parts, text[end:]])


def backwards(count: int) -> list[int]:
    """The last comes first."""
    return list(range(count))[::-1]


def shuffled(count: int, draw: Random) -> list[int]:
    """An order drawn at random, of at least three; neither the old one nor backwards."""
    order = list(range(count))
    while order in (sorted(order), backwards(count)):
        draw.shuffle(order)
    return order
