"""Rebuilding the report of a finished run or sweep from its folder alone."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from metricsengine.arguments import Parser
from metricsengine.errors import ConfigError, unknown
from metricsengine.host import Host
from metricsengine.inert import visible
from metricsengine.report import write_report
from metricsengine.report_exhibits import FORMATS
from metricsengine.results import Results
from metricsengine.stored import configuration, kept_sets, typed
from metricsengine.study import Study, StudyInputs, StudySpec, exhibits_of

if TYPE_CHECKING:
    from metricsengine.sweeping.against import Written

USAGE = f"metricsengine report RUN_OR_SWEEP_DIR [--against OTHER_DIR] [--figures {','.join(FORMATS)}]"


def rebuild(words: Sequence[str]) -> int:
    """Write ``report.html`` and the figures of a run or of a sweep anew; those of a sweep's jobs stay as they are.

    With ``--against OTHER_DIR``, write the differences from another run or sweep into ``against-NAME/`` instead. With
    ``--figures FORMAT,FORMAT``, write figures in these formats, too.

    Args:
        words: What stands behind ``metricsengine report``.

    Returns:
        Exit status: 1 where a figure could not be drawn.

    Raises:
        ConfigError: The words are not such, a folder is not that of a finished run or sweep, or its study is not
            installed.
    """
    parser = Parser(USAGE)
    parser.add_argument("folder", type=Path, metavar="RUN_OR_SWEEP_DIR")
    parser.add_argument("--against", type=Path, metavar="OTHER_DIR")
    parser.add_argument("--figures", type=_formats, default=())
    given = parser.parse_args(words)
    folder: Path = given.folder
    if given.against:
        written = _against(folder, given.against, given.figures)
        page, failures = written.page, written.failures
        sys.stdout.write(f"{visible(written.summary)}\n")
    else:
        write = _sweep if _is_sweep(folder) else _run
        page, failures = folder / "report.html", write(folder, given.figures)
    for failure in failures:
        sys.stderr.write(f"metricsengine: {failure}\n")
    sys.stdout.write(f"Report: {page}\n")
    return 1 if failures else 0


def _formats(given: str) -> tuple[str, ...]:
    named = tuple(given.split(","))
    for name in named:
        if name not in FORMATS:
            raise ArgumentTypeError(unknown("format", name, FORMATS))
    return named


def _against(folder: Path, other: Path, formats: Sequence[str]) -> Written:
    from metricsengine.sweeping.against import write_against

    if folder.resolve() == other.resolve():
        raise ConfigError(f"{other} is the folder itself: --against takes another run or sweep")
    for one in (folder, other):
        if not (one / "results.json").exists() and _is_sweep(one):
            _sweep(one)
    return write_against(folder, other, formats)


def _run(folder: Path, formats: Sequence[str]) -> Sequence[str]:
    results = Results.load(folder)
    return write_report(results, exhibits_of(_study(folder, results), results), folder, formats=formats).failures


def _is_sweep(folder: Path) -> bool:
    """Whether a folder holds jobs and is none itself."""
    return not (folder / "config.yaml").exists() and any(
        path.parent.name.isdecimal() for path in folder.glob("*/status.json")
    )


def _sweep(folder: Path, formats: Sequence[str] = ()) -> Sequence[str]:
    """Write a sweep's results anew from those of its jobs; what was recorded of the sweep itself is kept."""
    from metricsengine.sweeping.finished import write_results

    recorded = Results.load(folder).provenance if (folder / "results.json").exists() else {}
    written = write_results(folder, Host(), recorded.get("command", ""), formats)
    if written is None:
        raise ConfigError(
            f"{folder} is the folder of a sweep of which fewer than two jobs have results: "
            "give the folder of a job, whose name is a number"
        )
    return written[1]


def _study(folder: Path, results: Results) -> Study:
    """The run's study, as today's plugins know it."""
    host = Host()
    tree = configuration(folder)
    spec: StudySpec = host.spec("study", results.study)
    options = typed(spec.config, tree.study, folder)
    return spec.build(options, StudyInputs(kept_sets(host, tree, folder), results.seed))
