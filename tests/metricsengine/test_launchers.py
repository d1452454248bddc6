"""Launchers and sweepers under our defaults: typed, no unknown key, and what to install where one is missing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins
from hydra.errors import HydraException

from metricsengine import launchers
from metricsengine.config import Configuration, application_conf
from metricsengine.host import Host

READY = sorted((application_conf() / "hydra" / "ready").glob("*/*.yaml"))


def option(file: Path) -> str:
    return f"hydra/{file.parent.name}/{file.stem}"


@pytest.fixture
def composed(hydra_state: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Composes Hydra's own part of the configuration, if all of the options are installed."""
    monkeypatch.chdir(tmp_path)
    Configuration(Host())

    def hydra_of(*words: str) -> Any:
        for word in words:
            name = word.replace("=", "/")
            if name in launchers.EXTRAS and launchers.missing(name):
                pytest.skip(f"{name} is not installed")
        with initialize_config_dir(str(application_conf()), version_base="1.3"):
            return compose("config", list(words), return_hydra_config=True).hydra

    return hydra_of


@pytest.mark.parametrize("file", READY, ids=option)
def test_every_option_begins_with_its_command(file: Path) -> None:
    first, second = file.read_text(encoding="utf-8").splitlines()[:2]
    assert re.match(rf"# metricsengine -m .*hydra/{file.parent.name}={file.stem}\b", first)
    assert second.startswith("# ")
    assert option(file) in launchers.EXTRAS


@pytest.mark.parametrize("file", READY, ids=option)
def test_every_option_sets_keys_that_its_package_knows(composed: Callable[..., Any], file: Path) -> None:
    group, name = file.parent.name, file.stem
    assert composed(f"hydra/{group}={name}")[group]._target_.startswith(f"hydra_plugins.hydra_{name.partition('_')[0]}")


def test_jobs_are_handed_out_one_by_one_to_all_cpus(composed: Callable[..., Any]) -> None:
    launcher = composed("hydra/launcher=joblib").launcher
    assert (launcher.n_jobs, launcher.pre_dispatch, launcher.batch_size) == (-1, "n_jobs", "1")


def test_a_local_job_may_take_a_week(composed: Callable[..., Any]) -> None:
    assert composed("hydra/launcher=submitit_local", "hydra.sweep.dir=here").launcher.timeout_min == 7 * 24 * 60


def test_a_search_draws_with_the_run_s_seed(composed: Callable[..., Any]) -> None:
    sweeper = composed("hydra/sweeper=optuna", "seed=7", "objective.goal=maximize").sweeper
    assert (sweeper.sampler.seed, sweeper.direction, sweeper.max_failure_rate) == (7, "maximize", 1.0)


@pytest.mark.parametrize("word", ["hydra.launcher.n_job=1", "hydra.launcher.n_jobs=many"])
def test_wrong_keys_and_values_are_refused(composed: Callable[..., Any], word: str) -> None:
    with pytest.raises(HydraException, match=re.escape(word.partition("=")[0])):
        composed("hydra/launcher=joblib", word)


def test_what_is_not_installed_names_the_command(hydra_state: None) -> None:
    Plugins.instance()
    ConfigStore.instance().repo["hydra"]["launcher"].pop("joblib.yaml", None)
    expected = (
        "hydra/launcher=joblib is not installed: pip install 'metricsengine[joblib]' (in a checkout: -e '.[joblib]')"
    )
    assert launchers.missing("hydra/launcher/joblib") == expected
    assert launchers.missing("hydra/launcher/basic") == ""
    assert "did you mean 'joblib'" in launchers.missing("hydra/launcher/joblb")
