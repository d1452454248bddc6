"""From a composed configuration to a finished job with its ``status.json``: what Hydra's launchers call."""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from hydra._internal.core_plugins.basic_launcher import BasicLauncher
from hydra.core.config_loader import ConfigLoader
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from metricsengine import provenance
from metricsengine.config import Configuration, added_folder
from metricsengine.errors import ConfigError, MetricsEngineError, PluginError, unknown
from metricsengine.host import Host, installed
from metricsengine.launched import COMMAND, Launch
from metricsengine.locks import at_work, is_at_work
from metricsengine.multirun.manifest import Manifest
from metricsengine.run import INTERRUPTED, Run, RunEnd
from metricsengine.settings import Settings
from metricsengine.status import has_ended, read_status, write_begun, write_status
from metricsengine.sweeping.labels import label_names

_LONGEST_NAME = 80
"""Characters of a run's name."""

begun: Launch | None = None
"""How the run of this process was started."""

resuming = False
"""Whether a run that finished already is not to be run again."""

finished: list[Path] = []
"""Folders of the jobs that ended in this process."""


def job(tree: DictConfig) -> None:
    """Run one job. Only an interruption is raised: a failure would end the sweep; ``status.json`` tells of it.

    A job that another process runs is waited for, and not run again if it finished.
    """
    folder = Path(HydraConfig.get().runtime.output_dir).absolute()
    finished.append(folder)
    if begun and not _sweeping():
        begun.save(folder)
    if is_at_work(folder):
        sys.stderr.write(f"metricsengine: another process is at work in {folder}: waiting for it\n")
    with at_work(folder):
        if (_sweeping() or resuming) and read_status(folder)[0].status == "finished":
            sys.stdout.write(f"Finished already: {folder}\n")
            return
        write_begun(folder)
        _ended(tree, folder)


def _ended(tree: DictConfig, folder: Path) -> None:
    """Run one job to an end that ``status.json`` tells."""
    try:
        _run(tree, folder)
    except KeyboardInterrupt:
        if not has_ended(folder):
            write_status(folder, RunEnd("interrupted", INTERRUPTED))
        raise
    except MetricsEngineError as error:
        _failed(folder, str(error), configuration=isinstance(error, ConfigError))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the last line of defence of a sweep
        (folder / "error.txt").write_text(traceback.format_exc(), encoding="utf-8")
        _failed(folder, f"{type(error).__name__}: {error} (traceback in {folder / 'error.txt'})")


def _sweeping() -> bool:
    return bool(HydraConfig.get().mode == RunMode.MULTIRUN)


def _alone() -> bool:
    """Whether no other job writes on this terminal at the same time."""
    return not _sweeping() or HydraConfig.get().launcher._target_.endswith(f".{BasicLauncher.__name__}")


def _failed(folder: Path, error: str, *, configuration: bool = False) -> None:
    write_status(folder, RunEnd("failed", error), configuration=configuration)
    if os.environ.get("METRICSENGINE_TRACEBACK") == "1":
        traceback.print_exc()


def _run(tree: DictConfig, folder: Path) -> None:
    from rich.console import Console

    from metricsengine.engine import Engine
    from metricsengine.inert import for_terminal
    from metricsengine.terminal import show_results

    host, run = composed(tree, folder)
    alone = _alone()
    console = Console(stderr=True, quiet=not alone)
    end, results, lines = Engine(host, console).run(run)
    if results is not None and alone:
        here = [f"Run folder: {folder}", f"Report:     {folder / 'report.html'}", *lines]
        show_results(results, here, Console())
    if not alone:
        sys.stdout.write(f"job {folder.name}: {end.status}\n")
        sys.stdout.flush()
    for failure in (failure for failure in end.failures if results is None or failure not in results.failures):
        console.print(for_terminal(f"Failed: {failure}"), style="bold red")
    if end.status == "interrupted":
        raise KeyboardInterrupt


def composed(tree: DictConfig, folder: Path) -> tuple[Host, Run]:
    """The plugins and the run that a composed configuration describes.

    Raises:
        ConfigError: The configuration is wrong; names the key.
    """
    host = installed()
    _check_choices(host)
    settings = _described(Configuration(host, added_folder(HydraConfig.get())).settings(tree))
    plain = OmegaConf.to_container(tree, resolve=True)
    assert isinstance(plain, dict)  # noqa: S101 - for the type checker: the root is a mapping
    return host, describe_run(host, settings, {str(key): value for key, value in plain.items()}, folder)


