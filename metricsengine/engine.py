"""The one place where the steps meet: preflight, asking, measuring, showing, telling the sinks."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metricsengine import account, provenance
from metricsengine.aggregate import aggregate
from metricsengine.comparison import UNITS, Findings, check_units, units_with_labels, with_labels
from metricsengine.elicit import Asker, Tally, drive
from metricsengine.encoder import no_vectors
from metricsengine.errors import ConfigError, MetricsEngineError
from metricsengine.estimate import Estimate
from metricsengine.files import write_text
from metricsengine.host import Host
from metricsengine.memory import Memory, anew
from metricsengine.metric import Measure, MetricContext, MetricResult
from metricsengine.preflight import Job, prepare
from metricsengine.records import Tables, save_table
from metricsengine.report import write_report
from metricsengine.results import Results
from metricsengine.run import INTERRUPTED, Run, RunEnd
from metricsengine.status import write_status
from metricsengine.study import StudySpec, exhibits_of
from metricsengine.terminal import EngineProgress

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console


@dataclass
class _Found:
    """What metrics and comparisons found, as far as the run has come.

    Attributes:
        estimates: Of metrics, the host's aggregates among them.
        compared: Of comparisons.
        names: Names of the estimates of comparisons.
        measures: What they mean, by name.
        tables: Further tables of the metrics, by name.
        units: Rows of :data:`UNITS`, metric by metric.
    """

    estimates: list[Estimate] = field(default_factory=list)
    compared: list[Estimate] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    measures: dict[str, Measure] = field(default_factory=dict)
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    units: list[pd.DataFrame] = field(default_factory=list)

    def findings(self) -> Findings:
        """What comparisons are given."""
        import pandas as pd

        none = UNITS.conform(pd.DataFrame(columns=[column.name for column in UNITS.columns]))
        return Findings(tuple(self.estimates), pd.concat(self.units, ignore_index=True) if self.units else none)


_UNSTATED = dict.fromkeys(("context", "model", "persona", "topic"), "not stated")


class Engine:
    """Runs jobs.

    Args:
        host: The loaded plugins.
        console: Where progress is shown.
        reporting: Whether ``report.html`` is written.
        remembering: Whether metrics may go on with what an earlier run computed.
    """

    def __init__(self, host: Host, console: Console, *, reporting: bool = True, remembering: bool = True) -> None:
        self._host = host
        self._console = console
        self._reporting = reporting
        self._remembering = remembering

    def run(self, run: Run) -> tuple[RunEnd, Results | None, list[str]]:
        """Run one job to its end, whatever happens.

        Returns:
            How it ended, its results if it went through, and where they can be looked at.

        Raises:
            ConfigError: Preflight found the configuration wrong; nothing was asked and no run was started.
        """
        run.folder.mkdir(parents=True, exist_ok=True)
        run = provenance.save(run)
        with ExitStack() as resources:
            job = prepare(self._host, self._console, run, resources)
            _forget_earlier(run.folder)
            job.failed(self._host.call("metricsengine_run_started", run=run)[1])
            end, results = self.carry_out(job)
            lines, failures = self._host.call("metricsengine_run_finished", run=run, end=end, results=results)
            end = RunEnd(_worse(end.status, failures), end.error, (*end.failures, *failures))
            write_status(run.folder, end)
            return end, results, lines

    def carry_out(self, job: Job) -> tuple[RunEnd, Results | None]:
        """Ask and measure, once preflight has made the job ready; how it ended, and its results if it went through."""
        try:
            results = self._results(job, self._elicit(job))
        except KeyboardInterrupt:
            return RunEnd("interrupted", INTERRUPTED, tuple(job.failures)), None
        except MetricsEngineError as error:
            return RunEnd("failed", str(error), tuple(job.failures)), None
        except Exception as error:  # noqa: BLE001 - whatever a plugin raises ends this job only, and is written down
            trace = job.run.folder / "error.txt"
            write_text(trace, traceback.format_exc())
            line = f"{type(error).__name__}: {error} (traceback in {trace})"
            return RunEnd("failed", line, tuple(job.failures)), None
        return RunEnd("failed" if job.failures else "finished", failures=tuple(job.failures)), results

    def _elicit(self, job: Job) -> tuple[Tables, Tally]:
        """The study's record tables, from the model or from a file; written before anything is measured."""
        asker = self._asker(job) if job.adapter else None
        tables = drive(job.study.run(), asker or _nobody) if job.recorded is None else job.recorded
        tables = _conforming(job.spec, tables)
        for name, frame in tables.items():
            save_table(frame, job.run.folder / "tables" / f"{name}.parquet")
        return tables, asker.tally if asker else Tally()

    def _asker(self, job: Job) -> Asker:
        assert job.adapter is not None  # noqa: S101 - for the type checker: the caller has looked
        progress = EngineProgress(self._console, f"asking {job.adapter.identity.name}")

        def tell(responses: Sequence[Any]) -> None:
            job.failed(self._host.call("metricsengine_responses_stored", run=job.run, responses=responses)[1])

        return Asker(job.adapter, job.store, progress, tell, job.fit.fallbacks if job.fit else ())

    def _results(self, job: Job, elicited: tuple[Tables, Tally]) -> Results:
        tables, tally = elicited
        found = _Found()
        self._measure(job, tables, found)
        self._compare(job, found)
        job.failed(account.failures(tally))
        results = Results(
            study=job.spec.name,
            protocol=job.run.settings.protocol,
            seed=job.run.settings.seed,
            model=account.model(job.adapter, job.fit, tally) if job.adapter and job.fit else None,
            compost={**_UNSTATED, "model": _model_name(job), **job.study.compost(tables)},
            counts=account.counts(tally, tables),
            estimates=[*found.compared, *found.estimates],
            measures=found.measures,
            tables={**tables, **found.tables},
            store=_store_figures(job, tally),
            usage=account.usage(tally, job.adapter.prices) if job.adapter else {},
            notices=(*(job.fit.notices if job.fit else ()), *job.study.notices, *account.notices(tally)),
            failures=tuple(job.failures),
            provenance=provenance.collect(self._host, job),
            compared=sorted(found.names),
        )
        results.save(job.run.folder)
        return self._reported(job, results) if self._reporting else results

    def _reported(self, job: Job, results: Results) -> Results:
        report = write_report(results, exhibits_of(job.study, results), job.run.folder)
        if report.failures:
            job.failed(report.failures)
            results = replace(results, failures=tuple(job.failures))
            results.save(job.run.folder)
        return results

    def _measure(self, job: Job, tables: Tables, found: _Found) -> None:
        context, labels = self._context(job), job.study.labels
        for spec, metric in job.metrics:
            with self._part(job, "metric", spec.name, "measuring"):
                result = _labelled(metric.compute(tables[spec.table], context), labels)
                measures = {measure.name: measure for measure in (*spec.measures, *result.measures)}
                estimates = [*result.estimates, *_aggregates(measures.values(), result.estimates, context.seed)]
                found.estimates += estimates
                found.measures |= measures
                found.tables |= result.tables
                found.units += [] if result.units is None else [result.units]
                self._tell(job, estimates)

    def _compare(self, job: Job, found: _Found) -> None:
        """Set the findings of all metrics against each other; their units are kept for comparisons of jobs."""
        findings = replace(found.findings(), partial=job.run.sweep is not None)
        if len(findings.units):
            found.tables[UNITS.name] = findings.units
        for spec, comparison in job.comparisons:
            with self._part(job, "comparison", spec.name, "comparing"):
                estimates = list(comparison.compare(findings, job.run.settings.seed))
                found.names |= {estimate.metric for estimate in estimates}
                found.compared += estimates
                found.measures |= {measure.name: measure for measure in spec.measures}
                self._tell(job, estimates)

    @contextmanager
    def _part(self, job: Job, kind: str, name: str, doing: str) -> Iterator[None]:
        """One metric or comparison, which must not take the others with it."""
        try:
            with self._console.status(f"{doing} {name}"):
                yield
        except Exception as error:  # noqa: BLE001 - whatever a plugin raises is written down, and the run goes on
            write_text(job.run.folder / f"error-{name}.txt", traceback.format_exc())
            job.failed([f"{kind} {name!r}: {type(error).__name__}: {error}"])

    def _tell(self, job: Job, estimates: Sequence[Estimate]) -> None:
        job.failed(self._host.call("metricsengine_estimates_computed", run=job.run, estimates=estimates)[1])

    def _context(self, job: Job) -> MetricContext:
        return MetricContext(
            protocol=job.run.settings.protocol,
            seed=job.run.settings.seed,
            encode=job.encoder.encode if job.encoder else no_vectors,
            encoder=job.encoder.name if job.encoder else "",
            parts=job.parts,
            remembered=Memory(job.store, provenance.surroundings()) if self._remembering else anew,
        )


