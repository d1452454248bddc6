"""The contract of a comparison: what sets the estimates of several conditions against each other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metricsengine.estimate import Estimate
from metricsengine.metric import Measure
from metricsengine.records import Column, TableSpec

if TYPE_CHECKING:
    import pandas as pd

UNITS = TableSpec(
    "Units",
    "One unit of one estimate: the estimate is the mean of its units' values, each with its weight.",
    (
        Column("metric", "text", "Name of the estimate's metric", required=True),
        Column("labels", "text", "Labels of the estimate, as sorted JSON", required=True),
        Column(
            "unit", "text", "The resampling unit, such as a run or an item; the same in all conditions", required=True
        ),
        Column("value", "number", "The unit's own value", required=True),
        Column("weight", "number", "Weight in the mean, > 0; absent for 1"),
    ),
)
"""What metrics tell of the units that their estimates average, so that a comparison can pair them."""


@dataclass(frozen=True)
class Findings:
    """What is compared: the estimates of one job, or of all jobs of a sweep.

    Attributes:
        estimates: Estimates of metrics, none of comparisons; those of a sweep carry a label for every swept key.
        units: Rows of :data:`UNITS` as far as metrics told them; their ``labels`` are those of the estimates.
    """

    estimates: Sequence[Estimate]
    units: pd.DataFrame


class Comparison(ABC):
    """A comparison with its configuration."""

    @abstractmethod
    def compare(self, findings: Findings, seed: int) -> Sequence[Estimate]:
        """Estimates of differences; empty where the findings hold nothing that it compares.

        The same findings and seed give the same result, whatever their order.
        """


@dataclass(frozen=True)
class ComparisonSpec:
    """Registers a comparison.

    Attributes:
        name: Name of the comparison; ``comparison=[NAME,...]`` chooses it.
        config: Dataclass with its options and their defaults.
        build: Makes the comparison from an instance of ``config``.
        measures: What it may return. Its ``unit`` is that of the compared metric where it is empty.
        doc: One line for ``metricsengine plugins``.
    """

    name: str
    config: type[Any]
    build: Callable[[Any], Comparison]
    measures: tuple[Measure, ...]
    doc: str = ""
