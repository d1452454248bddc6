"""The tables of the report: what stands in them, before anything is said about how they look."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from metricsengine.comparison import spelled
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Listing
from metricsengine.inert import shorten
from metricsengine.metric import Measure
from metricsengine.results import Results
from metricsengine.wording import (
    common_labels,
    counted,
    coverage,
    interval_text,
    label_names,
    label_text,
    number,
    value_text,
)

ROWS_SHOWN = 500
"""Rows of a listing that the page shows; the file beside it holds all."""

LEAST_P = 0.001
"""Smaller p-values are not told apart."""

_LABEL, _REMARK = 120, 300
_NONE = "—"
_UNITS = {"1": "pure number", "": "that of what is compared"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Attributes:
        text: What is read.
        sort: The number it is sorted by.
        note: Said after the text, more quietly.
        kind: ``undefined`` or ``quiet``; empty for an ordinary cell.
    """

    text: str
    sort: float | int | None = None
    note: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Column:
    """One column with its heading.

    Attributes:
        heading: What is in it.
        cells: From top to bottom.
        kind: ``text``; or sorted as numbers: ``number`` (whole), ``decimal``, ``value`` (a number and its interval).
    """

    heading: str
    cells: Sequence[Cell]
    kind: str = "text"


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        columns: Its columns, of equal length.
        caption: What one row is.
        notes: What holds for every row, and is therefore said once.
        left: Number of further rows, which are not shown.
    """

    columns: Sequence[Column]
    caption: str = ""
    notes: Sequence[str] = field(default_factory=tuple)
    left: int = 0

    @property
    def rows(self) -> list[tuple[Cell, ...]]:
        """The cells by row."""
        return list(zip(*(column.cells for column in self.columns), strict=True))


def estimates_table(
    every: Sequence[Estimate], measure: Measure, caption: str, further: Sequence[Column] = (), most: int = ROWS_SHOWN
) -> Table:
    """One metric's estimates, with what all rows share said once below.

    Args:
        every: The estimates.
        measure: What they mean.
        caption: What one row is.
        further: Columns that stand behind the value, with a cell for each estimate.
        most: Rows to show.
    """
    estimates = every[:most]
    same = common_labels(estimates)
    always = _common_flags(estimates)
    columns = [
        Column(name.replace("_", " "), [_label(estimate, name) for estimate in estimates])
        for name in label_names(estimates, without=same)
    ]
    units = [_unit(e, measure) for e in estimates]
    unit = f" in {units[0]}" if units[0] and len(set(units)) == 1 else ""
    columns.append(Column(f"value{unit} [95 % interval]", [_value(e) for e in estimates], "value"))
    if len(set(units)) > 1:
        columns.append(Column("unit", [Cell(name) for name in units]))
    columns += [replace(column, cells=column.cells[:most]) for column in further]
    columns.append(Column(measure.counted or "n", [_integer(e.n) for e in estimates], "number"))
    notes = [f"{name.replace('_', ' ')}: {shorten(value, _LABEL)}" for name, value in same.items()]
    notes += [shorten(flag, _REMARK) for flag in always]
    remarks = {
        "left out": [counted(e.excluded) for e in estimates],
        "flags": ["; ".join(flag for flag in e.flags if flag not in always) for e in estimates],
    }
    usual = {e.interval for e in estimates if e.low is not None} or {e.interval for e in estimates if e.defined}
    if len(usual) == 1:
        others = any(e.defined and e.interval not in usual for e in estimates)
        notes += [f"interval{', where a row says nothing else' * others}: {method}" for method in usual if method]
        remarks["interval"] = [e.interval if e.defined and e.interval not in usual else "" for e in estimates]
    else:
        remarks["interval"] = [e.interval for e in estimates]
    columns += [
        Column(heading, [Cell(shorten(text, _REMARK)) for text in texts])
        for heading, texts in remarks.items()
        if any(texts)
    ]
    return Table(columns, caption, notes, len(every) - len(estimates))


def corrected_p(estimates: Sequence[Estimate], ps: Mapping[str, Estimate]) -> Column:
    """The corrected p-value of each estimate.

    Args:
        estimates: The estimates.
        ps: The estimates that hold the p-values, by labels as :func:`~metricsengine.comparison.spelled` writes them.
    """
    found = [ps.get(spelled(estimate.labels)) for estimate in estimates]
    return Column("corrected p", [_p(p) for p in found], "decimal")


def _p(p: Estimate | None) -> Cell:
    if p is None or p.value is None:
        return Cell(_NONE, kind="quiet")
    return Cell("< 0.001" if p.value < LEAST_P else number(p.value), p.value)


def _unit(estimate: Estimate, measure: Measure) -> str:
    """The unit as it stands behind a number; nothing for a pure number."""
    return next((unit for unit in (estimate.unit, measure.unit) if unit not in ("", "1")), "")


def _common_flags(estimates: Sequence[Estimate]) -> list[str]:
    defined = [set(e.flags) for e in estimates if e.defined]
    return sorted(set.intersection(*defined)) if len(defined) > 1 else []


def _label(estimate: Estimate, name: str) -> Cell:
    kind = "" if name in estimate.labels else "quiet"
    return Cell(shorten(label_text(estimate, name), _LABEL), kind=kind)


def _value(estimate: Estimate) -> Cell:
    if estimate.value is None:
        return Cell(shorten(value_text(estimate), _REMARK), kind="undefined")
    return Cell(_minus(number(estimate.value)), estimate.value, _minus(interval_text(estimate)))


def _minus(text: str) -> str:
    return text.replace("-", "−")


def _integer(n: int) -> Cell:
    return Cell(f"{n:,}", n)


def coverage_table(results: Results) -> Table:
    """How many cells of every metric are defined, undefined, flagged."""
    found = coverage(results)
    return Table(
        (
            Column("metric", [Cell(c.metric) for c in found]),
            Column("cells", [_integer(c.cells) for c in found], "number"),
            Column("defined", [_integer(c.defined) for c in found], "number"),
            Column("undefined", [_integer(c.undefined.total()) for c in found], "number"),
            Column("without interval", [_integer(c.bare) for c in found], "number"),
            Column("flagged", [_integer(c.flagged) for c in found], "number"),
            Column(
                "left out of its cells, added up",
                [Cell(shorten(counted(c.excluded), _REMARK) or "nothing") for c in found],
            ),
        ),
        "One row is one metric; a cell is one combination of persona, topic and whatever else was varied.",
    )


def remarks_table(results: Results) -> Table:
    """Why cells are undefined, and which flags others carry."""
    rows = [
        (found.metric, what, text, n)
        for found in coverage(results)
        for what, counts in (("undefined", found.undefined), ("flag", found.flags))
        for text, n in counts.most_common()
    ]
    left = max(0, len(rows) - ROWS_SHOWN)
    del rows[ROWS_SHOWN:]
    return Table(
        (
            Column("metric", [Cell(row[0]) for row in rows]),
            Column("what", [Cell(row[1]) for row in rows]),
            Column("reason or flag", [Cell(shorten(row[2], _REMARK)) for row in rows]),
            Column("cells", [_integer(row[3]) for row in rows], "number"),
        ),
        "One row is one reason for having no value, or one flag, and the number of cells it concerns.",
        left=left,
    )


def counts_table(results: Results) -> Table:
    """The run's denominators."""
    items = list(results.counts.items())
    return Table(
        (
            Column("what", [Cell(shorten(_readable(name), _REMARK)) for name, _ in items]),
            Column("number", [_integer(n) for _, n in items], "number"),
        ),
        "Requests by outcome, rows that were left out by reason, and what else was counted.",
    )


