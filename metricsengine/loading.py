"""Reading plugins, one entry point at a time, so that a broken one takes nothing else with it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from pluggy import PluginManager

from metricsengine import hookspecs, kinds
from metricsengine.errors import MetricsEngineError, PluginError, unknown
from metricsengine.kinds import Kind

GROUP = "metricsengine"

HOOKS = {
    "metricsengine_models": "model",
    "metricsengine_studies": "study",
    "metricsengine_metrics": "metric",
    "metricsengine_comparisons": "comparison",
    "metricsengine_encoders": "encoder",
    "metricsengine_trackers": "tracking",
    "metricsengine_sets": "sets",
}
"""The host's own kinds by the hook that registers each."""


@dataclass
class PluginInfo:
    """One entry point: where it comes from, what it registers, and why it is not there.

    Attributes:
        name: Name of the entry point.
        distribution: Distribution that declares it.
        version: Version of the distribution.
        module: What the entry point names.
        kinds: Names of the kinds it opens.
        registered: Registered names by kind.
        config: Packages whose folders join the search path.
        error: One line on why it was not loaded; empty where it was.
        trace: Traceback of the error.
    """

    name: str
    distribution: str
    version: str
    module: str
    kinds: list[str] = field(default_factory=list)
    registered: dict[str, list[str]] = field(default_factory=dict)
    config: list[str] = field(default_factory=list)
    error: str = ""
    trace: str = ""

    @property
    def origin(self) -> str:
        """Plugin and distribution, as messages name them."""
        return f"plugin {self.name!r} of {self.distribution} {self.version}"


@dataclass
class Plugin:
    """A plugin while it is read. Nothing that it answers counts until all of it has been found sound.

    Attributes:
        info: Where it comes from, and what is wrong with it.
        entry: Its entry point.
        module: What the entry point names.
        kinds: Kinds that it opens.
        specs: What it registers, each with its kind.
        packages: Packages with configuration, and the folder of each.
    """

    info: PluginInfo
    entry: EntryPoint
    module: Any = None
    kinds: list[Kind] = field(default_factory=list)
    specs: list[tuple[str, Any]] = field(default_factory=list)
    packages: dict[str, Path] = field(default_factory=dict)


def read(manager: PluginManager, entries: Iterable[EntryPoint] | None = None) -> list[Plugin]:
    """Read all plugins, whatever is wrong with some of them.

    Args:
        manager: Knows the host's hooks; is given the plugins and the hooks that they specify.
        entries: Entry points; by default those installed.
    """
    plugins = _listed(entry_points(group=GROUP) if entries is None else entries)
    reading = _Reading(manager, plugins)
    for step in (reading.load, reading.specify, reading.register, reading.open_kinds, reading.add_parts):
        for plugin in plugins:
            reading.attempt(plugin, step)
    return plugins


