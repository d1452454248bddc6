"""Configuration: the schema under every YAML file, the search path, and the way from Hydra's tree to typed settings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, InterpolationKeyError, OmegaConfBaseException

from metricsengine import fallback
from metricsengine.errors import ConfigError, unknown
from metricsengine.groups import SEVERAL, SINGLE, groups_of, store_options, store_sets
from metricsengine.host import Host
from metricsengine.launchers import store_ready
from metricsengine.metric import Protocol
from metricsengine.perturbation import load_named
from metricsengine.perturbation.options import PerturbedSets
from metricsengine.proof import Policy
from metricsengine.schema import store_schema
from metricsengine.sets import NamedSet, SetFile, find_sets
from metricsengine.settings import Settings

OnBadJob = Literal["stop", "skip"]
"""What a sweep does about a job that cannot be run: nothing is run, or all others are."""


# For each configuration that it composes, Hydra copies what it reads from: its store, too, with all its options, which
# takes as long as all the rest. The store gives nothing away but copies.
setattr(ConfigStore, "__deepcopy__", lambda self, memo: self)  # noqa: B010 - plain assignment is an error to mypy


_NUMBERED = "give it a value; in a sweep over listed values, 'KEY=${hydra:job.num}' gives each job its number"


def outputs_folder() -> Path:
    """Where everything is written: ``METRICSENGINE_OUTPUTS``, or ``outputs`` in the current directory; absolute."""
    return Path(os.environ.get("METRICSENGINE_OUTPUTS") or "outputs").absolute()


def application_conf() -> Path:
    """Folder of the application's configuration: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "conf"
    return inside if (inside / "config.yaml").is_file() else package.parent / "conf"


def added_folder(hydra: Any) -> Path | None:
    """The folder that ``--config-dir`` named, as Hydra's own configuration tells it to a job in any process."""
    found = [source.path for source in hydra.runtime.config_sources if source.provider == "command-line"]
    return Path(found[0]) if found else None


