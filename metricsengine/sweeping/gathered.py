"""What the jobs of a sweep found, with the swept keys as labels."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from metricsengine.comparison import UNITS, Findings, spelled
from metricsengine.errors import ConfigError
from metricsengine.estimate import Estimate
from metricsengine.results import Results

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class JobResults:
    """What one job found.

    Attributes:
        name: Name of its folder.
        overrides: What the sweep set for it, by key.
        results: Its results.
    """

    name: str
    overrides: Mapping[str, str]
    results: Results

    @property
    def estimates(self) -> list[Estimate]:
        """Estimates of its metrics, without those of comparisons within the job."""
        return [estimate for estimate in self.results.estimates if estimate.metric not in self.results.compared]


def job_results(folder: Path) -> list[JobResults]:
    """The jobs of a sweep that have results, in their order; those that failed have none."""
    jobs = []
    for job in sorted((f for f in folder.iterdir() if f.name.isdigit()), key=lambda f: int(f.name)):
        try:
            results = Results.load(job)
        except ConfigError:
            continue  # what became of it stands in its status
        jobs.append(JobResults(job.name, _overrides(results), results))
    return jobs


def _overrides(results: Results) -> dict[str, str]:
    pairs = (str(word).lstrip("+").partition("=") for word in results.provenance.get("overrides", ()))
    return {key: value for key, _, value in pairs}


def swept(jobs: Sequence[JobResults]) -> dict[str, tuple[str, ...]]:
    """The keys whose values differ among the jobs, with the value in each job; empty where a job leaves one out.

    Example:
        Two jobs of ``prompt=base,newline seed=1``: ``{"prompt": ("base", "newline")}``.
    """
    keys = dict.fromkeys(key for job in jobs for key in job.overrides)
    values = {key: tuple(job.overrides.get(key, "") for job in jobs) for key in keys}
    return {key: found for key, found in values.items() if len(set(found)) > 1}


def findings(jobs: Sequence[JobResults]) -> Findings:
    """The estimates and units of all jobs, each with a label for every swept key.

    A key gives no label to an estimate that has one already which tells the same jobs apart: estimates of
    ``prompt=base`` and ``prompt=newline`` say so themselves by their label ``variant``.
    """
    import pandas as pd

    varied = swept(jobs)
    names = label_names(jobs, varied)
    told = _told(jobs, varied)
    estimates: list[Estimate] = []
    units: list[pd.DataFrame] = []
    for i, job in enumerate(jobs):
        own = {key: values[i] for key, values in varied.items()}

        def labelled(labels: Mapping[str, str], own: Mapping[str, str] = own) -> dict[str, str]:
            more = {names[key]: value for key, value in own.items() if told[key].isdisjoint(labels)}
            return {**labels, **more}

        estimates += [replace(estimate, labels=labelled(estimate.labels)) for estimate in job.estimates]
        if UNITS.name in job.results.tables:
            frame = job.results.tables[UNITS.name]
            spellings = {text: spelled(labelled(json.loads(text))) for text in frame["labels"].unique()}
            units.append(frame.assign(labels=frame["labels"].map(spellings)))
    empty = UNITS.conform(pd.DataFrame(columns=[column.name for column in UNITS.columns]))
    return Findings(estimates, pd.concat(units, ignore_index=True) if units else empty)


def told_as(jobs: Sequence[JobResults]) -> dict[str, str]:
    """For each swept key the label under which most estimates tell its value."""
    varied = swept(jobs)
    names, told = label_names(jobs, varied), _told(jobs, varied)
    order = list(dict.fromkeys(label for job in jobs for estimate in job.estimates for label in estimate.labels))
    return {key: min(told[key], key=order.index) if told[key] else names[key] for key in varied}


def label_names(jobs: Sequence[JobResults], keys: Iterable[str]) -> dict[str, str]:
    """The label of each swept key: the last part of the key, or all of it where that would mean two things."""
    taken = {label for job in jobs for estimate in job.estimates for label in estimate.labels}
    short = {key: key.replace("/", ".").rpartition(".")[2] for key in keys}
    clashing = {name for name in short.values() if name in taken or list(short.values()).count(name) > 1}
    return {key: key if name in clashing and key != name else _free(name, taken) for key, name in short.items()}


def _free(name: str, taken: set[str]) -> str:
    """The name, or one beside it where estimates use the label for something else (personas of persona sets)."""
    return f"{name}_set" if name in taken else name


def _told(jobs: Sequence[JobResults], varied: Mapping[str, tuple[str, ...]]) -> dict[str, set[str]]:
    """For each swept key the labels that tell the same jobs apart."""
    values = [_single(job.estimates) for job in jobs]
    common = set.intersection(*(set(found) for found in values)) if values else set()
    patterns = {label: _pattern([found[label] for found in values]) for label in common}
    return {
        key: {label for label, pattern in patterns.items() if pattern == _pattern(of_jobs)}
        for key, of_jobs in varied.items()
    }


def _single(estimates: Iterable[Estimate]) -> dict[str, str]:
    """The labels that have one value in all of the estimates that carry them."""
    found: dict[str, set[str]] = {}
    for estimate in estimates:
        for label, value in estimate.labels.items():
            found.setdefault(label, set()).add(value)
    return {label: next(iter(values)) for label, values in found.items() if len(values) == 1}


def _pattern(values: Sequence[str]) -> tuple[int, ...]:
    """Which of the values are equal, whatever they are."""
    first = {value: i for i, value in reversed(list(enumerate(values)))}
    return tuple(first[value] for value in values)
