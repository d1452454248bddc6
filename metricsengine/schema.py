"""The keys that a configuration has at its root, with their types and defaults: one class for each set of groups.

Workers of launchers get a composed configuration by pickle, its classes by their names. Which groups there are, only
the plugins tell. So the class of the root cannot be written down: this module makes ``Schema`` where it is asked for.
"""

from __future__ import annotations

from dataclasses import field, make_dataclass
from functools import cache
from typing import Any

from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf

from metricsengine.groups import Groups, groups_of
from metricsengine.host import Host
from metricsengine.settings import CardConf, ObjectiveConf, RecordsConf


def store_schema(groups: Groups) -> None:
    """Give Hydra's store the keys of the configuration, and make their class the one that pickles name."""
    globals()["Schema"] = _schema(groups)
    schema = OmegaConf.structured(_schema(groups))
    for free in (schema.records.columns, schema.objective.labels):
        OmegaConf.set_struct(free, False)  # their keys are the study's columns, and the estimates' labels
    ConfigStore.instance().store(name="schema", node=schema)


def __getattr__(name: str) -> type[Any]:
    """``Schema`` in a process that unpickles a configuration before it has made its own."""
    if name != "Schema":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _schema(groups_of(Host()))


@cache
def _schema(groups: Groups) -> type[Any]:
    keys: list[tuple[str, Any, Any]] = [(group, Any, None) for group in groups.single]
    keys += [(group, dict[str, Any], field(default_factory=dict)) for group in (*groups.several, *groups.sets)]
    keys += [
        ("protocol", str, "paper"),
        ("seed", int, 0),
        ("probe", str, "cached"),
        ("fallback", list[str], field(default_factory=list)),
        ("records", RecordsConf, field(default_factory=RecordsConf)),
        ("card", CardConf, field(default_factory=CardConf)),
        ("objective", ObjectiveConf, field(default_factory=ObjectiveConf)),
        ("on_bad_job", str, "stop"),
    ]
    made = make_dataclass("Schema", keys)
    made.__module__ = __name__
    return made
