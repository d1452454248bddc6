"""A multirun as life-cycle hooks see it: one start before its first job, one end after its last."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig, open_dict

from metricsengine.config import Configuration, Settings
from metricsengine.errors import MetricsEngineError
from metricsengine.host import Host
from metricsengine.jobs import COMMAND, read_status
from metricsengine.run import Sweep, SweepEnd

current: list[Sweep] = []
"""The multirun of this process, while it goes on."""

failures: list[str] = []
"""What plugins raised when told about the sweep."""


class SweepCallback(Callback):
    """Hydra's callback: notices where a multirun begins."""

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Tell the plugins; the end is told by the command line, which also sees interruptions."""
        folder = Path(config.hydra.sweep.dir).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        settings = _common_settings(config)
        if settings is None:
            return
        overrides = tuple(config.hydra.overrides.task)
        sweep = Sweep(folder, settings, os.environ.get(COMMAND, ""), overrides)
        current.append(sweep)
        failures.extend(Host().call("metricsengine_sweep_started", sweep=sweep)[1])


def finish() -> tuple[dict[str, int], list[str]]:
    """Tell the plugins that the multirun of this process ended.

    Returns:
        The exit status of each job by folder name, and where the sweep can be looked at.
    """
    if not current:
        return {}, []
    sweep = current.pop()
    folders = sorted((f for f in sweep.folder.iterdir() if f.name.isdigit()), key=lambda f: int(f.name))
    ends = {folder.name: read_status(folder) for folder in folders}
    end = SweepEnd({name: job_end for name, (job_end, _) in ends.items()})
    lines, failed = Host().call("metricsengine_sweep_finished", sweep=sweep, end=end)
    failures.extend(failed)
    return {name: code for name, (_, code) in ends.items()}, [f"Sweep folder: {sweep.folder}", *lines]


def _common_settings(config: DictConfig) -> Settings | None:
    """Settings as composed without the swept values; None where they only make sense with them."""
    tree = config.copy()
    with open_dict(tree):
        tree.pop("hydra", None)
    try:
        return Configuration(Host()).settings(tree)
    except MetricsEngineError:
        return None
