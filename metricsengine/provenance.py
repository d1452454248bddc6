"""Where a run's numbers come from: configuration, inputs, versions, command."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from metricsengine import recorded
from metricsengine.files import write_json, write_text
from metricsengine.run import Run
from metricsengine.settings import Settings, set_files


def save(run: Run) -> None:
    """Write ``config.yaml``, ``environment.json`` and copies of the named sets into the run folder."""
    write_text(run.folder / "config.yaml", OmegaConf.to_yaml(OmegaConf.create(dict(run.plain))))
    write_json(run.folder / "environment.json", environment())
    for file in set_files(run.settings):
        # A perturbed set has the file of the set that it perturbs.
        write_text(run.folder / "sets" / file.group / file.path.name, file.path.read_text(encoding="utf-8"))


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


def records_file(settings: Settings) -> Path:
    """Absolute path of the recorded responses; a relative one counts from the directory where the command was given."""
    return Path(settings.records.file).expanduser().absolute()


def collect(run: Run, sources: Mapping[str, Path]) -> dict[str, Any]:
    """What ``results.json`` says about where its numbers come from.

    Args:
        run: The run.
        sources: Files that its study reads, by the key that names each.
    """
    versions = environment()["distributions"]
    return {
        "command": run.command,
        "started": run.started.isoformat(timespec="seconds"),
        "overrides": list(run.overrides),
        "dataset": dict(run.dataset),
        "sets": {f"{file.group}={file.name}": file.digest for file in set_files(run.settings)},
        "parts": {kind: list(chosen) for kind, chosen in run.settings.parts.items()},
        "sources": {
            key: {"path": str(path), "digest": recorded.digest(path)} for key, path in sources.items() if path.is_file()
        },
        "card": dict(vars(run.settings.card)),
        "config": dict(run.plain),
        "versions": {name: versions[name] for name in _VERSIONS if name in versions},
    }


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
        "digest": "-".join(file.digest for file in files)[:36],
    }


_VERSIONS = (
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
