"""Hydra's troubles, each as one line; and texts that get through its grammar unharmed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import assume, given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from metricsengine.launch import quoted

INTERPOLATIONS = ("${x}", "${oc.env:HOME}")
PIECES = (*INTERPOLATIONS, *"\\'\"$,=#%()[]{}:~@!é日\n\t a")


@given(st.lists(st.sampled_from(PIECES), max_size=10).map("".join))
def test_a_quoted_text_comes_out_as_it_went_in(text: str) -> None:
    rest = text
    for piece in INTERPOLATIONS:
        rest = rest.replace(piece, "")
    assume("${" not in rest)  # half an interpolation is what OmegaConf cannot hold
    override = OverridesParser.create().parse_override(f"key={quoted(text)}")
    tree = OmegaConf.create({"key": ""})
    OmegaConf.update(tree, "key", override.value())
    assert OmegaConf.to_container(tree, resolve=True) == {"key": text}


@pytest.mark.parametrize(
    ("file", "content", "word", "line"),
    [
        ("model/x.yaml", "words: [1", "model=x", "not YAML: .*conf/model/x.yaml.*"),
        ("experiment/x.yaml", "a: {", "experiment=x", "not YAML: .*conf/experiment/x.yaml.*"),
        ("model/x.yaml", b"a: \xe9", "model=x", ".*conf/model/x.yaml is not UTF-8"),
        ("model/x.yaml", "- 1", "model=x", ".*"),
        ("model/x.yaml", "defaults: [parot, _self_]", "model=x", "unknown model 'parot': did you mean 'parrot'.*"),
        ("model/x.yaml", "defaults: [parrot, _self_]\nwrds: 2", "model=x", ".*unknown key of model 'wrds': did you .*"),
        ("model/x.yaml", "defaults: [parrot, _self_]\nwords: many", "model=x", "model/x: Value 'many' .*words.*"),
        ("experiment/x.yaml", "# @package _global_\nsed: 3", "experiment=x", "experiment/x: unknown key 'sed'.*"),
        (
            "experiment/x.yaml",
            "# @package _global_\ndefaults: [{override /study: diary}, {/mood: two}]",
            "experiment=x",
            "In experiment/x: Override 'study : diary' is defined before 'mood: two'. Overrides must be at the end .*",
        ),
        ("mood/x.toml", "moods = [1]", "mood=x", ".*conf/mood/x.toml, key moods.0: .*string.*"),
        ("mood/x.toml", "moods = ['a'", "mood=x", ".*conf/mood/x.toml: Unclosed array.*"),
        ("mood/two.toml", "moods = ['b']", "mood=two", "two sets are called mood=two: .*diary/.* and .*; rename one"),
        ("model/parrot.yaml", "words: 2", "seed=1", "two options are called model=parrot: plugin 'diary' of .*"),
        ("model/loud_parrot.yaml", "words: 2", "seed=1", "two options .* plugin 'diary' of .*; and .*; rename one"),
    ],
)
def test_a_file_of_the_users_own_that_is_wrong(
    diary: Callable[..., Any],
    metricsengine: Callable[..., Any],
    own_conf: Callable[[Mapping[str, str | bytes]], None],
    file: str,
    content: str | bytes,
    word: str,
    line: str,
) -> None:
    own_conf({file: content})
    ended = metricsengine(word) if word.startswith("experiment") else diary(word)
    assert (ended.status, ended.out) == (2, "")
    assert re.fullmatch(line.replace("[", r"\["), ended.line), ended.line


def test_exit_status_of_another_run_in_the_same_process_is_its_own(diary: Callable[..., Any]) -> None:
    assert diary("metric=exaggeration").status == 2
    assert diary().status == 0


@pytest.mark.parametrize("words", [(), ("-m", "seed=1,2")])
def test_an_address_with_a_password_is_refused_before_anything_is_written(
    diary: Callable[..., Any], tmp_path: Path, words: tuple[str, ...]
) -> None:
    refused = diary(*words, "model.base_url=[http://one:8000,https://me:hushhush@two/v1]")
    assert refused.status == 2
    assert re.fullmatch("model.base_url holds a password.*", refused.line)
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and b"hushhush" in file.read_bytes()]


def test_a_configuration_is_kept_only_once_it_is_right(diary: Callable[..., Any], tmp_path: Path) -> None:
    assert diary("hydra.run.dir=here", "metric=exaggeration").status == 2
    assert not list(tmp_path.rglob(".hydra"))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["model=[parrot,loud_parrot]"], "one model can be chosen, got parrot, loud_parrot"),
        (["study=[diary,other]"], "one study can be chosen, got diary, other"),
        (["-m", "model=parrot,[loud_parrot,parrot]"], "one model can be chosen, got loud_parrot, parrot"),
    ],
)
def test_of_a_group_with_one_choice_several_are_refused(diary: Callable[..., Any], words: list[str], line: str) -> None:
    ended = diary(*words)
    assert (ended.status, ended.line) == (2, line)


def test_one_in_a_list_is_one(diary: Callable[..., Any]) -> None:
    assert diary("model=[parrot]").status == 0


def test_an_assertion_of_hydra_s_is_told_as_it_stands(diary: Callable[..., Any]) -> None:
    ended = diary("-m", "seed=1,2", "hydra.sweeper.max_batch_size=0")
    assert ended.status == 2
    assert "expects: assert max_batch_size is None or max_batch_size > 0 (" in ended.line
