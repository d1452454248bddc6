"""Surfaces: a metric over two swept labels as a grid, over one as rows of dots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate

from metricsengine.charts.captions import extremes, reading
from metricsengine.charts.drawing import draw_dots, draw_grid
from metricsengine.charts.forms import Dot, DotChart, Grid, most_series, styles
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Figure
from metricsengine.wording import own_labels, plural, widest

MOST, FIGURES = 6, 40
"""Grids of one metric, and figures altogether; the table has all estimates."""

ROWS, COLUMNS, CELLS = 60, 40, 3_000
"""Rows and columns that a figure shows, and estimates of all figures: drawing them takes most of a report's time."""

AVERAGED = "mean over"

OF = "of"
"""Label of what a comparison compares: each has figures of its own."""


@dataclass(frozen=True)
class _Subject:
    """What figures are of: a metric, or what a comparison found about one.

    Attributes:
        said: How it is called.
        name: The same as part of a file's name.
        estimates: Its estimates.
        metric: Name of the metric.
    """

    said: str
    name: str
    estimates: Sequence[Estimate]
    metric: str = ""

    @property
    def unit(self) -> str:
        """Unit for an axis, with a comma before it; empty for a pure number."""
        units = {estimate.unit for estimate in self.estimates} - {"", "1"}
        return f", {', '.join(sorted(units))}" if units else ""


@dataclass(frozen=True)
class _Drawn:
    """A figure and the estimates that it shows."""

    figure: Figure
    estimates: Sequence[Estimate]


@dataclass(frozen=True)
class Axes:
    """Over what figures are.

    Attributes:
        labels: The labels that were swept.
        members: Label of what chosen sets hold, by the label of the swept key that chooses them: the personas of all
            jobs are the rows then, not the sets.
        units: Labels that may be averaged over, by metric: the second axis where a single label was swept and sets
            were chosen by it.
    """

    labels: Sequence[str]
    members: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def fine(self, subject: _Subject) -> list[str]:
        """The labels with each replaced by that of what the chosen sets hold, and a second one where there is any."""
        labels = [self.members.get(label, label) for label in self.labels]
        more = [unit for unit in self.units.get(subject.metric, ()) if unit not in labels]
        return labels if len(labels) > 1 else [*labels, *more[:1]]


def surfaces(estimates: Sequence[Estimate], axes: Axes) -> Iterator[Figure]:
    """Figures of all metrics over the swept labels; none where nothing was swept.

    Of more than two labels, the two with the most values make the grids, one for each value of the others.

    Args:
        estimates: Of all jobs.
        axes: Over what.
    """
    if not axes.labels:
        return
    found = [drawn for subject in _subjects(estimates) for drawn in _figures(subject, axes)]
    sizes = accumulate(len(drawn.estimates) for drawn in found)
    most = max(1, sum(size <= CELLS for size in sizes))
    shown = [drawn.figure for drawn in found[: min(most, FIGURES)]]
    if left := len(found) - len(shown):
        are = "is" if left == 1 else "are"
        note = f" {plural(left, 'further figure')} {are} left out; the table has their estimates."
        shown[-1] = replace(shown[-1], caption=shown[-1].caption + note)
    yield from shown


def _figures(subject: _Subject, axes: Axes) -> Iterator[_Drawn]:
    """Over what the chosen sets hold, where sets were chosen; then, of what tells none of it, over the labels."""
    members = {label: name for label, name in axes.members.items() if label in axes.labels}
    told = [e for e in subject.estimates if _tells(e, members.values())]
    labels = [label for label in axes.fine(subject) if any(label in e.labels for e in told)]
    cells = [e for e in _without(told, members) if e.labels.keys() >= set(labels)]
    yield from _over(replace(subject, estimates=widest(cells)), labels)
    rest = [e for e in subject.estimates if not _tells(e, members.values())]
    name = f"{subject.name}-sets" if told else subject.name
    yield from _over(replace(subject, estimates=widest(rest), name=name), axes.labels)


def _tells(estimate: Estimate, labels: Iterable[str]) -> bool:
    return any(label in estimate.labels for label in labels)


