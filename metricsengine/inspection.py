"""``metricsengine plugins``: what is installed, and what could not be loaded."""

from __future__ import annotations

import json as json_
import sys
from dataclasses import asdict

from metricsengine.config import Configuration
from metricsengine.errors import ConfigError
from metricsengine.host import Host
from metricsengine.loading import PluginInfo


def plugins(*, json: bool) -> int:
    """List the plugins.

    Returns:
        Exit status: 1 where one is broken or a name is claimed twice.
    """
    host = Host()
    if json:
        rows = [asdict(info) | {"docs": _docs(host, info)} for info in host.plugins]
        sys.stdout.write(json_.dumps({"plugins": rows, "collisions": list(host.collisions)}, indent=2) + "\n")
    else:
        sys.stdout.write("\n".join(line for info in host.plugins for line in _lines(host, info)) + "\n")
        sys.stdout.write("\n".join(_sets(host)) + "\n")
        for clash in host.collisions:
            sys.stdout.write(f"COLLISION {clash}\n")
    return 1 if host.broken or host.collisions else 0


def _lines(host: Host, info: PluginInfo) -> list[str]:
    lines = [f"{info.name}  ({info.distribution} {info.version}, {info.module})"]
    if info.error:
        return [*lines, f"  NOT LOADED: {info.error}", *(f"    {line}" for line in info.trace.splitlines())]
    docs = _docs(host, info)
    for kind, names in _named(info).items():
        lines += [f"  {kind:10} {name:18} {docs[f'{kind} {name}']}".rstrip() for name in names]
    return lines + [f"  {'config':10} {package}" for package in info.config]


def _sets(host: Host) -> list[str]:
    try:
        found = Configuration(host).sets
    except ConfigError as error:
        return [f"SETS {error}"]
    return [f"{group} sets: {', '.join(sorted(files))}" for group, files in found.items()]


def _named(info: PluginInfo) -> dict[str, list[str]]:
    """Names by what they are: the kinds that a plugin opens, then what it registers of each kind."""
    opened = {"kind": info.kinds} if info.kinds else {}
    return opened | dict(sorted(info.registered.items()))


def _docs(host: Host, info: PluginInfo) -> dict[str, str]:
    """One line on each name; empty for a name that is claimed twice."""
    usable = {"kind": host.kinds, **{kind: host.specs(kind) for kind in info.registered}}
    return {
        f"{kind} {name}": getattr(usable[kind].get(name), "doc", "") or ""
        for kind, names in _named(info).items()
        for name in names
    }
