"""The seam in Hydra's launchers: every job is known before it runs, and looked after when it has."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn, JobStatus
from hydra.plugins.launcher import Launcher
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig

from metricsengine.errors import ConfigError, MetricsEngineError
from metricsengine.multirun.going import Multirun
from metricsengine.multirun.manifest import Planned
from metricsengine.multirun.patience import all_awaited
from metricsengine.objective import value
from metricsengine.results import Results
from metricsengine.status import has_begun, has_ended
from metricsengine.wording import plural

_log = logging.getLogger(__name__)


class Watched(Launcher):
    """Hands a sweep's jobs on to a launcher: those that are to be run, and those again whose worker was lost.

    Args:
        launcher: The launcher that was chosen, set up.
        multirun: The sweep.
        config: The sweep's configuration.
        context: Composes the jobs'.
    """

    def __init__(self, launcher: Launcher, multirun: Multirun, config: DictConfig, context: HydraContext) -> None:
        self._launcher = launcher
        self._multirun = multirun
        self._config = config
        self._context = context
        self._searching = not config.hydra.sweeper._target_.endswith(f".{BasicSweeper.__name__}")

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Nothing: the launcher is set up already."""

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run a batch of jobs.

        Returns:
            Their objective's values, for sweepers that search; failures are told by the jobs' folders.
        """
        if self._searching and not self._config.objective.metric:
            raise ConfigError("a search needs a number to improve: add objective.metric=NAME")
        if not job_overrides:
            raise ConfigError("the sweep has no jobs: a key is given no value")
        jobs = [Planned.numbered(initial_job_idx + i, words) for i, words in enumerate(job_overrides)]
        left = self._multirun.accept(self._config, self._context, jobs)
        folder = self._multirun.folder
        assert folder is not None  # noqa: S101 - for the type checker: accepted jobs have a folder
        self._hand_on(left, folder)
        lost = [job for job in left if not has_ended(folder / job.name)]
        if lost:
            _log.warning("a worker was lost: %s run again, one by one", plural(len(lost), "job"))
        for job in lost:  # a job that ends its worker again takes no other with it
            self._hand_on([job], folder)
        return [self._returned(job, folder) for job in jobs]

    def _hand_on(self, jobs: Sequence[Planned], folder: Path) -> None:
        if not jobs:
            return
        # A job's place must not depend on the worker's directory, nor its number on which others are left.
        place = f"hydra.sweep.dir={_quoted(folder)}"
        words = [[*job.overrides, place, f"hydra.sweep.subdir={job.name}"] for job in jobs]
        try:
            with all_awaited(self._launcher):
                self._launcher.launch(words, 0)
        except MetricsEngineError:
            raise
        except Exception as error:
            if not any(map(has_begun, self._multirun.jobs.values())):
                raise ConfigError(f"the launcher started no job: {type(error).__name__}: {error}") from error
            _log.warning("the launcher: %s: %s", type(error).__name__, error)

    def _returned(self, job: Planned, folder: Path) -> JobReturn:
        settings, runs = self._multirun.settings, not self._multirun.errors[job.name]
        number: float | None = None
        if self._searching and settings and runs and (folder / job.name / "results.json").is_file():
            number = value(Results.load(folder / job.name, tables=()), settings.objective)
        return JobReturn(overrides=job.overrides, status=JobStatus.COMPLETED, _return_value=number)


@contextmanager
def watching(multirun: Multirun) -> Iterator[None]:
    """Have the sweepers of this process hand their jobs to :class:`Watched`.

    Hydra finds launchers by their package; the one place through which all sweepers get theirs is this method. What
    Hydra's own sweeper would compose to see whether it can, is composed here to tell which job cannot.
    """
    original, validate = Plugins.instantiate_launcher, Sweeper.validate_batch_is_legal

    def instantiate(
        self: Plugins, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig
    ) -> Launcher:
        launcher = original(self, hydra_context, task_function, config)
        return Watched(launcher, multirun, config, hydra_context)

    def leave(self: Sweeper, batch: Sequence[Sequence[str]]) -> None:
        pass

    # Plain assignments are errors to mypy.
    setattr(Plugins, "instantiate_launcher", instantiate)  # noqa: B010
    setattr(Sweeper, "validate_batch_is_legal", leave)  # noqa: B010
    try:
        yield
    finally:
        setattr(Plugins, "instantiate_launcher", original)  # noqa: B010
        setattr(Sweeper, "validate_batch_is_legal", validate)  # noqa: B010


def _quoted(folder: Path) -> Any:
    from metricsengine.launch import quoted

    return quoted(str(folder))
