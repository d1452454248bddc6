"""The one place where the steps meet: preflight, asking, measuring, showing, telling the sinks."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from metricsengine import provenance
from metricsengine.aggregate import aggregate
from metricsengine.config import Settings, outputs_folder
from metricsengine.elicit import Asker, drive
from metricsengine.errors import ConfigError, MetricsEngineError, RecordsError
from metricsengine.estimate import Estimate
from metricsengine.files import write_json, write_text
from metricsengine.host import Host
from metricsengine.metric import Measure, Metric, MetricContext, MetricSpec
from metricsengine.model import ModelAdapter
from metricsengine.recorded import read_records
from metricsengine.records import Tables, save_table
from metricsengine.report import write_report
from metricsengine.results import Results
from metricsengine.run import INTERRUPTED, Run, RunEnd
from metricsengine.store import ResponseStore
from metricsengine.study import Study, StudyInputs, StudySpec, exhibits_of
from metricsengine.terminal import EncodingProgress, EngineProgress
from metricsengine.vectors import CachedEncoder

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

STORE = "store.db"

_UNSTATED = dict.fromkeys(("context", "model", "persona", "topic"), "not stated")


@dataclass
class Job:
    """What preflight has made ready.

    Attributes:
        run: The run.
        spec: Specification of its study.
        study: Its study.
        metrics: Its metrics with their specifications.
        adapter: The model, weights not loaded; None where nothing is asked.
        encoder: The encoder with its cache, weights not loaded; None where no metric needs one.
        store: The response store.
        recorded: Tables of the recorded responses; None where they are still to be elicited.
        notices: What a reader must know.
        failures: Parts that failed, each named.
    """

    run: Run
    spec: StudySpec
    study: Study
    metrics: Sequence[tuple[MetricSpec, Metric]]
    adapter: ModelAdapter | None
    encoder: CachedEncoder | None
    store: ResponseStore
    recorded: Tables | None = None
    notices: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def failed(self, failures: Sequence[str]) -> None:
        """Note what failed, the same thing once."""
        self.failures += [failure for failure in dict.fromkeys(failures) if failure not in self.failures]


class Engine:
    """Runs jobs.

    Args:
        host: The loaded plugins.
        console: Where progress is shown.
    """

    def __init__(self, host: Host, console: Console) -> None:
        self._host = host
        self._console = console

    def run(self, run: Run) -> tuple[RunEnd, Results | None, list[str]]:
        """Run one job to its end, whatever happens.

        Returns:
            How it ended, its results if it went through, and where they can be looked at.

        Raises:
            ConfigError: Preflight found the configuration wrong; nothing was asked and no run was started.
        """
        run.folder.mkdir(parents=True, exist_ok=True)
        provenance.save(run)
        with ExitStack() as resources:
            job = self._preflight(run, resources)
            job.failed(self._host.call("metricsengine_run_started", run=run)[1])
            end, results = self._carry_out(job)
            lines, failures = self._host.call("metricsengine_run_finished", run=run, end=end, results=results)
            end = RunEnd(_worse(end.status, failures), end.error, (*end.failures, *failures))
            save_end(run, end)
            return end, results, lines

    def _carry_out(self, job: Job) -> tuple[RunEnd, Results | None]:
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

    def _preflight(self, run: Run, resources: ExitStack) -> Job:
        settings = run.settings
        spec: StudySpec = self._host.spec_of("study", settings.study)
        study = spec.build(settings.study, StudyInputs(settings.sets, settings.seed))
        recorded = _recorded(study, settings)
        if recorded is None:
            study.check()
        metrics = self._metrics(spec, settings)
        store = resources.enter_context(ResponseStore(outputs_folder() / STORE))
        adapter = None if settings.records.file else self._adapter(study, settings)
        if adapter:
            resources.callback(adapter.close)
        _, failures = self._host.call("metricsengine_preflight", run=run)
        if failures:
            raise ConfigError("; ".join(failures))
        return Job(run, spec, study, metrics, adapter, self._encoder(settings, metrics, store), store, recorded)

    def _metrics(self, study: StudySpec, settings: Settings) -> list[tuple[MetricSpec, Metric]]:
        metrics = []
        for name, options in settings.metric.items():
            spec: MetricSpec = self._host.spec("metric", name)
            tables = {table.name for table in study.tables}
            if spec.table not in tables:
                fit = [other.name for other in self._host.specs("metric").values() if other.table in tables]
                raise ConfigError(
                    f"metric {name!r} reads table {spec.table}, which study {study.name!r} does not return; "
                    + (f"choose metric=[{','.join(fit)}]" if fit else "no metric that is installed fits this study")
                )
            if settings.protocol not in spec.protocols:
                raise ConfigError(f"metric {name!r} knows protocol={'|'.join(spec.protocols)}, not {settings.protocol}")
            if spec.encoder and settings.encoder is None:
                raise ConfigError(f"metric {name!r} needs vectors: add encoder=NAME")
            metrics.append((spec, spec.build(options)))
        return metrics

    def _adapter(self, study: Study, settings: Settings) -> ModelAdapter | None:
        if not study.needs:
            return None
        if settings.model is None:
            raise ConfigError("this study asks a model: add model=NAME")
        adapter: ModelAdapter = self._host.spec_of("model", settings.model).build(settings.model)
        missing = sorted(need for need in study.needs if not getattr(adapter.capabilities, need))
        if missing:
            raise ConfigError(f"model {adapter.identity.name} cannot do what the study needs: {', '.join(missing)}")
        return adapter

    def _encoder(
        self, settings: Settings, metrics: Sequence[tuple[MetricSpec, Metric]], store: ResponseStore
    ) -> CachedEncoder | None:
        if settings.encoder is None or not any(spec.encoder for spec, _ in metrics):
            return None
        encoder = self._host.spec_of("encoder", settings.encoder).build(settings.encoder)
        return CachedEncoder(encoder, store, EncodingProgress(self._console, f"embedding with {encoder.name}"))

    def _elicit(self, job: Job) -> tuple[Tables, Asker | None]:
        """The study's record tables, from the model or from a file; written before anything is measured."""
        asker = self._asker(job) if job.adapter else None
        tables = drive(job.study.run(), asker or _nobody) if job.recorded is None else job.recorded
        tables = _conforming(job.spec, tables)
        for name, frame in tables.items():
            save_table(frame, job.run.folder / "tables" / f"{name}.parquet")
        return tables, asker

    def _asker(self, job: Job) -> Asker:
        assert job.adapter is not None  # noqa: S101 - for the type checker: the caller has looked
        progress = EngineProgress(self._console, f"asking {job.adapter.identity.name}")

        def tell(responses: Sequence[Any]) -> None:
            job.failed(self._host.call("metricsengine_responses_stored", run=job.run, responses=responses)[1])

        return Asker(job.adapter, job.store, progress, tell)

    def _results(self, job: Job, elicited: tuple[Tables, Asker | None]) -> Results:
        tables, asker = elicited
        estimates, measures, more = self._measure(job, tables)
        job.failed(_errors(asker))
        results = Results(
            study=job.spec.name,
            protocol=job.run.settings.protocol,
            seed=job.run.settings.seed,
            model=_model(job),
            compost={**_UNSTATED, **job.study.compost(tables), "model": _model_name(job)},
            counts=_counts(asker, tables),
            estimates=estimates,
            measures=measures,
            tables={**tables, **more},
            store=_store_figures(job, asker),
            notices=tuple(job.notices),
            failures=tuple(job.failures),
            provenance=provenance.collect(job.run),
        )
        results.save(job.run.folder)
        report = write_report(results, exhibits_of(job.study, results), job.run.folder)
        if report.failures:
            job.failed(report.failures)
            results = replace(results, failures=tuple(job.failures))
            results.save(job.run.folder)
        return results

    def _measure(self, job: Job, tables: Tables) -> tuple[list[Estimate], dict[str, Measure], dict[str, pd.DataFrame]]:
        context = self._context(job)
        estimates: list[Estimate] = []
        measures: dict[str, Measure] = {}
        more: dict[str, pd.DataFrame] = {}
        for spec, metric in job.metrics:
            try:
                with self._console.status(f"measuring {spec.name}"):
                    result = metric.compute(tables[spec.table], context)
                found = [*result.estimates, *_aggregates(spec, result.estimates, context.seed)]
            except Exception as error:  # noqa: BLE001 - one metric must not take the others with it
                write_text(job.run.folder / f"error-{spec.name}.txt", traceback.format_exc())
                job.failed([f"metric {spec.name!r}: {type(error).__name__}: {error}"])
                continue
            estimates += found
            measures |= {measure.name: measure for measure in spec.measures}
            more |= result.tables
            call = self._host.call("metricsengine_estimates_computed", run=job.run, estimates=found)
            job.failed(call[1])
        return estimates, measures, more

    def _context(self, job: Job) -> MetricContext:
        def none(texts: Sequence[str]) -> Any:
            raise ConfigError("a metric asks for vectors, but no encoder was chosen: add encoder=NAME")

        return MetricContext(
            protocol=job.run.settings.protocol,
            seed=job.run.settings.seed,
            encode=job.encoder.encode if job.encoder else none,
            encoder=job.encoder.name if job.encoder else "",
        )


