"""A plan in the terminal: one job as a list, several as a table; below it what a reader must know."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metricsengine.inert import for_terminal
from metricsengine.planning.planned import Planned, total
from metricsengine.planning.remarks import remarks
from metricsengine.sweeping.labels import label_names

if TYPE_CHECKING:
    from rich.table import Table

NOT_RUNNABLE = "not runnable"

_NAME, _BETWEEN = 12, 2
"""Width below which no word of a job's name is cut in two, and the space beside the text of a column."""


@dataclass(frozen=True)
class Figure:
    """A number of jobs.

    Attributes:
        what: What it is.
        text: The number of each job, and at the end of all together.
        told: Whether any of them tells something.
    """

    what: str
    text: Sequence[str]
    told: bool = True


def show(planned: Sequence[Planned]) -> None:
    """Print the plan of one or several jobs."""
    from rich.console import Console

    console = Console()
    if len(planned) == 1:
        named = [("job", planned[0].name or "the job"), *((of.what, of.text[0]) for of in _figures(planned))]
        for what, text in named:
            console.print(for_terminal(f"{what:<15}{text}".rstrip()), soft_wrap=True)
        console.print()
    else:
        names, common = _told_apart(planned)
        console.print()
        _print_table([*names, "total"], [of for of in _figures([*planned, total(planned)], rough=True) if of.told])
        console.print()
        if common:
            console.print(for_terminal(f"All jobs: {common}"), soft_wrap=True)
    for remark in remarks(planned):
        console.print(for_terminal(remark), soft_wrap=not console.is_terminal)


def _told_apart(planned: Sequence[Planned]) -> tuple[list[str], str]:
    """What each of several jobs sets that not all of them set, by the shortest clear keys, and what all of them set."""
    words = [shlex.split(job.name) for job in planned]
    common = [word for word in (words[0] if words else ()) if all(word in others for others in words)]
    apart = [[word.partition("=") for word in job if word not in common] for job in words]
    short = label_names(list(dict.fromkeys(key for job in apart for key, _, _ in job)), ())
    names = [" ".join(f"{short[key]}{sign}{value}" for key, sign, value in job) for job in apart]
    return [name or f"job {i}" for i, name in enumerate(names)], shlex.join(common)


def _print_table(names: Sequence[str], figures: Sequence[Figure]) -> None:
    """A table of jobs, the last of them their total; names wrap, numbers do not, however narrow the terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    widths = [max(map(len, (*of.what.split(), *of.text))) for of in figures]
    room = min(_NAME, max(len(word) for name in names for word in name.split()))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)
    table.add_column("job", overflow="fold", min_width=room)
    for of, width in zip(figures, widths, strict=True):
        table.add_column(of.what, justify="right", width=width)
    _fill(table, names, figures)
    needed = room + sum(widths) + _BETWEEN * len(widths)
    Console(width=max(Console().width, needed)).print(table)


def _fill(table: Table, names: Sequence[str], figures: Sequence[Figure]) -> None:
    for i, name in enumerate(names):
        row = map(for_terminal, (of.text[i] for of in figures))
        table.add_row(for_terminal(name), *row, end_section=i == len(names) - 2)


def _figures(jobs: Sequence[Planned], rough: bool = False) -> list[Figure]:
    """The numbers of jobs; in a table, long ones are rough, and those that say nothing are marked."""
    asked = [job.forecast for job in jobs]
    least, most, about = ("≥", "≤", "~") if rough else ("≥ ", "≤ ", "~ ")
    signs = ["" if one.exact else about for one in asked]
    ends = [most if one.exact else about for one in asked]
    undefined = [len(job.foreseen.undefined) for job in jobs]
    hours = [job.hours for job in jobs]
    figures = [
        Figure("requests", [f"{sign}{one.requests:,}" for sign, one in zip(signs, asked, strict=True)]),
        Figure("stored", [f"{one.stored:,}" for one in asked], not rough or any(one.stored for one in asked)),
        Figure("shared", [f"{one.shared:,}" for one in asked], any(one.shared for one in asked)),
        Figure("calls", [f"{sign if one.calls else ''}{one.calls:,}" for sign, one in zip(signs, asked, strict=True)]),
        Figure("prompt tokens", [_estimated(about, one.prompt_tokens, rough) for one in asked]),
        Figure(
            "reply tokens", [_estimated(e, one.completion_tokens, rough) for e, one in zip(ends, asked, strict=True)]
        ),
        Figure("time", ["?" if time is None else _duration(time) for time in hours], not rough or any(hours)),
        Figure("cost", list(map(_cost, jobs)), not rough or any(job.cost for job in jobs)),
        Figure("not defined", [f"{least}{n:,}" if n else "" for n in undefined], any(undefined)),
    ]
    figures = [of for of in figures if rough or of.told]
    return [_of_runnable(of, jobs, first=of is figures[0]) for of in figures]


def _of_runnable(of: Figure, jobs: Sequence[Planned], first: bool) -> Figure:
    """A job that cannot be run has no numbers."""
    instead = NOT_RUNNABLE if first else ""
    return Figure(of.what, [instead if job.error else text for job, text in zip(jobs, of.text, strict=True)], of.told)


def _cost(job: Planned) -> str:
    if job.cost is None:
        return "?"
    cents = math.ceil(round(job.cost * 100, 6))  # upwards, for mostly it is a bound
    return f"{'≤' if job.forecast.exact else '~'} {cents / 100:,.2f} {job.currency}" if cents else "0"


def _estimated(sign: str, n: int, rough: bool) -> str:
    return f"{sign}{_rough(n) if rough else f'{n:,}'}" if n else "0"


def _rough(n: int) -> str:
    """An estimated number, short: three digits say all that there is to it.

    Example:
        >>> _rough(9_999), _rough(12_345), _rough(999_999), _rough(18_760_800), _rough(98_765_432_109)
        ('9,999', '12.3k', '1M', '18.8M', '98.8B')
    """
    if n < 10_000:
        return f"{n:,}"
    rounded = float(f"{n:.3g}")
    size, unit = next((size, unit) for size, unit in ((1e9, "B"), (1e6, "M"), (1e3, "k")) if rounded >= size)
    return f"{rounded / size:,g}{unit}"


def _duration(hours: float) -> str:
    """A duration as people say it.

    Example:
        >>> _duration(0.01), _duration(0.5), _duration(3.25), _duration(100)
        ('36 s', '30 min', '3.2 h', '100 h')
    """
    if hours < 1 / 60:
        return f"{hours * 3600:.0f} s"
    if hours < 1:
        return f"{hours * 60:.0f} min"
    return f"{hours:.1f} h" if hours < 10 else f"{hours:,.0f} h"
