"""Estimates with their units, written by hand, for comparisons."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from metricsengine.comparison import UNITS, Findings, spelled
from metricsengine.estimate import Estimate
from metricsengine_comparisons.config import SensitivityConf
from metricsengine_comparisons.sensitivity import Sensitivity

Told = tuple[Estimate, Mapping[str, tuple[float, float]]]
"""An estimate with value and weight of each of its units."""


def mean_of(values: Iterable[float], weights: Iterable[float] | None = None, metric: str = "c", **labels: str) -> Told:
    """An estimate that is the mean of units called 0, 1, ..."""
    numbers = list(values)
    masses = [1.0] * len(numbers) if weights is None else list(weights)
    units = {str(i): pair for i, pair in enumerate(zip(numbers, masses, strict=True))}
    return of_units(units, metric, **labels)


def of_units(units: Mapping[str, tuple[float, float]], metric: str = "c", **labels: str) -> Told:
    """An estimate that is the mean of these units."""
    values, weights = zip(*units.values(), strict=True)
    return Estimate(metric, float(np.average(values, weights=weights)), len(units), labels), units


def plain(value: float | None, metric: str = "c", n: int = 20, error: float | None = None, **labels: str) -> Told:
    """An estimate that tells no units; undefined without a value."""
    if value is None:
        return Estimate.undefined(metric, "nothing was read", labels=labels), {}
    return Estimate(metric, value, n, labels, standard_error=error), {}


def findings(told: Iterable[Told]) -> Findings:
    """All of them."""
    pairs = list(told)
    rows = [
        (estimate.metric, spelled(estimate.labels), unit, *pair)
        for estimate, units in pairs
        for unit, pair in units.items()
    ]
    frame = pd.DataFrame(rows, columns=["metric", "labels", "unit", "value", "weight"])
    return Findings([estimate for estimate, _ in pairs], UNITS.conform(frame))


def sensitivity(told: Iterable[Told], seed: int = 1, **options: Any) -> list[Estimate]:
    """What the comparison makes of them."""
    return list(Sensitivity(SensitivityConf(**options)).compare(findings(told), seed))


def named(estimates: Sequence[Estimate], metric: str = "sensitivity", **labels: str) -> Estimate:
    """The one estimate of a metric that has at least these labels."""
    [found] = [e for e in estimates if e.metric == metric and labels.items() <= e.labels.items()]
    return found
