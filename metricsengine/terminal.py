"""What is said on the terminal: progress while a model is asked, and the results with where to find them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Self

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.table import Table
from rich.text import Text

from metricsengine.estimate import Estimate
from metricsengine.inert import for_terminal, shorten
from metricsengine.results import Results
from metricsengine.terminal_rows import chosen
from metricsengine.wording import (
    ALL,
    Coverage,
    counted,
    coverage,
    label_names,
    model_name,
    number,
    own_labels,
    plural,
    usage_text,
    value_text,
)

_LABEL, _NAME, _REMARK, _LINE, _REASONS = 32, 26, 160, 1200, 3


def show_results(results: Results, end_lines: Sequence[str], console: Console) -> None:
    """Print the results: a table, what is missing or failed, and last where everything lies.

    Args:
        results: What a run found out.
        end_lines: Where the run folder, the report and the pages of the sinks are; printed unwrapped.
        console: Where to print.
    """
    title = f"{results.study} · {shorten(model_name(results), 80)} · protocol {results.protocol}"
    console.print()
    console.print(for_terminal(title), style="bold")
    rows, more = chosen(results)
    if rows:
        console.print(_table(rows, _shared(rows, results)))
    for text, style in _remarks(results, rows, more):
        console.print(for_terminal(shorten(text, _LINE)), style=style)
    console.print()
    for line in end_lines:
        console.print(for_terminal(line), soft_wrap=True)


def _shared(rows: Sequence[Estimate], results: Results) -> dict[str, str]:
    """Labels with one value throughout, wherever a metric has them: said once below the table.

    What a comparison is of stands in its row all the same, and so does what it compares: of two values, only that of
    the variant is a label, which does not hold of the base.
    """
    compared = {name for e in results.estimates if e.metric in results.compared for name in e.over}
    shared = {}
    for name in label_names(rows, without=["of", *compared]):
        metrics = {row.metric for row in rows if name in row.labels}
        values = {row.labels.get(name) for row in rows if row.metric in metrics}
        if len(values) == 1 and len(rows) > 1 and (value := values.pop()) is not None:
            shared[name] = value
    return shared


def _table(rows: Sequence[Estimate], same: Mapping[str, str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    longest = max(len(row.metric) for row in rows)
    table.add_column("metric", overflow="fold", min_width=min(longest, _NAME))
    table.add_column("for", overflow="fold")
    table.add_column("value, 95 % interval", overflow="fold", min_width=20)
    table.add_column("n", justify="right")
    for row in rows:
        unit = "" if row.unit in ("", "1") or not row.defined else f" {row.unit}"
        value = for_terminal(value_text(row) + unit if row.defined else "undefined")
        value.stylize("" if row.defined else "italic")
        table.add_row(for_terminal(row.metric), for_terminal(_about(row, same)), value, Text(f"{row.n:,}"))
    return table


def _about(row: Estimate, same: Mapping[str, str]) -> str:
    """What tells a row from others: its labels, without attributes of what is named anyway."""
    told = {name: _cut(value) for name, value in own_labels(row).items() if name not in same}
    if len(told) > 1 and not row.over:
        return " · ".join(told.values())
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in told.items()) or ALL


def _cut(text: str) -> str:
    return text if len(text) <= _LABEL else f"{text[: _LABEL - 1]}…"


def _remarks(results: Results, rows: Sequence[Estimate], more: int) -> Iterable[tuple[str, str]]:
    """Lines below the table, each with its style."""
    if more:
        yield f"… and {plural(more, 'more row')} in the report", "dim"
    if same := _shared(rows, results):
        shared = (f"{name.replace('_', ' ')} {_cut(value)}" for name, value in same.items())
        yield f"Throughout: {', '.join(shared)}", "dim"
    if results.counts:
        yield "Counts: " + ", ".join(f"{shorten(name, _REMARK)} {n:,}" for name, n in results.counts.items()), ""
    if asked := results.store.get("hits", 0) + results.store.get("misses", 0):
        yield f"Answers: {results.store['hits']:,} of {asked:,} were in the store", ""
    if said := usage_text(results.usage):
        yield f"Tokens: {said}", ""
    for found in coverage(results):
        yield _coverage_line(found), ""
    yield from ((f"Notice: {notice}", "yellow") for notice in results.notices)
    yield from ((f"Failed: {failure}", "bold red") for failure in results.failures)


def _coverage_line(found: Coverage) -> str:
    said = [f"{found.metric}: {found.defined:,} of {plural(found.cells, 'cell')} defined"]
    if found.undefined:
        said.append(f"undefined: {_most(found.undefined)}")
    if found.excluded:
        said.append(f"left out: {_most(found.excluded)}")
    if found.flags:
        said.append(f"flagged: {_most(found.flags)}")
    return "; ".join(said)


def _most(counts: Counter[str]) -> str:
    shown = {shorten(what, _REMARK): n for what, n in counts.most_common(_REASONS)}
    rest = len(counts) - len(shown)
    return counted(shown) + (f" and {rest} more" if rest > 0 else "")


class EngineProgress:
    """How far the asking is: a bar on a terminal; elsewhere a plain line now and then.

    Example:
        >>> with EngineProgress(Console(quiet=True), "asking the model") as progress:
        ...     progress.start(8)
        ...     progress.advance(8)

    Args:
        console: Where it is shown.
        description: What is going on.
        interval: Seconds between the plain lines.
        clock: Seconds, from any origin.
    """

    def __init__(
        self,
        console: Console,
        description: str = "asking",
        interval: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._console = console
        self._description = self._doing = shorten(description, 60)
        self._interval = interval
        self._clock = clock
        self._bar: tuple[Progress, TaskID] | None = None
        self._running = False
        self._total = self._done = 0
        self._began = self._said = clock()

    @property
    def running(self) -> bool:
        """Whether a round is going on."""
        return self._running

    def start(self, total: int, doing: str = "") -> None:
        """Begin a round.

        Args:
            total: Number of requests.
            doing: What is going on this time, where that is something else.
        """
        self.stop()
        self._doing = doing or self._description
        self._running, self._total, self._done = True, total, 0
        self._began = self._said = self._clock()
        if self._console.is_terminal:
            bar = Progress(
                TextColumn("{task.description}", markup=False), BarColumn(), console=self._console, transient=True
            )
            self._bar = bar, bar.add_task(self._line(), total=total)
            bar.start()

    def advance(self, n: int = 1) -> None:
        """Count ``n`` more answers."""
        self._done += n
        if self._bar:
            bar, task = self._bar
            bar.update(task, completed=self._done, description=self._line())
        elif self._clock() - self._said >= self._interval:
            self._say()

    def remark(self, text: str) -> None:
        """Show a remark beside what is going on, in the bar or with the next plain line.

        May be called in a signal handler: nothing is printed here.
        """
        self._doing = f"{self._doing} ({text})"
        if self._bar:
            bar, task = self._bar
            bar.update(task, description=self._line())

    def stop(self) -> None:
        """End the round, saying how far it came; harmless where none is going on."""
        if self._bar:
            self._bar[0].stop()
            self._bar = None
        if self._running:
            self._running = False
            self._say()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _say(self) -> None:
        self._said = self._clock()
        self._console.print(for_terminal(self._line()), soft_wrap=True)

    def _line(self) -> str:
        elapsed = self._clock() - self._began
        said = [f"{self._doing}: {self._done:,} of {self._total:,}"]
        if self._done and elapsed > 0:
            rate = self._done / elapsed
            said.append(f"{number(rate)}/s")
            said.append(
                f"{_duration((self._total - self._done) / rate)} left"
                if self._running and self._done < self._total
                else f"in {_duration(elapsed)}"
            )
        return ", ".join(said)


class EncodingProgress:
    """How far an encoder is; says nothing where one chunk is all there is.

    Args:
        console: Where it is shown.
        description: What is going on.
    """

    def __init__(self, console: Console, description: str) -> None:
        self._progress = EngineProgress(console, description)
        self._done: int | None = None

    def __call__(self, done: int, total: int) -> None:
        """Note that ``done`` of ``total`` texts have their vectors."""
        if self._done is None and done < total:
            self._progress.start(total)
        if self._progress.running:
            self._progress.advance(done - (self._done or 0))
        self._done = done if done < total else None
        if self._done is None:
            self._progress.stop()


def _duration(seconds: float) -> str:
    """A time span in its two largest units.

    Example:
        >>> _duration(42.3), _duration(125), _duration(7500)
        ('42 s', '2 min 5 s', '2 h 5 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"
