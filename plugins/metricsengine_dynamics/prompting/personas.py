"""Who agents are: personas from sets or files, and the handles under which they post."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, StringConstraints

from metricsengine.errors import ConfigError
from metricsengine.study import StudyInputs
from metricsengine_dynamics.prompting.handles import NAMES
from metricsengine_dynamics.prompting.options import AskingConf

if TYPE_CHECKING:
    import numpy as np

_STRICT = {"extra": "forbid"}

Text = Annotated[str, StringConstraints(pattern=r"\S")]


@dataclass(frozen=True)
class AgentPersona:
    """Who an agent is, apart from its opinion (Sense and Sensitivity, section 4).

    Attributes:
        name: What it is called in tables.
        text: A few sentences in the second person: "You like to remodel homes. ..."
    """

    __pydantic_config__ = _STRICT

    name: Text
    text: Text


@dataclass(frozen=True)
class AgentPersonaSet:
    """One file of personas.

    Attributes:
        title: What the set is, in one line.
        persona: The personas.
        source: Where it was taken from.
    """

    __pydantic_config__ = _STRICT

    title: Text
    persona: Annotated[list[AgentPersona], Field(min_length=1)]
    source: str = ""

    def __post_init__(self) -> None:
        for key in ("name", "text"):
            counted = Counter(getattr(persona, key) for persona in self.persona)
            if repeated := [value for value, n in counted.items() if n > 1]:
                raise ValueError(f"two personas have the {key} {repeated[0]!r}")


@dataclass(frozen=True)
class Inhabitant:
    """An agent of one run.

    Attributes:
        handle: Under which name it posts, "@rowan"; no other agent of the run has it.
        persona: Who it is.
    """

    handle: str
    persona: AgentPersona


@dataclass(frozen=True)
class PersonaPool:
    """Personas to draw from.

    Attributes:
        personas: At least one.
    """

    personas: Sequence[AgentPersona] = field(repr=False)

    def draw(self, n: int, rng: np.random.Generator) -> list[Inhabitant]:
        """Agents with different handles.

        Every persona is drawn once before any is drawn again.

        Args:
            n: Number of agents, >= 0.
            rng: Chance.
        """
        personas = [self.personas[i] for i in _rounds(n, len(self.personas), rng)]
        handles = [f"@{NAMES[i]}" for i in rng.permutation(len(NAMES))]
        return [Inhabitant(_handle(handles, i), persona) for i, persona in enumerate(personas)]


def chosen_personas(conf: AskingConf, inputs: StudyInputs) -> PersonaPool:
    """The personas of the configured file, or else of the chosen sets of the group ``agent_persona``.

    Raises:
        ConfigError: None is chosen, the file is broken, or two sets have different personas of one name.
    """
    if conf.persona_file:
        from metricsengine_dynamics.prompting.personachat import read_personas

        return PersonaPool(read_personas(_existing(conf.persona_file)))
    chosen = inputs.sets.get("agent_persona", ())
    if not chosen:
        raise ConfigError("this study needs personas of agents: add agent_persona=everyday, or study.persona_file=FILE")
    found: dict[str, AgentPersona] = {}
    for named in chosen:
        for persona in named.value.persona:
            if found.setdefault(persona.name, persona) != persona:
                raise ConfigError(f"{named.file.path}: another set has a persona {persona.name!r} too; rename one")
    return PersonaPool(list(found.values()))


def persona_sources(conf: AskingConf) -> dict[str, Path]:
    """The file of personas, by its key; empty where they come from sets."""
    return {"study.persona_file": Path(conf.persona_file).expanduser().absolute()} if conf.persona_file else {}


def _existing(file: str) -> Path:
    path = Path(file).expanduser()
    if not path.is_file():
        raise ConfigError(f"study.persona_file: {file!r} is no file; a set is chosen by agent_persona=NAME")
    return path


def _rounds(n: int, size: int, rng: np.random.Generator) -> list[int]:
    """``n`` indices below ``size``, each as often as any other, give or take one."""
    drawn: list[int] = []
    while len(drawn) < n:
        drawn += rng.permutation(size)[: n - len(drawn)].tolist()
    return drawn


def _handle(handles: Sequence[str], i: int) -> str:
    """A handle of its own for each agent; names that come again are numbered."""
    again, name = divmod(i, len(handles))
    return f"{handles[name]}{again + 1}" if again else handles[name]
