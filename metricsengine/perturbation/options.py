"""Perturbed sets as options of the configuration: ``context=[interview,interview+case]``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from hydra.core.object_type import ObjectType
from hydra.plugins.config_source import ConfigResult, ConfigSource
from omegaconf import OmegaConf

from metricsengine.perturbation.named import digest
from metricsengine.perturbation.naming import based
from metricsengine.sets import SetFile


class PerturbedSets(ConfigSource):
    """Answers to ``GROUP/NAME+KIND`` for every set and any kinds, so that none need be registered.

    What cannot be perturbed so is an option too: reading it says what is wrong.
    """

    sets: ClassVar[Mapping[str, Mapping[str, SetFile]]] = {}

    @staticmethod
    def scheme() -> str:
        """As the search path names it."""
        return "perturbed"

    def load_config(self, config_path: str) -> ConfigResult:
        """The set's name with a digest of its file and of the kinds."""
        group, _, name = config_path.partition("/")
        base, kinds = based(name, self.sets[group])
        node = OmegaConf.create({name: digest(self.sets[group][base], kinds)})
        return ConfigResult(self.provider, self.full_path(), node, header={"package": group})

    def available(self) -> bool:
        """Always."""
        return True

    def is_group(self, config_path: str) -> bool:
        """It brings no group that is not there without it."""
        return False

    def is_config(self, config_path: str) -> bool:
        """Whether it is a set's name with kinds of perturbation, and no file's own."""
        group, _, name = config_path.partition("/")
        files = self.sets.get(group, {})
        base, kinds = based(name, files)
        return bool(kinds) and base in files

    def list(self, config_path: str, results_filter: ObjectType | None) -> list[str]:
        """None by name: there is no end of them."""
        return []
