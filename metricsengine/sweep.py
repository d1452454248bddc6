"""A multirun as life-cycle hooks see it: one start before its first job, one end after its last."""

from __future__ import annotations

import os
import traceback
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig, open_dict

from metricsengine.config import Configuration, Settings, added_folder
from metricsengine.errors import MetricsEngineError
from metricsengine.host import Host
from metricsengine.jobs import COMMAND
from metricsengine.results import Results
from metricsengine.run import Sweep, SweepEnd
from metricsengine.status import read_status
from metricsengine.wording import plural

current: list[tuple[Path, Sweep | None, datetime]] = []
"""Folder of the multirun of this process while it goes on, the sweep that plugins were told of, and when it began."""

failures: list[str] = []
"""What plugins raised when told about the sweep."""


class SweepCallback(Callback):
    """Hydra's callback: notices where a multirun begins."""

    def on_multirun_start(self, config: DictConfig, **kwargs: Any) -> None:
        """Tell the plugins; the end is told by the command line, which also sees interruptions."""
        folder = Path(config.hydra.sweep.dir).absolute()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return  # Hydra meets the same error next, and says so
        sweep = _sweep(folder, config)
        current.append((folder, sweep, datetime.now(UTC)))
        if sweep:
            failures.extend(Host().call("metricsengine_sweep_started", sweep=sweep)[1])


def finish() -> tuple[dict[str, int], list[str]]:
    """Tell the plugins that the multirun of this process ended.

    Returns:
        The exit status of each job by folder name, and where the sweep can be looked at.
    """
    if not current:
        return {}, []
    folder, sweep, since = current.pop()
    folders = sorted((f for f in folder.iterdir() if f.name.isdigit()), key=lambda f: int(f.name))
    ends = {job.name: read_status(job) for job in folders}
    lines = [f"Sweep folder: {folder}", *_results_lines(folder, since)]
    if sweep:
        end = SweepEnd({name: job_end for name, (job_end, _) in ends.items()})
        said, failed = Host().call("metricsengine_sweep_finished", sweep=sweep, end=end)
        lines += said
        failures.extend(failed)
    return {name: code for name, (_, code) in ends.items()}, lines


def _results_lines(folder: Path, since: datetime) -> list[str]:
    """Write what the jobs found together, show what was compared, and say where it lies."""
    from metricsengine.sweeping.finished import write_results

    try:
        written = write_results(folder, Host(), os.environ.get(COMMAND, ""), since)
    except Exception as error:  # noqa: BLE001 - the jobs' own results are there, whatever becomes of those together
        (folder / "error.txt").write_text(traceback.format_exc(), encoding="utf-8")
        failures.append(f"the results of the sweep: {type(error).__name__}: {error} (in {folder / 'error.txt'})")
        return []
    if written is None:
        return []
    results, failed = written
    failures.extend(failed)
    _show_compared(results)
    return [f"Sweep report: {folder / 'report.html'}"]


def _show_compared(results: Results) -> None:
    """Print the estimates of comparisons; those of the jobs were printed with them."""
    from rich.console import Console

    from metricsengine.terminal import show_results

    compared = [estimate for estimate in results.estimates if estimate.metric in results.compared]
    if compared:
        title = f"sweep of {plural(results.counts['jobs'], 'job')} · {results.study}"
        show_results(replace(results, study=title, estimates=compared), (), Console())


def _sweep(folder: Path, config: DictConfig) -> Sweep | None:
    """The sweep as plugins see it; None where its common settings only make sense with the swept values."""
    settings = _common_settings(config)
    overrides = tuple(config.hydra.overrides.task)
    return Sweep(folder, settings, os.environ.get(COMMAND, ""), overrides) if settings else None


def _common_settings(config: DictConfig) -> Settings | None:
    tree = config.copy()
    with open_dict(tree):
        tree.pop("hydra", None)
    try:
        return Configuration(Host(), added_folder(config.hydra)).settings(tree)
    except MetricsEngineError:
        return None
