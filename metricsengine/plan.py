"""``metricsengine plan``: what one job, or every job of a sweep, will ask, before anything is asked."""

from __future__ import annotations

import json as jsonlib
import shlex
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig

from metricsengine.arguments import Parser
from metricsengine.errors import ConfigError, MetricsEngineError
from metricsengine.forecast import DryRuns
from metricsengine.multirun import manifest
from metricsengine.planning.foreseen import foresee
from metricsengine.planning.needed import fit_as_known
from metricsengine.planning.planned import Planned, to_json
from metricsengine.planning.shown import show

USAGE = "metricsengine plan [--json] [--tokens-per-second N] [-m] [overrides]"

_REPLACED = ("hydra/launcher", "hydra.launcher", "hydra/sweeper", "hydra.sweeper", "hydra.run.dir", "hydra.sweep")
_SEARCH = "a search runs some of these jobs, which ones depends on what they find; they are all that it can choose from"


@dataclass(frozen=True)
class Options:
    """What the command takes beside overrides.

    Attributes:
        json: Whether the plan is printed as JSON.
        speed: Tokens of replies a second; None for what the last answers of the model took.
    """

    json: bool = False
    speed: float | None = None


def options(words: Sequence[str]) -> tuple[Options, list[str]]:
    """The command's own options, and the other words.

    Raises:
        ConfigError: An option is wrong.
    """
    parser = Parser(USAGE)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--tokens-per-second", type=float)
    given, rest = parser.parse_known_args(list(words))
    speed = given.tokens_per_second
    if speed is not None and not 0 < speed < float("inf"):
        raise ConfigError(f"--tokens-per-second must be a number above 0, got {speed}")
    return Options(given.json, speed), rest


def plan(given: Options, words: Sequence[str]) -> int:
    """Print the plan of the jobs that the words describe. No model is asked and no run is started.

    Returns:
        0, or 2 where a job cannot be run.

    Raises:
        ConfigError: The words cannot be composed into a configuration.
    """
    from metricsengine.launch import launch

    planned: list[Planned] = []
    runs = DryRuns()
    with tempfile.TemporaryDirectory(prefix="metricsengine-plan-") as folder:
        launch(_redirected(words, folder), lambda tree: planned.append(_planned(tree, runs, given.speed)), watch=False)
    if given.json:
        sys.stdout.write(jsonlib.dumps(to_json(planned), indent=1) + "\n")
    else:
        show(planned)
    if any(word.startswith("hydra/sweeper=") for word in words):
        sys.stderr.write(f"metricsengine: {_SEARCH}\n")
    for job in planned:
        if job.error:
            sys.stderr.write(f"metricsengine: {job.name or 'the job'}: {job.error}\n")
    return 2 if any(job.error for job in planned) else 0


def _is_replaced(key: str) -> bool:
    return any(key == name or key.startswith((f"{name}.", f"{name}/")) for name in _REPLACED)


def _redirected(words: Sequence[str], folder: str) -> list[str]:
    """The words, composed in this process one by one, with whatever Hydra writes in a folder that goes away."""
    kept = [word for word in words if not _is_replaced(word.partition("=")[0].lstrip("+~"))]
    sweeping = any(word in ("-m", "--multirun") for word in kept)
    return [
        *kept,
        *(["hydra/launcher=basic", "hydra/sweeper=basic"] if sweeping else []),
        f"hydra.run.dir={folder}",
        f"hydra.sweep.dir={folder}",
    ]


def _name() -> str:
    """What is set for the job."""
    hydra = HydraConfig.get()
    words = list(hydra.overrides.task)
    sweeping = hydra.mode == RunMode.MULTIRUN
    return shlex.join(manifest.Planned.numbered(hydra.job.num, words).overrides if sweeping else words)


def _planned(tree: DictConfig, runs: DryRuns, speed: float | None) -> Planned:
    from rich.console import Console

    from metricsengine.jobs import composed
    from metricsengine.preflight import prepare

    name = _name()
    try:
        host, run = composed(tree, Path(HydraConfig.get().runtime.output_dir))
        asks_nothing = replace(run, settings=replace(run.settings, probe="none", tracking=None))
        with ExitStack() as resources:
            job = prepare(host, Console(quiet=True), asks_nothing, resources)
            needs = fit_as_known(job, run.settings.probe)
            dry = runs.of(job)
            foreseen = foresee(job, dry.tables)
            if job.adapter is None:
                return Planned(name, foreseen=foreseen)
            model, speed = job.adapter.identity, speed or job.store.speed(job.adapter.identity)
            prices = job.adapter.prices
            return Planned(name, dry.forecast, model.name, speed, prices, foreseen=foreseen, needs=needs)
    except MetricsEngineError as error:
        return Planned(name, error=str(error))
    except Exception as error:  # noqa: BLE001 - a plugin may take any offence at examples; other jobs have their plan
        return Planned(name, error=f"{type(error).__name__}: {error}")
