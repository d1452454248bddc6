"""Options of the study of several runs and of its metrics."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from metricsengine.errors import ConfigError
from metricsengine.options import listed


@dataclass
class PersonalityRunsConf:
    """Options of the study.

    Attributes:
        runs: Folders of finished runs of the personality study, or of sweeps of it.
        names: What the models are called, in the order in which the runs name them; one name for two of them says that
            they are one model, asked under different conditions. Empty for the names in the runs.
    """

    runs: Any = field(default_factory=list)
    names: Any = field(default_factory=list)

    def __post_init__(self) -> None:
        self.runs = listed("study.runs", self.runs, numbers=True)
        single = isinstance(self.names, str)
        names = [self.names] if single and self.names else [] if single else list(self.names)
        if any(not isinstance(name, (str, int)) or isinstance(name, bool) or name == "" for name in names):
            raise ConfigError(f"study.names must be a list of names, got {self.names!r}")
        self.names = [str(name) for name in names]


@dataclass
class ModelDifferenceConf:
    """Options of the difference of models.

    Attributes:
        baseline: The model that every other one is held against; empty for all pairs.
        permutations: Draws of the permutation test where there are more ways than that to change signs, at least 100.
        alpha: Significance level after correction, between 0 and 1.
    """

    baseline: str = ""
    permutations: int = 10_000
    alpha: float = 0.05

    def __post_init__(self) -> None:
        key = "metric.model_difference"
        if self.permutations < 100:
            raise ConfigError(f"{key}.permutations must be at least 100, got {self.permutations}")
        if not 0 < self.alpha < 1:
            raise ConfigError(f"{key}.alpha must lie between 0 and 1, got {self.alpha}")


@dataclass
class BenchmarkCorrelationConf:
    """Options of the correlation with benchmarks (TRAIT, H.1).

    Attributes:
        file: CSV file with a column ``model`` and a column of numbers for each benchmark.
    """

    file: str = ""
