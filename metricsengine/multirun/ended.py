"""How a sweep ended: told to the plugins, to the terminal, and as an exit status."""

from __future__ import annotations

import shlex
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from metricsengine.comparison import ComparisonSpec
from metricsengine.errors import ConfigError
from metricsengine.host import installed
from metricsengine.multirun.going import Multirun
from metricsengine.objective import best
from metricsengine.results import Results
from metricsengine.run import RunEnd, SweepEnd
from metricsengine.settings import ObjectiveConf
from metricsengine.status import has_begun, read_status
from metricsengine.terminal_rows import FEW
from metricsengine.wording import number, plural

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Ended:
    """How a multirun ended.

    Attributes:
        folder: Its folder.
        ends: How each job ended that began, with its exit status, by folder name.
        jobs: How many jobs it has, those that did not begin included.
        overrides: What was set for each job, by folder name.
        lines: Where it can be looked at.
        failures: What failed beside the jobs: plugins that were told of the sweep, what is made of all jobs.
        results: What the jobs found together; None where fewer than two found something.
    """

    folder: Path
    ends: Mapping[str, tuple[RunEnd, int]]
    jobs: int
    overrides: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lines: Sequence[str] = ()
    failures: Sequence[str] = ()
    results: Results | None = None

    @property
    def code(self) -> int:
        """The worst exit status among its jobs; 1 where something else failed, or a job did not begin."""
        codes = {code for _, code in self.ends.values()}
        failed = 1 if self.failures or len(self.ends) < self.jobs else 0
        return next((code for code in (130, 2, 1) if code in codes), failed)

    @property
    def done(self) -> str:
        """How many jobs went through, in words."""
        done = sum(code == 0 for _, code in self.ends.values())
        return f"{done} of {plural(self.jobs, 'job')} done"


def finish(multirun: Multirun) -> Ended | None:
    """Write what the jobs found together, and tell the plugins; None where no sweep began."""
    jobs, folder = multirun.jobs, multirun.folder
    if folder is None or not jobs:
        multirun.close()
        return None
    ends = {name: read_status(path) for name, path in jobs.items() if has_begun(path)}
    results, failures = _results(multirun, folder)
    lines = [*_best(multirun), f"Sweep folder: {folder}"]
    lines += [f"Sweep report: {folder / 'report.html'}"] if results else []
    if multirun.sweep:
        end = SweepEnd({name: job_end for name, (job_end, _) in ends.items()}, len(jobs))
        said, failed = installed().call("metricsengine_sweep_finished", sweep=multirun.sweep, end=end, results=results)
        lines += said
        failures = [*failures, *failed]
    multirun.close()
    return Ended(folder, ends, len(jobs), multirun.overrides, lines, [*multirun.failures, *failures], results)


def _results(multirun: Multirun, folder: Path) -> tuple[Results | None, Sequence[str]]:
    """The results of the jobs together, written, and what failed of them."""
    from metricsengine.sweeping.finished import write_results

    try:
        written = write_results(folder, installed())
    except Exception as error:  # noqa: BLE001 - the jobs' own results are there, whatever becomes of those together
        with suppress(OSError):  # a full disk, which may be what the error is about
            (folder / "error.txt").write_text(traceback.format_exc(), encoding="utf-8")
        return None, [f"the results of the sweep: {type(error).__name__}: {error} (in {folder / 'error.txt'})"]
    return written or (None, [])


def _best(multirun: Multirun) -> list[str]:
    """Which job is best by the objective, if one was chosen."""
    objective = multirun.settings.objective if multirun.settings else ObjectiveConf()
    if not objective.metric:
        return []
    done = {name: path for name, path in multirun.jobs.items() if (path / "results.json").is_file()}
    try:
        found = best({name: Results.load(path, tables=()) for name, path in done.items()}, objective)
    except ConfigError as error:
        return [f"Best job: not known, {error}"]
    of = ", ".join([objective.metric, *(f"{name} {value}" for name, value in objective.labels.items())])
    if found is None:
        return [f"Best job: none, {of} is undefined"]
    return [f"Best job: {found[0]}, {number(found[1])} ({objective.goal} {of})"]


def tell(ended: Ended, console: Console) -> None:
    """Say on the terminal what was compared, how the jobs ended, and where everything lies."""
    from metricsengine.inert import for_terminal, visible
    from metricsengine.multirun.told import jobs_table

    if ended.results:
        _show_compared(ended.results, console)
    failed = ((name, end) for name, (end, code) in ended.ends.items() if code)
    for line in (*(f"job {name}: {end.error or '; '.join(end.failures)}" for name, end in failed), *ended.failures):
        sys.stderr.write(f"metricsengine: {visible(line)}\n")
    if ended.ends:
        console.print()
        console.print(jobs_table(ended))
        for line in (ended.done, *ended.lines):
            console.print(for_terminal(line), soft_wrap=True)
    if len(ended.ends) < ended.jobs or any(code not in (0, 2) for _, code in ended.ends.values()):
        again = shlex.join(["metricsengine", "resume", str(ended.folder)])
        console.print(for_terminal(f"To go on: {again}"), soft_wrap=True)


def _show_compared(results: Results, console: Console) -> None:
    """Print the estimates of comparisons; of those that every sweep makes only where they are few."""
    from metricsengine.terminal import show_results

    specs: Mapping[str, ComparisonSpec] = installed().specs("comparison")
    compared = [estimate for estimate in results.estimates if estimate.metric in results.compared]
    for spec in specs.values():
        own = {measure.name for measure in spec.measures}
        if spec.of_sweeps and (many := sum(estimate.metric in own for estimate in compared)) > FEW:
            compared = [estimate for estimate in compared if estimate.metric not in own]
            console.print(f"{plural(many, 'estimate')} of {spec.name} over the jobs: in the report", style="dim")
    if compared:
        title = f"sweep of {plural(results.counts['jobs'], 'job')} · {results.study}"
        show_results(replace(results, study=title, estimates=compared), (), console)
