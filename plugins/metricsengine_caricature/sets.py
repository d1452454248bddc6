"""What the files under ``conf/persona``, ``conf/topic`` and ``conf/context`` hold, and which of them go together."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from string import Formatter
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from metricsengine.errors import ConfigError
from metricsengine.perturbation import split
from metricsengine.sets import NamedSet, SetSpec, find_sets, load_set

_STRICT = {"extra": "forbid"}

_PERSONA = frozenset({"persona", "a_persona", "A_persona", "adjective"})
_DESCRIBED = _PERSONA | {"description"}


def _placeholders(text: str, allowed: Iterable[str]) -> set[str]:
    try:
        parts = list(Formatter().parse(text))
    except ValueError as error:
        raise ValueError(f"{error}; a brace that is no placeholder is written twice") from error
    for _, name, spec, conversion in parts:
        if name is not None and (spec or conversion or name not in allowed):
            raise ValueError(f"unknown placeholder {{{name}}}; known here: {_braced(allowed)}")
    return {name for _, name, _, _ in parts if name is not None}


def _braced(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))


def _template(allowed: frozenset[str], *needed: frozenset[str]) -> AfterValidator:
    """Checks a text for placeholders: only ``allowed`` ones, and at least one of each of ``needed``."""

    def check(text: str) -> str:
        found = _placeholders(text, allowed)
        for names in needed:
            if found.isdisjoint(names):
                raise ValueError(f"lacks a placeholder: {_braced(names)}")
        return text

    return AfterValidator(check)


Name = Annotated[str, StringConstraints(pattern=r"\S")]
Target = Annotated[str, _template(_DESCRIBED | {"topic", "is_are"}, _DESCRIBED, frozenset({"topic"}))]
WithoutTopic = Annotated[str, _template(_DESCRIBED, _DESCRIBED)]
Description = Annotated[str, _template(_PERSONA, _PERSONA)]
FollowUp = Annotated[str, _template(_PERSONA)]


def _refuse_repeats(kind: str, names: Iterable[str]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"{kind} {repeated[0]!r} occurs twice; estimates are kept apart by name")


@dataclass(frozen=True)
class Persona:
    """Whose opinion is simulated (CoMPosT, section 2).

    Attributes:
        name: As it stands in a prompt, without article: "20-year-old person".
        category: Group it is averaged in, and by which a context words the self-description: "age".
        adjective: The persona as an adjective, where a context needs one: "liberal"; its name stands in if empty.
        attributes: Its facets, where it is composed of several: {"age": "20-year-old", "gender": "woman"}.
    """

    __pydantic_config__ = _STRICT

    name: Name
    category: str = ""
    adjective: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Facets:
    """Personas composed of several attributes (CoMPosT, section 7): every combination of the values.

    Attributes:
        pattern: How a name is put together: "{age} {race} {gender}"; it uses every facet.
        values: Values of each facet, in the order in which they vary.
        category: Group of all of them.
    """

    __pydantic_config__ = _STRICT

    pattern: str
    values: Mapping[str, Annotated[list[Name], Field(min_length=1)]]
    category: str = "multifaceted"

    def __post_init__(self) -> None:
        unused = self.values.keys() - _placeholders(self.pattern, self.values)
        if unused:
            raise ValueError(f"the pattern leaves out {_braced(unused)}")

    def personas(self) -> Iterator[Persona]:
        """The composed personas, the last facet varying fastest."""
        for combination in itertools.product(*self.values.values()):
            attributes = dict(zip(self.values, combination, strict=True))
            yield Persona(self.pattern.format_map(attributes), self.category, attributes=attributes)


@dataclass(frozen=True)
class PersonaSet:
    """One file of personas.

    Attributes:
        title: What the set is, in one line.
        contexts: Names of the contexts, or of the families of contexts, that it fits; empty for all.
        source: Where it was taken from.
        persona: The personas, without the default persona, which the context names.
        facets: Personas to be composed beside them.
    """

    __pydantic_config__ = _STRICT

    title: str
    contexts: list[str] = field(default_factory=list)
    source: str = ""
    persona: list[Persona] = field(default_factory=list)
    facets: Facets | None = None

    def __post_init__(self) -> None:
        if not self.personas:
            raise ValueError("the set holds no persona")
        _refuse_repeats("persona", (persona.name for persona in self.personas))

    @property
    def personas(self) -> list[Persona]:
        """All of them, listed and composed."""
        return [*self.persona, *(self.facets.personas() if self.facets else ())]


@dataclass(frozen=True)
class Topic:
    """What a simulation is about (CoMPosT, section 2).

    Attributes:
        name: As it stands in a prompt.
        category: Group it is averaged in.
        kind: Whether the wording is general or specific (section 5.1).
        origin: Where it was collected: "WikiHow", "ProCon.org", "Pew Research".
        pair: The general topic that a specific one belongs to.
        number: Grammatical number, for "is" or "are".
        specificity: Level 1 (general) to 5 (section D.1.1).
    """

    __pydantic_config__ = _STRICT

    name: Name
    category: str = ""
    kind: Literal["general", "specific", ""] = ""
    origin: str = ""
    pair: str = ""
    number: Literal["singular", "plural"] = "singular"
    specificity: Annotated[int, Field(ge=1, le=5)] | None = None


@dataclass(frozen=True)
class TopicSet:
    """One file of topics.

    Attributes:
        title: What the set is, in one line.
        topic: The topics, without the default topic, which the context names.
        contexts: Names of the contexts, or of the families of contexts, that it fits; empty for all.
        source: Where it was taken from.
    """

    __pydantic_config__ = _STRICT

    title: str
    topic: Annotated[list[Topic], Field(min_length=1)]
    contexts: list[str] = field(default_factory=list)
    source: str = ""

    def __post_init__(self) -> None:
        _refuse_repeats("topic", (topic.name for topic in self.topic))


@dataclass(frozen=True)
class Context:
    """Where a simulation takes place: the wording of its prompts (CoMPosT, sections 2, 5 and Table A5).

    Placeholders: ``{persona}``; ``{a_persona}`` and ``{A_persona}`` with its article; ``{adjective}``;
    ``{description}``, the self-description of the persona's category; ``{topic}``; ``{is_are}`` by the topic's number.
    A brace that is no placeholder is written twice.

    Attributes:
        title: What the context is, in one line.
        target: Prompt of a simulation with persona and topic.
        without_topic: Prompt of the default topic; knows no ``{topic}`` and no ``{is_are}``.
        family: The context that this one is another wording of; sets that fit the one fit the other.
        default_persona: The unmarked persona, such as "person".
        default_topic: Label of the default topic; it is not put into any prompt.
        description: Self-description of a persona whose category has none of its own; knows the persona only.
        descriptions: Self-descriptions by category.
        follow_up: Further prompts of a simulation of several rounds (section 10), each sent after the reply before it;
            they know the persona only, so that targets and controls are asked alike.
        article: "a" or "an" by ``sound``, or, as the released generators have it, "an" before a ``capital_a`` alone.
        number: "is" or "are" by the ``topic``'s number, or, as the released generators have it, by its ``spelling``.
        response_format: ``open`` or ``multiple choice``, for the simulation card.
        source: Where it was taken from.
    """

    __pydantic_config__ = _STRICT

    title: str
    target: Target
    without_topic: WithoutTopic
    family: str = ""
    default_persona: Name = "person"
    default_topic: Name = "comment"
    description: Description = "I am {a_persona}."
    descriptions: Mapping[str, Description] = field(default_factory=dict)
    follow_up: list[FollowUp] = field(default_factory=list)
    article: Literal["sound", "capital_a"] = "sound"
    number: Literal["topic", "spelling"] = "topic"
    response_format: str = "open"
    source: str = ""


def through(context: Context, change: Callable[[str], str]) -> Context:
    """The context with each of its prompts changed, self-descriptions included."""
    return replace(
        context,
        target=change(context.target),
        without_topic=change(context.without_topic),
        description=change(context.description),
        descriptions={category: change(text) for category, text in context.descriptions.items()},
        follow_up=[change(text) for text in context.follow_up],
    )


def fits(chosen: NamedSet, context: NamedSet) -> bool:
    """Whether a persona or topic set may be used in a context: it lists the context, its family, or nothing.

    A context with perturbed prompts is still that context.
    """
    contexts: list[str] = chosen.value.contexts
    return not contexts or not {context.name, split(context.name)[0], context.value.family}.isdisjoint(contexts)


def check_fit(chosen: NamedSet, context: NamedSet) -> None:
    """Refuse a persona or topic set that does not fit the context.

    Raises:
        ConfigError: It does not; names the set, the context and the sets beside it that do.
    """
    if not fits(chosen, context):
        fitting = ", ".join(other.name for other in _neighbours(chosen) if fits(other, context)) or "none"
        raise ConfigError(
            f"{chosen.file.group}={chosen.name} does not fit context={context.name}: it is for"
            f" {', '.join(chosen.value.contexts)}. Sets that fit: {fitting}. Choose one of them, list the context in"
            f" {chosen.file.path}, or name its family in {context.file.path}"
        )


def _neighbours(chosen: NamedSet) -> Iterator[NamedSet]:
    group, folder = chosen.file.group, chosen.file.path.parent
    for file in find_sets([group], [folder.parent])[group].values():
        # A broken neighbour is not what the user asked about.
        with contextlib.suppress(ConfigError):
            yield load_set(SetSpec(group, type(chosen.value)), file)
