"""Named sets whose prompts are perturbed, and how they are chosen."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from metricsengine.config import Configuration, application_conf
from metricsengine.errors import ConfigError
from metricsengine.host import Host
from metricsengine.metric import MetricSpec
from metricsengine.perturbation import PERTURBATIONS, load_named, perturbed
from metricsengine.sets import SetFile, SetSpec, find_sets, load_set
from metricsengine.settings import Settings
from metricsengine.stored import kept_sets
from metricsengine.study import StudySpec


@dataclass(frozen=True)
class Play:
    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012 - as pydantic reads it

    title: str
    lines: list[str]

    def __post_init__(self) -> None:
        if "’GO’" in self.lines:
            raise ValueError("nobody shouts")


@dataclass
class NoConf:
    n: int = 1


@dataclass
class StageConf:
    names: list[str] = field(default_factory=list)


def through(play: Play, change: Callable[[str], str]) -> Play:
    return replace(play, lines=[change(line) for line in play.lines])


PLAY = SetSpec("play", Play, texts=through)
PROPS = SetSpec("props", Play)
FILES = {
    "play/base.toml": 'title = "Base: yes."\nlines = ["Say ’yes’,\\n{name}.", "Go"]\n',
    "play/base+mine.toml": 'title = "Mine"\nlines = ["Utter ’yes’, {name}."]\n',
    "play/loud.toml": 'title = "Loud"\nlines = ["’go’"]\n',
    "props/base.toml": 'title = "Hat"\nlines = ["A hat."]\n',
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, dict[str, SetFile]]:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return find_sets(["play", "props"], [tmp_path])


def test_the_prompts_alone_are_perturbed(files: dict[str, dict[str, SetFile]]) -> None:
    chosen = load_named(PLAY, files["play"], "base+case+newlines")
    assert chosen.name == "base+case+newlines"
    assert chosen.value == Play("Base: yes.", ["Say ’YES’,{name}.", "Go"])
    assert chosen.file.path == files["play"]["base"].path


def test_a_plain_name_is_the_file(files: dict[str, dict[str, SetFile]]) -> None:
    assert load_named(PLAY, files["play"], "base") == load_set(PLAY, files["play"]["base"])


def test_the_digest_tells_file_and_kinds_apart(files: dict[str, dict[str, SetFile]]) -> None:
    base = load_set(PLAY, files["play"]["base"])
    other = replace(base, file=replace(base.file, digest="0" * 16))
    kinds = [("case",), ("case", "newlines"), ("newlines", "case"), ("newlines",), ("spaces",), ("spaces2",)]
    digests = [perturbed(PLAY, chosen, kind).file.digest for chosen in (base, other) for kind in kinds]
    assert len({base.file.digest, *digests}) == 1 + 2 * len(kinds)
    assert perturbed(PLAY, base, ("case",)).file.digest == digests[0]


def test_the_longest_name_of_a_file_is_what_is_perturbed(files: dict[str, dict[str, SetFile]]) -> None:
    assert load_named(PLAY, files["play"], "base+mine").value.title == "Mine"
    assert load_named(PLAY, files["play"], "base+mine+apostrophes").value.lines == ["Utter yes, {name}."]


@pytest.mark.parametrize(
    ("spec", "name", "message"),
    [
        (PLAY, "bse+case", "unknown play 'bse': did you mean 'base'? Known: base, base+mine, loud"),
        (PLAY, "base+cse", "play=base+cse: unknown perturbation 'cse': did you mean 'case'"),
        (PLAY, "base+case+", "play=base+case+: unknown perturbation ''"),
        (PLAY, "base+case2", "play=base+case2: case draws nothing at random; leave out the 2"),
        (
            PLAY,
            "base+options",
            "play=base+options: options changes nothing there, so that a sensitivity to it would be",
        ),
        (PLAY, "base+newlines+newlines", "newlines changes nothing there"),
        (PLAY, "loud+case", "play=loud+case: after case, nobody shouts"),
        (PROPS, "base+case", "props=base+case: sets of the group props hold no prompts that could be perturbed"),
    ],
)
def test_what_cannot_be_perturbed(files: dict[str, dict[str, SetFile]], spec: SetSpec, name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        load_named(spec, files[spec.group], name)
    assert "\n" not in str(caught.value)


def test_what_would_change_something_is_listed(files: dict[str, dict[str, SetFile]]) -> None:
    with pytest.raises(ConfigError) as caught:
        load_named(PLAY, files["play"], "base+options")
    listed = str(caught.value).rpartition("choose one that does: ")[2].split(", ")
    base = load_set(PLAY, files["play"]["base"])
    assert set(listed) == {kind for kind in PERTURBATIONS if through(base.value, PERTURBATIONS[kind]) != base.value}


def test_a_finished_run_finds_its_perturbed_sets(site: Any, tmp_path: Path) -> None:
    site.add_live("plays", sets=[PLAY])
    (tmp_path / "sets" / "play").mkdir(parents=True)
    (tmp_path / "sets" / "play" / "base.toml").write_text(FILES["play/base.toml"], encoding="utf-8")
    tree = OmegaConf.create({"play": {"base": "1", "base+newlines": "2", "gone+newlines": "3"}})
    found = kept_sets(site.host(), tree, tmp_path)["play"]
    assert [(chosen.name, chosen.value.lines[0]) for chosen in found] == [
        ("base", "Say ’yes’,\n{name}."),
        ("base+newlines", "Say ’yes’,{name}."),
    ]


class TestChoosing:
    @pytest.fixture
    def stage(self, site: Any, hydra_state: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
        """Composes a configuration with a study, a group of plays and a group of props."""
        monkeypatch.chdir(tmp_path)
        site.add(
            "plays",
            "import metricsengine\n@metricsengine.hookimpl\ndef metricsengine_config(): return ['twin_plays.conf']\n",
            files={"conf/__init__.py": "", **{f"conf/{name}": text for name, text in FILES.items()}},
        )
        site.add_live(
            "stage",
            studies=[StudySpec("stage", StageConf, lambda conf, inputs: None, tables=(), sets=("play", "props"))],
            metrics=[MetricSpec("applause", NoConf, lambda conf: None, table="T", measures=())],
            sets=[PLAY, PROPS],
        )

        def settings(*words: str) -> Settings:
            configuration = Configuration(site.host())
            base = ["study=stage", "~tracking", "experiment=none"]
            with initialize_config_dir(str(application_conf()), version_base="1.3"):
                return configuration.settings(compose("config", [*base, *words]))

        return settings

    def test_beside_the_set_itself(self, stage: Callable[..., Settings]) -> None:
        chosen = stage("play=[base,base+newlines,base+case+spaces2,base+mine]").sets["play"]
        assert [one.name for one in chosen] == ["base", "base+newlines", "base+case+spaces2", "base+mine"]
        assert chosen[1].value.lines == ["Say ’yes’,{name}.", "Go"]
        assert len({one.file.digest for one in chosen}) == 4

    def test_every_kind_is_a_word_of_the_command_line(self, stage: Callable[..., Settings]) -> None:
        names = [f"base+{kind}" for kind in PERTURBATIONS if kind not in ("options", "apostrophes_curly", "case_lower")]
        names.remove("base+synonyms")
        assert [one.name for one in stage(f"play=[{','.join(names)}]").sets["play"]] == names
        assert stage(f"study.names=[{','.join(names)}]").study.names == names
        assert stage("play=base+spaces12").sets["play"][0].name == "base+spaces12"

    @pytest.mark.parametrize(
        ("word", "message"),
        [
            ("play=[base,base+cse]", "play=base+cse: unknown perturbation 'cse'"),
            ("play=base+synonyms", "play=base+synonyms: synonyms changes nothing there"),
            ("props=base+case", "sets of the group props hold no prompts"),
        ],
    )
    def test_what_cannot_be_perturbed(self, stage: Callable[..., Settings], word: str, message: str) -> None:
        with pytest.raises(ConfigError, match=re.escape(message)):
            stage(word)

    def test_by_a_study_too(self, stage: Callable[..., Settings]) -> None:
        find = stage().find
        assert find("play", "base+punctuation").value.lines == ["Say ’yes’,\n{name}", "Go"]

    def test_no_perturbed_set_is_listed_as_an_option(self, stage: Callable[..., Settings], site: Any) -> None:
        assert Configuration(site.host()).options("play") == ["base", "base+mine", "loud"]


def test_perturbed_contexts_of_the_installed_plugins(
    hydra_state: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    installed = Configuration(Host())
    words = ["experiment=caricature_quick", "context=[online_forum,online_forum+trailing_space,interview+newlines]"]
    with initialize_config_dir(str(application_conf()), version_base="1.3"):
        plain, spaced, joined = installed.settings(compose("config", words)).sets["context"]
    assert spaced.value == replace(
        plain.value, **{key: f"{getattr(plain.value, key)} " for key in ("target", "without_topic", "description")}
    )
    assert joined.value.target.endswith("questions.Description: {description}Question: {topic}Answer:")
