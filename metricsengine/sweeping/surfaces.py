"""Surfaces: a metric over two swept labels as a grid, over one as rows of dots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from metricsengine.charts.captions import reading
from metricsengine.charts.drawing import draw_dots, draw_grid
from metricsengine.charts.forms import Dot, DotChart, Grid, styles
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Figure
from metricsengine.wording import number, own_labels, plural, widest

MOST, SERIES, FIGURES = 6, 7, 40
"""Grids of one metric, series in one figure, and figures altogether; the table has all estimates."""

OF = "of"
"""Label of what a comparison compares: each has figures of its own."""


@dataclass(frozen=True)
class _Subject:
    """What figures are of: a metric, or what a comparison found about one.

    Attributes:
        said: How it is called.
        name: The same as part of a file's name.
        estimates: Its estimates, without those that tell a part of another.
    """

    said: str
    name: str
    estimates: Sequence[Estimate]

    @property
    def unit(self) -> str:
        """Unit for an axis, with a comma before it; empty for a pure number."""
        units = {estimate.unit for estimate in self.estimates} - {"", "1"}
        return f", {', '.join(sorted(units))}" if units else ""


def surfaces(estimates: Sequence[Estimate], labels: Sequence[str]) -> Iterator[Figure]:
    """Figures of all metrics over the swept labels; none where nothing was swept.

    Of more than two labels, the two with the most values make the grids, one for each value of the others.

    Args:
        estimates: Of all jobs.
        labels: The labels that were swept.
    """
    if not labels:
        return
    by_size = sorted(labels, key=lambda label: -len({e.labels.get(label) for e in estimates}))
    rows, columns = sorted(by_size[:2], key=labels.index) if len(labels) > 1 else (labels[0], "")
    found = [
        figure
        for subject in _subjects(estimates)
        for figure in (_grids(subject, rows, columns) if columns else _lines(subject, rows))
    ]
    if len(found) > FIGURES:
        note = f" {len(found) - FIGURES} further figures are left out; the table has their estimates."
        found[FIGURES - 1] = replace(found[FIGURES - 1], caption=found[FIGURES - 1].caption + note)
    yield from found[:FIGURES]


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
        yield _Subject(_said(f"{metric} of {of}" if of else metric), name, widest(own))


def _grids(subject: _Subject, rows: str, columns: str) -> Iterator[Figure]:
    """A grid for each of the other conditions that has estimates in at least two rows and two columns."""
    groups: dict[tuple[tuple[str, str], ...], dict[tuple[str, str], Estimate]] = {}
    for estimate in subject.estimates:
        if rows in estimate.labels and columns in estimate.labels:
            cells = groups.setdefault(tuple(_rest(estimate, (rows, columns)).items()), {})
            cells[estimate.labels[rows], estimate.labels[columns]] = estimate
    shown = {rest: cells for rest, cells in groups.items() if _is_surface(cells)}
    for i, (rest, cells) in enumerate(islice(shown.items(), MOST)):
        about = _about(dict(rest), [dict(other) for other in shown])
        yield Figure(
            name=f"surface-{subject.name}-{i + 1}",
            title=f"{_title(subject.said)} over {_said(rows)} and {_said(columns)}" + (f" ({about})" if about else ""),
            caption=f"Each cell is one job's estimate; its interval is in the table of all.{_cut(len(shown))}",
            draw=partial(draw_grid, _grid(subject, cells, (rows, columns))),
            alt=_extremes(list(cells.values())),
        )


def _is_surface(cells: Mapping[tuple[str, str], Estimate]) -> bool:
    several = min(len({pair[i] for pair in cells}) for i in (0, 1)) > 1
    return several and any(estimate.defined for estimate in cells.values())


def _grid(subject: _Subject, cells: Mapping[tuple[str, str], Estimate], labels: tuple[str, str]) -> Grid:
    rows, columns = (_ordered(pair[i] for pair in cells) for i in (0, 1))
    row_label, column_label = map(_said, labels)
    label = subject.said + subject.unit
    return Grid(cells, rows, columns, label, reach=None, row_label=row_label, column_label=column_label)


def _cut(there: int) -> str:
    return f" {there - MOST} more such grids are left out; the table has their estimates." if there > MOST else ""


def _lines(subject: _Subject, key: str) -> Iterator[Figure]:
    """A row for each value of the key, a series for each of the other conditions."""
    own = [e for e in subject.estimates if key in e.labels]
    rests = {id(e): _rest(e, (key,)) for e in own}
    series = {id(e): _about(rests[id(e)], list(rests.values())) for e in own}
    names = list(dict.fromkeys(series.values()))
    shown = [e for e in own if series[id(e)] in names[:SERIES]]
    values = _ordered(e.labels[key] for e in shown)
    if len(values) < 2 or not any(e.defined for e in shown):
        return
    label = subject.said + subject.unit
    dots = [Dot((_said(key), e.labels[key]), e, series[id(e)]) for e in shown]
    chart = DotChart(dots, [(_said(key), value) for value in values], styles(names[:SERIES]), label)
    left = f" Only the first {SERIES} of {len(names)} conditions are shown." if len(names) > SERIES else ""
    yield Figure(
        name=f"over-{subject.name}",
        title=f"{_title(subject.said)} over {_said(key)}",
        caption=f"One row is one value of {_said(key)}. {reading(shown)}{left}",
        draw=partial(draw_dots, chart),
        alt=_extremes(shown),
    )


def _rest(estimate: Estimate, without: Iterable[str]) -> dict[str, str]:
    """The other conditions of an estimate, what it is averaged over among them."""
    rest = {name: value for name, value in own_labels(estimate).items() if name not in (OF, *without)}
    return rest | ({"mean over": ", ".join(f"{unit}s" for unit in estimate.over)} if estimate.over else {})


def _about(rest: Mapping[str, str], among: Sequence[Mapping[str, str]]) -> str:
    """What tells conditions from others; what all share need not be said."""
    told = {name: value for name, value in rest.items() if any(other.get(name) != value for other in among)}
    return ", ".join(f"{_said(name)} {value}" for name, value in told.items())


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


def _extremes(estimates: Sequence[Estimate]) -> str:
    """The message of a surface in words."""
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    if not values:
        return "No estimate is defined."
    lacking = len(estimates) - len(values)
    missing = f"; {lacking} undefined" if lacking else ""
    return f"{plural(len(values), 'estimate')} from {number(min(values))} to {number(max(values))}{missing}."


def _said(name: str) -> str:
    return name.replace("_", " ")


def _title(text: str) -> str:
    return text[:1].upper() + text[1:]
