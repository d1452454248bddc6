"""Where a run's numbers come from: configuration, inputs, versions, command."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from importlib.metadata import distributions
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import OmegaConf

from metricsengine import recorded
from metricsengine.files import write_json, write_text
from metricsengine.run import Run
from metricsengine.sets import NamedSet, SetFile
from metricsengine.settings import Settings, set_files

if TYPE_CHECKING:
    from metricsengine.host import Host
    from metricsengine.preflight import Job


def save(run: Run) -> Run:
    """Write ``config.yaml``, ``environment.json`` and copies of the named sets into the run folder.

    Returns:
        The run, whose folder is also given a copy of every set that is looked up while it goes on.
    """
    write_text(run.folder / "config.yaml", OmegaConf.to_yaml(OmegaConf.create(dict(run.plain))))
    write_json(run.folder / "environment.json", environment())
    for file in set_files(run.settings):
        _keep(file, run.folder)
    return replace(run, settings=replace(run.settings, find=_Found(run.settings.find, run.folder)))


class _Found:
    """Looks named sets up, and keeps a copy of each in the run folder.

    Attributes:
        files: The files of those that were looked up.
    """

    def __init__(self, find: Callable[[str, str], NamedSet], folder: Path) -> None:
        self._find, self._folder = find, folder
        self.files: list[SetFile] = []

    def __call__(self, group: str, name: str) -> NamedSet:
        found = self._find(group, name)
        if found.file not in self.files:
            _keep(found.file, self._folder)
            self.files.append(found.file)
        return found


def _keep(file: SetFile, folder: Path) -> None:
    """Copy a set's file; a perturbed set has the file of the set that it perturbs."""
    kept = folder / "sets" / file.group / file.path.name
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(file.path.read_bytes())


@cache
def environment() -> Mapping[str, Any]:
    """Interpreter, machine and the version of every installed distribution, as of the process's first run."""
    found = (distribution.metadata for distribution in distributions())
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": platform.machine(),
        "distributions": dict(sorted((about["Name"], about["Version"]) for about in found if about["Name"])),
    }


def surroundings() -> Mapping[str, str]:
    """What decides a computed number beside its inputs: versions of libraries, and the kind of processor."""
    return {**_versions(), "processor": environment()["processor"]}


def _versions() -> dict[str, str]:
    installed = environment()["distributions"]
    return {name: installed[name] for name in VERSIONS if name in installed}


def records_file(settings: Settings) -> Path:
    """Absolute path of the recorded responses; a relative one counts from the directory where the command was given."""
    return Path(settings.records.file).expanduser().absolute()


def collect(host: Host, job: Job) -> dict[str, Any]:
    """What ``results.json`` says about where its numbers come from.

    Args:
        host: The loaded plugins.
        job: The job, after it has asked and measured.
    """
    run, settings = job.run, job.run.settings
    found = settings.find.files if isinstance(settings.find, _Found) else ()
    return {
        "command": run.command,
        "started": run.started.isoformat(timespec="seconds"),
        "directory": str(Path.cwd()),
        "sweep": str(run.sweep) if run.sweep else None,
        "overrides": list(run.overrides),
        "dataset": dict(run.dataset),
        "choices": choices(host, settings),
        "sets": {f"{file.group}={file.name}": file.digest for file in (*set_files(settings), *found)},
        "parts": {kind: list(chosen) for kind, chosen in settings.parts.items()},
        "sources": {
            key: {"path": str(path.absolute()), "digest": recorded.digest(path)}
            for key, path in job.study.sources.items()
            if path.is_file()
        },
        "encoder": {"name": job.encoder.name, "fingerprint": job.encoder.fingerprint} if job.encoder else None,
        "card": dict(vars(settings.card)),
        "config": dict(run.plain),
        "versions": _versions(),
    }


def choices(host: Host, settings: Settings) -> dict[str, Any]:
    """Which registered option each group of the host's own is of: ``config.yaml`` holds their keys only."""
    asked = {"study": settings.study, "model": settings.model, "encoder": settings.encoder}
    one = {kind: host.spec_of(kind, options).name for kind, options in asked.items() if options is not None}
    return {**one, "metric": list(settings.metric), "comparison": list(settings.comparison)}


def dataset(settings: Settings) -> Mapping[str, str]:
    """Name, source and digest of what is scored or simulated."""
    if settings.records.file:
        path = records_file(settings)
        if path.is_file():
            return {"name": path.name, "source": str(path), "digest": recorded.digest(path)}
        return {"name": path.name, "source": str(path)}
    files = set_files(settings)
    return {
        "name": "+".join(file.name for file in files) or "none",
        "source": "simulated",
        "digest": _together([file.digest for file in files]),
    }


def _together(digests: Sequence[str]) -> str:
    """One digest for several files: MLflow takes 36 characters."""
    return blake2b("-".join(digests).encode(), digest_size=16).hexdigest() if len(digests) > 1 else "".join(digests)


VERSIONS = (
    "metricsengine",
    "llama-cpp-python",
    "mlflow",
    "numpy",
    "scikit-learn",
    "scipy",
    "sentence-transformers",
    "torch",
    "transformers",
)
"""The distributions that decide a number more likely than others."""
