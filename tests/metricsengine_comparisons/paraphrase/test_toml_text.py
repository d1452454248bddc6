"""Sets written as the TOML files that they would be read from."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metricsengine.host import Host
from metricsengine.sets import find_sets, load_set, validate
from metricsengine_comparisons.paraphrase.toml_text import content, toml

CONF = Path(__file__).resolve().parents[3] / "conf"
GROUPS = {group: spec for group, spec in Host().specs("sets").items() if spec.texts is not None}
FOUND = find_sets(GROUPS, [CONF])

KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
ATOMS = st.one_of(TEXTS, st.integers(-(2**60), 2**60), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))
TREES: st.SearchStrategy[Any] = st.recursive(
    ATOMS, lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=3), max_leaves=12
)


@dataclass
class Inner:
    value: float = 1.0
    note: str = ""


@dataclass
class Outer:
    title: str
    inner: Inner = field(default_factory=Inner)
    several: list[Inner] = field(default_factory=list)
    free: Mapping[str, Any] = field(default_factory=dict)
    none: str | None = None


@given(st.dictionaries(KEYS, TREES, max_size=4))
def test_what_is_written_is_what_is_read(free: dict[str, Any]) -> None:
    assert tomllib.loads(toml(Outer("T", free=free))) == {"title": "T", **({"free": free} if free else {})}


@given(TEXTS)
def test_any_text_stays_as_it_is(text: str) -> None:
    assert tomllib.loads(toml(Outer(text)))["title"] == text


def test_defaults_are_left_out_and_tables_come_last() -> None:
    outer = Outer("Two\nlines", Inner(2.0), [Inner(note="a"), Inner(3.0)], {"a b": {"c": [1, 2]}})
    assert toml(outer).splitlines() == [
        'title = """',
        "Two",
        'lines"""',
        "",
        "[inner]",
        "value = 2.0",
        "",
        "[[several]]",
        'note = "a"',
        "",
        "[[several]]",
        "value = 3.0",
        "",
        "[free]",
        "",
        '[free."a b"]',
        "c = [1, 2]",
    ]


@pytest.mark.parametrize(("group", "name"), [(group, name) for group in FOUND for name in FOUND[group]])
def test_every_set_with_prompts_comes_back(group: str, name: str) -> None:
    value = load_set(GROUPS[group], FOUND[group][name]).value
    assert validate(GROUPS[group].type, tomllib.loads(toml(value)), "it") == value
    assert tomllib.loads(toml(value)) == content(value)
