"""Estimates that a job will not have, whatever is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metricsengine.comparison import with_labels
from metricsengine.encoder import no_vectors
from metricsengine.estimate import Estimate
from metricsengine.metric import MetricContext
from metricsengine.preflight import Job
from metricsengine.records import Tables

if TYPE_CHECKING:
    import pandas as pd


NOT_RUN = "Not foreseen: what a study that asks no model leaves undefined, since it is not run"


@dataclass(frozen=True)
class Foreseen:
    """What a job's metrics foresee.

    Attributes:
        undefined: Cells that will be undefined.
        notes: Metrics that cannot tell, each with its reason.
    """

    undefined: Sequence[Estimate] = ()
    notes: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """Its part of what ``metricsengine plan --json`` prints of a job."""
        rows = [{"metric": one.metric, "labels": dict(one.labels), "reason": one.reason} for one in self.undefined]
        return {"undefined": rows, "notes": list(self.notes)}


def foresee(job: Job, tables: Tables) -> Foreseen:
    """Ask the metrics of a job what will be undefined.

    Args:
        job: The job.
        tables: Its record tables from a dry run; none where its study was not run.
    """
    if not tables:
        return Foreseen(notes=[NOT_RUN] if job.metrics else [])
    context = MetricContext(
        protocol=job.run.settings.protocol,
        seed=job.run.settings.seed,
        encode=no_vectors,
        encoder=job.encoder.name if job.encoder else "",
        parts=job.parts,
    )
    undefined: list[Estimate] = []
    notes: list[str] = []
    read: dict[str, pd.DataFrame] = {}  # one frame for all metrics, which share by it what they compute
    for spec, metric in job.metrics:
        try:
            if spec.table not in read:
                [shape] = [table for table in job.spec.tables if table.name == spec.table]
                read[spec.table] = shape.conform(tables[spec.table])
            found = metric.foresee(read[spec.table], context)
            undefined += with_labels([one for one in found if not one.defined], job.study.labels)
        except Exception as error:  # noqa: BLE001 - a plugin may take any offence at examples; the plan goes on
            notes.append(f"metric {spec.name!r}: cannot foresee: {type(error).__name__}: {error}")
    return Foreseen(undefined, notes)
