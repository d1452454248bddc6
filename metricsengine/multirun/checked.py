"""Preflight of a sweep: every job is looked at before the first one runs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from hydra.types import HydraContext
from omegaconf import DictConfig, open_dict
from omegaconf.errors import OmegaConfBaseException

from metricsengine.composing import explained
from metricsengine.config import Configuration, added_folder
from metricsengine.errors import ConfigError, MetricsEngineError
from metricsengine.host import installed
from metricsengine.loading import line_of
from metricsengine.multirun.manifest import Planned
from metricsengine.settings import Settings
from metricsengine.wording import first_few, plural

_NAMED = 5
"""Jobs that a refusal names."""


@dataclass(frozen=True)
class Checked:
    """A job that was looked at.

    Attributes:
        job: The job.
        settings: Its configuration; None where it is wrong.
        error: Why it cannot be run; empty where it can.
    """

    job: Planned
    settings: Settings | None = None
    error: str = ""


def check(job: Planned, folder: Path, config: DictConfig, context: HydraContext) -> Checked:
    """Whether a job can be run, as far as can be known without asking a model.

    Args:
        job: The job.
        folder: Folder of its sweep.
        config: The sweep's configuration.
        context: Composes the job's.
    """
    from rich.console import Console

    from metricsengine.jobs import composed
    from metricsengine.preflight import prepare

    hydra = HydraConfig.instance()
    before = hydra.cfg
    try:
        tree = context.config_loader.load_sweep_config(config, list(job.overrides))
        hydra.set_config(tree)
        with open_dict(tree):
            del tree["hydra"]
        host, run = composed(tree, folder / job.name)
        with ExitStack() as resources:
            prepare(host, Console(quiet=True), replace(run, settings=replace(run.settings, probe="none")), resources)
        return Checked(job, run.settings)
    except MetricsEngineError as error:
        return Checked(job, error=str(error))
    except (HydraException, OmegaConfBaseException) as error:
        return Checked(job, error=explained(error, Configuration(installed(), added_folder(config.hydra))))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a plugin raises, this job cannot be run
        return Checked(job, error=line_of(error))
    finally:
        hydra.cfg = before


def refusal(bad: Sequence[Checked], jobs: int) -> ConfigError:
    """The error that stops a sweep before its first job."""
    first = bad[0]
    others = [checked for checked in bad[1:] if checked.error != first.error]
    alike = [checked.job.name for checked in bad if checked.error == first.error]
    which = f"{'jobs' if len(alike) > 1 else 'job'} {first_few(alike, _NAMED)}"
    more = ""
    if others:
        more = f"; {plural(len(others), 'other')} cannot be run either, job {others[0].job.name}: {others[0].error}"
    way_out = "; nothing was run" + (": on_bad_job=skip runs the other jobs" if len(bad) < jobs else "")
    return ConfigError(f"{which}: {first.error}{more}{way_out}")
