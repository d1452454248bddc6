"""What plugins register, and what is refused because it would break the configuration of everybody else."""

from __future__ import annotations

import importlib.util
import keyword
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metricsengine.comparison import ComparisonSpec
from metricsengine.encoder import EncoderSpec
from metricsengine.errors import PluginError
from metricsengine.metric import MetricSpec
from metricsengine.model import ModelSpec
from metricsengine.run import TrackerSpec
from metricsengine.sets import SetSpec
from metricsengine.study import StudySpec

KINDS: Mapping[str, type[Any]] = {
    "model": ModelSpec,
    "study": StudySpec,
    "metric": MetricSpec,
    "comparison": ComparisonSpec,
    "encoder": EncoderSpec,
    "tracking": TrackerSpec,
    "sets": SetSpec,
}
"""What plugins register, by the name of its configuration group."""


@dataclass(frozen=True)
class Kind:
    """A kind that a plugin opens: what any plugin registers for it becomes an option of a configuration group.

    Attributes:
        name: Name of the group and of its key.
        hook: Name of the hook that registers :class:`PartSpec`; the plugin also specifies it, see
            :func:`metricsengine.hookspecs.metricsengine_add_hookspecs`.
        product: What an option builds.
        several: Whether a job may choose several; their options lie under ``KIND.NAME``, otherwise under ``KIND``.
        doc: What it is, in a few words.
    """

    name: str
    hook: str
    product: type[Any]
    several: bool = False
    doc: str = ""


@dataclass(frozen=True)
class PartSpec:
    """Registers an option of a kind that a plugin opened.

    Attributes:
        name: Name of the option; ``KIND=NAME`` chooses it.
        config: Dataclass with its options and their defaults.
        build: Makes the kind's product from an instance of ``config``.
        doc: One line for ``metricsengine plugins``.
    """

    name: str
    config: type[Any]
    build: Callable[[Any], Any]
    doc: str = ""


RESERVED = frozenset({*KINDS, "protocol", "seed", "probe", "fallback", "records", "card", "experiment", "hydra"})
"""Names that neither a group of named sets nor an opened kind can have: they mean something else."""


def name_of(kind: str, spec: Any) -> str:
    """The name under which a specification is chosen."""
    name: str = spec.group if kind == "sets" else spec.name
    return name


def check(kind: str, spec: Any) -> None:
    """Look at one registered specification.

    Args:
        kind: Its kind, one of the host's own or opened by a plugin.
        spec: What was registered.

    Raises:
        PluginError: It is of another type, its name cannot be typed as a key, or its options are no dataclass.
    """
    wanted = KINDS.get(kind, PartSpec)
    if not isinstance(spec, wanted):
        raise PluginError(f"registers {spec!r} as a {kind}, which is no {wanted.__name__}")
    name = name_of(kind, spec)
    if kind == "sets":
        _check_key("registers the sets", name)
        return
    if not (isinstance(name, str) and re.fullmatch(r"[A-Za-z_][\w-]*", name, re.ASCII)):
        raise PluginError(f"registers the {kind} {name!r}: {_TYPEABLE}")
    _check_options(kind, spec)


def check_kind(kind: Any) -> None:
    """Look at one kind that a plugin opens.

    Raises:
        PluginError: It is no kind, its name cannot be that of a group, or its product is no class.
    """
    if not isinstance(kind, Kind):
        raise PluginError(f"opens {kind!r}, which is no Kind")
    _check_key("opens the kind", kind.name)
    if not isinstance(kind.product, type):
        raise PluginError(f"opens the kind {kind.name!r}, whose product {kind.product!r} is no class")


_TYPEABLE = "a name begins with a letter and has no spaces or dots"


def _check_key(does: str, name: Any) -> None:
    """Refuse the name of a group that cannot be a key of the configuration, or is another one already."""
    if not (isinstance(name, str) and re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII)) or keyword.iskeyword(name):
        raise PluginError(f"{does} {name!r}: {_TYPEABLE}")
    if name in RESERVED:
        raise PluginError(f"{does} {name!r}, which is another key of the configuration")


def _check_options(kind: str, spec: Any) -> None:
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        OmegaConf.structured(spec.config)
    except OmegaConfBaseException as error:
        reason = str(error).split("\n", 1)[0]
        raise PluginError(
            f"the options of its {kind} {spec.name!r} are no dataclass that Hydra knows: {reason}"
        ) from error


def folder_of(package: str) -> Path:
    """The folder of a package with configuration.

    Raises:
        PluginError: There is no such package.
    """
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError) as error:
        raise PluginError(f"its configuration package {package!r} cannot be found: {error}") from error
    locations = list(spec.submodule_search_locations or ()) if spec else []
    if not locations:
        raise PluginError(f"its configuration package {package!r} does not exist")
    return Path(locations[0])
