"""The tidy table: every estimate of a sweep in one row, with what its job set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metricsengine.estimate import Estimate
from metricsengine.inert import write_csv
from metricsengine.records import save_table
from metricsengine.sweeping.gathered import JobResults
from metricsengine.sweeping.labels import SweptKey

if TYPE_CHECKING:
    import pandas as pd

NAME = "estimates"
"""Stem of the files."""

JOB = "job"

_FIRST = ("metric", "comparison")
_NUMBERS = ("value", "low", "high", "standard_error")
_LAST = (*_NUMBERS, "n", "unit", "interval", "excluded", "over", "status", "reason", "flags")


def save(table: pd.DataFrame, folder: Path) -> None:
    """Write the table as ``estimates.parquet`` and, with the same values, as ``estimates.csv``."""
    save_table(table, folder / f"{NAME}.parquet")
    write_csv(table, folder / f"{NAME}.csv")


def tidy(
    estimates: Sequence[Estimate], compared: Sequence[Estimate] = (), told: Sequence[Mapping[str, str]] = ()
) -> pd.DataFrame:
    """Estimates as one table, a row each.

    Columns: the metric, ``comparison`` (whether the estimate is one), ``job`` and the swept keys, the labels, and the
    other fields of :class:`~metricsengine.estimate.Estimate`. A label that is called like a field gets ``label_`` in
    front. What an estimate does not have is NA.

    Args:
        estimates: Estimates of jobs.
        compared: Estimates of comparisons.
        told: Further columns of each row, those of ``compared`` last; none where empty.
    """
    import pandas as pd

    every = [*((e, False) for e in estimates), *((e, True) for e in compared)]
    more = told or [{}] * len(every)
    rows = [_row(e, extra, is_compared=flag) for (e, flag), extra in zip(every, more, strict=True)]
    further = dict.fromkeys(column for extra in more for column in extra)
    labels = dict.fromkeys(column for row in rows for column in row if column not in (*_FIRST, *_LAST))
    columns = list(dict.fromkeys([*_FIRST, *further, *labels, *_LAST]))
    frame = pd.DataFrame(rows, columns=columns)
    types = dict.fromkeys(columns, "string") | dict.fromkeys(_NUMBERS, "float64") | {"n": "int64", "comparison": "bool"}
    return frame.astype(types)


def _row(estimate: Estimate, further: Mapping[str, str], *, is_compared: bool) -> dict[str, Any]:
    row = estimate.to_json()
    labels = row.pop("labels")
    row["reason"] = estimate.reason
    row["over"], row["flags"] = ", ".join(estimate.over), "; ".join(estimate.flags)
    row["excluded"] = "; ".join(f"{reason}: {n}" for reason, n in sorted(estimate.excluded.items()))
    row = {name: value if value != "" else None for name, value in row.items()} | {"comparison": is_compared}
    taken = {*_FIRST, *_LAST, JOB}
    named = {(f"label_{name}" if name in taken else name): value for name, value in labels.items()}
    return row | dict(further) | named


def swept_columns(
    jobs: Sequence[JobResults], keys: Sequence[SweptKey], estimates: Sequence[Estimate], compared: Sequence[Estimate]
) -> list[Mapping[str, str]]:
    """The job and every swept key of each row; of a comparison, those keys that a label of it tells.

    A key whose name is that of a label which means something else has the name that :class:`SweptKey` gives it.

    Args:
        jobs: The jobs.
        keys: What was swept.
        estimates: The estimates of all jobs, job by job.
        compared: What comparisons found.
    """
    taken = {label for estimate in (*estimates, *compared) for label in estimate.labels}
    columns = {key.key: key.name if key.key in taken else key.key for key in keys}
    of_jobs = [
        {JOB: job.name} | {columns[key.key]: key.values[i] for key in keys if key.values[i]}
        for i, job in enumerate(jobs)
        for _ in job.estimates
    ]
    values = {key.key: dict(_spellings(key, jobs)) for key in keys}
    of_comparisons = [
        {
            columns[key.key]: values[key.key][label]
            for key in keys
            if (label := estimate.labels.get(key.shown)) in values[key.key]
        }
        for estimate in compared
    ]
    return [*of_jobs, *of_comparisons]


def _spellings(key: SweptKey, jobs: Sequence[JobResults]) -> Iterator[tuple[str, str]]:
    """How the label under which a key is shown spells its values."""
    for value, job in zip(key.values, jobs, strict=True):
        yield value, value
        if key.shown in key.told:
            found = (e.labels[key.shown] for e in job.estimates if key.shown in e.labels)
            if (spelling := next(found, None)) is not None:
                yield spelling, value
