"""``metricsengine rerun``: the same estimates from the run folder and the store, or what changed."""

from __future__ import annotations

import json as jsonlib
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metricsengine.arguments import Parser
from metricsengine.errors import MetricsEngineError
from metricsengine.multirun.manifest import Manifest
from metricsengine.wording import common_labels, first_few, plural

if TYPE_CHECKING:
    from metricsengine.rerunning.inputs import Change
    from metricsengine.rerunning.repetition import Repetition
    from metricsengine.rerunning.silent import SilentHost

USAGE = "metricsengine rerun [--ask] [--json] RUN_OR_SWEEP_DIR"

_SHOWN = 5
"""Differences that are told one by one."""

_IMPOSSIBLE = "Cannot be repeated"


def rerun(words: Sequence[str]) -> int:
    """Repeat a run, or every job of a sweep, and print whether the estimates are the same, and what changed.

    Args:
        words: The folder, ``--json``, and ``--ask`` for asking the model what the store lacks.

    Returns:
        0 where all estimates are the same, 1 otherwise.

    Raises:
        ConfigError: The words are wrong, or the folder is that of no finished run.
    """
    parser = Parser(USAGE)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ask", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(list(words))
    if not given.folder.is_dir():
        parser.error(f"{given.folder} is no folder")
    jobs = _jobs(given.folder)
    if jobs:
        return _sweep(jobs, ask=given.ask, json=given.json)
    repetition = _repeat(_host(), given.folder, ask=given.ask)
    if given.json:
        _print_json(_row(repetition))
    else:
        _print([*_verdict(repetition), *_details(repetition)])
    return 0 if repetition.same else 1


def _jobs(folder: Path) -> list[Path]:
    """The folders of a sweep's jobs; none where the folder is that of a run."""
    if (folder / "config.yaml").exists():
        return []
    if manifest := Manifest.load(folder):
        return [folder / name for name in manifest.jobs]
    found = (path.parent for path in folder.glob("*/config.yaml") if path.parent.name.isdecimal())
    return sorted(found, key=lambda job: int(job.name))


def _sweep(jobs: Sequence[Path], *, ask: bool, json: bool) -> int:
    """Repeat job by job, a line each as it is done; a job without results cannot be repeated."""
    host, rows, same = _host(), [], True
    for job in jobs:
        row, line = _job(host, job, ask=ask)
        rows.append({"job": job.name, **row})
        same &= row["outcome"] == "same"
        if not json:
            _print([f"{job.name:>4}  {line}"])
    if json:
        _print_json({"jobs": rows})
    return 0 if same else 1


def _job(host: SilentHost, folder: Path, *, ask: bool) -> tuple[dict[str, Any], str]:
    """What came of repeating one job of a sweep, as JSON and in a line."""
    try:
        repetition = _repeat(host, folder, ask=ask)
    except MetricsEngineError as error:
        return {"folder": str(folder), "outcome": "impossible", "error": str(error)}, f"{_IMPOSSIBLE}: {error}"
    return _row(repetition), _line(repetition)


def _host() -> SilentHost:
    from metricsengine.rerunning.silent import SilentHost

    return SilentHost()


def _repeat(host: SilentHost, folder: Path, *, ask: bool) -> Repetition:
    from rich.console import Console

    from metricsengine.rerunning.repetition import repeat

    return repeat(host, Console(stderr=True, quiet=not ask), folder, ask=ask)


def _verdict(repetition: Repetition) -> list[str]:
    """What came of it, in one line; differences one by one below it."""
    total = len(repetition.then.estimates)
    if repetition.error:
        return [f"{_IMPOSSIBLE}: {repetition.error}"]
    if asked := repetition.unanswered:
        lacking = f"{'' if asked.exact else 'about '}{asked.requests - asked.stored:,} of {asked.requests:,} answers"
        way_out = f"`metricsengine rerun --ask {repetition.folder}` asks the model"
        where = f"{repetition.store}{'' if repetition.store.is_file() else ', which does not exist'}"
        return [f"{_IMPOSSIBLE}: {lacking} are not in the response store {where}; {way_out}"]
    if not repetition.differences:
        return [f"The same {plural(total, 'estimate')}" if total else "No estimates, as in the run"]
    by_metric = Counter(difference.estimate.metric for difference in repetition.differences)
    told = ", ".join(f"{metric} {n}" for metric, n in by_metric.most_common())
    common, rest = common_labels(repetition.then.estimates), len(repetition.differences) - _SHOWN
    return [
        f"{len(repetition.differences):,} of {plural(total, 'estimate')} differ: {told}",
        *(f"  {difference.told(common)}" for difference in repetition.differences[:_SHOWN]),
        *([f"  and {rest:,} more; --json tells all"] if rest > 0 else []),
    ]


def _details(repetition: Repetition) -> list[str]:
    """What else is otherwise than in the run."""
    counted = [f"{name} {then:,} → {now:,}" for name, (then, now) in repetition.counted.items()]
    changed = _changed(repetition.changes)
    if not changed:
        heading = [] if repetition.same or repetition.error else ["No recorded input changed since the run."]
    elif repetition.same:
        heading = ["Although since the run:"]
    else:
        heading = ["Since the run:"]
    return [
        *([f"Counts: {', '.join(counted)}"] if counted else []),
        *(f"Failed now: {failure}" for failure in repetition.failures),
        *heading,
        *(f"  {change}" for change in changed),
    ]


def _changed(changes: Sequence[Change]) -> list[str]:
    """What changed, a line each; of packages that compute no numbers only how many, and a few names."""
    others = [change.what for change in changes if not change.likely]
    return [
        *(str(change) for change in changes if change.likely),
        *([f"{plural(len(others), 'other package')} changed: {first_few(others, 3)}"] if others else []),
    ]


def _line(repetition: Repetition) -> str:
    """All that a sweep's reader is told of one job."""
    said, changed = _verdict(repetition)[0], _changed(repetition.changes)
    if not changed:
        return said
    return f"{said}{', although' if repetition.same else '; since the run'} {first_few(changed, 3)}"


def _row(repetition: Repetition) -> dict[str, Any]:
    asked = repetition.unanswered
    same = "same" if repetition.same else "different"
    return {
        "folder": str(repetition.folder),
        "store": str(repetition.store),
        "outcome": "impossible" if repetition.error or asked else same,
        "error": repetition.error,
        "estimates": len(repetition.then.estimates),
        "unanswered": asked.requests - asked.stored if asked else 0,
        "requests": asked.requests if asked else repetition.then.counts.get("requests", 0),
        "differences": [difference.to_json() for difference in repetition.differences],
        "counts": {name: {"then": then, "now": now} for name, (then, now) in repetition.counted.items()},
        "failures": repetition.failures,
        "changed": [change.to_json() for change in repetition.changes],
    }


def _print_json(row: dict[str, Any]) -> None:
    sys.stdout.write(jsonlib.dumps(row, indent=1, ensure_ascii=False) + "\n")


def _print(lines: Sequence[str]) -> None:
    from metricsengine.inert import visible

    for line in lines:
        sys.stdout.write(f"{visible(line)}\n")
    sys.stdout.flush()
