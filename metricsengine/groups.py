"""The groups of the configuration, and what plugins registered as their options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hydra.core.config_store import ConfigStore

from metricsengine.host import Host
from metricsengine.sets import SetFile
from metricsengine.study import StudySpec

SINGLE = ("model", "study", "encoder", "tracking")
"""Groups of the host's own of which one option is chosen."""

SEVERAL = ("metric", "comparison")
"""Groups of the host's own of which several options may be chosen."""


@dataclass(frozen=True)
class Groups:
    """The groups that the host and the plugins have, each a key of the configuration.

    Attributes:
        single: Those of which one option is chosen, whose options are the key's value.
        several: Those of which several may be chosen, each with its options under its name.
        sets: Those of named sets, of which several may be chosen.
    """

    single: tuple[str, ...]
    several: tuple[str, ...]
    sets: tuple[str, ...]

    @property
    def registered(self) -> tuple[str, ...]:
        """Those whose options plugins register."""
        return (*self.single, *self.several)


def groups_of(host: Host) -> Groups:
    """The groups of this environment."""
    opened = host.kinds.values()
    return Groups(
        (*SINGLE, *(kind.name for kind in opened if not kind.several)),
        (*SEVERAL, *(kind.name for kind in opened if kind.several)),
        tuple(host.specs("sets")),
    )


def store_options(host: Host, groups: Groups) -> None:
    """Give every registered option its schema, in Hydra's store. A study brings along what its specification names."""
    store = ConfigStore.instance()
    for kind in groups.registered:
        for name, spec in host.specs(kind).items() if kind != "study" else ():
            package = kind if kind in groups.single else f"{kind}.{name}"
            store.store(group=kind, name=name, node=spec.config, package=package)
    for name, spec in host.specs("study").items():
        store.store(group=f"study/{name}", name="options", node=spec.config)
        brought = [{f"/{group}": chosen} for group, chosen in _brought(host, groups, spec).items()]
        node = {"defaults": [{f"/study/{name}@study": "options"}, *brought, "_self_"]}
        store.store(group="study", name=name, node=node, package="_global_")


def store_sets(sets: Mapping[str, Mapping[str, SetFile]]) -> None:
    """Give every named set its digest, in Hydra's store."""
    for group, files in sets.items():
        for name, file in files.items():
            ConfigStore.instance().store(group=group, name=name, node={name: file.digest}, package=group)


def _brought(host: Host, groups: Groups, study: StudySpec) -> dict[str, Any]:
    """The groups of which something can be chosen beside a study, each with what the study itself brings."""
    tables = {table.name for table in study.tables}
    metrics = [spec for spec in host.specs("metric").values() if spec.table in tables]
    kinds = [kind for spec in (study, *metrics) for kind in spec.parts if kind in host.kinds]
    beside = dict.fromkeys([*study.sets, *kinds, *SEVERAL, *study.defaults])
    return {group: study.defaults.get(group, None if group in groups.single else []) for group in beside}
