"""The plugins of this environment and everything they registered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from pluggy import PluginManager

from metricsengine import hookspecs, kinds
from metricsengine.errors import PluginError, unknown
from metricsengine.kinds import KINDS, Kind
from metricsengine.loading import GROUP, Plugin, PluginInfo, line_of, read


class Host:
    """The plugins of this environment and everything they registered.

    Args:
        entries: Entry points to load; by default those installed under the group ``metricsengine``.

    Attributes:
        plugins: All plugins, those that are broken too.
        kinds: The kinds that plugins opened, by name.
    """

    def __init__(self, entries: Iterable[EntryPoint] | None = None) -> None:
        self._manager = PluginManager(GROUP)
        self._manager.add_hookspecs(hookspecs)
        found = read(self._manager, entries)
        sound = [plugin for plugin in found if not plugin.info.error]
        self.plugins: list[PluginInfo] = [plugin.info for plugin in found]
        self.kinds: Mapping[str, Kind] = {kind.name: kind for plugin in sound for kind in plugin.kinds}
        self._specs: dict[str, dict[str, Any]] = {kind: {} for kind in (*KINDS, *self.kinds)}
        self._owners: dict[tuple[str, str], PluginInfo] = {}
        self._collisions: dict[tuple[str, str], str] = {}
        self._folders = [(folder, plugin.info) for plugin in sound for folder in plugin.packages.values()]
        for plugin in sound:
            self._take(plugin)

    def specs(self, kind: str) -> Mapping[str, Any]:
        """Everything usable of one kind, the host's own or opened, by name; what is claimed twice is left out."""
        return {name: spec for name, spec in self._specs[kind].items() if (kind, name) not in self._collisions}

    def spec(self, kind: str, name: str) -> Any:
        """One registered specification.

        Raises:
            PluginError: The name is unknown, or claimed twice.
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
        if name := self._of(kind, type(config)):
            return self.spec(kind, name)
        raise PluginError(f"no {kind} has options of type {type(config).__name__}")

    @property
    def collisions(self) -> Sequence[str]:
        """Options that cannot be chosen because another one claims their name or dataclass, one line each."""
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
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code; isolated and reported by name
                failures.append(f"{origins[implementation.plugin_name]}, {hook}: {line_of(error)}")
            else:
                results += [] if result is None else [result]
        return results, failures

    def _take(self, plugin: Plugin) -> None:
        plugin.info.kinds = [kind.name for kind in plugin.kinds]
        plugin.info.config = list(plugin.packages)
        for kind, spec in plugin.specs:
            if kind in self._specs:  # a plugin that broke later has taken its kinds with it
                self._add(plugin.info, kind, spec)

    def _add(self, info: PluginInfo, kind: str, spec: Any) -> None:
        name = kinds.name_of(kind, spec)
        owner = self._owners.setdefault((kind, name), info)
        if name in self._specs[kind]:
            self._collisions[kind, name] = (
                f"two plugins register the {kind} {name!r}: {owner.origin} and {info.origin}; uninstall one"
            )
        elif kind in self.kinds and not self.kinds[kind].several and (twin := self._of(kind, spec.config)):
            self._collisions[kind, name] = (
                f"{info.origin} gives its {kind} {name!r} the options of {twin!r} ({spec.config.__name__}), by which "
                "the two cannot be told apart: each needs a dataclass of its own"
            )
        self._specs[kind].setdefault(name, spec)
        info.registered.setdefault(kind, []).append(name)

    def _of(self, kind: str, config: type[Any]) -> str:
        """Name of the option whose options are of a type; empty for none."""
        return next((name for name, spec in self._specs[kind].items() if spec.config is config), "")

    def broken_hint(self) -> str:
        """Names the plugins that could not be loaded, for a message about something that is missing."""
        names = ", ".join(dict.fromkeys(info.name for info in self.broken))
        return f" (not loaded: {names}; see `metricsengine plugins`)" if names else ""


_installed: dict[tuple[str, ...], Host] = {}
"""The plugins of this environment, by all that tells their entry points from others."""


def installed() -> Host:
    """The plugins of this environment, read anew only when others are installed: it takes a while."""
    here = tuple(sorted(_told(entry) for entry in entry_points(group=GROUP)))
    if here not in _installed:
        _installed.clear()
        _installed[here] = Host()
    return _installed[here]


def _told(entry: EntryPoint) -> str:
    """Not the package's version, whose file takes a while to read: this process keeps the code that it has loaded."""
    return repr([entry.name, entry.value, str(entry.dist.locate_file("")) if entry.dist else ""])
