"""What a run's numbers rest on, then and now: packages, configuration, named sets, files, model, encoder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from metricsengine import provenance, recorded
from metricsengine.host import Host
from metricsengine.perturbation import based
from metricsengine.perturbation.named import digest
from metricsengine.results import Results
from metricsengine.sets import SetFile, find_sets
from metricsengine.stored import configuration


@dataclass(frozen=True)
class Change:
    """An input that is not what it was.

    Attributes:
        what: The input.
        then: What it was, for a file its digest; empty where it was not there.
        now: What it is; empty where it is not there.
        likely: Whether it decides numbers more likely than not: a package that computes them, a file, the model.
        file: Whether it is a file.
    """

    what: str
    then: str
    now: str
    likely: bool = True
    file: bool = False

    def __str__(self) -> str:
        if not self.now:
            return f"{self.what} is gone" if self.file else f"{self.what} was {self.then} and is gone"
        if self.file:
            return f"{self.what} was edited (digest {self.then or 'unknown'}, now {self.now})"
        return (
            f"{self.what} was {self.then} and is {self.now}"
            if self.then
            else f"{self.what} is {self.now} and was not there"
        )

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return {"input": self.what, "then": self.then or None, "now": self.now or None, "likely": self.likely}


def changes(host: Host, folder: Path, results: Results) -> list[Change]:
    """What changed since a run of what can be seen without running it again; the most telling first.

    Args:
        host: Today's plugins.
        folder: The run folder.
        results: Its results.
    """
    told = results.provenance
    return [
        *_configuration(folder, told.get("config", {})),
        *_sets(host, folder, told.get("sets", {})),
        *_files(folder, told),
        *_packages(host, folder, told.get("versions", {})),
    ]


def model_changes(then: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> Iterator[Change]:
    """What changed of who answers; both as the results tell of a model.

    Where there is none now, that is said elsewhere.
    """
    if then and now:
        yield from _unlike(
            f"the {{}} of model {then['name']}",
            then,
            now,
            {"adapter": "adapter", "weights": "fingerprint", "format": "request format"},
        )


def encoder_changes(then: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> Iterator[Change]:
    """What changed of the encoder; both as the provenance tells of it."""
    if then and now:
        yield from _unlike("the {} of the encoder", then, now, {"name": "name", "fingerprint": "fingerprint"})


def _unlike(what: str, then: Mapping[str, Any], now: Mapping[str, Any], keys: Mapping[str, str]) -> Iterator[Change]:
    for key, called in keys.items():
        if then.get(key) != now.get(key):
            yield Change(what.format(called), str(then.get(key, "")), str(now.get(key, "")))


def _configuration(folder: Path, told: Mapping[str, Any]) -> Iterator[Change]:
    """Keys of ``config.yaml`` that were edited since the run."""
    plain = OmegaConf.to_container(configuration(folder))
    then, now = _flat(told), _flat(json.loads(json.dumps(plain, default=str)))
    for key in dict.fromkeys([*then, *now]) if told else ():
        if then.get(key) != now.get(key):
            before, after = (json.dumps(side[key]) if key in side else "" for side in (then, now))
            yield Change(f"config.yaml's {key}", before, after)


def _flat(node: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in node.items():
        inside = _flat(value, f"{prefix}{key}.") if isinstance(value, dict) and value else {f"{prefix}{key}": value}
        flat |= inside
    return flat


def _sets(host: Host, folder: Path, told: Mapping[str, str]) -> Iterator[Change]:
    """Named sets whose copies in the run folder were edited, or are gone."""
    found = find_sets(host.specs("sets"), [folder / "sets"])
    for chosen, then in told.items():
        group, _, name = chosen.partition("=")
        now = _digest(found.get(group, {}), name)
        if now != then:
            yield Change(f"the run folder's copy of {chosen}", then, now, file=True)


def _digest(files: Mapping[str, SetFile], name: str) -> str:
    base, kinds = based(name, files)
    if base not in files:
        return ""
    return digest(files[base], kinds) if kinds else files[base].digest


def _files(folder: Path, told: Mapping[str, Any]) -> Iterator[Change]:
    """Files outside the run folder that it read: recorded responses, and what its study names."""
    read = dict(told.get("sources", {}))
    dataset = told.get("dataset", {})
    if dataset.get("source", "simulated") != "simulated":
        read["records.file"] = {"path": dataset["source"], "digest": dataset.get("digest", "")}
    copies = {recorded.digest(path) for path in folder.glob("sets/*/*.toml")}
    for key, file in read.items():
        path = Path(file["path"])
        now = recorded.digest(path) if path.is_file() else ""
        if now != file["digest"] and file["digest"] not in copies:
            yield Change(f"{key} ({path})", file["digest"], now, file=True)


def _packages(host: Host, folder: Path, told: Mapping[str, str]) -> Iterator[Change]:
    """Distributions, interpreter and machine; those that compute numbers, and the plugins', before all others."""
    try:
        then = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
        packages = dict(then["distributions"])
    except (OSError, ValueError, KeyError, TypeError):
        then, packages = {}, dict(told)
    now = provenance.environment()
    first = [*provenance.VERSIONS, *(info.distribution for info in host.plugins)]
    names = list(dict.fromkeys([*first, *sorted({*packages, *(now["distributions"] if then else ())})]))
    for name in names:
        if packages.get(name) != now["distributions"].get(name) and (then or name in packages):
            yield Change(name, packages.get(name, ""), now["distributions"].get(name, ""), name in first)
    for what in ("python", "platform", "processor"):
        if then.get(what) not in (None, now[what]):
            yield Change(what, str(then[what]), str(now[what]))
