"""The contract of a comparison: what sets the estimates of several conditions against each other."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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

_TOLERANCE = 1e-6
"""How far a mean of units may lie from its estimate, as a share of the largest of them: rounding only."""


def spelled(labels: Mapping[str, str]) -> str:
    """Labels as the column ``labels`` of :data:`UNITS` holds them: the same labels, the same text.

    Example:
        >>> spelled({"variant": "base", "persona": "élève"})
        '{"persona": "élève", "variant": "base"}'
    """
    return json.dumps(dict(labels), sort_keys=True, ensure_ascii=False)


def with_labels(estimates: Sequence[Estimate], more: Mapping[str, str]) -> list[Estimate]:
    """The estimates with further labels; those that an estimate has already go before."""
    return [replace(estimate, labels={**more, **estimate.labels}) for estimate in estimates]


def units_with_labels(units: pd.DataFrame, more: Mapping[str, str]) -> pd.DataFrame:
    """Rows of :data:`UNITS` with the further labels that :func:`with_labels` gives their estimates.

    Raises:
        RecordsError: The rows are not of the shape of :data:`UNITS`.
    """
    rows = UNITS.conform(units)
    texts = {text: spelled({**more, **json.loads(text)}) for text in rows["labels"].unique()}
    return rows.assign(labels=rows["labels"].map(texts).astype("string"))


def check_units(units: pd.DataFrame, estimates: Sequence[Estimate]) -> None:
    """Refuse units that a comparison could not pair without being wrong.

    Raises:
        ValueError: A weight is not above 0, or units are not those of an estimate: there is none of their metric and
            labels, or it is not their mean.
    """
    rows = units.assign(weight=units["weight"].fillna(1.0).astype(float), value=units["value"].astype(float))
    if not (rows["weight"] > 0).all():
        raise ValueError("a unit has no weight above 0: leave it out")
    values: dict[tuple[str, str], list[float | None]] = {}
    for estimate in estimates:
        values.setdefault((estimate.metric, spelled(estimate.labels)), []).append(estimate.value)
    rows = rows.assign(mass=rows["weight"] * rows["value"], size=rows["value"].abs())
    found = rows.groupby(["metric", "labels"], sort=False).agg({"mass": "sum", "weight": "sum", "size": "max"})
    for (metric, labels), mass, weight, size in found.itertuples(name=None):
        close = _TOLERANCE * max(size, abs(mass / weight))
        known = values.get((metric, labels), [])
        if not any(value is not None and abs(value - mass / weight) <= close for value in known):
            raise ValueError(f"units of {metric} {labels} have the mean {mass / weight:.6g}, its estimates are {known}")


@dataclass(frozen=True)
class Findings:
    """What is compared: the estimates of one job, or of all jobs of a sweep.

    Attributes:
        estimates: Estimates of metrics, none of comparisons; those of a sweep carry a label for every swept key.
        units: Rows of :data:`UNITS` as far as metrics told them; their ``labels`` are those of the estimates.
        partial: Whether they are those of one job of a sweep, so that what they lack may be told by its other jobs.
        swept: Labels that tell what a sweep varied, in the order of its keys; empty for a single job.
    """

    estimates: Sequence[Estimate]
    units: pd.DataFrame
    partial: bool = False
    swept: Sequence[str] = ()


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
        of_sweeps: Whether it is made over the jobs of every sweep, chosen or not, by its default options.
        doc: One line for ``metricsengine plugins``.
    """

    name: str
    config: type[Any]
    build: Callable[[Any], Comparison]
    measures: tuple[Measure, ...]
    of_sweeps: bool = False
    doc: str = ""