def save_end(run: Run, end: RunEnd) -> None:
    """Write ``status.json``."""
    write_json(run.folder / "status.json", {"status": end.status, "error": end.error, "failures": list(end.failures)})


def _recorded(study: Study, settings: Settings) -> Tables | None:
    """The tables of the recorded responses; None where there is no file of them."""
    if not settings.records.file:
        return None
    path = provenance.records_file(settings)
    records = read_records(path, settings.records.columns)
    try:
        return study.read(records)
    except RecordsError as error:
        raise RecordsError(f"{path}: {error}") from error


def _nobody(requests: Sequence[Any]) -> Sequence[Any]:
    if not requests:
        return ()
    raise ConfigError(f"the study asks {len(requests)} requests, but declares no need of a model")


def _conforming(spec: StudySpec, tables: Tables) -> dict[str, pd.DataFrame]:
    shapes = {table.name: table for table in spec.tables}
    if missing := shapes.keys() - tables.keys():
        raise ConfigError(f"study {spec.name!r} did not return its table {', '.join(sorted(missing))}")
    return {name: shapes[name].conform(frame) if name in shapes else frame for name, frame in tables.items()}


def _aggregates(spec: MetricSpec, cells: Sequence[Estimate], seed: int) -> list[Estimate]:
    return [
        estimate
        for measure in spec.measures
        for estimate in aggregate([cell for cell in cells if cell.metric == measure.name], measure, seed)
    ]


