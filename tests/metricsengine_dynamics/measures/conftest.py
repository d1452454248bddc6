"""Tables of transitions written by hand, and what is measured of them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from metricsengine.comparison import check_units
from metricsengine.encoder import no_vectors
from metricsengine.estimate import Estimate
from metricsengine.metric import MetricContext, MetricResult
from metricsengine_dynamics.losses import specs
from metricsengine_dynamics.measures.specs import METRICS
from metricsengine_dynamics.tables import TRANSITIONS

LOSSES = {spec.name: spec.build(spec.config()) for spec in specs.LOSSES}

Steps = Callable[..., pd.DataFrame]
Measured = Callable[..., MetricResult]
Found = Callable[..., Estimate]


@pytest.fixture
def stepped() -> Steps:
    """One step of one population: what the reference model and the agents give next, both on -5 to 5."""

    def make(reference: Sequence[float], opinions: Sequence[float | None], **columns: Any) -> pd.DataFrame:
        usual = {"agent": "zero", "variant": None, "repeat": 0, "run": 0, "step": 0, "isolated": False, "x": 0.0}
        frame = pd.DataFrame({"reference": np.asarray(reference, dtype=float) / 5, "opinion": opinions})
        frame = frame.assign(node=np.arange(len(frame)), **{**usual, **columns})
        return frame.assign(heard=1 - frame["isolated"].astype(int), opinion=frame["opinion"].astype("Float64"))

    return make


@pytest.fixture
def measured() -> Measured:
    """What a metric returns of tables, its units being those of its estimates."""

    def measure(name: str, *tables: pd.DataFrame, losses: Any = LOSSES, seed: int = 7, **options: Any) -> MetricResult:
        spec = next(spec for spec in METRICS if spec.name == name)
        table = TRANSITIONS.conform(pd.concat(tables, ignore_index=True))
        context = MetricContext("paper", seed, no_vectors, "", {"loss": losses})
        result = spec.build(spec.config(**options)).compute(table, context)
        if result.units is not None:
            check_units(result.units, result.estimates)
        known = {measure.name: measure for measure in (*spec.measures, *result.measures)}
        for estimate in result.estimates:
            assert estimate.unit == known[estimate.metric].unit
            _within(estimate, known[estimate.metric].bounds)
        return result

    return measure


@pytest.fixture
def found(measured: Measured) -> Found:
    """The one estimate that a metric has for some labels."""

    def find(metric: str, *tables: pd.DataFrame, labels: dict[str, str], **options: Any) -> Estimate:
        spec = metric.split(".")[0]
        if metric.startswith("inconsistency"):
            spec = "inconsistency_difference" if metric.endswith(".difference") else "inconsistency"
        estimates = measured(spec, *tables, **options).estimates
        [one] = [estimate for estimate in estimates if (estimate.metric, estimate.labels) == (metric, labels)]
        return one

    return find


def _within(estimate: Estimate, bounds: tuple[float | None, float | None]) -> None:
    low, high = bounds
    for value in (estimate.low, estimate.value, estimate.high):
        if value is not None:
            assert low is None or value >= low - 1e-9
            assert high is None or value <= high + 1e-9
    if estimate.low is not None and estimate.high is not None and estimate.value is not None:
        assert estimate.low < estimate.high
        assert estimate.low <= estimate.value <= estimate.high
