"""The note on the run of a sweep, in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from metricsengine.run import Sweep
from metricsengine.settings import ObjectiveConf
from metricsengine.wording import first_few, number, plural
from metricsengine_mlflow import links
from metricsengine_mlflow.overview import JobRow, Overview

HEADINGS = 4
"""Estimates that the note shows."""

_NEXT = "&emsp; | "
"""Between the cells of a row: MLflow shows tables without any space there."""

_VALUES = 12
"""Values of what was swept that the note names."""


def note(sweep: Sweep, overview: Overview) -> str:
    """What was swept, how it ended, which jobs stand out or failed, and all of them."""
    parts = [
        _head(sweep, overview),
        "\n".join(_standing_out(sweep.settings.objective, overview)),
        "\n".join(_troubles(sweep.folder, overview)),
        "\n".join(_table(overview)),
    ]
    return "\n\n".join(part for part in parts if part)


def _head(sweep: Sweep, overview: Overview) -> str:
    swept = [
        f"{_cell(name)} ({_cell(first_few(dict.fromkeys(found.values()), _VALUES))})"
        for name, found in overview.swept.items()
    ]
    over = " and ".join([", ".join(swept[:-1]), swept[-1]] if len(swept) > 1 else swept)
    counts = ", ".join(f"{n} {status}" for status, n in overview.counts.items() if n)
    missing = overview.planned - len(overview.rows)
    left = f", {missing} not begun" if missing else ""
    what = f"Sweep over {over}" if over else "Sweep"
    ended = f"{plural(overview.planned, 'job')}, {counts or 'none begun'}{left}"
    return f"**{what}: {ended}.** Its files are in `{sweep.folder}`."


def _standing_out(objective: ObjectiveConf, overview: Overview) -> Iterator[str]:
    """The best job, or, where nothing says what is good, the lowest and the highest of each headline."""
    ranked = [(row.objective, row) for row in overview.rows if row.objective is not None]
    if ranked:
        pick = min if objective.goal == "minimize" else max
        reached, row = pick(ranked, key=lambda pair: pair[0])
        what = " ".join([objective.metric, *(f"{label} {value}" for label, value in objective.labels.items())])
        extreme = "lowest" if objective.goal == "minimize" else "highest"
        yield f"**Best: {_linked(row)}**, {_set(overview, row)}with the {extreme} {_cell(what)}: {number(reached)}"
        return
    for name in overview.headlines[:HEADINGS]:
        if ends := overview.extremes(name):
            low, high = (f"{number(row.headline[name])} in {_told(overview, row)}" for row in ends)
            same = f"{number(ends[0].headline[name])} in every job that has it"
            yield f"- {_spaced(name)}: {same if low == high else f'lowest {low}, highest {high}'}"


def _troubles(folder: Path, overview: Overview) -> Iterator[str]:
    for row in overview.rows:
        if row.end.status != "finished":
            why = _cell(row.end.error or "; ".join(row.end.failures) or "no reason is known")
            yield f"- {_linked(row)} {row.end.status}: {why} (see `{folder / row.name}`)"


def _table(overview: Overview) -> Iterator[str]:
    shown = overview.headlines[:HEADINGS]
    head = ["job", "set", "ended", *map(_spaced, shown)]
    yield f"| {_NEXT.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in overview.rows:
        yield f"| {_NEXT.join(_cells(overview, row, shown))} |"


def _cells(overview: Overview, row: JobRow, shown: Sequence[str]) -> list[str]:
    values = [number(row.headline[name]) if name in row.headline else "—" for name in shown]
    return [_linked(row, row.name), _cell(overview.setting(row)), row.end.status, *values]


def _told(overview: Overview, row: JobRow) -> str:
    setting = _cell(overview.setting(row))
    return f"{_linked(row)} ({setting})" if setting else _linked(row)


def _set(overview: Overview, row: JobRow) -> str:
    setting = _cell(overview.setting(row))
    return f"{setting}, " if setting else ""


def _linked(row: JobRow, text: str = "") -> str:
    text = text or f"job {row.name}"
    return f"[{text}]({links.of_run(row.place)})" if row.place else text


def _spaced(name: str) -> str:
    """The name of an estimate, such that a line can end in it."""
    return _cell(name.replace("/", " "))


def _cell(text: str) -> str:
    """A text within one cell of a Markdown table, marks of Markdown and HTML shown as they are."""
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", " ".join(text.split()))
