"""Perturbations of white space."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random

from metricsengine.perturbation.spans import labels

_BREAK = re.compile(r"\r\n?|\n")
_GAP = re.compile(r"(?<=\S) (?=\S)")
_SHARE = 4  # one gap in four is doubled


def removed(text: str) -> str:
    r"""Without line breaks (Sense and Sensitivity, section 5, prompt newline).

    Example:
        >>> removed("Read the text:\n{text}\n\nReply.")
        'Read the text:{text}Reply.'
    """
    return _BREAK.sub("", text)


def spaced(text: str) -> str:
    r"""With a space for each line break.

    Example:
        >>> spaced("Read the text:\n{text}\n\nReply.")
        'Read the text: {text}  Reply.'
    """
    return _BREAK.sub(" ", text)


def doubled(text: str) -> str:
    r"""With each line break twice.

    Example:
        >>> doubled("Read the text:\n{text}")
        'Read the text:\n\n{text}'
    """
    return _BREAK.sub(lambda found: found[0] * 2, text)


def spaces(text: str, draw: Random) -> str:
    """With a second space in one gap between words in four, at least in one; within quoted labels in none.

    Example:
        >>> spaces("Reply with ’a b’.", Random(0)) in ("Reply  with ’a b’.", "Reply with  ’a b’.")
        True
    """
    quoted = [label.span() for label in labels(text)]
    gaps = [gap.start() for gap in _GAP.finditer(text)]
    gaps = [gap for gap in gaps if not any(start <= gap < end for start, end in quoted)]
    if not gaps:
        return text
    chosen = sorted(draw.sample(gaps, max(1, len(gaps) // _SHARE)))
    bounds = [0, *chosen, len(text)]
    return " ".join(text[start:end] for start, end in pairwise(bounds))


def ended_by(text: str, ending: str) -> str:
    """Ended by white space, once; an empty text stays empty.

    Example:
        >>> ended_by("Answer:", " "), ended_by("Answer: ", " ")
        ('Answer: ', 'Answer: ')
    """
    return text if not text or text.endswith(ending) else text + ending
