"""What a finished sweep shows: comparisons over its jobs, one tidy table, one report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metricsengine.comparison import UNITS, Comparison, ComparisonSpec, Findings
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Exhibit, Listing, Passage
from metricsengine.host import Host
from metricsengine.markup import escaped
from metricsengine.metric import Measure
from metricsengine.records import save_table
from metricsengine.report import write_report
from metricsengine.results import Results
from metricsengine.sweeping.gathered import JobResults, Jobs, findings, gather
from metricsengine.sweeping.labels import SweptKey, swept_keys
from metricsengine.sweeping.surfaces import surfaces
from metricsengine.wording import first_few, plural

if TYPE_CHECKING:
    import pandas as pd

MOST_VALUES = 12
"""Values of a swept key that the card names."""


@dataclass
class _Compared:
    """What comparisons found, what that means, and which of them failed."""

    estimates: list[Estimate] = field(default_factory=list)
    measures: dict[str, Measure] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def write_results(
    folder: Path, host: Host, command: str, since: datetime | None = None
) -> tuple[Results, list[str]] | None:
    """Write the results of a sweep into its folder: ``results.json``, ``estimates.parquet``, ``report.html``.

    Args:
        folder: Folder of the sweep.
        host: The loaded plugins.
        command: The words that started it.
        since: When it began: what another sweep left in the folder before is no part of it. None takes everything.

    Returns:
        The results, and a line for each part that failed; None where fewer than two jobs have results.
    """
    jobs = gather(folder, since)
    if len(jobs.done) < 2:
        return None
    keys = swept_keys([job.overrides for job in jobs.done], [job.estimates for job in jobs.done])
    found = findings(jobs.done, keys)
    compared = _compare(host, jobs.done, found)
    results = _results(jobs, found, compared, keys)
    began = {"started": since.isoformat(timespec="seconds")} if since else {}
    results = replace(results, provenance={"command": command, **began, **results.provenance})
    results.save(folder)
    save_table(tidy(found.estimates, compared.estimates), folder / "estimates.parquet")
    report = write_report(results, _exhibits(jobs, found, compared.estimates, keys), folder)
    if report.failures:
        results = replace(results, failures=[*results.failures, *report.failures])
        results.save(folder)
    return results, [*compared.failures, *report.failures]


def _compare(host: Host, jobs: Sequence[JobResults], found: Findings) -> _Compared:
    """Compare the jobs by all comparisons of theirs, each with the options that the first job has for it.

    What is found about the study's first metric comes first.
    """
    chosen: dict[str, Mapping[str, Any]] = {}
    for job in jobs:
        chosen = {**(job.results.provenance.get("config", {}).get("comparison") or {}), **chosen}
    compared = _Compared()
    for name, options in chosen.items():
        try:
            spec: ComparisonSpec = host.spec("comparison", name)
            comparison: Comparison = spec.build(_typed(spec, options))
            compared.estimates += comparison.compare(found, jobs[0].results.seed)
        except Exception as error:  # noqa: BLE001 - one comparison must not take the sweep's other results with it
            compared.failures.append(f"comparison {name!r}: {type(error).__name__}: {error}")
            continue
        compared.measures |= {measure.name: measure for measure in spec.measures}
    metrics = list(dict.fromkeys(estimate.metric for estimate in found.estimates))
    compared.estimates.sort(key=lambda e: metrics.index(of) if (of := e.labels.get("of")) in metrics else len(metrics))
    return compared


def _typed(spec: ComparisonSpec, options: Mapping[str, Any] | None) -> Any:
    """The options as an instance of the comparison's dataclass."""
    from omegaconf import OmegaConf

    return OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(spec.config), dict(options or {})))


def _results(jobs: Jobs, found: Findings, compared: _Compared, keys: Sequence[SweptKey]) -> Results:
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
            "dataset": first.provenance.get("dataset", {}),
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
    said = [
        f"The jobs have several {name}s ({', '.join(dict.fromkeys(values))}): the heading shows the first."
        for name, values in (
            ("protocol", [results.protocol for results in of_jobs]),
            ("seed", [str(results.seed) for results in of_jobs]),
        )
        if len(set(values)) > 1
    ]
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


def tidy(estimates: Sequence[Estimate], compared: Sequence[Estimate] = ()) -> pd.DataFrame:
    """Estimates as one table, a row each.

    Columns: the fields of :class:`Estimate`, ``comparison`` (whether it is one), and the labels; a label that is called
    like one of these gets ``label_`` in front.
    """
    import pandas as pd

    rows = [_row(estimate, is_compared=False) for estimate in estimates]
    rows += [_row(estimate, is_compared=True) for estimate in compared]
    frame = pd.DataFrame(rows)
    numbers = ["value", "low", "high", "standard_error"]
    frame = frame.astype({column: "float64" for column in numbers if column in frame})
    return frame.astype({column: "string" for column in frame if frame[column].dtype == object})


def _row(estimate: Estimate, *, is_compared: bool) -> dict[str, Any]:
    row = estimate.to_json()
    labels = row.pop("labels")
    row |= {"reason": estimate.reason, "over": ", ".join(estimate.over), "flags": "; ".join(estimate.flags)}
    row["excluded"] = "; ".join(f"{reason}: {n}" for reason, n in sorted(estimate.excluded.items()))
    row["comparison"] = is_compared
    return row | {(f"label_{name}" if name in row else name): value for name, value in labels.items()}


def _exhibits(jobs: Jobs, found: Findings, compared: Sequence[Estimate], keys: Sequence[SweptKey]) -> Iterator[Exhibit]:
    import pandas as pd

    yield _card(jobs, keys)
    rows = [{"job": job.name} | {key.key: key.values[i] for key in keys} for i, job in enumerate(jobs.done)]
    yield Listing("jobs", "Jobs", "One row is one job with what the sweep set for it.", pd.DataFrame(rows))
    yield from surfaces([*compared, *found.estimates], list(dict.fromkeys(key.shown for key in keys)))
    table = tidy(found.estimates, compared).dropna(axis="columns", how="all")
    yield Listing("estimates", "All estimates", "One row is one estimate.", table)


def _card(jobs: Jobs, keys: Sequence[SweptKey]) -> Passage:
    """What was swept, and which jobs are there."""
    lines = [f"{plural(len(jobs.done), 'job')} together, each of which has a report of its own in its folder."]
    for key in keys:
        values = escaped(first_few(dict.fromkeys(value or "(not set)" for value in key.values), MOST_VALUES))
        told = f" (estimates tell it by their label {escaped(key.shown)})" if key.shown != key.key else ""
        lines.append(f"- **{escaped(key.key)}:** {values}{told}")
    lines += [f"- **job {name} has no results:** {escaped(why, 600)}" for name, why in jobs.failed.items()]
    if not keys:
        lines.append("- Nothing that was set differs among them.")
    return Passage("card", "What was swept", "\n\n".join([lines[0], "\n".join(lines[1:])]))