def _without(estimates: Sequence[Estimate], members: Mapping[str, str]) -> list[Estimate]:
    """The estimates without the labels of sets: a member says its set by itself, unless several sets hold it."""
    sets = {label: _sets(estimates, name, label) for label, name in members.items()}
    found = []
    for estimate in estimates:
        labels = dict(estimate.labels)
        for label, name in members.items():
            chosen = labels.pop(label, "")
            if chosen and len(sets[label].get(labels.get(name, ""), ())) > 1:
                labels[name] += f" ({chosen})"
        found.append(replace(estimate, labels=labels))
    return found


def _sets(estimates: Sequence[Estimate], name: str, label: str) -> dict[str, set[str]]:
    """The sets that hold each member."""
    found: dict[str, set[str]] = {}
    for estimate in estimates:
        if name in estimate.labels and label in estimate.labels:
            found.setdefault(estimate.labels[name], set()).add(estimate.labels[label])
    return found


def _over(subject: _Subject, labels: Sequence[str]) -> Iterator[_Drawn]:
    values = {label: {e.labels[label] for e in subject.estimates if label in e.labels} for label in labels}
    there = [label for label in labels if len(values[label]) > 1]
    largest = sorted(there, key=lambda label: -len(values[label]))[:2]
    rows, *columns = sorted(largest, key=there.index) or [""]
    if columns:
        yield from _grids(subject, rows, columns[0])
    elif rows:
        yield from _lines(subject, rows)


def _subjects(estimates: Sequence[Estimate]) -> Iterator[_Subject]:
    """Metric by metric what comparisons found about it, and itself; not what adds to a name after a dot."""
    metrics = dict.fromkeys(estimate.metric for estimate in estimates)
    found: dict[tuple[str, str], list[Estimate]] = {}
    for estimate in estimates:
        if estimate.metric.rpartition(".")[0] not in metrics:
            found.setdefault((estimate.metric, estimate.labels.get(OF, "")), []).append(estimate)
    order = list(dict.fromkeys(of or metric for metric, of in found))
    for (metric, of), own in sorted(found.items(), key=lambda item: order.index(item[0][1] or item[0][0])):
        name = re.sub(r"[^A-Za-z0-9]+", "-", f"{metric} {of}".strip())
        yield _Subject(_said(f"{metric} of {of}" if of else metric), name, own, metric)


def _grids(subject: _Subject, rows: str, columns: str) -> Iterator[_Drawn]:
    """A grid for each of the other conditions that has estimates in two rows or columns, averages first."""
    groups: dict[tuple[tuple[str, str], ...], dict[tuple[str, str], Estimate]] = {}
    for estimate in subject.estimates:
        if rows in estimate.labels and columns in estimate.labels:
            cells = groups.setdefault(tuple(_rest(estimate, (rows, columns)).items()), {})
            cells[estimate.labels[rows], estimate.labels[columns]] = estimate
    shown = {rest: cells for rest, cells in groups.items() if _is_surface(cells)}
    ordered = sorted(shown, key=lambda rest: AVERAGED not in dict(rest))
    varying = _varying([dict(rest) for rest in ordered])
    most = _most(max((len(cells) for cells in shown.values()), default=0))
    for i, rest in enumerate(ordered[:most]):
        about = _about(dict(rest), varying)
        grid, cut = _grid(subject, shown[rest], (rows, columns))
        left = f" {len(shown) - most} more such grids are left out; the table has their estimates."
        figure = Figure(
            name=f"surface-{subject.name}-{i + 1}",
            title=f"{_title(subject.said)} over {_said(rows)} and {_said(columns)}" + (f" ({about})" if about else ""),
            caption=f"One cell is one estimate; its interval is in the tables.{cut}{left if len(shown) > most else ''}",
            draw=partial(draw_grid, grid),
            alt=extremes(
                (f"{_said(rows)} {row}, {_said(columns)} {column}", e) for (row, column), e in shown[rest].items()
            ),
        )
        yield _Drawn(figure, list(shown[rest].values()))


def _most(cells: int) -> int:
    """How many grids of one metric are shown: fewer large ones."""
    return MOST if cells <= CELLS // 30 else 2 if cells <= CELLS // 10 else 1


def _is_surface(cells: Mapping[tuple[str, str], Estimate]) -> bool:
    several = min(len({pair[i] for pair in cells}) for i in (0, 1)) > 1
    return several and any(estimate.defined for estimate in cells.values())


