"""What the run of a sweep tells of its jobs: how each ended, and what it found."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from metricsengine.run import RunEnd, SweepEnd
from metricsengine.sweeping.labels import label_names
from metricsengine_mlflow import curves, names
from metricsengine_mlflow.columns import Columns
from metricsengine_mlflow.place import Place
from metricsengine_mlflow.session import STATUS
from metricsengine_mlflow.tagging import assigned

if TYPE_CHECKING:
    import pandas as pd

OBJECTIVE = "objective"
"""Metric by which jobs are ranked."""


@dataclass(frozen=True)
class JobRow:
    """One job.

    Attributes:
        name: Name of its folder.
        end: How it ended.
        place: Its run in MLflow, if it came that far.
        overrides: What was set for it, as typed.
        tags: Tags of its run.
        metrics: Numbers of its run.
    """

    name: str
    end: RunEnd
    place: Place | None = None
    overrides: Sequence[str] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def headline(self) -> dict[str, float]:
        """Its broadest estimates: those that are shown with their n."""
        return {
            name: number
            for name, number in self.metrics.items()
            if names.with_suffix(name, "n") in self.metrics and not name.endswith(f" {curves.SUFFIX}")
        }

    @property
    def objective(self) -> float | None:
        """The number by which it is ranked."""
        return self.metrics.get(OBJECTIVE)


@dataclass(frozen=True)
class Overview:
    """The jobs of a sweep that began.

    Attributes:
        rows: The jobs.
        planned: How many jobs the sweep has, those that did not begin included.
    """

    rows: Sequence[JobRow]
    planned: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """How many jobs ended how."""
        return {status: sum(row.end.status == status for row in self.rows) for status in STATUS}

    @cached_property
    def headlines(self) -> list[str]:
        """Names of the estimates that jobs headline, those of the most jobs first."""
        return [name for name, _ in Counter(name for row in self.rows for name in row.headline).most_common()]

    @cached_property
    def swept(self) -> dict[str, dict[str, str]]:
        """What differs among the jobs: the value of each job that sets it, by the name of what is set."""
        jobs = {row.name: assigned(row.overrides) for row in self.rows if row.overrides}
        keys = dict.fromkeys(key for job in jobs.values() for key in job)
        values = {key: {name: job[key] for name, job in jobs.items() if key in job} for key in keys}
        differing = {k: v for k, v in values.items() if len(set(v.values())) > 1 or len(v) < len(jobs)}
        labels = label_names(list(differing), ())
        return {labels[key]: found for key, found in differing.items()}

    def setting(self, row: JobRow) -> str:
        """What sets a job apart, in words."""
        return ", ".join(f"{name}={found[row.name]}" for name, found in self.swept.items() if row.name in found)

    def extremes(self, name: str) -> tuple[JobRow, JobRow] | None:
        """The jobs with the lowest and the highest value of an estimate, the first of equals."""
        rows = [row for row in self.rows if name in row.headline]
        if not rows:
            return None
        return min(rows, key=lambda row: row.headline[name]), max(rows, key=lambda row: row.headline[name])


def of(end: SweepEnd, rows: Sequence[JobRow]) -> Overview:
    """The overview of a sweep that ended."""
    return Overview(rows, max(end.planned, len(rows)))


def columns(overview: Overview, limit: int) -> Columns:
    """How many jobs ended how, and the range of headlines over them, those of the most jobs first: at most ``limit``.

    The counts are always there.
    """
    counts = {"jobs": overview.planned, **{f"jobs {status}": n for status, n in overview.counts.items()}}
    found = Columns({name: float(n) for name, n in counts.items()})
    for name in overview.headlines[: max(limit - len(found), 0) // 2]:
        if ends := overview.extremes(name):
            for word, row in zip(("lowest of jobs", "highest of jobs"), ends, strict=True):
                found.values[names.with_suffix(name, word)] = row.headline[name]
    return found


def frame(overview: Overview) -> pd.DataFrame:
    """One row a job."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "job": row.name,
                "status": row.end.status,
                "overrides": shlex.join(row.overrides),
                "error": row.end.error,
                "failures": "; ".join(row.end.failures),
                "run": row.place.run if row.place else "",
                **({OBJECTIVE: row.objective} if row.objective is not None else {}),
                **row.headline,
            }
            for row in overview.rows
        ]
    )
