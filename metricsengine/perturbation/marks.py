"""Perturbations of apostrophes and punctuation."""

from __future__ import annotations

import re

_APOSTROPHE = re.compile("['‘’ʼ]")
_CURLY = re.compile("[‘’ʼ]")
_OPENING = re.compile(r"""(?<![^\s(\["“])'(?=\S)""")
_FINAL = re.compile(r"(?m)(?<=[^\s.:!?…])[.:](?=[ \t\r]*$)")


def apostrophes(text: str, by: str = "") -> str:
    """Without apostrophes, those that quote included (Sense and Sensitivity, section 5, prompt newline).

    Args:
        text: The text.
        by: What stands in their place.

    Example:
        >>> apostrophes("Reply with ’yes’ or 'no'. Don’t add anything.")
        'Reply with yes or no. Dont add anything.'
    """
    return _APOSTROPHE.sub(by, text)


def straight(text: str) -> str:
    """With straight apostrophes for curly ones.

    Example:
        >>> straight("Don’t reply with ‘yes’.")
        "Don't reply with 'yes'."
    """
    return _CURLY.sub("'", text)


def curly(text: str) -> str:
    """With curly apostrophes for straight ones, opening and closing.

    Example:
        >>> curly("Don't reply with 'yes'.")
        'Don’t reply with ‘yes’.'
    """
    return _OPENING.sub("‘", text).replace("'", "’")


def open_ended(text: str) -> str:
    r"""Without the full stop or colon that ends a line; other marks, and those within a line, stay.

    Example:
        >>> open_ended("Reply. Read the text:\n{text}\nAnswer: yes or no.")
        'Reply. Read the text\n{text}\nAnswer: yes or no'
    """
    return _FINAL.sub("", text)
