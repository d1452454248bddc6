"""A set as the TOML file that it would be read from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml(value: Any) -> str:
    """An instance of a group's dataclass as TOML; what has its default is left out.

    Args:
        value: Of texts, numbers, truth values, lists, mappings and dataclasses.
    """
    return "\n".join(_lines(content(value))).strip("\n") + "\n"


def content(value: Any) -> dict[str, Any]:
    """The plain data of a dataclass that is not its default."""
    given = ((field, getattr(value, field.name)) for field in fields(value))
    return {field.name: _plain(held) for field, held in given if held is not None and held != _default(field)}


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return content(value)
    if isinstance(value, Mapping):
        return {key: _plain(held) for key, held in value.items()}
    return [_plain(held) for held in value] if _is_list(value) else value


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_tables(value: Any) -> bool:
    return _is_list(value) and bool(value) and all(isinstance(held, Mapping) for held in value)


def _lines(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[str]:
    """The table's own keys first: what follows a heading belongs to it."""
    nested = {key for key, value in table.items() if isinstance(value, Mapping) or _is_tables(value)}
    yield from (f"{_key(key)} = {_inline(value)}" for key, value in table.items() if key not in nested)
    for key in (key for key in table if key in nested):
        below = (*path, key)
        name = ".".join(map(_key, below))
        each, heading = (table[key], f"[[{name}]]") if _is_list(table[key]) else ([table[key]], f"[{name}]")
        for one in each:
            yield from ("", heading)
            yield from _lines(one, below)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _quoted(key)


def _inline(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_inline(held)}" for key, held in value.items()) + "}"
    if _is_list(value):
        return f"[{', '.join(map(_inline, value))}]"
    return json.dumps(value)


def _text(text: str) -> str:
    """On lines of its own where it has several; the first line break belongs to the quotes."""
    if "\n" not in text:
        return _quoted(text)
    lines = "\n".join(_quoted(line)[1:-1] for line in text.split("\n"))
    return f'"""\n{lines}"""'


def _quoted(text: str) -> str:
    # JSON's escapes are TOML's, but for one control character that JSON lets stand.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