def _forget_earlier(folder: Path) -> None:
    """Remove what an earlier attempt in the folder found: it would pass for what this one finds."""
    for path in (folder / "results.json", *folder.glob("error*.txt")):
        path.unlink(missing_ok=True)


def _nobody(requests: Sequence[Any]) -> Sequence[Any]:
    if not requests:
        return ()
    raise ConfigError(f"the study asks {len(requests)} requests, but declares no need of a model")


def _conforming(spec: StudySpec, tables: Tables) -> dict[str, pd.DataFrame]:
    shapes = {table.name: table for table in spec.tables}
    if missing := shapes.keys() - tables.keys():
        raise ConfigError(f"study {spec.name!r} did not return its table {', '.join(sorted(missing))}")
    return {name: shapes[name].conform(frame) if name in shapes else frame for name, frame in tables.items()}


def _labelled(result: MetricResult, labels: Mapping[str, str]) -> MetricResult:
    """What a metric returned, with the labels that the study gives everything; its units are looked at."""
    estimates = with_labels(result.estimates, labels)
    if result.units is None or not len(result.units):
        return replace(result, estimates=estimates, units=None)
    units = units_with_labels(result.units, labels)
    check_units(units, estimates)
    return replace(result, estimates=estimates, units=units)


def _aggregates(measures: Iterable[Measure], cells: Sequence[Estimate], seed: int) -> list[Estimate]:
    return [
        estimate
        for measure in measures
        for estimate in aggregate([cell for cell in cells if cell.metric == measure.name], measure, seed)
    ]


def _model_name(job: Job) -> str:
    return job.adapter.identity.name if job.adapter else job.run.settings.records.model


def _store_figures(job: Job, tally: Tally) -> dict[str, Any]:
    return {
        **job.store.figures().__dict__,
        "hits": tally.hits,
        "misses": tally.misses,
        "vector_hits": job.encoder.hits if job.encoder else 0,
        "vector_misses": job.encoder.misses if job.encoder else 0,
    }


def _worse(status: Any, failures: Sequence[str]) -> Any:
    return "failed" if failures and status == "finished" else status