def _readable(name: str) -> str:
    """The name of a count, such as ``excluded.missing``, as words."""
    return re.sub(r"\A(\w+)\.", r"\1: ", name.replace("_", " "))


def measures_table(measures: Iterable[Measure]) -> Table:
    """What the metrics mean."""
    known = list(measures)
    return Table(
        (
            Column("metric", [Cell(m.name) for m in known]),
            Column("unit", [Cell(_UNITS.get(m.unit, m.unit)) for m in known]),
            Column("possible values", [Cell(_bounds(m)) for m in known]),
            Column("how to read it", [Cell(m.direction or _NONE) for m in known]),
            Column("averaged over", [Cell(", ".join(m.units) or "nothing") for m in known]),
            Column("defined in", [Cell(m.citation or _NONE) for m in known]),
        ),
        "One row is one metric.",
    )


def _bounds(measure: Measure) -> str:
    low, high = (None if bound is None else _minus(number(bound)) for bound in measure.bounds)
    if low is None and high is None:
        return "any number"
    if high is None:
        return f"{low} or more"
    return f"{high} or less" if low is None else f"{low} to {high}"


def listing_table(listing: Listing) -> Table:
    """The first rows of a listing."""
    import pandas as pd

    head = listing.frame.head(ROWS_SHOWN)
    columns = []
    for heading, series in head.items():
        kind, cell = _reading(pd.api.types.infer_dtype(series, skipna=True))
        missing = zip(series, series.isna(), strict=True)
        cells = [Cell(_NONE, kind="quiet") if gone else cell(value) for value, gone in missing]
        columns.append(Column(str(heading), cells, kind))
    return Table(columns, listing.caption)


def _reading(dtype: str) -> tuple[str, Callable[[Any], Cell]]:
    """Kind of a column and the reader of its cells, by what pandas infers that the column holds."""
    if dtype == "integer":
        return "number", lambda value: Cell(_minus(str(value)), int(value))
    if dtype in ("floating", "mixed-integer-float"):
        return "decimal", lambda value: Cell(_minus(number(float(value))), float(value))
    return "text", lambda value: Cell(shorten(str(value), _REMARK))


def nested_table(content: Mapping[str, Any], caption: str) -> Table:
    """Nested settings as two columns, names joined by " › "."""
    rows = list(_leaves(content))
    shown = rows[:ROWS_SHOWN]
    return Table(
        (
            Column("what", [Cell(name) for name, _ in shown]),
            Column("value", [Cell(shorten(text, 2000)) for _, text in shown]),
        ),
        caption,
        left=len(rows) - len(shown),
    )


def _leaves(content: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:  # whatever JSON can hold
    if isinstance(content, Mapping):
        for key, value in content.items():
            yield from _leaves(value, (*path, str(key)))
    elif isinstance(content, Sequence) and not isinstance(content, str):
        yield " › ".join(path), ", ".join(map(str, content)) or _NONE
    else:
        yield " › ".join(path), _NONE if content in (None, "") else str(content)