def _errors(asker: Asker | None) -> list[str]:
    if asker is None or not asker.reasons:
        return []
    failed, total = sum(asker.reasons.values()), sum(asker.outcomes.values())
    reason, _ = asker.reasons.most_common(1)[0]
    return [f"{failed} of {total} requests ended in an error ({reason}); the same command asks them again"]


def _counts(asker: Asker | None, tables: Tables) -> dict[str, int]:
    counts: Counter[str] = Counter(requests=sum(asker.outcomes.values()) if asker else 0)
    counts.update(asker.outcomes if asker else {})
    for name, frame in tables.items():
        counts[f"rows.{name}"] = len(frame)
        if "excluded" in frame:
            counts.update(
                {f"excluded.{reason}": int(n) for reason, n in frame["excluded"].dropna().value_counts().items()}
            )
    return dict(counts)


def _model(job: Job) -> Mapping[str, Any] | None:
    if job.adapter is None:
        return None
    identity = job.adapter.identity
    return {
        "adapter": identity.adapter,
        "name": identity.name,
        "weights": identity.weights,
        "format": identity.format,
        "details": dict(identity.details),
        "exact_replay": job.adapter.capabilities.exact_replay,
        "batch_noise": job.adapter.capabilities.batch_noise,
    }


def _model_name(job: Job) -> str:
    return job.adapter.identity.name if job.adapter else job.run.settings.records.model


def _store_figures(job: Job, asker: Asker | None) -> dict[str, Any]:
    return {
        **job.store.figures().__dict__,
        "hits": asker.hits if asker else 0,
        "misses": asker.misses if asker else 0,
        "vector_hits": job.encoder.hits if job.encoder else 0,
        "vector_misses": job.encoder.misses if job.encoder else 0,
    }


def _worse(status: Any, failures: Sequence[str]) -> Any:
    return "failed" if failures and status == "finished" else status