def _grid(subject: _Subject, cells: Mapping[tuple[str, str], Estimate], labels: tuple[str, str]) -> tuple[Grid, str]:
    """The grid, and what of it is left out."""
    rows, columns = (_ordered(pair[i] for pair in cells) for i in (0, 1))
    row_label, column_label = map(_said, labels)
    said = ""
    if len(rows) > ROWS or len(columns) > COLUMNS:
        shown = f"{min(len(rows), ROWS)} of {len(rows)} rows and {min(len(columns), COLUMNS)} of {len(columns)} columns"
        said = f" Only {shown} are shown."
    grid = Grid(
        cells, rows[:ROWS], columns[:COLUMNS], subject.said + subject.unit, reach=None, row_label=row_label,
        column_label=column_label,
    )  # fmt: skip
    said += " The colours begin at the smallest value, not at 0." if grid.band and grid.band[0] > 0 else ""
    said += " The colours end at the largest value, not at 0." if grid.band and grid.band[1] < 0 else ""
    return grid, said


def _lines(subject: _Subject, key: str) -> Iterator[_Drawn]:
    """A row for each value of the key, a series for each of the other conditions."""
    own = [e for e in subject.estimates if key in e.labels]
    rests = [_rest(e, (key,)) for e in own]
    varying = _varying(rests)
    series = {id(e): _about(rest, varying) for e, rest in zip(own, rests, strict=True)}
    names = list(dict.fromkeys(series.values()))
    values = _ordered(e.labels[key] for e in own)
    most = most_series(len(values[:ROWS]))
    shown = [e for e in own if series[id(e)] in names[:most] and e.labels[key] in set(values[:ROWS])]
    if len(values) < 2 or not any(e.defined for e in shown):
        return
    dots = [Dot((_said(key), e.labels[key]), e, series[id(e)]) for e in shown]
    rows = [(_said(key), value) for value in values[:ROWS] if any(e.labels[key] == value for e in shown)]
    left = f" Only the first {most} of {len(names)} conditions are shown." if len(names) > most else ""
    left += f" Only the first {ROWS} of {len(values)} values are shown." if len(values) > ROWS else ""
    figure = Figure(
        name=f"over-{subject.name}",
        title=f"{_title(subject.said)} over {_said(key)}",
        caption=f"One row is one value of {_said(key)}. {reading(shown)}{left}",
        draw=partial(draw_dots, DotChart(dots, rows, styles(names[:most]), subject.said + subject.unit)),
        alt=extremes((", ".join(filter(None, (f"{_said(key)} {e.labels[key]}", series[id(e)]))), e) for e in shown),
    )
    yield _Drawn(figure, shown)


def _rest(estimate: Estimate, without: Iterable[str]) -> dict[str, str]:
    """The other conditions of an estimate, what it is averaged over among them."""
    rest = {name: value for name, value in own_labels(estimate).items() if name not in (OF, *without)}
    return rest | ({AVERAGED: ", ".join(f"{unit}s" for unit in estimate.over)} if estimate.over else {})


def _varying(conditions: Sequence[Mapping[str, str]]) -> set[str]:
    """What tells conditions from others; what all share need not be said."""
    values: dict[str, set[str]] = {}
    for condition in conditions:
        for name, value in condition.items():
            values.setdefault(name, set()).add(value)
    everywhere = {name for name in values if all(name in condition for condition in conditions)}
    return {name for name, found in values.items() if len(found) > 1 or name not in everywhere}


def _about(rest: Mapping[str, str], varying: AbstractSet[str]) -> str:
    return ", ".join(f"{_said(name)} {value}" for name, value in rest.items() if name in varying)


def _ordered(values: Iterable[str]) -> list[str]:
    """Different values, numbers by size and texts as they come.

    Example:
        >>> _ordered(["10", "9", "10"]), _ordered(["base", "a", "base"])
        (['9', '10'], ['base', 'a'])
    """
    different = list(dict.fromkeys(values))
    try:
        return sorted(different, key=float)
    except ValueError:
        return different


def _said(name: str) -> str:
    return name.replace("_", " ")


def _title(text: str) -> str:
    return text[:1].upper() + text[1:]
