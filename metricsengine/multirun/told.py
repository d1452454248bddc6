"""The terminal's last table: every job of a sweep, what was set for it, how it ended, what it found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from metricsengine.errors import ConfigError
from metricsengine.estimate import Estimate
from metricsengine.inert import for_terminal, shorten
from metricsengine.results import Results
from metricsengine.run import RunEnd
from metricsengine.sweeping.labels import label_names
from metricsengine.terminal_rows import chosen
from metricsengine.wording import broadest_first, number, own_labels, plural

if TYPE_CHECKING:
    from rich.table import Table

    from metricsengine.multirun.ended import Ended

ROWS, HEADLINES = 40, 2
"""Jobs and numbers of each that the table shows; those that failed are shown in any case."""

_WORDS, _WORD, _ERROR = 60, 24, 400


def jobs_table(ended: Ended) -> Table:
    """The jobs as a table."""
    from rich import box
    from rich.table import Table

    names = told_apart(ended.overrides)
    shown = _shown(ended)
    headlines = {name: headlines_of(ended.folder / name) for name in shown}
    common = Counter(head for found in headlines.values() for head in found)
    heads = [head for head, _ in common.most_common(HEADLINES)]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("job", justify="right")
    widest = max((len(word) for name in shown for word in names[name].split()), default=0)
    table.add_column("set", overflow="fold", min_width=min(widest, _WORD))
    table.add_column("ended", overflow="fold")
    for head in heads:
        table.add_column(head, justify="right", overflow="fold", min_width=max(map(len, head.split())))
    for name in shown:
        numbers = (for_terminal(headlines[name].get(head, "—")) for head in heads)
        set_here = for_terminal(shorten(names[name], _WORDS))
        table.add_row(name, set_here, for_terminal(_ended(ended.ends.get(name), ended.folder / name)), *numbers)
    if len(shown) < ended.jobs:
        table.add_row("…", f"{plural(ended.jobs - len(shown), 'more job')} in the report", "", *[""] * len(heads))
    return table


def told_apart(overrides: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What is set for each job and not for all, by the shortest clear keys.

    Example:
        >>> told_apart({"0": ["study=x", "study.n=1"], "1": ["study=x", "study.n=2"]})
        {'0': 'n=1', '1': 'n=2'}
    """
    jobs = list(overrides.values())
    common = {word for word in (jobs[0] if len(jobs) > 1 else ()) if all(word in job for job in jobs)}
    apart = {name: [word.partition("=") for word in job if word not in common] for name, job in overrides.items()}
    short = label_names(list(dict.fromkeys(key for job in apart.values() for key, _, _ in job)), ())
    return {name: " ".join(f"{short[key]}{sign}{value}" for key, sign, value in job) for name, job in apart.items()}


def headlines_of(folder: Path) -> dict[str, str]:
    """Averages over the most, then the numbers that stand first in a job's own table, by what they are of.

    None where it has no results.
    """
    try:
        results = Results.load(folder, tables=())
    except ConfigError:
        return {}
    averages: dict[str, Estimate] = {}
    for row in broadest_first(e for e in results.estimates if e.over):
        averages.setdefault(row.metric, row)
    rows = [row for row in (*averages.values(), *chosen(results)[0]) if row.metric not in results.compared]
    values = {name: {row.labels.get(name) for row in rows if name in row.labels} for row in rows for name in row.labels}
    same = {name for name, found in values.items() if len(found) == 1}
    return {_head(row, same): number(row.value) for row in rows if row.value is not None}


def _head(row: Estimate, same: Collection[str]) -> str:
    told = [value for name, value in own_labels(row).items() if name not in same]
    return f"{row.metric} {', '.join(told)}".replace("_", " ").rstrip()


def _shown(ended: Ended) -> list[str]:
    failed = [name for name, (_, code) in ended.ends.items() if code]
    names = [*failed, *(name for name in ended.overrides if name not in failed)][: max(ROWS, len(failed))]
    return sorted(names, key=int)


def _ended(end: tuple[RunEnd, int] | None, folder: Path) -> str:
    """How a job ended; of one that failed the error and where it lies."""
    if end is None:
        return "did not begin"
    if end[0].status == "interrupted":
        return end[0].status
    said = end[0].error or "; ".join(end[0].failures)
    places = [str(path) for path in sorted(folder.glob("error*.txt")) if str(path) not in said]
    place = f" (see {', '.join(places)})" if end[1] and places else ""
    return f"{end[0].status}: {shorten(said, _ERROR)}{place}" if said else end[0].status
