"""A finished run made once more, from its folder and the response store, in a folder that goes away."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omegaconf import OmegaConf

from metricsengine import provenance
from metricsengine.config import outputs_folder
from metricsengine.engine import Engine
from metricsengine.errors import MetricsEngineError
from metricsengine.forecast import Forecast, forecast
from metricsengine.preflight import STORE, Job, prepare
from metricsengine.rerunning.differences import Difference, differences
from metricsengine.rerunning.inputs import Change, changes, encoder_changes, model_changes
from metricsengine.rerunning.silent import Archive, SilentHost, found_able
from metricsengine.results import Results
from metricsengine.run import Run
from metricsengine.stored import configuration, stored_settings

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Repetition:
    """What came of making a run once more.

    Attributes:
        folder: The run folder.
        then: The results of the run.
        differences: Estimates that did not come out the same.
        counted: Counts of requests and rows that are others now: then and now, by name.
        changes: Inputs that are not what they were.
        failures: Parts that failed now and did not in the run.
        unanswered: What would have to be asked; None where nothing would.
        error: Why there are no estimates now; empty where there are.
        store: The response store.
    """

    folder: Path
    then: Results
    store: Path
    differences: list[Difference] = field(default_factory=list)
    counted: dict[str, tuple[int, int]] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    unanswered: Forecast | None = None
    error: str = ""

    @property
    def same(self) -> bool:
        """Whether all estimates came out the same."""
        return not (self.error or self.unanswered or self.differences)


def repeat(host: SilentHost, console: Console, folder: Path, *, ask: bool = False) -> Repetition:
    """Make a run once more. Nothing in its folder is changed, and no tracker hears of it.

    Args:
        host: Today's plugins.
        console: Where progress is shown.
        folder: The run folder.
        ask: Whether the model is asked for answers that the store lacks; they are stored.

    Raises:
        ConfigError: The folder is not that of a finished run.
    """
    folder = folder.absolute()
    then = Results.load(folder)
    configuration(folder)
    store_file = store_of(folder)
    host.capabilities, host.asking = found_able(then.model), ask
    with ExitStack() as resources:
        scratch = Path(resources.enter_context(tempfile.TemporaryDirectory(prefix="metricsengine-rerun-")))
        resources.enter_context(_directory(then))
        repetition = Repetition(folder, then, store_file, changes=changes(host, folder, then))
        kept = store_file if ask or store_file.is_file() else scratch / STORE
        store = resources.enter_context(Archive(kept, errors=not ask))
        try:
            run = _run(host, repetition, scratch, ask=ask)
            return _repeated(host, console, repetition, prepare(host, console, run, resources, store))
        except MetricsEngineError as error:
            return replace(repetition, error=str(error))


def store_of(folder: Path) -> Path:
    """The response store of a run: in the outputs folder that it lies in, or else in today's."""
    outputs = next((parent for parent in folder.parents if (parent / STORE).is_file()), outputs_folder())
    return outputs / STORE


@contextmanager
def _directory(then: Results) -> Iterator[None]:
    """Relative paths count from where the run's command was given, if that is still there."""
    directory = Path(then.provenance.get("directory") or ".")
    with chdir(directory if directory.is_dir() else "."):
        yield


def _run(host: SilentHost, repetition: Repetition, scratch: Path, *, ask: bool) -> Run:
    folder, then = repetition.folder, repetition.then
    settings = stored_settings(host, folder, then)
    if not ask:
        settings = replace(settings, probe="none")
    plain: Any = OmegaConf.to_container(configuration(folder))
    return Run(
        folder=scratch / "run",
        name="rerun",
        settings=settings,
        plain=plain,
        started=datetime.now().astimezone(),
        command=f"metricsengine rerun {folder}",
        sweep=scratch if _of_sweep(folder, then) else None,
        dataset=provenance.dataset(settings),
    )


def _of_sweep(folder: Path, then: Results) -> bool:
    """Whether the run was the job of a sweep, to the end of which some comparisons are left."""
    if "sweep" in then.provenance:
        return bool(then.provenance["sweep"])
    return folder.name.isdecimal()


def _repeated(host: SilentHost, console: Console, repetition: Repetition, job: Job) -> Repetition:
    then = repetition.then
    repetition = replace(repetition, changes=[*_answering(job, then), *repetition.changes])
    end, now = Engine(host, console, reporting=False, remembering=False).carry_out(job)
    if end.status == "interrupted":
        raise KeyboardInterrupt
    if now is None:
        return replace(repetition, **_without(host, job, end.error))
    counts = {name: (then.counts.get(name, 0), now.counts.get(name, 0)) for name in {**then.counts, **now.counts}}
    return replace(
        repetition,
        differences=differences(then.estimates, now.estimates),
        counted={name: (before, after) for name, (before, after) in counts.items() if before != after},
        failures=[_lasting(failure) for failure in end.failures if failure not in then.failures],
    )


def _answering(job: Job, then: Results) -> Iterator[Change]:
    """What changed of the model and the encoder."""
    if job.adapter:
        identity = job.adapter.identity
        now = {"adapter": identity.adapter, "weights": identity.weights, "format": identity.format}
        yield from model_changes(then.model, now)
    if job.encoder:
        told = {"name": job.encoder.name, "fingerprint": job.encoder.fingerprint}
        yield from encoder_changes(then.provenance.get("encoder"), told)


def _without(host: SilentHost, job: Job, error: str) -> dict[str, Any]:
    """Why there are no estimates: what would have to be asked, or what went wrong."""
    asked = Forecast() if host.asking else forecast(job)
    return {"unanswered": asked} if asked.calls else {"error": _lasting(error)}


def _lasting(line: str) -> str:
    """A line about a failure without the file of its traceback, which goes away."""
    return line.partition(" (traceback in ")[0]
