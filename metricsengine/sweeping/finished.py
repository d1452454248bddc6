"""What a finished sweep leaves: comparisons over its jobs, one tidy table, one report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from metricsengine.comparison import UNITS, Findings
from metricsengine.host import Host
from metricsengine.metric import Measure
from metricsengine.multirun.manifest import Manifest
from metricsengine.report import write_report
from metricsengine.results import Results
from metricsengine.sweeping.comparing import Compared, compare
from metricsengine.sweeping.conclusions import conclude
from metricsengine.sweeping.gathered import Jobs, findings, gather
from metricsengine.sweeping.labels import SweptKey, swept_keys
from metricsengine.sweeping.page import exhibits
from metricsengine.sweeping.shared import shared_provenance
from metricsengine.sweeping.table import save, swept_columns, tidy


def write_results(
    folder: Path, host: Host, command: str = "", formats: Collection[str] = ()
) -> tuple[Results, list[str]] | None:
    """Write the results of a sweep into its folder: ``results.json``, the table of all estimates, ``report.html``.

    Args:
        folder: Folder of the sweep.
        host: The loaded plugins.
        command: The command that started it, where no ``sweep.json`` tells it.
        formats: In which of the report's :data:`FORMATS` figures are written beside SVG.

    Returns:
        The results, and a line for each part that failed; None where no job has results, or there is one job only.
    """
    jobs = gather(folder)
    if not jobs.done or len(jobs.done) + len(jobs.failed) < 2:
        return None
    keys = swept_keys([job.overrides for job in jobs.done], [job.estimates for job in jobs.done])
    found = findings(jobs.done, keys)
    compared = compare(host, jobs.done, found)
    results = _results(jobs, found, compared, keys)
    results = replace(results, provenance={**_launch(folder, command), **results.provenance})
    results.save(folder)
    told = swept_columns(jobs.done, keys, found.estimates, compared.estimates)
    save(tidy(found.estimates, compared.estimates, told), folder)
    said = conclude(results, jobs, keys)
    report = write_report(results, exhibits(jobs, found, results, keys), folder, said, formats)
    if report.failures:
        results = replace(results, failures=[*results.failures, *report.failures])
        results.save(folder)
    return results, [*compared.failures, *report.failures]


def _launch(folder: Path, command: str) -> dict[str, str]:
    """By which command the sweep was started, and when, as far as that is known."""
    if (manifest := Manifest.load(folder)) is None:
        return {"command": command}
    launch = manifest.launch
    return {"command": launch.command, "started": launch.started.isoformat(timespec="seconds")}


def _results(jobs: Jobs, found: Findings, compared: Compared, keys: Sequence[SweptKey]) -> Results:
    of_jobs = [job.results for job in jobs.done]
    first = of_jobs[0]
    failures = [f"job {job.name}: {failure}" for job in jobs.done for failure in job.results.failures]
    return Results(
        study=_several(results.study for results in of_jobs),
        protocol=first.protocol,
        seed=first.seed,
        model=_shared([results.model for results in of_jobs]),
        compost={key: _several(results.compost.get(key, "") for results in of_jobs) for key in first.compost},
        counts=_counted(of_jobs),
        estimates=[*compared.estimates, *found.estimates],
        measures=_measures(of_jobs) | compared.measures,
        tables={UNITS.name: found.units} if len(found.units) else {},
        notices=_notices(jobs),
        failures=[*compared.failures, *failures, *(f"job {name}: {why}" for name, why in jobs.failed.items())],
        provenance={
            **shared_provenance(of_jobs),
            "jobs": {job.name: dict(job.overrides) for job in jobs.done},
            "swept": {key.key: list(key.values) for key in keys},
        },
        compared=sorted({estimate.metric for estimate in compared.estimates}),
    )


def _counted(of_jobs: Sequence[Results]) -> dict[str, int]:
    counts: Counter[str] = Counter(jobs=len(of_jobs))
    for results in of_jobs:
        counts.update(results.counts)
    return dict(counts)


def _measures(of_jobs: Sequence[Results]) -> dict[str, Measure]:
    return {name: measure for results in of_jobs for name, measure in results.measures.items()}


def _notices(jobs: Jobs) -> list[str]:
    """What the jobs were noticed for, and where what stands for all of them does not hold for all."""
    of_jobs = [job.results for job in jobs.done]
    said = []
    if len(protocols := dict.fromkeys(str(results.protocol) for results in of_jobs)) > 1:
        said.append(f"The jobs follow several protocols ({', '.join(protocols)}): the heading shows the first.")
    if jobs.earlier:
        said.append(f"Left out, since an earlier sweep left it in this folder: job {', '.join(jobs.earlier)}.")
    return list(dict.fromkeys([*said, *(notice for results in of_jobs for notice in results.notices)]))


def _shared(models: Sequence[Mapping[str, Any] | None]) -> Mapping[str, Any] | None:
    """The model of all jobs; several models have no more in common than their names."""
    different = {json.dumps(model, sort_keys=True, default=str) for model in models}
    if len(different) == 1:
        return models[0]
    names = _several(str(model.get("name", "")) for model in models if model)
    return {"name": names} if names else None


def _several(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(text for text in texts if text))