def line_of(error: BaseException) -> str:
    """An error in one line; that of a stranger with its type."""
    if isinstance(error, MetricsEngineError):
        return str(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _listed(entries: Iterable[EntryPoint]) -> list[Plugin]:
    """Entry points in a stable order; an editable install may list the same one twice."""
    unique = {(e.name, e.value, e.dist.name if e.dist else ""): e for e in entries}
    plugins = [
        Plugin(PluginInfo(name, distribution, entry.dist.version if entry.dist else "", value), entry)
        for (name, value, distribution), entry in sorted(unique.items())
    ]
    for plugin in plugins:
        rivals = [other.info for other in plugins if other.info.name == plugin.info.name]
        if len(rivals) > 1:
            both = " and ".join(f"{r.distribution} {r.version}" for r in rivals)
            plugin.info.error = f"two plugins are called {plugin.info.name!r}: {both}; uninstall one"
    return plugins


class _Reading:
    """The steps; each is taken for every plugin before the next, as plugins build on one another's hooks and kinds."""

    def __init__(self, manager: PluginManager, plugins: list[Plugin]) -> None:
        self._manager = manager
        self._plugins = plugins

    def attempt(self, plugin: Plugin, step: Callable[[Plugin], None]) -> None:
        """Take a step with a plugin that is sound so far; what goes wrong is written down, and the plugin undone."""
        info = plugin.info
        if info.error:
            return
        try:
            step(plugin)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code; isolated and reported by name
            info.error, info.trace = line_of(error), traceback.format_exc()
            if plugin.module is not None and self._manager.get_plugin(info.name) is plugin.module:
                self._manager.unregister(plugin.module)

    def load(self, plugin: Plugin) -> None:
        """Import it."""
        plugin.module = plugin.entry.load()

    def specify(self, plugin: Plugin) -> None:
        """Learn the hooks that it specifies."""
        opener = getattr(plugin.module, "metricsengine_add_hookspecs", None)
        for namespace in opener() if opener else ():
            for name in dir(namespace):
                if self._manager.parse_hookspec_opts(namespace, name) is not None and self._is_specified(name):
                    raise PluginError(
                        f"specifies the hook {name}, which the host or another plugin has specified already"
                    )
            self._manager.add_hookspecs(namespace)

    def register(self, plugin: Plugin) -> None:
        """Ask what it has of the host's own kinds."""
        self._manager.register(plugin.module, plugin.info.name)
        self._refuse_unknown_hooks(plugin)
        for hook, kind in HOOKS.items():
            self._add(plugin, kind, hook)
        packages = [str(package) for package in self._ask(plugin, "metricsengine_config")]
        plugin.packages = {package: kinds.folder_of(package) for package in packages}

    def open_kinds(self, plugin: Plugin) -> None:
        """Open its kinds, all of them or none."""
        opened: list[Kind] = []
        for kind in self._ask(plugin, "metricsengine_kinds"):
            kinds.check_kind(kind)
            self._refuse_taken(plugin, kind, opened)
            opened.append(kind)
        plugin.kinds = opened

    def add_parts(self, plugin: Plugin) -> None:
        """Ask what it has of the kinds that plugins opened."""
        for kind in [kind for opener in self._plugins for kind in opener.kinds]:
            self._add(plugin, kind.name, kind.hook)

    def _add(self, plugin: Plugin, kind: str, hook: str) -> None:
        for spec in self._ask(plugin, hook):
            kinds.check(kind, spec)
            plugin.specs.append((kind, spec))

    def _ask(self, plugin: Plugin, hook: str) -> list[Any]:
        implementations = getattr(self._manager.hook, hook).get_hookimpls()
        answers = [found.function() for found in implementations if found.plugin is plugin.module]
        for answer in answers:
            if isinstance(answer, str) or not isinstance(answer, Iterable):
                raise PluginError(f"{hook} returns {answer!r}, which is no sequence")
        return [item for answer in answers for item in answer]

    def _refuse_unknown_hooks(self, plugin: Plugin) -> None:
        if any(other.module is None for other in self._plugins):
            return  # a plugin that could not be imported may be the one that specifies them
        callers = self._manager.get_hookcallers(plugin.module) or ()
        strange = [caller for caller in callers if not caller.has_spec()]
        known = [name for name, caller in vars(self._manager.hook).items() if caller.has_spec()]
        for caller in strange:
            if not all(i.optionalhook for i in caller.get_hookimpls() if i.plugin is plugin.module):
                raise PluginError(unknown("hook", caller.name, known))

    def _is_specified(self, hook: str) -> bool:
        caller = getattr(self._manager.hook, hook, None)
        return caller is not None and caller.has_spec()

    def _refuse_taken(self, plugin: Plugin, kind: Kind, opened: list[Kind]) -> None:
        """Its name and its hook must be nobody else's."""
        for other in self._plugins:
            for rival in opened if other is plugin else other.kinds:
                if kind.name == rival.name:
                    raise PluginError(f"opens the kind {kind.name!r}, which {other.info.origin} has opened already")
                if kind.hook == rival.hook:
                    raise PluginError(f"opens the kind {kind.name!r} by the hook {kind.hook} of {other.info.origin}")
            groups = [spec.group for found, spec in other.specs if found == "sets" and not other.info.error]
            if kind.name in groups:
                raise PluginError(f"opens the kind {kind.name!r}, which is a group of sets of {other.info.origin}")
        if hasattr(hookspecs, kind.hook) or not self._is_specified(kind.hook):
            raise PluginError(
                f"opens the kind {kind.name!r} by the hook {kind.hook}, which it must specify itself by "
                "metricsengine_add_hookspecs"
            )
