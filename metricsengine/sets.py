"""Named sets: personas, topics, contexts and prompts live in TOML files and are chosen by file name.

Their texts hold commas, quotes, newlines, ``=``, ``%``, ``#`` and ``${``, so they are read by a plain loader and never
travel through an override or an interpolation.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metricsengine.errors import ConfigError, unknown


@dataclass(frozen=True, slots=True)
class SetSpec:
    """Registers a group of named sets.

    Attributes:
        group: Name of the group and of the folder under ``conf``; ``GROUP=NAME`` chooses a file.
        type: Dataclass of one file's content. Give it ``__pydantic_config__ = {"extra": "forbid"}``, so that a
            misspelt key is an error.
        doc: One line for ``metricsengine plugins``.
        texts: Where its prompts can be perturbed: from a set's value and a function of texts to the value with every
            prompt template put through the function, placeholders included; None where perturbing makes no sense.
    """

    group: str
    type: type[Any]
    doc: str = ""
    texts: Callable[[Any, Callable[[str], str]], Any] | None = None


@dataclass(frozen=True, slots=True)
class SetFile:
    """A file that holds a named set.

    Attributes:
        group: Its group.
        name: Its name: the file's stem.
        path: Where it lies.
        digest: Hash of its bytes; part of the resolved configuration, so that a changed set is seen.
    """

    group: str
    name: str
    path: Path
    digest: str


@dataclass(frozen=True, slots=True)
class NamedSet:
    """A named set, read and checked: an instance of its group's dataclass beside the file it came from.

    Attributes:
        file: The file.
        value: Its content.
        texts: Where its prompts are, as the group's :class:`SetSpec` says it.
    """

    file: SetFile
    value: Any
    texts: Callable[[Any, Callable[[str], str]], Any] | None = None

    @property
    def name(self) -> str:
        """Name by which it was chosen."""
        return self.file.name


def find_sets(groups: Iterable[str], roots: Iterable[Path]) -> dict[str, dict[str, SetFile]]:
    """Set files by group and name, under ``ROOT/GROUP/NAME.toml`` of every root.

    Raises:
        ConfigError: Two roots hold a set of one name with different content.
    """
    found: dict[str, dict[str, SetFile]] = {group: {} for group in groups}
    for root in roots:
        for group, by_name in found.items():
            for path in sorted((root / group).glob("*.toml")):
                new = SetFile(group, path.stem, path, hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest())
                known = by_name.setdefault(new.name, new)
                if known.digest != new.digest:
                    raise ConfigError(f"two sets are called {group}={new.name}: {known.path} and {path}; rename one")
    return found


def load_set(spec: SetSpec, file: SetFile) -> NamedSet:
    """Read and check one set.

    Raises:
        ConfigError: Not TOML, or not what the group's dataclass says; names the file and the key.
    """
    try:
        content = tomllib.loads(file.path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file.path}: {error}") from error
    return NamedSet(file, validate(spec.type, content, str(file.path)), spec.texts)


def validate(type_: type[Any], content: Mapping[str, Any], where: str) -> Any:
    """An instance of a dataclass from plain data, strictly.

    Raises:
        ConfigError: A key is unknown, missing or ill-typed; names the first one.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(type_).validate_python(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"]) or "content"
        raise ConfigError(f"{where}, key {key}: {first['msg'].removeprefix('Value error, ')}") from error


def choose(found: Mapping[str, SetFile], group: str, name: str) -> SetFile:
    """The set file of that name.

    Raises:
        ConfigError: There is none; lists near matches.
    """
    if name not in found:
        raise ConfigError(unknown(group, name, found))
    return found[name]
