"""Jobs of a sweep, written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from metricsengine.comparison import UNITS, spelled
from metricsengine.estimate import Estimate
from metricsengine.results import Results
from metricsengine.run import RunEnd
from metricsengine.status import write_status

STARTED = "2026-01-02T03:04:05+00:00"

Told = tuple[Estimate, pd.DataFrame]
"""An estimate with its units."""


def means(values: Sequence[float], metric: str = "warmth", **labels: str) -> Told:
    """An estimate that is the mean of its units, which are called by their place."""
    estimate = Estimate(metric, sum(values) / len(values), len(values), labels, unit="°C")
    rows = [(metric, spelled(labels), str(i), value, 1.0) for i, value in enumerate(values)]
    return estimate, pd.DataFrame(rows, columns=["metric", "labels", "unit", "value", "weight"])


def finished(sweep: Path, job: int, overrides: Sequence[str], *told: Told, **changes: Any) -> None:
    """Write what a job leaves behind: its results with their units, and how it ended.

    Of ``changes``, ``started`` and ``comparison`` belong to the provenance, others to the results.
    """
    provenance = {
        "overrides": list(overrides),
        "config": {"comparison": changes.pop("comparison", {})},
        "started": changes.pop("started", STARTED),
        "dataset": {"source": "simulated"},
    }
    units = [frame for _, frame in told]
    row = {
        "study": "weather", "protocol": "paper", "seed": 1, "model": None, "compost": {"topic": "wind"},
        "counts": {"rows.Days": 3}, "estimates": [estimate for estimate, _ in told], "provenance": provenance,
        "tables": {"Days": pd.DataFrame({"day": [1]})},
    }  # fmt: skip
    if units:
        row["tables"] = {**row["tables"], UNITS.name: UNITS.conform(pd.concat(units))}  # type: ignore[dict-item] # a test's shorthand
    Results(**{**row, **changes}).save(sweep / str(job))
    write_status(sweep / str(job), RunEnd("finished"))
