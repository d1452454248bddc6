"""Personas from files in the formats of PersonaChat (Zhang et al., 2018): ParlAI's text, and JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from metricsengine.errors import ConfigError
from metricsengine_dynamics.prompting.personas import AgentPersona
from metricsengine_dynamics.prompting.second_person import second_person

_LINE = re.compile(r"\s*(\d+)\s(.*)", re.DOTALL)
_OF = re.compile(r"(your|partner's) persona:(.*)", re.DOTALL | re.IGNORECASE)

KEY = "personality"
"""Key of a persona's sentences in JSON."""


def read_personas(path: Path) -> list[AgentPersona]:
    """The personas of a file, each once, in the second person.

    Text has a numbered line for each sentence, ``1 your persona: i like to remodel homes.``, or ``partner's persona:``;
    numbers begin anew with each dialogue, whose own lines are passed over. JSON, in ``.json`` or one object a line in
    ``.jsonl``, has lists of sentences under ``personality``, as a list of dialogues or such lists by name.

    Args:
        path: The file.

    Returns:
        At least one persona; those of the same sentences, in whatever order, are one. Named by their number.

    Raises:
        ConfigError: The file cannot be read, or holds no persona; names it, and the line or the entry.
    """
    try:
        content = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}; give UTF-8 text") from error
    readers = {".json": _json, ".jsonl": _jsonl, ".ndjson": _jsonl}
    found: dict[frozenset[str], str] = {}
    for sentences in filter(None, readers.get(path.suffix.lower(), _text)(content, path)):
        told = [second_person(sentence) for sentence in sentences]
        found.setdefault(frozenset(told), " ".join(told))
    if not found:
        raise ConfigError(
            f"{path}: holds no persona; lines are to read like '1 your persona: i like to remodel homes.'"
        )
    return [AgentPersona(f"persona {i}", text) for i, text in enumerate(found.values(), start=1)]


def _text(content: str, path: Path) -> Iterator[list[str]]:
    """The personas of each dialogue."""
    personas: dict[str, list[str]] = {}
    last = 0
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip():
            continue
        numbered = _LINE.fullmatch(line)
        if not numbered:
            raise ConfigError(f"{path}, line {number}: does not begin with a number, as '1 your persona: ...' does")
        if int(numbered[1]) <= last:
            yield from personas.values()
            personas = {}
        last = int(numbered[1])
        if said := _OF.fullmatch(numbered[2]):
            personas.setdefault(said[1].lower(), []).append(_sentence(said[2], f"{path}, line {number}"))
    yield from personas.values()


def _json(content: str, path: Path) -> Iterator[list[str]]:
    yield from _personalities(_parsed(content, path), f"{path}, ")


def _jsonl(content: str, path: Path) -> Iterator[list[str]]:
    for number, line in enumerate(content.split("\n"), start=1):
        if line.strip():
            yield from _personalities(_parsed(line, path, number), f"{path}, line {number}, ")


def _parsed(text: str, path: Path, line: int = 1) -> Any:  # whatever JSON holds
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{path}, line {line + error.lineno - 1}: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # thousands of digits and of brackets are no JSON for Python
        raise ConfigError(f"{path}, line {line}: {str(error) or 'nested too deeply'}") from error


def _personalities(content: Any, where: str, entry: str = "") -> Iterator[list[str]]:
    """The lists of sentences of a dialogue, of a list of dialogues, or of such lists by name."""
    if isinstance(content, Mapping) and KEY in content:
        sentences = content[KEY]
        if not isinstance(sentences, list) or not all(isinstance(sentence, str) for sentence in sentences):
            raise ConfigError(f"{where}{entry or 'entry'}: {KEY} must be a list of sentences")
        yield [_sentence(sentence, f"{where}{entry or 'entry'}") for sentence in sentences]
    elif isinstance(content, list):
        for i, one in enumerate(content):
            yield from _personalities(one, where, f"{entry}[{i}]")
    elif isinstance(content, Mapping) and content and not entry:
        for name, some in content.items():
            yield from _personalities(some, where, str(name))
    else:
        raise ConfigError(f"{where}{entry or 'content'}: no dialogue with a {KEY}, got {type(content).__name__}")


def _sentence(said: str, where: str) -> str:
    if not re.search(r"\w", said):
        raise ConfigError(f"{where}: a sentence of a persona is empty")
    return said
