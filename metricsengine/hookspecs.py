"""The hooks of the host. A plugin implements those it needs, marked with :data:`metricsengine.hookimpl`.

A plugin is a module (or object) behind an entry point of the group ``metricsengine``. It brings any of: model adapters,
studies, metrics, comparisons of metrics, encoders, groups of named sets, configuration (presets, experiments, named
sets), trackers and other sinks, and kinds of its own, such as the networks of a simulation, to which other plugins then
add options. Registration hooks are called
once, when the command starts, in no promised order; they return light specifications and import nothing heavy.
Life-cycle hooks are called while a run goes on; what they raise is reported by the plugin's name and does not stop
the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pluggy import HookspecMarker

if TYPE_CHECKING:
    from metricsengine.comparison import ComparisonSpec
    from metricsengine.doctor import Check
    from metricsengine.encoder import EncoderSpec
    from metricsengine.estimate import Estimate
    from metricsengine.kinds import Kind
    from metricsengine.metric import MetricSpec
    from metricsengine.model import ModelSpec, Response
    from metricsengine.results import Results
    from metricsengine.run import Run, RunEnd, Sweep, SweepEnd, TrackerSpec
    from metricsengine.sets import SetSpec
    from metricsengine.study import StudySpec

hookspec = HookspecMarker("metricsengine")


@hookspec
def metricsengine_add_hookspecs() -> Sequence[object]:
    """Modules or classes with further hook specifications, by which a plugin opens kinds of its own.

    Called first, for every plugin, before any hook's name is checked. A plugin that answers hooks which another plugin
    specifies marks them ``hookimpl(optionalhook=True)`` if it also makes sense without that one.
    """
    return ()


@hookspec
def metricsengine_kinds() -> Sequence[Kind]:
    """Kinds of its own that a plugin opens, such as the networks of a simulation of opinions.

    Each becomes a configuration group, ``KIND=NAME`` or, where several can be chosen, ``KIND=[NAME,...]``. The plugin
    also specifies the kind's hook, by ``metricsengine_add_hookspecs``; the hook takes no arguments and returns
    :class:`metricsengine.kinds.PartSpec`, and any plugin may answer it. Studies and metrics that name the kind under
    ``parts`` are given what was chosen of it, built. Called once at start, when all plugins have registered what they
    have of the host's own kinds.
    """
    return ()


@hookspec
def metricsengine_models() -> Sequence[ModelSpec]:
    """Model adapters. Called once at start."""
    return ()


@hookspec
def metricsengine_studies() -> Sequence[StudySpec]:
    """Studies. Called once at start."""
    return ()


@hookspec
def metricsengine_metrics() -> Sequence[MetricSpec]:
    """Metrics. Called once at start."""
    return ()


@hookspec
def metricsengine_comparisons() -> Sequence[ComparisonSpec]:
    """Comparisons. Called once at start."""
    return ()


@hookspec
def metricsengine_encoders() -> Sequence[EncoderSpec]:
    """Encoders. Called once at start."""
    return ()


@hookspec
def metricsengine_trackers() -> Sequence[TrackerSpec]:
    """Options of sinks such as an experiment tracker. Called once at start."""
    return ()


@hookspec
def metricsengine_sets() -> Sequence[SetSpec]:
    """Groups of named sets. Called once at start."""
    return ()


@hookspec
def metricsengine_config() -> Sequence[str]:
    """Packages, such as ``"my_plugin.conf"``, whose folders join Hydra's search path. Called once at start.

    They hold presets and experiments (YAML) and named sets (``GROUP/NAME.toml``). An option that exists already is an
    error that names both.
    """
    return ()


@hookspec
def metricsengine_checkup() -> Iterable[Check]:
    """Findings of ``metricsengine doctor`` about the plugin's backend: what works, what does not, how to fix it."""
    return ()


@hookspec
def metricsengine_ui(arguments: Sequence[str]) -> int | None:
    """Serve a page on the tracked runs until interrupted. Called by ``metricsengine ui``.

    Returns:
        Exit status; None where the plugin has no page.
    """


@hookspec
def metricsengine_preflight(run: Run) -> None:
    """Check that the plugin can do its part in this run. Called before a model loads; what it raises ends the run."""


@hookspec
def metricsengine_run_started(run: Run) -> None:
    """A run passed its preflight and begins."""


@hookspec
def metricsengine_responses_stored(run: Run, responses: Sequence[Response]) -> None:
    """A batch of new responses was stored. Called in the thread that drives the run, once per batch."""


@hookspec
def metricsengine_estimates_computed(run: Run, estimates: Sequence[Estimate]) -> None:
    """One metric's estimates, aggregates included, or one comparison's are there. Called once for each."""


@hookspec
def metricsengine_run_finished(run: Run, end: RunEnd, results: Results | None) -> str | None:
    """A run ended, well or not; ``results`` is there when it went through. All files are in ``run.folder``.

    Returns:
        Where the results can be looked at, in one line for the terminal; None for nothing to say.
    """


@hookspec
def metricsengine_sweep_started(sweep: Sweep) -> None:
    """A multirun begins. Called once, in the parent process, before its first job."""


@hookspec
def metricsengine_sweep_finished(sweep: Sweep, end: SweepEnd, results: Results | None) -> str | None:
    """A multirun ended, well or not. Called once, in the parent process, after its last job.

    ``results`` are those of its jobs together, there when at least two have some; all files are in ``sweep.folder``.

    Returns:
        Where the sweep can be looked at, in one line for the terminal; None for nothing to say.
    """
