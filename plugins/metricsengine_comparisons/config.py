"""Options of the comparisons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from metricsengine.errors import require
from metricsengine.options import listed

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
        self.along = listed("comparison.sensitivity.along", self.along)
        self.metrics = listed("comparison.sensitivity.metrics", self.metrics)
        require(bool(self.along), "comparison.sensitivity.along", "[]", "at least one label")
        require(self.draws >= 2, "comparison.sensitivity.draws", self.draws, "at least 2")


@dataclass
class MarginalsConf:
    """Marginal means of what was swept, their differences and interactions.

    Attributes:
        along: Labels that are the dimensions, one or a list; empty for what the sweep varied. Within one run nothing is
            compared unless labels are named.
        base: The level that comes first in its dimension, with which others are compared; empty for the one called
            ``base``, and where there is none, the first by name or size. Up to six levels are compared in all pairs.
        metrics: Names of the estimates to compare, one or a list; empty for all that are no part of another.
        draws: Number of resamples of the bootstrap. Tables of more than 10,000 cells, or of many units, have fewer, but
            at least 400; intervals say how many. An interaction of more than 2,000 cells has no interval and no test.
    """

    along: Any = field(default_factory=list)
    base: str = ""
    metrics: Any = field(default_factory=list)
    draws: int = 2000

    def __post_init__(self) -> None:
        self.along = listed("comparison.marginals.along", self.along)
        self.metrics = listed("comparison.marginals.metrics", self.metrics)
        require(self.draws >= 2, "comparison.marginals.draws", self.draws, "at least 2")
