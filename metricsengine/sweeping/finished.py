"""What a finished sweep shows: comparisons over its jobs, one tidy table, one report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metricsengine.comparison import UNITS, Comparison, ComparisonSpec, Findings
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Exhibit, Listing
from metricsengine.host import Host
from metricsengine.metric import Measure
from metricsengine.records import save_table
from metricsengine.report import write_report
from metricsengine.results import Results
from metricsengine.sweeping.gathered import JobResults, findings, job_results, swept, told_as
from metricsengine.sweeping.surfaces import surfaces

if TYPE_CHECKING:
    import pandas as pd


def write_results(folder: Path, host: Host, command: str) -> tuple[Results, list[str]] | None:
    """Write the results of a sweep into its folder: ``results.json``, ``estimates.parquet``, ``report.html``.

    The jobs are compared as the first of them was told to compare what it held.

    Args:
        folder: Folder of the sweep.
        host: The loaded plugins.
        command: The words that started it.

    Returns:
        The results, and a line for each part that failed; None where fewer than two jobs have results.
    """
    jobs = job_results(folder)
    if len(jobs) < 2:
        return None
    found = findings(jobs)
    compared, measures, failures = _compare(host, jobs[0], found)
    results = _results(jobs, found, compared, measures, failures, command)
    results.save(folder)
    frame = tidy(found.estimates, compared)
    save_table(frame, folder / "estimates.parquet")
    report = write_report(results, _exhibits(jobs, found, compared, results.measures), folder)
    return results, [*failures, *report.failures]


def _compare(host: Host, job: JobResults, found: Findings) -> tuple[list[Estimate], dict[str, Measure], list[str]]:
    estimates: list[Estimate] = []
    measures: dict[str, Measure] = {}
    failures: list[str] = []
    chosen: Mapping[str, Any] = job.results.provenance.get("config", {}).get("comparison") or {}
    for name, options in chosen.items():
        try:
            spec: ComparisonSpec = host.spec("comparison", name)
            comparison: Comparison = spec.build(_typed(spec, options))
            estimates += comparison.compare(found, job.results.seed)
        except Exception as error:  # noqa: BLE001 - one comparison must not take the sweep's other results with it
            failures.append(f"comparison {name!r}: {type(error).__name__}: {error}")
            continue
        measures |= {measure.name: measure for measure in spec.measures}
    return estimates, measures, failures


def _typed(spec: ComparisonSpec, options: Mapping[str, Any]) -> Any:
    """The options as an instance of the comparison's dataclass."""
    from omegaconf import OmegaConf

    return OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(spec.config), dict(options)))


def _results(
    jobs: Sequence[JobResults],
    found: Findings,
    compared: Sequence[Estimate],
    measures: Mapping[str, Measure],
    failures: Sequence[str],
    command: str,
) -> Results:
    first = jobs[0].results
    of_jobs: dict[str, Measure] = {}
    for job in jobs:
        of_jobs |= job.results.measures
    counts: Counter[str] = Counter(jobs=len(jobs))
    for job in jobs:
        counts.update(job.results.counts)
    return Results(
        study=first.study,
        protocol=first.protocol,
        seed=first.seed,
        model=_shared([job.results.model for job in jobs]),
        compost={key: _several(job.results.compost.get(key, "") for job in jobs) for key in first.compost},
        counts=dict(counts),
        estimates=[*compared, *found.estimates],
        measures={**measures, **of_jobs},
        tables={UNITS.name: found.units} if len(found.units) else {},
        notices=list(dict.fromkeys(notice for job in jobs for notice in job.results.notices)),
        failures=[*failures, *(f"job {job.name}: {failure}" for job in jobs for failure in job.results.failures)],
        provenance={"command": command, "jobs": {job.name: dict(job.overrides) for job in jobs}, "swept": swept(jobs)},
        compared=sorted({estimate.metric for estimate in compared}),
    )


def _shared(models: Sequence[Mapping[str, Any] | None]) -> Mapping[str, Any] | None:
    """The model of all jobs; several models have no more in common than their names."""
    different = {json.dumps(model, sort_keys=True, default=str) for model in models}
    if len(different) == 1:
        return models[0]
    names = _several(str(model.get("name", "")) for model in models if model)
    return {"name": names} if names else None


def _several(texts: Iterator[str] | Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(text for text in texts if text))


def tidy(estimates: Sequence[Estimate], compared: Sequence[Estimate] = ()) -> pd.DataFrame:
    """Estimates as one table, a row each.

    Columns: the fields of :class:`Estimate`, ``comparison`` (whether it is one), and the labels; a label that is called
    like a field gets ``label_`` in front.
    """
    import pandas as pd

    rows = []
    for estimate in (*estimates, *compared):
        row = estimate.to_json()
        labels = row.pop("labels")
        row |= {"reason": estimate.reason, "over": ", ".join(estimate.over), "flags": "; ".join(estimate.flags)}
        row["excluded"] = "; ".join(f"{reason}: {n}" for reason, n in sorted(estimate.excluded.items()))
        row["comparison"] = any(estimate is one for one in compared)
        rows.append(row | {(f"label_{k}" if k in row else k): v for k, v in labels.items()})
    frame = pd.DataFrame(rows)
    return frame.astype({column: "string" for column in frame if frame[column].dtype == object})


def _exhibits(
    jobs: Sequence[JobResults], found: Findings, compared: Sequence[Estimate], measures: Mapping[str, Measure]
) -> Iterator[Exhibit]:
    import pandas as pd

    varied = swept(jobs)
    rows = [{"job": job.name, **{key: values[i] for key, values in varied.items()}} for i, job in enumerate(jobs)]
    yield Listing("jobs", "Jobs", "One row is one job with what the sweep set for it.", pd.DataFrame(rows))
    yield Listing("estimates", "All estimates", "One row is one estimate.", tidy(found.estimates, compared))
    keys = list(dict.fromkeys(told_as(jobs).values()))
    if keys:
        yield from surfaces([*compared, *found.estimates], keys, measures)
