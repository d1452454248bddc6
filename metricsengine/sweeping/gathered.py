"""What the jobs of a sweep found, with the swept keys as labels."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hydra.core.override_parser.overrides_parser import OverridesParser

from metricsengine.comparison import UNITS, Findings, spelled
from metricsengine.errors import ConfigError
from metricsengine.estimate import Estimate
from metricsengine.multirun.manifest import Manifest
from metricsengine.results import Results
from metricsengine.status import read_status
from metricsengine.sweeping.labels import SweptKey

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class JobResults:
    """What one job found.

    Attributes:
        name: Name of its folder.
        overrides: What the sweep set for it, by key.
        results: Its results; of its tables only the units.
    """

    name: str
    overrides: Mapping[str, str]
    results: Results

    @property
    def estimates(self) -> list[Estimate]:
        """Estimates of its metrics, without those of comparisons within the job."""
        return [estimate for estimate in self.results.estimates if estimate.metric not in self.results.compared]


@dataclass(frozen=True)
class Jobs:
    """The jobs of a sweep, in their order.

    Attributes:
        done: Those that have results, parts of which may have failed.
        failed: Why each of the others has none, by name.
        earlier: Names of folders that another sweep left here.
        planned: What the sweep set for the failed ones by name, as far as that is known.
    """

    done: Sequence[JobResults]
    failed: Mapping[str, str]
    earlier: Sequence[str]
    planned: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def gather(folder: Path) -> Jobs:
    """Read the jobs of a sweep: those that it planned; where nothing tells of its plan, all that are in its folder."""
    manifest = Manifest.load(folder)
    there = sorted((path.name for path in folder.iterdir() if path.name.isdecimal()), key=int)
    since = manifest.launch.started if manifest else None
    done: list[JobResults] = []
    failed: dict[str, str] = {}
    for name in manifest.jobs if manifest else there:
        results = _results(folder / name, since)
        if results is not None:
            done.append(JobResults(name, _set(results.provenance.get("overrides", ())), results))
        else:
            failed[name] = _trouble(folder / name)
    if manifest is None:
        return Jobs(done, failed, [])
    planned = {name: _set(manifest.jobs[name]) for name in failed}
    return Jobs(done, failed, [name for name in there if name not in manifest.jobs], planned)


def _trouble(job: Path) -> str:
    """Why a job has no results."""
    if not job.is_dir():
        return "it did not begin"
    end, _ = read_status(job)
    return end.error or "; ".join(end.failures) or "it has no results that can be read"


def _results(job: Path, since: datetime | None) -> Results | None:
    """The results of a job, if it has any of this sweep; a sweep's records may not fit into memory at once."""
    try:
        results = Results.load(job, tables=[UNITS.name])
    except ConfigError:
        return None
    started = results.provenance.get("started")  # in whole seconds
    if since and started and datetime.fromisoformat(started) < since.replace(microsecond=0):
        return None
    return results


def _set(overrides: Iterable[object]) -> dict[str, str]:
    """What overrides set, quotation marks taken away.

    Example:
        Those of ``records.file="a, b.csv" +x=1``: ``{"records.file": "a, b.csv", "x": "1"}``.
    """
    found = OverridesParser.create().parse_overrides([str(word) for word in overrides])
    # A text stands without its marks; a number as it was written, 1.0 for 1.0.
    return {
        one.key_or_group: value if isinstance(value := one.value(), str) else str(one.input_line).partition("=")[2]
        for one in found
    }


def findings(jobs: Sequence[JobResults], keys: Sequence[SweptKey]) -> Findings:
    """The estimates and units of all jobs, each with a label for every swept key that it does not tell anyway."""
    import pandas as pd

    estimates: list[Estimate] = []
    units = [pd.DataFrame(columns=[column.name for column in UNITS.columns])]
    for i, job in enumerate(jobs):
        estimates += [replace(one, labels=_labelled(one.labels, keys, i)) for one in job.estimates]
        units += _units(job, keys, i)
    rows = pd.concat(units[1:] or units, ignore_index=True)
    return Findings(estimates, UNITS.conform(rows), swept=list(dict.fromkeys(key.shown for key in keys)))


def _labelled(labels: Mapping[str, str], keys: Sequence[SweptKey], job: int) -> dict[str, str]:
    return {**labels, **{key.name: key.values[job] for key in keys if key.told.isdisjoint(labels)}}


def _units(job: JobResults, keys: Sequence[SweptKey], i: int) -> Iterator[pd.DataFrame]:
    """The job's units, spelled as its estimates are labelled."""
    if (frame := job.results.tables.get(UNITS.name)) is not None:
        spellings = {text: spelled(_labelled(json.loads(text), keys, i)) for text in frame["labels"].unique()}
        yield frame.assign(labels=frame["labels"].map(spellings))
