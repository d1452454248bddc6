"""Finding plugins, one entry point at a time, so that a broken one takes nothing else with it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from pluggy import PluginManager

from metricsengine import hookspecs, kinds
from metricsengine.errors import MetricsEngineError, PluginError, unknown
from metricsengine.kinds import KINDS

GROUP = "metricsengine"

_HOOKS = {
    "metricsengine_models": "model",
    "metricsengine_studies": "study",
    "metricsengine_metrics": "metric",
    "metricsengine_encoders": "encoder",
    "metricsengine_trackers": "tracking",
    "metricsengine_sets": "sets",
}


@dataclass
class PluginInfo:
    """One entry point: where it comes from, what it registers, and why it is not there.

    Attributes:
        name: Name of the entry point.
        distribution: Distribution that declares it.
        version: Version of the distribution.
        module: What the entry point names.
        registered: Registered names by kind.
        config: Packages whose folders join the search path.
        error: One line on why it was not loaded; empty where it was.
        trace: Traceback of the error.
    """

    name: str
    distribution: str
    version: str
    module: str
    registered: dict[str, list[str]] = field(default_factory=dict)
    config: list[str] = field(default_factory=list)
    error: str = ""
    trace: str = ""

    @property
    def origin(self) -> str:
        """Plugin and distribution, as messages name them."""
        return f"plugin {self.name!r} of {self.distribution} {self.version}"


class Host:
    """The plugins of this environment and everything they registered.

    Args:
        entries: Entry points to load; by default those installed under the group ``metricsengine``.
    """

    def __init__(self, entries: Iterable[EntryPoint] | None = None) -> None:
        self.plugins: list[PluginInfo] = []
        self._manager = PluginManager(GROUP)
        self._manager.add_hookspecs(hookspecs)
        self._specs: dict[str, dict[str, Any]] = {kind: {} for kind in KINDS}
        self._owners: dict[tuple[str, str], PluginInfo] = {}
        self._collisions: dict[tuple[str, str], str] = {}
        self._folders: list[tuple[Path, PluginInfo]] = []
        modules = [self._import(info, entry) for info, entry in self._entries(entries)]
        for info, module in modules:
            self._attempt(info, partial(self._open_kinds, module))
        for info, module in modules:
            self._attempt(info, partial(self._register, info, module))

    def specs(self, kind: str) -> Mapping[str, Any]:
        """Everything usable of one kind, by name; names that two plugins claim are left out."""
        return {name: spec for name, spec in self._specs[kind].items() if (kind, name) not in self._collisions}

    def spec(self, kind: str, name: str) -> Any:
        """One registered specification.

        Raises:
            PluginError: The name is unknown, or two plugins claim it.
        """
        if clash := self._collisions.get((kind, name)):
            raise PluginError(clash)
        if name not in self._specs[kind]:
            raise PluginError(unknown(kind, name, self.specs(kind)) + self.broken_hint())
        return self._specs[kind][name]

    def spec_of(self, kind: str, config: object) -> Any:
        """The specification whose options a configuration object holds.

        Raises:
            PluginError: No plugin registered options of that type.
        """
        for name, spec in self._specs[kind].items():
            if spec.config is type(config):
                return self.spec(kind, name)
        raise PluginError(f"no {kind} has options of type {type(config).__name__}")

    @property
    def collisions(self) -> Sequence[str]:
        """Names that two plugins claim, one line each."""
        return list(self._collisions.values())

    @property
    def broken(self) -> list[PluginInfo]:
        """Plugins that could not be loaded."""
        return [info for info in self.plugins if info.error]

    @property
    def config_folders(self) -> Sequence[tuple[Path, PluginInfo]]:
        """Folders with configuration, each with the plugin that brings it."""
        return list(self._folders)

    def owner(self, kind: str, name: str) -> PluginInfo:
        """The plugin that registered a name; the first one where two claim it.

        Raises:
            KeyError: None did.
        """
        return self._owners[kind, name]

    def call(self, hook: str, **arguments: Any) -> tuple[list[Any], list[str]]:
        """Call a life-cycle hook of every plugin, whatever the others do.

        Returns:
            What the plugins returned (without None), and one line for each that raised.
        """
        results, failures = [], []
        origins = {info.name: info.origin for info in self.plugins}
        for implementation in reversed(getattr(self._manager.hook, hook).get_hookimpls()):
            try:
                result = implementation.function(*(arguments[name] for name in implementation.argnames))
            except Exception as error:  # noqa: BLE001 - a stranger's code; isolated and reported by name
                failures.append(f"{origins[implementation.plugin_name]}, {hook}: {_line(error)}")
            else:
                results += [] if result is None else [result]
        return results, failures

    def _entries(self, entries: Iterable[EntryPoint] | None) -> list[tuple[PluginInfo, EntryPoint]]:
        """Entry points in a stable order; an editable install may list the same one twice."""
        found = entry_points(group=GROUP) if entries is None else entries
        unique = {(e.name, e.value, e.dist.name if e.dist else ""): e for e in found}
        pairs = []
        for (name, value, distribution), entry in sorted(unique.items()):
            info = PluginInfo(name, distribution, entry.dist.version if entry.dist else "", value)
            self.plugins.append(info)
            pairs.append((info, entry))
        for info in self.plugins:
            rivals = [other for other in self.plugins if other.name == info.name]
            if len(rivals) > 1:
                both = " and ".join(f"{r.distribution} {r.version}" for r in rivals)
                info.error = f"two plugins are called {info.name!r}: {both}; uninstall one"
        return pairs

    def _import(self, info: PluginInfo, entry: EntryPoint) -> tuple[PluginInfo, Any]:
        loaded: list[Any] = []
        self._attempt(info, lambda: loaded.append(entry.load()))
        return info, loaded[0] if loaded else None

    def _attempt(self, info: PluginInfo, action: Callable[[], None]) -> None:
        if info.error:
            return
        try:
            action()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code; isolated and reported by name
            info.error, info.trace = _line(error), traceback.format_exc()

    def _open_kinds(self, module: Any) -> None:
        opener = getattr(module, "metricsengine_add_hookspecs", None)
        for namespace in opener() if opener else ():
            self._manager.add_hookspecs(namespace)

    def _register(self, info: PluginInfo, module: Any) -> None:
        try:
            self._manager.register(module, info.name)
            self._refuse_unknown_hooks(module)
            found = [(kind, spec) for hook, kind in _HOOKS.items() for spec in self._ask(module, hook)]
            for kind, spec in found:
                kinds.check(kind, spec)
            packages = [str(package) for package in self._ask(module, "metricsengine_config")]
            folders = [kinds.folder_of(package) for package in packages]
        except (Exception, SystemExit):
            if self._manager.get_plugin(info.name) is module:
                self._manager.unregister(module)
            raise
        info.config = packages
        self._folders += [(folder, info) for folder in folders]
        for kind, spec in found:
            self._add(info, kind, spec)

    def _refuse_unknown_hooks(self, module: Any) -> None:
        callers = self._manager.get_hookcallers(module) or ()
        strange = [caller for caller in callers if not caller.has_spec()]
        known = [name for name, caller in vars(self._manager.hook).items() if caller.has_spec()]
        for caller in strange:
            if not all(i.optionalhook for i in caller.get_hookimpls() if i.plugin is module):
                raise PluginError(unknown("hook", caller.name, known))

    def _ask(self, module: Any, hook: str) -> list[Any]:
        implementations = getattr(self._manager.hook, hook).get_hookimpls()
        answers = [implementation.function() for implementation in implementations if implementation.plugin is module]
        for answer in answers:
            if isinstance(answer, str) or not isinstance(answer, Iterable):
                raise PluginError(f"{hook} returns {answer!r}, which is no sequence")
        return [item for answer in answers for item in answer]

    def _add(self, info: PluginInfo, kind: str, spec: Any) -> None:
        name = kinds.name_of(kind, spec)
        owner = self._owners.setdefault((kind, name), info)
        if name in self._specs[kind]:
            self._collisions[kind, name] = (
                f"two plugins register the {kind} {name!r}: {owner.origin} and {info.origin}; uninstall one"
            )
        self._specs[kind].setdefault(name, spec)
        info.registered.setdefault(kind, []).append(name)

    def broken_hint(self) -> str:
        """Names the plugins that could not be loaded, for a message about something that is missing."""
        names = ", ".join(dict.fromkeys(info.name for info in self.broken))
        return f" (not loaded: {names}; see `metricsengine plugins`)" if names else ""


def _line(error: BaseException) -> str:
    if isinstance(error, MetricsEngineError):
        return str(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
