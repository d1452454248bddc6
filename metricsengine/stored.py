"""A finished run's configuration as its folder holds it, typed again by today's plugins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from metricsengine.config import describe
from metricsengine.errors import ConfigError
from metricsengine.groups import groups_of
from metricsengine.host import Host
from metricsengine.perturbation import based, load_named
from metricsengine.results import Results
from metricsengine.sets import NamedSet, SetFile, find_sets
from metricsengine.settings import CardConf, RecordsConf, Settings


def configuration(folder: Path) -> Any:
    """The tree of a run's ``config.yaml``.

    Raises:
        ConfigError: It cannot be read, or is not the configuration of a run.
    """
    path = folder / "config.yaml"
    try:
        tree = OmegaConf.load(path)
    except (OSError, UnicodeDecodeError, YAMLError, OmegaConfBaseException) as error:
        raise ConfigError(f"{path}: {error}") from error
    if not isinstance(tree, DictConfig) or "study" not in tree:
        raise ConfigError(f"{path} is not the configuration of a run")
    return tree


def typed(config: type[Any], node: Any, folder: Path) -> Any:
    """An instance of a dataclass from a node of a run's configuration.

    Raises:
        ConfigError: The node does not fit today's dataclass.
    """
    try:
        return OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(config), node))
    except (OmegaConfBaseException, ValueError) as error:
        raise ConfigError(f"{folder / 'config.yaml'}: {describe(error)}") from error


def stored_settings(host: Host, folder: Path, results: Results) -> Settings:
    """The settings with which a run was made, without its tracker.

    Args:
        host: Today's plugins.
        folder: The run folder, whose ``config.yaml`` and ``sets`` are read, and no other configuration.
        results: Its results, which say which options its configuration is of.

    Raises:
        ConfigError: The folder lacks something, or holds what today's plugins do not take.
        PluginError: A plugin that the run was made with is not installed.
    """
    tree = configuration(folder)
    library = Library(host, folder)
    chosen = choices(host, tree, results)

    def one(kind: str) -> Any:
        return next((typed(host.spec(kind, name).config, tree[kind], folder) for name in chosen.get(kind, ())), None)

    def several(kind: str) -> dict[str, Any]:
        return {name: typed(host.spec(kind, name).config, tree[kind][name], folder) for name in chosen.get(kind, ())}

    parts = [kind for kind in host.kinds if chosen.get(kind)]
    return Settings(
        study=one("study"),
        model=one("model"),
        encoder=one("encoder"),
        metric=several("metric"),
        comparison=several("comparison"),
        parts={kind: several(kind) if host.kinds[kind].several else {chosen[kind][0]: one(kind)} for kind in parts},
        sets=_sets(library, host, tree, results),
        find=library,
        protocol=tree.protocol,
        seed=tree.seed,
        probe=tree.get("probe", "cached"),
        fallback=tuple(tree.get("fallback", ())),
        records=typed(RecordsConf, tree.get("records", {}), folder),
        card=typed(CardConf, tree.get("card", {}), folder),
    )


class Library:
    """The named sets that a run folder keeps copies of.

    Args:
        host: Today's plugins.
        folder: The run folder.
    """

    def __init__(self, host: Host, folder: Path) -> None:
        self._host, self._folder = host, folder
        self.files: Mapping[str, Mapping[str, SetFile]] = find_sets(host.specs("sets"), [folder / "sets"])

    def __call__(self, group: str, name: str) -> NamedSet:
        """A set by group and name; ``NAME+PERTURBATION`` is the set with its texts perturbed.

        Raises:
            ConfigError: The folder does not hold it.
        """
        spec, files = self._host.spec("sets", group), self.files[group]
        base, _ = based(name, files)
        if base not in files:
            kept = self._folder / "sets" / group / f"{base}.toml"
            raise ConfigError(f"{group}={name} is not in the run folder: put the file as it was then at {kept}")
        return load_named(spec, files, name)


def kept_sets(host: Host, tree: Any, folder: Path) -> dict[str, list[NamedSet]]:
    """The chosen named sets as they were when the run was made, as far as its folder keeps them."""
    library = Library(host, folder)
    return {
        group: [library(group, name) for name in tree.get(group) or () if based(name, files)[0] in files]
        for group, files in library.files.items()
    }


def choices(host: Host, tree: Any, results: Results) -> dict[str, Sequence[str]]:
    """The names of the options that a run had chosen, by kind; inferred where the run did not write them down.

    Raises:
        ConfigError: They cannot be told.
    """
    told: Mapping[str, Any] = results.provenance.get("choices") or _inferred(host, tree, results)
    parts = results.provenance.get("parts", {})
    return {kind: [names] if isinstance(names, str) else list(names) for kind, names in {**told, **parts}.items()}


def _inferred(host: Host, tree: Any, results: Results) -> dict[str, Any]:
    """What a run of an older version had chosen: what was chosen has every key of its dataclass."""
    model = results.model["adapter"] if results.model else []
    named = {
        kind: [name for name, node in (tree.get(kind) or {}).items() if _whole(host, kind, str(name), node)]
        for kind in ("metric", "comparison")
    }
    return {"study": results.study, "model": model, "encoder": _encoder(host, tree.get("encoder")), **named}


def _whole(host: Host, kind: str, name: str, node: Any) -> bool:
    spec = host.specs(kind).get(name)
    return spec is None or set(node) == {field.name for field in fields(spec.config)}


def _encoder(host: Host, node: Any) -> str | Sequence[str]:
    if node is None:
        return []
    fitting = [name for name in host.specs("encoder") if _whole(host, "encoder", name, node)]
    if len(fitting) != 1:
        raise ConfigError("the run was made by an older version and does not tell which encoder it used: run it anew")
    return fitting


def _sets(library: Library, host: Host, tree: Any, results: Results) -> dict[str, list[NamedSet]]:
    """The chosen sets. Where recorded responses were scored, only those that described them count."""
    used = results.provenance.get("sets", {})
    scored = bool(typed(RecordsConf, tree.get("records", {}), Path()).file)
    return {
        group: [library(group, name) for name in tree.get(group) or () if not scored or f"{group}={name}" in used]
        for group in groups_of(host).sets
    }
