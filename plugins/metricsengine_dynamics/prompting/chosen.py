"""The prompts and the debate of a run, from named sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from metricsengine.errors import ConfigError
from metricsengine.perturbation import perturbed, split
from metricsengine.sets import NamedSet, SetSpec
from metricsengine.study import StudyInputs
from metricsengine_dynamics.prompting.debate import Debate
from metricsengine_dynamics.prompting.prompts import TEMPLATES, FramingPrompts, PromptSet, Question, changed, without

GROUP = "prompt"

PROMPT_SETS = SetSpec(GROUP, PromptSet, "how agents put opinions into words, update and read them", texts=changed)


@dataclass(frozen=True)
class Prompts:
    """A complete set of prompts: what it varies is filled in, and what it removes is gone.

    Attributes:
        encode_discrete: Asks for a post that states an opinion in words; these texts and their slots are those of
            :class:`~metricsengine_dynamics.prompting.prompts.PromptSet`.
        encode_scalar: Asks for a post that states an opinion given as a number.
        dynamics: Shows a timeline and asks for an opinion.
        summary: Asks for a summary of a persona.
        post: How a post stands in a timeline.
        separator: What stands between two posts.
        scale: Phrases of the magnitudes 0 to 5.
        decode: Questions by which a text is decoded.
        framing: Prompts of the framing trials; None where the set has none.
    """

    encode_discrete: str
    encode_scalar: str
    dynamics: str
    summary: str
    post: str
    separator: str
    scale: tuple[str, ...]
    decode: tuple[Question, ...]
    framing: FramingPrompts | None = None


def chosen_prompts(names: Sequence[str], inputs: StudyInputs) -> dict[str, Prompts]:
    """The prompt sets of a run, complete, by name.

    Args:
        names: Names of sets, ``NAME+PERTURBATION`` among them; empty for the chosen sets of the group ``prompt``.
        inputs: Sets of the run.

    Raises:
        ConfigError: None is chosen, one is unknown, sets vary one another in a circle, a text is missing, or a
            perturbation changes nothing; names the file and the key.
    """
    names = names or [chosen.name for chosen in inputs.sets.get(GROUP, ())]
    if not names:
        raise ConfigError("this study needs prompts: add prompt=base, or study.prompts=[base]")
    return {name: _complete(name, inputs) for name in names}


def prompt_sources(names: Sequence[str], inputs: StudyInputs) -> dict[str, Path]:
    """The files of prompt sets that are read beside the chosen ones, those that they vary included, by ``prompt NAME``.

    The arguments and errors are those of :func:`chosen_prompts`.
    """
    chosen = {named.file.path for named in inputs.sets.get(GROUP, ())}
    names = names or [named.name for named in inputs.sets.get(GROUP, ())]
    files = [named.file for name in names for named in _line(_plain(name, inputs)[0], inputs)]
    return {f"{GROUP} {file.path.stem}": file.path for file in files if file.path not in chosen}


def alike(prompts: Mapping[str, Prompts | FramingPrompts]) -> list[str]:
    """One sentence for each set that says what one before it says: it is not compared with anything but itself.

    Args:
        prompts: What is asked, by name of the set; the framing prompts of a whole set are not, and do not count.
    """
    first: dict[str, Prompts | FramingPrompts] = {}
    sentences = []
    for name, given in prompts.items():
        asked = replace(given, framing=None) if isinstance(given, Prompts) else given
        if same := next((before for before, known in first.items() if known == asked), None):
            sentences.append(f"prompt set {name} is the same as {same} in every text: S is 0 by construction")
        else:
            first[name] = asked
    return sentences


def chosen_debate(inputs: StudyInputs) -> Debate:
    """The debate of a run.

    Raises:
        ConfigError: None is chosen, or several are.
    """
    chosen = inputs.sets.get("debate", ())
    if not chosen:
        raise ConfigError("this study needs a debate: add debate=economy")
    if len(chosen) > 1:
        raise ConfigError(f"this study needs one debate, got {', '.join(named.name for named in chosen)}; choose one")
    debate: Debate = chosen[0].value
    return debate


def _plain(name: str, inputs: StudyInputs) -> tuple[NamedSet, tuple[str, ...]]:
    """The set behind a name as it stands in its file, and the perturbations that the name asks for."""
    named = _found(name, inputs)
    if named.file.path.stem == name:
        return named, ()
    base, kinds = split(name)
    return _found(base, inputs), kinds


def _found(name: str, inputs: StudyInputs) -> NamedSet:
    chosen = inputs.sets.get(GROUP, ())
    return next((named for named in chosen if named.name == name), None) or inputs.find(GROUP, name)


def _complete(name: str, inputs: StudyInputs) -> Prompts:
    """The set of a name, completed by those that it varies, and then perturbed as a whole."""
    named, kinds = _plain(name, inputs)
    whole = _whole(_line(named, inputs))
    for key in (*TEMPLATES, "scale", "decode", "separator"):
        if getattr(whole, key) in ("", [], None):
            raise ConfigError(f"{named.file.path}, key {key}: missing; give it, or name under `of` a set that has it")
    if kinds:
        whole = perturbed(PROMPT_SETS, NamedSet(named.file, whole), kinds).value
    texts = {key: getattr(whole, key) for key in TEMPLATES}
    return Prompts(
        **texts,
        separator=whole.separator or "",
        scale=tuple(whole.scale),
        decode=tuple(whole.decode),
        framing=whole.framing,
    )


def _whole(line: Sequence[NamedSet]) -> PromptSet:
    """A set completed by those that it varies, which follow it, without what they remove."""
    own: PromptSet = line[0].value
    if len(line) > 1:
        given = _whole(line[1:])
        missing = (part.name for part in fields(own) if getattr(own, part.name) in ("", [], None))
        own = replace(own, **{key: getattr(given, key) for key in missing} | {"of": ""})
    return without(own)


def _line(named: NamedSet, inputs: StudyInputs) -> list[NamedSet]:
    """A set, the one that it varies, the one that this varies, and so on.

    Raises:
        ConfigError: The line ends in an unknown or perturbed set, or never.
    """
    line = [named]
    while varied := line[-1].value.of:
        where = f"{line[-1].file.path}, key of"
        if varied in (one.name for one in line):
            circle = " of ".join([*(one.name for one in line), varied])
            raise ConfigError(f"{where}: prompt sets vary one another in a circle, {circle}")
        try:
            given, kinds = _plain(varied, inputs)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from error
        if kinds:
            raise ConfigError(f"{where}: {varied!r} is perturbed; name a file, and perturb the set that varies it")
        line.append(given)
    return line
