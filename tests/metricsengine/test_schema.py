"""The class at a configuration's root is found by its name in every process, whatever made it there."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir

from metricsengine import schema
from metricsengine.config import Configuration, application_conf
from metricsengine.host import Host

_WORKER = """
import pickle, sys
tree = pickle.load(sys.stdin.buffer)
from metricsengine.config import Configuration
from metricsengine.host import Host
settings = Configuration(Host()).settings(tree)
print(settings.seed, settings.study.runs, *sorted(settings.parts))
"""


def test_a_worker_reads_a_configuration_that_was_pickled_for_it(
    hydra_state: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Configuration(Host())
    with initialize_config_dir(str(application_conf()), version_base="1.3"):
        tree = compose("config", ["experiment=opinion_baselines", "study.runs=5", "seed=3"])
    command = [sys.executable, "-c", _WORKER]
    done = subprocess.run(command, input=pickle.dumps(tree), capture_output=True, timeout=120, check=True)
    assert done.stdout.decode().split() == ["3", "5", "loss", "network", "reference"]


def test_nothing_else_is_made_up() -> None:
    assert schema.Schema.__name__ == "Schema"
    with pytest.raises(AttributeError, match="has no attribute 'Scheme'"):
        schema.Scheme  # noqa: B018 - looking is the test