def _check_choices(host: Host) -> None:
    """Every option that was chosen exists: these groups are optional, so Hydra itself would skip it in silence."""
    choices = HydraConfig.get().runtime.choices
    for group in ("study", "model", "encoder", "tracking"):
        if choices.get(group) in (None, *host.specs(group)):
            continue
        options = _options(GlobalHydra.instance().config_loader(), group)
        if choices[group] not in options:
            raise PluginError(unknown(group, str(choices[group]), options) + host.broken_hint())


@lru_cache(maxsize=16)
def _options(loader: ConfigLoader, group: str) -> list[str]:
    """Names of a group's options; asked once in a process, since Hydra takes a while."""
    return loader.get_group_options(group)


def _described(settings: Settings) -> Settings:
    """What a file of recorded responses holds is not what the study would simulate: only named sets describe it."""
    if not settings.records.file:
        return settings
    if HydraConfig.get().runtime.choices.get("experiment") not in (None, "none"):
        return settings
    named = {override.partition("=")[0].lstrip("+~") for override in HydraConfig.get().overrides.task}
    return replace(settings, sets={group: sets for group, sets in settings.sets.items() if group in named})


def describe_run(host: Host, settings: Settings, plain: Mapping[str, Any], folder: Path) -> Run:
    """A run with what a tracker shows of it."""
    hydra = HydraConfig.get()
    sweeping = _sweeping()
    number = int(folder.name) if sweeping else None
    swept = _swept(hydra.overrides.task, Path(hydra.sweep.dir)) if sweeping else []
    study = str(hydra.runtime.choices.get("study"))
    return Run(
        folder=folder,
        name=_run_name(study, number, swept, folder),
        settings=settings,
        plain=plain,
        started=datetime.now().astimezone(),
        command=os.environ.get(COMMAND, shlex.join(sys.argv)),
        sweep=Path(hydra.sweep.dir).absolute() if sweeping else None,
        job=number,
        overrides=tuple(hydra.overrides.task),
        tags={"study": study, "protocol": settings.protocol},
        parameters=_parameters(host, settings),
        dataset=provenance.dataset(settings),
    )


def _run_name(study: str, number: int | None, swept: Sequence[str], folder: Path) -> str:
    """A job's number with what sets it apart, as in ``3 epsilon=0.3 prompt=base``; otherwise its study and folder."""
    if number is None:
        return f"{study} {folder.name}"[:_LONGEST_NAME]
    values = {key.lstrip("+"): value for key, _, value in (word.partition("=") for word in swept)}
    names = label_names(list(values), ())
    words = [f"{names[key]}={value}" if value else names[key] for key, value in values.items()]
    return " ".join([str(number), *words])[:_LONGEST_NAME]


def _swept(overrides: Sequence[str], sweep: Path) -> list[str]:
    """The overrides of a job that were not typed like this for all; all of them where that is not known."""
    manifest = Manifest.load(sweep)
    return [word for word in overrides if manifest is None or word not in manifest.launch.words]


def _parameters(host: Host, settings: Settings) -> dict[str, str]:
    """The settings by which a reader compares runs: choices first, then the scalars of the study and its parts."""
    choices = HydraConfig.get().runtime.choices
    shown = {group: str(choices[group]) for group in ("model", "study", "encoder") if choices.get(group)}
    shown |= {group: "+".join(s.name for s in sets) for group, sets in settings.sets.items() if sets}
    shown |= {kind: "+".join(chosen) for kind, chosen in settings.parts.items()}
    shown |= {"metric": "+".join(settings.metric), "protocol": settings.protocol, "seed": str(settings.seed)}
    shown |= {"comparison": "+".join(settings.comparison)} if settings.comparison else {}
    shown |= {"fallback": "+".join(settings.fallback)} if settings.fallback else {}
    shown |= _scalars("study", settings.study)
    for kind, chosen in settings.parts.items():
        for name, options in chosen.items():
            shown |= _scalars(f"{kind}.{name}" if host.kinds[kind].several else kind, options)
    return shown


def _scalars(key: str, options: Any) -> dict[str, str]:
    """Numbers and texts among options, by their keys."""
    values = asdict(options) if is_dataclass(options) and not isinstance(options, type) else {}
    scalars = {f"{key}.{name}": str(value) for name, value in values.items() if isinstance(value, (int, float, str))}
    return {name: value for name, value in scalars.items() if value}
