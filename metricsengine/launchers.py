"""Launchers and sweepers of Hydra's that are packages of their own: our defaults over their keys, or how to get them.

Hydra would take a file ``conf/hydra/launcher/joblib.yaml`` in place of what the package itself registered under that
name, with the keys' types. So our files lie beside, below ``conf/hydra/ready``, and are merged into what is registered.
"""

from __future__ import annotations

from pathlib import Path

from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins
from hydra.plugins.config_source import ConfigLoadError
from omegaconf import OmegaConf

from metricsengine.errors import unknown

EXTRAS = {
    "hydra/launcher/joblib": "joblib",
    "hydra/launcher/submitit_local": "submitit",
    "hydra/launcher/submitit_slurm": "submitit",
    "hydra/launcher/ray": "ray",
    "hydra/sweeper/optuna": "optuna",
}
"""The extra of this distribution that brings each option."""


def store_ready(conf: Path) -> None:
    """Set what we set of the launchers and sweepers that are installed, in Hydra's store.

    Args:
        conf: Folder of the application's configuration.
    """
    Plugins.instance()  # imports the packages, which register theirs
    store = ConfigStore.instance()
    for file in sorted((conf / "hydra" / "ready").glob("**/*.yaml")):
        group = f"hydra/{file.parent.relative_to(conf / 'hydra' / 'ready').as_posix()}"
        if _is_registered(f"{group}/{file.stem}"):
            found = store.load(f"{group}/{file.name}")
            node = OmegaConf.merge(found.node, OmegaConf.load(file))
            store.store(file.stem, node, group, found.package, found.provider)


def missing(option: str) -> str:
    """What to say of an option that Hydra did not find because its package is not installed; empty for any other.

    Example:
        >>> missing("hydra/launcher/basic")
        ''
    """
    group, _, name = option.rpartition("/")
    if group in ("hydra/launcher", "hydra/sweeper") and option not in EXTRAS:
        known = [one.rpartition("/")[2] for one in EXTRAS if one.startswith(group)]
        return unknown(group, name, ["basic", *known]) if name != "basic" else ""
    if option not in EXTRAS or _is_registered(option):
        return ""
    extra = EXTRAS[option]
    return f"{group}={name} is not installed: pip install 'metricsengine[{extra}]' (in a checkout: -e '.[{extra}]')"


def _is_registered(option: str) -> bool:
    try:
        ConfigStore.instance().load(f"{option}.yaml")
    except ConfigLoadError:
        return False
    return True
