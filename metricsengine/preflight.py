"""Preflight: everything that can be known to be wrong is said before a model loads or a request is paid for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from metricsengine import inert, kept, provenance
from metricsengine.comparison import Comparison, ComparisonSpec
from metricsengine.config import outputs_folder
from metricsengine.encoder import Encoder
from metricsengine.errors import ConfigError, ModelError, RecordsError
from metricsengine.fallback import chosen
from metricsengine.fit import Fit, cover, fit
from metricsengine.host import Host
from metricsengine.metric import Metric, MetricSpec
from metricsengine.model import ModelAdapter
from metricsengine.parts import build_parts
from metricsengine.recorded import read_records
from metricsengine.records import Tables
from metricsengine.run import Run
from metricsengine.settings import Settings
from metricsengine.store import ResponseStore
from metricsengine.study import Study, StudyInputs, StudySpec
from metricsengine.terminal import EncodingProgress
from metricsengine.vectors import CachedEncoder

if TYPE_CHECKING:
    from rich.console import Console

STORE = "store.db"


@dataclass
class Job:
    """What preflight has made ready.

    Attributes:
        run: The run.
        spec: Specification of its study.
        study: Its study.
        metrics: Its metrics with their specifications.
        comparisons: Its comparisons with their specifications.
        parts: What its study and metrics take of the kinds that plugins opened, built, by kind and name.
        adapter: The model, its weights loaded only if something had to be proven; None where nothing is asked.
        fit: How it fits the study; None where nothing is asked.
        encoder: The encoder with its cache, weights not loaded; None where no metric needs one.
        store: The response store.
        recorded: Tables of the recorded responses; None where they are still to be elicited.
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
    fit: Fit | None = None
    comparisons: Sequence[tuple[ComparisonSpec, Comparison]] = ()
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def failed(self, failures: Sequence[str]) -> None:
        """Note what failed, the same thing once."""
        self.failures += [failure for failure in dict.fromkeys(failures) if failure not in self.failures]


def prepare(host: Host, console: Console, run: Run, resources: ExitStack, store: ResponseStore | None = None) -> Job:
    """Make a job ready, or refuse it, before a request of the study is paid for.

    What can be known without asking is looked at first; then a few short requests prove what the study needs.

    Args:
        host: The loaded plugins.
        console: Where progress will be shown.
        run: The run.
        resources: Closes what the job holds.
        store: The response store, which stays open; None for that of the outputs folder.

    Raises:
        ConfigError: The configuration is wrong; names the key, file or plugin.
    """
    settings = run.settings
    spec: StudySpec = host.spec_of("study", settings.study)
    metrics = _metrics(host, spec, settings)
    comparisons = _comparisons(host, settings)
    with _as_configuration():
        parts = build_parts(host, spec, [metric for metric, _ in metrics], settings)
    store = store or resources.enter_context(ResponseStore(outputs_folder() / STORE))
    encoder = _encoder(host, console, settings, spec.encoder or any(m.encoder for m, _ in metrics), store)
    study = spec.build(settings.study, _inputs(spec, settings, parts, encoder))
    recorded = _recorded(study, settings)
    if recorded is None:
        study.check()
    adapter = None if settings.records.file else _adapter(host, study, settings, resources)
    _, failures = host.call("metricsengine_preflight", run=run)
    if failures:
        raise ConfigError("; ".join(failures))
    fitting = _fit(console, adapter, study, settings, store) if adapter else None
    if fitting:
        study.meet(fitting.proof.capabilities)
    return Job(run, spec, study, metrics, adapter, encoder, store, recorded, fitting, comparisons, parts)


def _metrics(host: Host, study: StudySpec, settings: Settings) -> list[tuple[MetricSpec, Metric]]:
    if study.encoder and settings.encoder is None:
        raise ConfigError(f"study {study.name!r} needs vectors: add encoder=NAME")
    metrics = []
    for name, options in settings.metric.items():
        spec: MetricSpec = host.spec("metric", name)
        tables = {table.name for table in study.tables}
        if spec.table not in tables:
            fitting = [other.name for other in host.specs("metric").values() if other.table in tables]
            raise ConfigError(
                f"metric {name!r} reads table {spec.table}, which study {study.name!r} does not return; "
                + (f"choose metric=[{','.join(fitting)}]" if fitting else "no metric that is installed fits this study")
            )
        if settings.protocol not in spec.protocols:
            raise ConfigError(f"metric {name!r} knows protocol={'|'.join(spec.protocols)}, not {settings.protocol}")
        if spec.encoder and settings.encoder is None:
            raise ConfigError(f"metric {name!r} needs vectors: add encoder=NAME")
        metrics.append((spec, spec.build(options)))
    return metrics


def _comparisons(host: Host, settings: Settings) -> list[tuple[ComparisonSpec, Comparison]]:
    specs: dict[str, ComparisonSpec] = {name: host.spec("comparison", name) for name in settings.comparison}
    return [(specs[name], specs[name].build(options)) for name, options in settings.comparison.items()]


def _adapter(host: Host, study: Study, settings: Settings, resources: ExitStack) -> ModelAdapter | None:
    if not study.needs:
        return None
    if settings.model is None:
        raise ConfigError("this study asks a model: add model=NAME")
    with _as_configuration():
        fresh: ModelAdapter = host.spec_of("model", settings.model).build(settings.model)
        adapter = kept.adapter(fresh, settings.model, resources)
    cover(adapter.identity.name, study.needs, adapter.capabilities, chosen(settings.fallback))
    return adapter


def _fit(console: Console, adapter: ModelAdapter, study: Study, settings: Settings, store: ResponseStore) -> Fit:
    with console.status(f"trying {inert.shorten(adapter.identity.name, 60)}"):
        return fit(adapter, study.needs, chosen(settings.fallback), store, settings.probe)


def _encoder(
    host: Host, console: Console, settings: Settings, needed: bool, store: ResponseStore
) -> CachedEncoder | None:
    if settings.encoder is None or not needed:
        return None
    with _as_configuration():
        fresh: Encoder = host.spec_of("encoder", settings.encoder).build(settings.encoder)
        fresh.check()
        encoder = kept.encoder(fresh, settings.encoder)
    return CachedEncoder(encoder, store, EncodingProgress(console, f"embedding with {encoder.name}"))


def _inputs(
    spec: StudySpec, settings: Settings, parts: Mapping[str, Mapping[str, Any]], encoder: CachedEncoder | None
) -> StudyInputs:
    own = {kind: parts[kind] for kind in spec.parts}
    inputs = StudyInputs(settings.sets, settings.seed, parts=own, find=settings.find)
    return replace(inputs, encode=encoder.encode, encoder=encoder.name) if encoder else inputs


@contextmanager
def _as_configuration() -> Iterator[None]:
    """What a plugin cannot find or read at this point is a matter of the configuration."""
    try:
        yield
    except ModelError as error:
        raise ConfigError(str(error)) from error


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
