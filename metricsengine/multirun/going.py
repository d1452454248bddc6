"""The multirun of this process, from its first batch of jobs to its end."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from filelock import Timeout
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from hydra.types import HydraContext
from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from metricsengine.errors import ConfigError
from metricsengine.host import installed
from metricsengine.launched import Launch
from metricsengine.locks import at_work
from metricsengine.multirun.checked import Checked, check, refusal
from metricsengine.multirun.manifest import FILE as SWEEP
from metricsengine.multirun.manifest import Manifest, Planned
from metricsengine.results import Results
from metricsengine.run import RunEnd, Sweep
from metricsengine.settings import Settings
from metricsengine.status import FILE, read_status, write_status


class Multirun:
    """A sweep that this process starts, or goes on with.

    Args:
        launch: How it was started.
        resume: Whether what is done already stays.

    Attributes:
        folder: Its folder; None until its first batch comes.
        sweep: What plugins were told of; None until a job was found that can be run.
        settings: Settings of the first job that can be run; None until one was found.
        errors: Why each job that was looked at cannot be run, by name; empty where it can.
        failures: What plugins raised when told about it.
    """

    def __init__(self, launch: Launch, *, resume: bool) -> None:
        self._launch = launch
        self._resume = resume
        self._manifest: Manifest | None = None
        self._open = ExitStack()
        self.folder: Path | None = None
        self.sweep: Sweep | None = None
        self.settings: Settings | None = None
        self.errors: dict[str, str] = {}
        self.failures: list[str] = []

    @property
    def jobs(self) -> dict[str, Path]:
        """The folders of its jobs by name, as far as they are known."""
        if self.folder is None or self._manifest is None:
            return {}
        return {name: self.folder / name for name in self._manifest.jobs}

    @property
    def overrides(self) -> dict[str, tuple[str, ...]]:
        """What is set for each job, by name."""
        return dict(self._manifest.jobs) if self._manifest else {}

    def accept(self, config: DictConfig, context: HydraContext, batch: Sequence[Planned]) -> list[Planned]:
        """Look at a batch of jobs; which of them are to be run, their folders cleared of how they ended before.

        With the first batch come all jobs that are known by then, so that a bad one is named before any is run.

        Raises:
            ConfigError: Another process is at work on the sweep, it had other jobs, or one of them cannot be run.
        """
        folder = self._begin(Path(config.hydra.sweep.dir).absolute())
        first = self._manifest is None
        known = _all_jobs(config) or batch if first else batch
        before = Manifest.load(folder) if self._resume else None
        manifest = (self._manifest or before or Manifest(self._launch, {})).with_jobs(known)
        try:
            self._look_at(known, folder, config, context)
        except KeyboardInterrupt:
            raise KeyboardInterrupt("interrupted; nothing was run" if first else "") from None
        if not self._resume:
            for place in [*([folder] if first else []), *(folder / job.name for job in known)]:
                _forget(place)
        self._manifest = manifest
        manifest.save(folder)
        if self.sweep is None and self.settings is not None:
            self.sweep = Sweep(folder, self.settings, manifest.launch.command, _typed(config), manifest.launch.started)
            self.failures += installed().call("metricsengine_sweep_started", sweep=self.sweep)[1]
        return [job for job in batch if self._is_left(job, folder)]

    def close(self) -> None:
        """Let other processes work on the sweep."""
        self._open.close()

    def _begin(self, folder: Path) -> Path:
        if self.folder is None:
            try:
                self._open.enter_context(at_work(folder, seconds=2))  # longer than a look whether somebody is
            except Timeout as error:
                raise ConfigError(
                    f"another process is at work on the sweep in {folder}: wait for it, or end it"
                ) from error
            self.folder = folder
        return folder

    def _look_at(self, jobs: Sequence[Planned], folder: Path, config: DictConfig, context: HydraContext) -> None:
        if config.on_bad_job not in ("stop", "skip"):
            raise ConfigError(f"on_bad_job is stop or skip, not {config.on_bad_job}")
        new = [job for job in jobs if job.name not in self.errors]
        bad: list[Checked] = []
        with Console(stderr=True).status("looking at the jobs") as status:
            for i, job in enumerate(new, 1):
                status.update(f"looking at job {i} of {len(new)}")
                checked = check(job, folder, config, context)
                self.settings = self.settings or checked.settings
                self.errors[job.name] = checked.error
                bad += [checked] if checked.error else []
        if bad and config.on_bad_job == "stop":
            raise refusal(bad, len(new))

    def _is_left(self, job: Planned, folder: Path) -> bool:
        """Whether a job is to be run."""
        path = folder / job.name
        if error := self.errors[job.name]:
            write_status(path, RunEnd("failed", error), configuration=True)
            return False
        if self._resume and _is_done(path):
            return False
        (path / FILE).unlink(missing_ok=True)
        return True


def _is_done(job: Path) -> bool:
    """Whether a job finished, and its results are there."""
    if read_status(job)[0].status != "finished":
        return False
    try:
        Results.load(job, tables=())
    except ConfigError:
        return False
    return True


def _forget(folder: Path) -> None:
    """Remove what another sweep, or a job of it, left in the place of this one: it would pass for this one's.

    A folder that never was one keeps what it holds: its figures are somebody else's.
    """
    if not any((folder / name).is_file() for name in (SWEEP, FILE)):
        return
    for name in (FILE, "results.json", "report.html", "config.yaml", "estimates.csv", "estimates.parquet", "card.md"):
        (folder / name).unlink(missing_ok=True)
    for trace in folder.glob("error*.txt"):
        trace.unlink()
    for results in (*(folder / name for name in ("figures", "listings", "tables")), *folder.glob("against-*")):
        shutil.rmtree(results, ignore_errors=True)


def _typed(config: DictConfig) -> tuple[str, ...]:
    """What was typed for all jobs, with what it takes from elsewhere as typed."""
    words: Any = OmegaConf.to_container(config.hydra.overrides.task, resolve=False)
    return tuple(words)


def _all_jobs(config: DictConfig) -> list[Planned] | None:
    """All jobs that Hydra's own sweeper will make; None for any other sweeper."""
    sweeper = config.hydra.sweeper
    if not sweeper._target_.endswith(f".{BasicSweeper.__name__}"):
        return None
    from hydra.core.global_hydra import GlobalHydra

    words = [*(f"{key}={value}" for key, value in (sweeper.params or {}).items()), *_typed(config)]
    try:
        parser = OverridesParser.create(config_loader=GlobalHydra.instance().config_loader())
        [jobs] = BasicSweeper.split_arguments(parser.parse_overrides(words), None)
    except HydraException:
        return None  # Hydra meets the same error next, and says so
    return [Planned.numbered(i, overrides) for i, overrides in enumerate(jobs)]
