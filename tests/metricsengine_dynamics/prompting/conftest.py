"""The application's sets of prompts, debates and personas, and sets of a test's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from metricsengine.perturbation import load_named
from metricsengine.sets import NamedSet, SetFile, find_sets
from metricsengine.study import StudyInputs
from metricsengine_dynamics.prompting.asking import Asking
from metricsengine_dynamics.prompting.chosen import Prompts, chosen_debate, chosen_prompts
from metricsengine_dynamics.prompting.debate import Debate
from metricsengine_dynamics.prompting.options import AskingConf
from metricsengine_dynamics.prompting.specs import SETS

CONF = Path(__file__).resolve().parents[3] / "conf"

Given = Callable[..., StudyInputs]


@pytest.fixture(scope="session")
def given(tmp_path_factory: pytest.TempPathFactory) -> Given:
    """Inputs of a study: chosen sets by group, and files of prompts that stand beside the application's."""
    specs = {spec.group: spec for spec in SETS}

    def make(prompt_files: Mapping[str, str] | None = None, **chosen: Sequence[str]) -> StudyInputs:
        own = tmp_path_factory.mktemp("conf")
        (own / "prompt").mkdir()
        for name, content in (prompt_files or {}).items():
            (own / "prompt" / f"{name}.toml").write_text(content, encoding="utf-8")
        files: Mapping[str, Mapping[str, SetFile]] = find_sets(specs, [CONF, own])

        def find(group: str, name: str) -> NamedSet:
            return load_named(specs[group], files[group], name)

        sets = {group: [find(group, name) for name in names] for group, names in chosen.items()}
        return StudyInputs(sets=sets, find=find)

    return make


@pytest.fixture(scope="session")
def economy(given: Given) -> Debate:
    return chosen_debate(given(debate=["economy"]))


@pytest.fixture(scope="session")
def prompts(given: Given) -> Mapping[str, Prompts]:
    """The application's prompt sets, complete."""
    return chosen_prompts(sorted(path.stem for path in (CONF / "prompt").glob("*.toml")), given())


@pytest.fixture(scope="session")
def base(prompts: Mapping[str, Prompts]) -> Prompts:
    return prompts["base"]


@pytest.fixture
def asking() -> Asking:
    return Asking(AskingConf(), seed=7)
