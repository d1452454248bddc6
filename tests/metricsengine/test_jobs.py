"""What plugins are told of a run, and what its folder says about where its numbers come from."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from metricsengine import provenance
from metricsengine.run import Run
from metricsengine.settings import RecordsConf, Settings


@pytest.fixture
def runs(site: Any) -> list[Run]:
    """The runs that a plugin heard of."""
    heard: list[Run] = []
    site.add_live("listener", run_started=lambda run: heard.append(run))
    return heard


class TestARun:
    def test_is_described_by_its_choices_and_options(self, diary: Callable[..., Any], runs: list[Run]) -> None:
        diary("study.days=3", "hydra.run.dir=here", "seed=9")
        [run] = runs
        assert run.folder == Path.cwd() / "here"
        assert run.name == "diary here"
        assert (run.sweep, run.job) == (None, None)
        assert run.command == "metricsengine experiment=diary tracking=none study.days=3 hydra.run.dir=here seed=9"
        assert run.overrides == ("experiment=diary", "tracking=none", "study.days=3", "seed=9")
        assert run.tags == {"study": "diary", "protocol": "paper"}
        assert run.parameters == {
            "model": "loud_parrot",
            "study": "diary",
            "encoder": "minilm",
            "mood": "two",
            "metric": "page_length",
            "protocol": "paper",
            "seed": "9",
            "study.days": "3",
        }
        assert run.plain["study"] == {"days": 3}
        assert run.settings.seed == 9
        assert run.started.tzinfo is not None

    def test_of_a_sweep_knows_its_place_and_what_sets_it_apart(
        self, diary: Callable[..., Any], runs: list[Run]
    ) -> None:
        diary("-m", "study.days=1,2", "seed=9", "hydra.sweep.dir=sweep")
        assert [run.job for run in runs] == [0, 1]
        assert {run.sweep for run in runs} == {Path.cwd() / "sweep"}
        assert [run.folder.name for run in runs] == ["0", "1"]
        assert [run.name for run in runs] == ["0 days=1", "1 days=2"]

    def test_simulated_data_are_named_by_their_sets(self, diary: Callable[..., Any], runs: list[Run]) -> None:
        ended = diary()
        [run] = runs
        [digest] = re.findall(r"two: (\w+)", (ended.folder / "config.yaml").read_text())
        assert run.dataset == {"name": "two", "source": "simulated", "digest": digest}
        assert ended.results["provenance"]["sets"] == {"mood=two": digest}
        copied = (ended.folder / "sets" / "mood" / "two.toml").read_bytes()
        assert hashlib.blake2b(copied, digest_size=8).hexdigest() == digest


class TestProvenance:
    def test_a_changed_set_is_seen(
        self, metricsengine: Callable[..., Any], own_conf: Callable[[dict[str, str]], None], runs: list[Run]
    ) -> None:
        for moods in ("['calm']", "['calm', 'tired']"):
            own_conf({"mood/mine.toml": f"moods = {moods}\n"})
            assert metricsengine("experiment=diary", "tracking=none", "mood=mine", "study.days=1").status == 0
        one, two = runs
        assert one.plain["mood"] != two.plain["mood"]
        assert one.dataset["digest"] != two.dataset["digest"]

    def test_the_configuration_of_a_folder_gives_the_same_settings(self, diary: Callable[..., Any]) -> None:
        ended = diary("study.days=3", "card.author='Ann, of =x'")
        tree = OmegaConf.load(ended.folder / "config.yaml")
        assert (tree.study.days, tree.card.author) == (3, "Ann, of =x")
        assert ended.results["provenance"]["card"]["author"] == "Ann, of =x"
        assert OmegaConf.to_container(tree) == ended.results["provenance"]["config"]

    def test_recorded_data_are_named_by_their_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        settings = Settings(study=None, records=RecordsConf("r.csv"))
        assert provenance.dataset(settings) == {"name": "r.csv", "source": str(tmp_path / "r.csv")}
        Path("r.csv").write_text("a\n1\n")
        first = provenance.dataset(settings)["digest"]
        Path("r.csv").write_text("a\n2\n")
        assert provenance.dataset(settings)["digest"] != first

    def test_nothing_chosen_has_no_name(self) -> None:
        assert provenance.dataset(Settings(study=None))["name"] == "none"

    def test_the_environment_can_be_written_down(self) -> None:
        environment = json.loads(json.dumps(provenance.environment()))
        assert environment["distributions"]["pluggy"]
        assert list(environment["distributions"]) == sorted(environment["distributions"])
