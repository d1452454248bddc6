"""The kinds of perturbation by name, and the texts that they change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random

from metricsengine.errors import ConfigError, unknown
from metricsengine.perturbation import labels, marks, whitespace
from metricsengine.perturbation.spans import placeholders
from metricsengine.perturbation.synonyms import reworded
from metricsengine.seeds import derive

_NUMBERED = re.compile(r"([a-z_]+?)([2-9]|[1-9]\d+)")


@dataclass(frozen=True)
class Perturbation:
    """A way to write a prompt differently without changing what it says.

    Attributes:
        name: ``NAME+KIND`` applies it to a set or a template.
        doc: What it does, in one line.
        change: From a text and the number of a draw, from 1, to the perturbed text.
        drawn: Whether draws differ; ``KIND2`` is the second.
    """

    name: str
    doc: str
    change: Callable[[str, int], str]
    drawn: bool = False

    def __call__(self, text: str, draw: int = 1) -> str:
        """The perturbed text; the text as it is where its placeholders would not all be left."""
        told = self.change(text, draw)
        return told if placeholders(told) == placeholders(text) else text


def named(kind: str, where: str = "") -> Callable[[str], str]:
    """What a kind, or a draw of it, does to a text.

    Args:
        kind: Such as ``newlines`` or, for the second draw, ``spaces2``.
        where: Name of what is perturbed, for errors.

    Raises:
        ConfigError: There is no kind of that name, or it knows no draws.

    Example:
        >>> named("case")("Reply with ’yes’.")
        'Reply with ’YES’.'
    """
    if kind in PERTURBATIONS:
        return PERTURBATIONS[kind]
    name, draw = found.groups() if (found := _NUMBERED.fullmatch(kind)) else (kind, "")
    if name not in PERTURBATIONS:
        raise ConfigError(f"{where}: {unknown('perturbation', name, PERTURBATIONS)}".removeprefix(": "))
    if not PERTURBATIONS[name].drawn:
        raise ConfigError(f"{where}: {name} draws nothing at random; leave out the {draw}".removeprefix(": "))
    return partial(PERTURBATIONS[name], draw=int(draw))


def perturb(text: str, kinds: Iterable[str]) -> str:
    r"""A text put through the kinds, one after the other.

    Raises:
        ConfigError: There is no such kind.

    Example:
        >>> perturb("Don’t\nadd {topic}.", ["newlines_spaces", "apostrophes"])
        'Dont add {topic}.'
    """
    for kind in kinds:
        text = named(kind)(text)
    return text


def _plain(change: Callable[[str], str]) -> Callable[[str, int], str]:
    return lambda text, _: change(text)


def _random(name: str, draw: int, text: str) -> Random:
    return Random(derive("perturbation", name, draw, text))  # noqa: S311 - perturbs prompts, guards no secret


def _spaces(text: str, draw: int) -> str:
    return whitespace.spaces(text, _random("spaces", draw, text))


def _options(text: str, draw: int) -> str:
    order = labels.backwards if draw == 1 else partial(labels.shuffled, draw=_random("options", draw, text))
    return labels.reordered(text, order)


def _synonyms(text: str, draw: int) -> str:
    return reworded(text, None if draw == 1 else _random("synonyms", draw, text))


_KINDS = (
    Perturbation("newlines", "line breaks removed", _plain(whitespace.removed)),
    Perturbation("newlines_spaces", "a space for each line break", _plain(whitespace.spaced)),
    Perturbation("newlines_doubled", "each line break twice", _plain(whitespace.doubled)),
    Perturbation("spaces", "a second space in some gaps between words, drawn", _spaces, drawn=True),
    Perturbation("trailing_space", "a space at the end", _plain(partial(whitespace.ended_by, ending=" "))),
    Perturbation("trailing_newline", "a line break at the end", _plain(partial(whitespace.ended_by, ending="\n"))),
    Perturbation("apostrophes", "apostrophes removed, those that quote included", _plain(marks.apostrophes)),
    Perturbation("apostrophes_spaces", "a space for each apostrophe", _plain(partial(marks.apostrophes, by=" "))),
    Perturbation("apostrophes_straight", "straight apostrophes for curly ones", _plain(marks.straight)),
    Perturbation("apostrophes_curly", "curly apostrophes for straight ones", _plain(marks.curly)),
    Perturbation("punctuation", "no full stop or colon at the end of a line", _plain(marks.open_ended)),
    Perturbation(
        "case", "quoted labels and headings such as Answer: in capitals", _plain(partial(labels.cased, case=str.upper))
    ),
    Perturbation("case_lower", "the same in lower case", _plain(partial(labels.cased, case=str.lower))),
    Perturbation("case_capital", "the same with a capital first", _plain(partial(labels.cased, case=labels.capital))),
    Perturbation("options", "lists of quoted options backwards, in further draws shuffled", _options, drawn=True),
    Perturbation("synonyms", "words said by synonyms, in further draws by others", _synonyms, drawn=True),
)
PERTURBATIONS: Mapping[str, Perturbation] = {kind.name: kind for kind in _KINDS}
"""All kinds by name."""
