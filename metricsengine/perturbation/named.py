"""Named sets whose prompts are perturbed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from typing import TypeVar

from metricsengine.errors import ConfigError
from metricsengine.perturbation.kinds import PERTURBATIONS, named
from metricsengine.perturbation.naming import based, join
from metricsengine.sets import NamedSet, SetFile, SetSpec, choose, load_set

T = TypeVar("T")

_UNCHANGED = "changes nothing there, so that a sensitivity to it would be 0 by construction"


def load_named(spec: SetSpec, files: Mapping[str, SetFile], name: str) -> NamedSet:
    """Read the set of that name, or ``NAME+KIND`` with its prompts perturbed.

    Args:
        spec: The group.
        files: Its set files by name.
        name: Which.

    Raises:
        ConfigError: There is none, it is broken, or it cannot be perturbed so.
    """
    base, kinds = based(name, files)
    chosen = load_set(spec, choose(files, spec.group, base))
    return perturbed(spec, chosen, kinds) if kinds else chosen


def perturbed(spec: SetSpec, chosen: NamedSet, kinds: tuple[str, ...]) -> NamedSet:
    """A set with its prompts perturbed, by each kind in turn.

    Args:
        spec: Its group.
        chosen: The set.
        kinds: What is done to it, such as ``("case", "newlines")``.

    Returns:
        The set under the name ``NAME+KIND+KIND``; the digest of its file is of the bytes and the kinds.

    Raises:
        ConfigError: A kind is unknown, the group holds no prompts, or a kind changes none of them.
    """
    called = f"{spec.group}={join(chosen.name, kinds)}"
    if spec.texts is None:
        raise ConfigError(f"{called}: sets of the group {spec.group} hold no prompts that could be perturbed")
    value = _changed(chosen.value, kinds, called, spec.texts)
    file = replace(chosen.file, name=join(chosen.name, kinds), digest=digest(chosen.file, kinds))
    return replace(chosen, file=file, value=value)


@lru_cache(maxsize=256)
def perturbed_text(text: str, kinds: tuple[str, ...], called: str) -> str:
    """A text put through each kind in turn.

    Args:
        text: The text.
        kinds: What is done to it.
        called: What the perturbed text is called, for errors.

    Raises:
        ConfigError: A kind is unknown, or changes nothing.

    Example:
        >>> perturbed_text("Reply with ’yes’.", ("case", "apostrophes"), "template 1+case+apostrophes")
        'Reply with YES.'
    """
    return _changed(text, kinds, called, lambda text, change: change(text))


def digest(file: SetFile, kinds: tuple[str, ...]) -> str:
    """Digest of a file whose prompts are perturbed."""
    return blake2b(join(file.digest, kinds).encode(), digest_size=8).hexdigest()


def _changed(value: T, kinds: tuple[str, ...], called: str, texts: Callable[[T, Callable[[str], str]], T]) -> T:
    for kind in kinds:
        change = named(kind, called)
        try:
            told = texts(value, change)
        except ValueError as error:  # a dataclass may check itself when it is made
            raise ConfigError(f"{called}: after {kind}, {error}") from error
        if told == value:
            raise ConfigError(f"{called}: {kind} {_UNCHANGED}; {_instead(value, texts)}")
        value = told
    return value


def _instead(value: T, texts: Callable[[T, Callable[[str], str]], T]) -> str:
    others = []
    for name, change in PERTURBATIONS.items():
        with suppress(ValueError):
            others += [name] if texts(value, change) != value else []
    return f"choose one that does: {', '.join(others)}" if others else "nor does any other"