class Configuration:
    """The options that exist in this environment.

    Args:
        host: The loaded plugins.
        extra: A further folder of configuration, as ``--config-dir`` names it.

    Raises:
        ConfigError: Two places hold an option of one name.
    """

    def __init__(self, host: Host, extra: Path | None = None) -> None:
        self._host = host
        self._roots = list(_roots(host, extra))
        self._groups = groups_of(host)
        self.sets = find_sets(self._groups.sets, [root for root, _ in self._roots])
        _refuse_shadows(self._roots, host)
        self._store()
        _SearchPath.roots = [root for root, _ in self._roots if root != application_conf()]
        Plugins.instance().register(_SearchPath)
        PerturbedSets.sets = self.sets
        Plugins.instance().register(PerturbedSets)

    def _store(self) -> None:
        """Give Hydra's store the schema and all options, unless it holds these very ones: it takes a while."""
        known, store = _Stored.last, ConfigStore.instance()
        if known and known.host is self._host and known.repository is store.repo and known.sets == self.sets:
            return
        store_schema(self._groups)
        store_options(self._host, self._groups)
        store_sets(self.sets)
        store_ready(application_conf())
        _Stored.last = _Stored(self._host, store.repo, self.sets)

    def settings(self, tree: DictConfig) -> Settings:
        """Typed settings from a composed tree.

        Raises:
            ConfigError: A key is unknown, ill-typed or out of range; names the key.
            PluginError: A name is unknown, or claimed twice.
        """
        try:
            top: Any = OmegaConf.to_object(tree)
        except OmegaConfBaseException as error:
            raise ConfigError(self.describe(error)) from error
        except ValueError as error:
            raise ConfigError(str(error)) from error
        _refuse_strangers(tree)
        return self._typed(top)

    def options(self, group: str) -> list[str]:
        """Names of all options of a group: registered, sets, and YAML files."""
        registered = self._host.specs(group) if group in self._groups.registered else {}
        files = {path.stem for root, _ in self._roots for path in (root / group).glob("*.yaml")}
        return sorted({*registered, *self.sets.get(group, ()), *files})

    def describe(self, error: BaseException) -> str:
        """As :func:`describe`; what the chosen option of a kind does not know is said of this option."""
        parent = getattr(error, "parent_node", None)
        config = OmegaConf.get_type(parent) if isinstance(parent, DictConfig) else None
        kind = str(getattr(error, "full_key", "")).partition(".")[0]
        found = self._host.specs(kind) if kind in self._host.kinds and kind in self._groups.single else {}
        name = next((name for name, spec in found.items() if spec.config is config), "")
        said = describe(error)
        return said.replace(f"key of {kind} ", f"key of {kind}={name} ", 1) if name else said

    def only_one(self, group: str, chosen: Sequence[str]) -> None:
        """Refuse several options of a group of which one can be chosen.

        Raises:
            ConfigError: There are several.
        """
        if group in self._groups.single and len(chosen) > 1:
            raise ConfigError(f"one {group} can be chosen, got {', '.join(chosen)}")

    def several(self, group: str) -> bool:
        """Whether several options of a group may be chosen."""
        return group in (*self._groups.several, *self._groups.sets)

    def load(self, group: str, name: str) -> NamedSet:
        """A named set; ``NAME+PERTURBATION`` is the set of that name with its texts perturbed.

        Raises:
            ConfigError: There is none of that name, or its file is wrong.
            PluginError: There is no such group.
        """
        spec = self._host.spec("sets", group)
        return load_named(spec, self.sets[group], name)

    def undecodable(self) -> Path | None:
        """The first file of the configuration that is not UTF-8."""
        files = (path for root, _ in self._roots for path in sorted(root.glob("**/*.yaml")))
        return next((path for path in files if not _decodes(path)), None)

    def _typed(self, top: Any) -> Settings:
        for key, known in (("protocol", Protocol), ("probe", Policy), ("on_bad_job", OnBadJob)):
            if (value := getattr(top, key)) not in get_args(known):
                raise ConfigError(unknown(key, str(value), get_args(known)))
        fallback.chosen(top.fallback)
        one = {kind: self._one(kind, getattr(top, kind) or None) for kind in self._groups.single}
        several = {kind: self._many(kind, getattr(top, kind)) for kind in self._groups.several}
        if one["study"] is None:
            raise ConfigError("no study was chosen: add study=NAME")
        return Settings(
            **{kind: one[kind] for kind in SINGLE},
            **{kind: several[kind] for kind in SEVERAL},
            sets={group: [self.load(group, name) for name in getattr(top, group)] for group in self._groups.sets},
            parts=self._parts(one, several),
            find=self.load,
            protocol=top.protocol,
            seed=top.seed,
            probe=top.probe,
            fallback=tuple(top.fallback),
            records=top.records,
            card=top.card,
            objective=top.objective,
        )

    def _one(self, kind: str, options: Any) -> Any:
        """Options of the one that was chosen; None for none."""
        if isinstance(options, dict):
            raise ConfigError(
                f"{kind} was given keys {', '.join(options)}, but of no registered option: choose {kind}=NAME, or "
                f"begin the file of your own with `defaults: [NAME, _self_]`"
            )
        if options is not None:
            self._host.spec_of(kind, options)
        return options

    def _many(self, kind: str, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Options of those that were chosen; keys that an experiment set for another one are checked, and dropped."""
        kept = {}
        for name, options in chosen.items():
            config = self._host.spec(kind, name).config
            if isinstance(options, config):
                kept[name] = options
            else:
                _check_unused(f"{kind}.{name}", config, options)
        return kept

    def _parts(self, one: Mapping[str, Any], several: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
        """What was chosen of the kinds that plugins opened."""
        chosen: dict[str, Mapping[str, Any]] = {}
        for kind in self._host.kinds:
            if several.get(kind):
                chosen[kind] = several[kind]
            elif (options := one.get(kind)) is not None:
                chosen[kind] = {self._host.spec_of(kind, options).name: options}
        return chosen


def describe(error: BaseException) -> str:
    """One line for an error of OmegaConf: its message and the full key, or the keys that there are."""
    message = str(error).split("\n", 1)[0].strip()
    key, parent = getattr(error, "full_key", None), getattr(error, "parent_node", None)
    if re.search(r"HydraConfig was not set|hydra[:.]job\.num", message):
        return f"{key or 'a key'} takes its value from what Hydra knows of a job, and there is none yet: {_NUMBERED}"
    if isinstance(error, InterpolationKeyError) and key and (source := re.search(r"'([^']+)'", message)):
        return f"{key} takes its value from {source[1]}, which does not exist: give {key}=VALUE"
    if isinstance(error, (ConfigAttributeError, ConfigKeyError)) and isinstance(parent, DictConfig):
        return _unknown_key(str(key), map(str, parent))
    return f"{message} (key {key})" if key and str(key) not in message else message


def _unknown_key(key: str, known: Iterable[str]) -> str:
    parent, _, name = key.rpartition(".")
    return unknown(f"key of {parent}" if parent else "key", name, known)


def _refuse_strangers(node: DictConfig, prefix: str = "") -> None:
    """Keys beside those of a dataclass get in with ``+KEY=VALUE``, and would be dropped without a word."""
    type_ = OmegaConf.get_type(node)
    known = [f.name for f in fields(type_)] if is_dataclass(type_) else None
    for name in node:
        if known is not None and name not in known:
            raise ConfigError(_unknown_key(f"{prefix}{name!s}", known))
        if isinstance(child := node[name], DictConfig):
            _refuse_strangers(child, f"{prefix}{name!s}.")


def _check_unused(key: str, config: type[Any], options: Any) -> None:
    try:
        OmegaConf.merge(OmegaConf.structured(config), options)
    except (OmegaConfBaseException, TypeError, ValueError) as error:
        raise ConfigError(f"{key}: {describe(error)}") from error


def _roots(host: Host, extra: Path | None) -> Iterable[tuple[Path, str]]:
    """Folders of configuration with the name of who brings them: the application, plugins, the user."""
    yield application_conf(), "metricsengine"
    for folder, info in host.config_folders:
        yield folder, info.origin
    for own in (Path.cwd() / "conf", extra):
        if own is not None and own.is_dir() and own.resolve() != application_conf().resolve():
            yield own.absolute(), str(own)


def _refuse_shadows(roots: Iterable[tuple[Path, str]], host: Host) -> None:
    """Two options of one group and name would hide one another without a word."""
    kinds = groups_of(host).registered
    seen = {(kind, name): host.owner(kind, name).origin for kind in kinds for name in host.specs(kind)}
    for root, origin in roots:
        for path in sorted(root.glob("*/**/*.yaml")):
            option = path.relative_to(root).with_suffix("")
            this = str(path) if origin == str(root) else f"{origin}, {path}"
            known = seen.setdefault((str(option.parent), option.name), this)
            if known != this:
                raise ConfigError(
                    f"two options are called {option.parent}={option.name}: {known}; and {this}; rename one"
                )


def _decodes(path: Path) -> bool:
    try:
        path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False
    return True


@dataclass(frozen=True)
class _Stored:
    """What Hydra's store was given last."""

    host: Host
    repository: Mapping[str, Any]
    sets: Mapping[str, Mapping[str, SetFile]]

    last: ClassVar[_Stored | None] = None


class _SearchPath(SearchPathPlugin):
    """Puts the plugins' and the user's folders behind the application's own."""

    roots: Sequence[Path] = ()

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        for root in self.roots:
            search_path.append("metricsengine", f"file://{root}")
        search_path.append("metricsengine", f"{PerturbedSets.scheme()}://")
