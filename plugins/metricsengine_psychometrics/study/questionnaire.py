"""What the files under ``conf/questionnaire`` hold: how an item is put to a model, and how a personality is induced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Annotated, get_args

from pydantic import Field, StringConstraints

from metricsengine.errors import ConfigError, unknown
from metricsengine.perturbation import based, perturbed_text
from metricsengine.sets import NamedSet
from metricsengine_psychometrics.items.item import Family

_STRICT = {"extra": "forbid"}

_SLOT = re.compile(r"\{(\w+)\}")
_OPTIONS = frozenset({"options", "first_symbol", "last_symbol", "first_label", "last_label"})
_INDUCING = frozenset({"level", "trait", "explanation"})
_STATEMENT = frozenset({"statement", "sentence", "second_person"})
_SLOTS: Mapping[Family, frozenset[str]] = {
    "mcq": frozenset({"situation", "question"}),
    "likert": _STATEMENT,
    "yes_no": _STATEMENT,
}

Name = Annotated[str, StringConstraints(pattern=r"\S")]


def filled(text: str, slots: Mapping[str, str]) -> str:
    """The text with its slots filled in one pass: whatever braces the values contain stay as they are.

    Example:
        >>> filled("{question} {options}", {"question": "What is {options}?", "options": "A. {}"})
        'What is {options}? A. {}'
    """
    return _SLOT.sub(lambda found: slots.get(found[1], found[0]), text)


@dataclass(frozen=True)
class Template:
    """One prompt template of a family.

    Slots of ``text``: ``{situation}`` and ``{question}`` (``mcq``); ``{statement}`` as the item has it,
    ``{sentence}``, closed by a full stop, and ``{second_person}``, "You ..." (``likert``, ``yes_no``); ``{options}``;
    and ``{first_symbol}``, ``{last_symbol}``, ``{first_label}``, ``{last_label}`` for templates that name only the
    ends of a scale. Slots of ``option``: ``{symbol}`` and ``{text}``.

    Attributes:
        text: The prompt.
        symbols: What the options are called, in the order in which they stand; the first of them where there are
            fewer options.
        labels: Texts of the options in the order ``normal``, one list for each number of points (``likert``, from most
            to least agreement) or one list alone (``yes_no``: yes first). An empty label is not shown.
        option: How one option is written.
        separator: What stands between two options.
    """

    __pydantic_config__ = _STRICT

    text: str
    symbols: Annotated[list[Name], Field(min_length=2)]
    labels: list[list[str]] = field(default_factory=list)
    option: str = "{symbol}. {text}"
    separator: str = "\n"

    def __post_init__(self) -> None:
        if len(set(self.symbols)) < len(self.symbols):
            raise ValueError("two symbols are the same")
        _check_slots(self.option, ("symbol", "text"), ("symbol",))
        if any(len(labels) > len(self.symbols) for labels in self.labels):
            raise ValueError(f"more labels than the {len(self.symbols)} symbols")
        if len({len(labels) for labels in self.labels}) < len(self.labels):
            raise ValueError("two lists of labels for the same number of points")

    def labelled(self, points: int) -> list[str] | None:
        """The labels of a scale of that many points; None where there are none."""
        return next((labels for labels in self.labels if len(labels) == points), None)

    def check(self, family: Family) -> None:
        """Refuse what an item of the family cannot be put into.

        Raises:
            ValueError: A slot is unknown or missing, symbols or labels are too few.
        """
        _check_slots(self.text, _SLOTS[family] | _OPTIONS, _SLOTS[family], _OPTIONS)
        if family == "mcq" and len(self.symbols) != 4:
            raise ValueError(f"an item has four options, got {len(self.symbols)} symbols")
        if family == "likert" and not self.labels:
            raise ValueError("lacks labels, from most to least agreement")
        if family == "yes_no" and [len(labels) for labels in self.labels] != [2]:
            raise ValueError("needs one list of two labels: yes, no")


@dataclass(frozen=True)
class Explanation:
    """What a high and a low level of a trait look like, in a sentence or two."""

    __pydantic_config__ = _STRICT

    high: Name
    low: Name


@dataclass(frozen=True)
class Questionnaire:
    """One file of templates and techniques (TRAIT, sections 2 and 4.2, Tables 26 to 28).

    Attributes:
        title: What it is, in one line.
        template: Templates by family and name.
        open: By family, how an item is put without options.
        technique: Texts that induce a personality, by name: ``{level}``, ``{trait}`` and ``{explanation}``, which is
            left out with the space before it where the trait has none.
        explanation: Explanations of levels, by trait.
        source: Where it was taken from.
    """

    __pydantic_config__ = _STRICT

    title: str
    template: Mapping[Family, Mapping[str, Template]]
    open: Mapping[Family, str] = field(default_factory=dict)
    technique: Mapping[str, str] = field(default_factory=dict)
    explanation: Mapping[str, Explanation] = field(default_factory=dict)
    source: str = ""

    def __post_init__(self) -> None:
        for family, templates in self.template.items():
            for name, template in templates.items():
                with _within(f"template.{family}.{name}"):
                    template.check(family)
        for family, text in self.open.items():
            with _within(f"open.{family}"):
                _check_slots(text, _SLOTS[family], _SLOTS[family])
        for name, text in self.technique.items():
            with _within(f"technique.{name}"):
                _check_slots(text, _INDUCING, _INDUCING)

    def template_of(self, family: Family, name: str) -> Template:
        """A template; ``NAME+PERTURBATION`` is the one of that name with its text perturbed, its options as they are.

        Raises:
            ConfigError: There is none of that name, which lists near matches; or it cannot be perturbed so.
        """
        templates = self.template.get(family)
        if not templates:
            raise ConfigError(
                f"no chosen questionnaire has templates of {family} items; add one that has: questionnaire=[NAME,trait]"
            )
        base, kinds = based(name, templates)
        if base not in templates:
            raise ConfigError(f"study.templates: {unknown(f'template of {family} items', base, templates)}")
        template = templates[base]
        if not kinds:
            return template
        called = f"study.templates: template {name} of {family} items"
        return replace(template, text=perturbed_text(template.text, kinds, called))

    def open_of(self, family: Family) -> str:
        """How an item is put without options.

        Raises:
            ConfigError: The questionnaire does not say.
        """
        if family not in self.open:
            raise ConfigError(
                f"study.answer=open: no chosen questionnaire says under open.{family} how such items are put"
            )
        return self.open[family]

    def inducing(self, technique: str, level: str, trait: str) -> str:
        """The text that induces a level, ``high`` or ``low``, of a trait.

        Raises:
            ConfigError: There is no technique of that name; lists near matches.
        """
        if technique not in self.technique:
            raise ConfigError(f"study.techniques: {unknown('technique', technique, self.technique)}")
        text, known = self.technique[technique], self.explanation.get(trait)
        if known is None:
            text = re.sub(r" ?\{explanation\}", "", text).strip()
            return filled(text, {"level": level, "trait": trait})
        explanation = known.high if level == "high" else known.low
        return filled(text, {"level": level, "trait": trait, "explanation": explanation})


def merged(chosen: Sequence[NamedSet]) -> Questionnaire:
    """Several questionnaires as one: what the first lacks is taken from the next.

    Raises:
        ConfigError: None was chosen.
    """
    if not chosen:
        raise ConfigError("no questionnaire was chosen: add questionnaire=NAME")
    found: list[Questionnaire] = [one.value for one in reversed(chosen)]
    return Questionnaire(
        title=" + ".join(one.value.title for one in chosen),
        template={
            family: {name: template for one in found for name, template in one.template.get(family, {}).items()}
            for family in get_args(Family)
        },
        open={family: text for one in found for family, text in one.open.items()},
        technique={name: text for one in found for name, text in one.technique.items()},
        explanation={trait: texts for one in found for trait, texts in one.explanation.items()},
    )


def _check_slots(text: str, allowed: Iterable[str], *needed: Iterable[str]) -> None:
    """Refuse unknown slots, and a text that has none of each of ``needed``."""
    found, known = set(_SLOT.findall(text)), set(allowed)
    if strange := sorted(found - known):
        raise ValueError(f"unknown slot {{{strange[0]}}}; known here: {_braced(known)}")
    for slots in needed:
        if found.isdisjoint(slots):
            raise ValueError(f"lacks a slot: {_braced(slots)}")


def _braced(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))


@contextmanager
def _within(key: str) -> Iterator[None]:
    """Name the key that a value is wrong for."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from error
