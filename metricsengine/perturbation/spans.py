"""What a perturbation finds in a prompt: placeholders, which it leaves alone, quoted labels, and lists of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

PLACEHOLDER = r"\{+\w+\}+|\{\{|\}\}"
"""``{name}``, and the doubled braces that stand for braces."""

_INSIDE = r"(?:(?![.!?;:]\s)[^{quotes}\n]|(?<=\w)['’](?=\w)){{1,80}}?"
LABEL = (
    r"(?<!\w)(?:[\"“”](?=\S)" + _INSIDE.format(quotes='"“”') + r"(?<=\S)[\"”](?!\w)"
    r"|['‘’](?=\S)" + _INSIDE.format(quotes="'‘’\"“”") + r"(?<=\S)['’](?!\w))"
)
"""A quoted phrase within a sentence, its quotation marks included; ’yes’ is one, the ’ of a possessive opens none."""

_LABEL = re.compile(LABEL)
_BETWEEN = re.compile(r"\s*,\s*(?:(?:and/or|and|or|to)\s+)?|\s+(?:and/or|and|or|to)\s+", re.IGNORECASE)
_BRACES = re.compile(PLACEHOLDER)


def placeholders(text: str) -> list[str]:
    """Placeholders and doubled braces, sorted; one stands as often as the text has it.

    Example:
        >>> placeholders("{topic} {{x}} {a}")
        ['{a}', '{topic}', '{{x}}']
    """
    return sorted(_BRACES.findall(text))


def labels(text: str) -> list[re.Match[str]]:
    """The quoted labels, in their order.

    Example:
        >>> [label[0] for label in labels("Reply with ’yes’ or ’don’t know’ to the authors’ post.")]
        ['’yes’', '’don’t know’']
    """
    return list(_LABEL.finditer(text))


def runs(text: str, least: int = 3) -> Iterator[list[re.Match[str]]]:
    """Lists of at least so many quoted labels, with commas between them, or "or", "to", "and", or both.

    Example:
        >>> [[label[0] for label in run] for run in runs("‘a’ or ‘b’. Of ‘c’, ‘d’, or ‘e’.")]
        [['‘c’', '‘d’', '‘e’']]
    """
    run: list[re.Match[str]] = []
    for label in labels(text):
        if run and not _BETWEEN.fullmatch(text, run[-1].end(), label.start()):
            if len(run) >= least:
                yield run
            run = []
        run.append(label)
    if len(run) >= least:
        yield run
