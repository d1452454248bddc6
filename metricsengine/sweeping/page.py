"""What the page of a sweep shows beside its estimates: what was swept, the jobs, levels and surfaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metricsengine.comparison import Findings
from metricsengine.exhibits import Exhibit, Listing, Passage
from metricsengine.markup import escaped
from metricsengine.results import Results
from metricsengine.sweeping.gathered import Jobs
from metricsengine.sweeping.labels import SweptKey
from metricsengine.sweeping.levels import levels
from metricsengine.sweeping.surfaces import Axes, surfaces
from metricsengine.wording import first_few, plural

MOST_VALUES, MOST_FAILED = 12, 20
"""Values of a swept key, and jobs without results, that the card names."""


def exhibits(jobs: Jobs, found: Findings, results: Results, keys: Sequence[SweptKey]) -> Iterator[Exhibit]:
    """What is shown of a sweep.

    Args:
        jobs: Its jobs.
        found: What they found.
        results: The results of the sweep, with what comparisons found.
        keys: What was swept.
    """
    compared = [e for e in results.estimates if e.metric in results.compared]
    yield _card(jobs, keys)
    yield _listing(jobs, keys)
    yield from levels(compared, list(dict.fromkeys(e.metric for e in found.estimates)))
    axes = Axes(
        labels=list(dict.fromkeys(key.shown for key in keys)),
        members={key.shown: key.members for key in keys if key.members},
        units={name: measure.units for name, measure in results.measures.items()},
    )
    yield from surfaces([*compared, *found.estimates], axes)


def _listing(jobs: Jobs, keys: Sequence[SweptKey]) -> Listing:
    import pandas as pd

    rows: dict[int, dict[str, object]] = {}
    for i, job in enumerate(jobs.done):
        swept = {key.key: key.values[i] or None for key in keys}
        counts = {"estimates": len(job.estimates), "defined": sum(e.defined for e in job.estimates)}
        failed = {"failed parts": len(job.results.failures), "why it has no results": None}
        rows[int(job.name)] = {"job": int(job.name), **swept, **counts, **failed}
    for name, why in jobs.failed.items():
        planned = jobs.planned.get(name, {})
        swept = {key.key: planned.get(key.key) or None for key in keys}
        rows[int(name)] = {"job": int(name), **swept, "why it has no results": why}
    frame = pd.DataFrame([rows[number] for number in sorted(rows)])
    whole = [column for column in ("estimates", "defined", "failed parts") if column in frame]
    frame = frame.astype(dict.fromkeys(whole, "Int64"))
    lacking = "" if jobs.failed else "why it has no results"
    return Listing(
        "jobs", "Jobs", "One row is one job with what the sweep set for it; its own report is in its folder.",
        frame.drop(columns=[lacking] if lacking in frame else []),
    )  # fmt: skip


def _card(jobs: Jobs, keys: Sequence[SweptKey]) -> Passage:
    """What was swept, and which jobs are there."""
    lines = [f"{plural(len(jobs.done), 'job')} together, each of which has a report of its own in its folder."]
    for key in keys:
        values = escaped(first_few(dict.fromkeys(value or "(not set)" for value in key.values), MOST_VALUES))
        told = f" (estimates tell it by their label {escaped(key.shown)})" if key.shown != key.key else ""
        lines.append(f"- **{escaped(key.key)}:** {values}{told}")
    failed = list(jobs.failed.items())
    for name, why in failed[:MOST_FAILED]:
        planned = jobs.planned.get(name, {})
        was = ", ".join(f"{key.key}={planned[key.key]}" for key in keys if key.key in planned)
        reason = escaped(why, 600) + (f" ({escaped(was)})" if was else "")
        lines.append(f"- **job {name} has no results:** {reason}")
    if len(failed) > MOST_FAILED:
        lines.append(f"- **{len(failed) - MOST_FAILED} further jobs have no results.**")
    if not keys:
        lines.append("- Nothing that was set differs among them.")
    return Passage("card", "What was swept", "\n\n".join([lines[0], "\n".join(lines[1:])]))
