"""A multirun as life-cycle hooks see it: one start before its first job, one end after its last."""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, open_dict

from metricsengine.config import Configuration, added_folder
from metricsengine.errors import MetricsEngineError
from metricsengine.host import Host
from metricsengine.jobs import COMMAND
from metricsengine.results import Results
from metricsengine.run import Sweep, SweepEnd
from metricsengine.settings import Settings
from metricsengine.status import read_status
from metricsengine.sweeping.gathered import left_earlier
from metricsengine.wording import plural


@dataclass(frozen=True)
class _Begun:
    """A multirun that goes on.

    Attributes:
        folder: Its folder.
        sweep: What plugins were told of.
        since: When it began.
        jobs: How many jobs it has; None where only its sweeper knows.
    """

    folder: Path
    sweep: Sweep | None
    since: datetime
    jobs: int | None


@dataclass(frozen=True)
class Ended:
    """How a multirun ended.

    Attributes:
        folder: Its folder.
        codes: The exit status of each job that began, by folder name.
        jobs: How many jobs it has, those that did not begin included; None where only its sweeper knows.
        lines: Where it can be looked at.
    """

    folder: Path
    codes: Mapping[str, int]
    jobs: int | None
    lines: Sequence[str]

    @property
    def done(self) -> str:
        """How many jobs went through, in words."""
        done = sum(code == 0 for code in self.codes.values())
        if self.jobs is None and 130 in self.codes.values():
            return f"{plural(done, 'job')} done, interrupted"
        return f"{done} of {plural(self.jobs or len(self.codes), 'job')} done"


current: list[_Begun] = []
"""The multirun of this process while it goes on."""

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
        current.append(_Begun(folder, sweep, datetime.now(UTC), _jobs(config)))
        if sweep:
            failures.extend(Host().call("metricsengine_sweep_started", sweep=sweep)[1])


def finish() -> Ended | None:
    """Tell the plugins that the multirun of this process ended; None where there was none."""
    if not current:
        return None
    begun = current.pop()
    ends = {job.name: read_status(job) for job in _folders(begun)}
    results = _results(begun.folder, begun.since)
    lines = [f"Sweep folder: {begun.folder}"]
    lines += [f"Sweep report: {begun.folder / 'report.html'}"] if results else []
    if begun.sweep:
        end = SweepEnd({name: job_end for name, (job_end, _) in ends.items()}, begun.jobs or len(ends))
        said, failed = Host().call("metricsengine_sweep_finished", sweep=begun.sweep, end=end, results=results)
        lines += said
        failures.extend(failed)
    return Ended(begun.folder, {name: code for name, (_, code) in ends.items()}, begun.jobs, lines)


def _folders(begun: _Begun) -> list[Path]:
    """The folders of its jobs, without those that an earlier sweep left in the same place."""
    there = sorted((f for f in begun.folder.iterdir() if f.name.isdecimal()), key=lambda f: int(f.name))
    own = [job for job in there if begun.jobs is None or int(job.name) < begun.jobs]
    return [job for job in own if not left_earlier(job, begun.since)]


def _jobs(config: DictConfig) -> int | None:
    """How many jobs Hydra's own sweeper will make; None for any other sweeper."""
    sweeper = config.hydra.sweeper
    if not sweeper._target_.endswith(f".{BasicSweeper.__name__}"):
        return None
    words = [*(f"{key}={value}" for key, value in (sweeper.params or {}).items()), *config.hydra.overrides.task]
    try:
        parser = OverridesParser.create(config_loader=GlobalHydra.instance().config_loader())
        return len(BasicSweeper.split_arguments(parser.parse_overrides(words), None)[0])
    except HydraException:
        return None  # Hydra meets the same error next, and says so


def _results(folder: Path, since: datetime) -> Results | None:
    """Write what the jobs found together, and show what was compared."""
    from metricsengine.sweeping.finished import write_results

    try:
        written = write_results(folder, Host(), os.environ.get(COMMAND, ""), since)
    except Exception as error:  # noqa: BLE001 - the jobs' own results are there, whatever becomes of those together
        (folder / "error.txt").write_text(traceback.format_exc(), encoding="utf-8")
        failures.append(f"the results of the sweep: {type(error).__name__}: {error} (in {folder / 'error.txt'})")
        return None
    if written is None:
        return None
    results, failed = written
    failures.extend(failed)
    _show_compared(results)
    return results


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
