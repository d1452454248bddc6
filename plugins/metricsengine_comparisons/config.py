"""Options of the comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from metricsengine.errors import ConfigError, require

ALONG = ("variant", "template", "context")


@dataclass
class SensitivityConf:
    """Sensitivity to what should not matter (Sense and Sensitivity, Definition 5).

    Attributes:
        along: Labels whose values are the variants, each by itself; one name or a list.
        base: The variant with which the others are compared; empty for the one called ``base``, and where there is
            none, the first by name (2 before 10).
        metrics: Names of the estimates to compare, one or a list; empty for all.
        draws: Number of resamples of the bootstrap.
    """

    along: Any = field(default_factory=lambda: list(ALONG))
    base: str = ""
    metrics: Any = field(default_factory=list)
    draws: int = 2000

    def __post_init__(self) -> None:
        self.along = _listed("along", self.along)
        self.metrics = _listed("metrics", self.metrics)
        require(bool(self.along), "comparison.sensitivity.along", "[]", "at least one label")
        require(self.draws >= 2, "comparison.sensitivity.draws", self.draws, "at least 2")


def _listed(name: str, given: object) -> list[str]:
    """One text or a list of texts as a list of different texts."""
    values = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    if not all(isinstance(value, str) and value for value in values):
        raise ConfigError(f"comparison.sensitivity.{name} must be a name or a list of names, got {given!r}")
    return list(dict.fromkeys(values))
