"""Surfaces: a metric over two swept keys as a grid, over one as rows of dots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from metricsengine.charts.captions import reading
from metricsengine.charts.drawing import draw_dots, draw_grid
from metricsengine.charts.forms import Dot, DotChart, Grid, styles
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Figure
from metricsengine.metric import Measure
from metricsengine.wording import number, own_labels, widest

MOST, SERIES = 24, 7
"""Figures that a sweep shows, and series in one of them; the table has all estimates."""


@dataclass(frozen=True)
class _Surface:
    """Estimates of one metric that differ in two labels only."""

    metric: str
    rows: str
    columns: str
    rest: Mapping[str, str]
    estimates: Mapping[tuple[str, str], Estimate]


def surfaces(estimates: Sequence[Estimate], keys: Sequence[str], measures: Mapping[str, Measure]) -> Iterator[Figure]:
    """Figures of the estimates over the swept labels, without those that tell a part of another.

    Args:
        estimates: Of all jobs.
        keys: The labels that were swept, at least one.
        measures: What the metrics mean.
    """
    names = dict.fromkeys(estimate.metric for estimate in estimates)
    shown = [e for name in names for e in widest([one for one in estimates if one.metric == name])]
    found = _lines(shown, keys[0], measures) if len(keys) == 1 else _grids(shown, keys, measures)
    for i, figure in enumerate(found):
        if i == MOST:
            return
        yield figure


def _grids(estimates: Sequence[Estimate], keys: Sequence[str], measures: Mapping[str, Measure]) -> Iterator[Figure]:
    found = [s for rows, columns in combinations(keys, 2) for s in _surfaces(estimates, rows, columns)]
    for i, surface in enumerate(sorted(found, key=lambda s: len(s.rest))):
        unit = measures.get(surface.metric, Measure(surface.metric)).unit
        rows, columns = (_ordered(pair[i] for pair in surface.estimates) for i in (0, 1))
        label = _said(surface.metric) + (f", {unit}" if unit not in ("", "1") else "")
        grid = Grid(surface.estimates, rows, columns, label, reach=None)
        about = "; ".join(f"{_said(k)}: {v}" for k, v in surface.rest.items())
        yield Figure(
            name=f"surface-{i + 1}-{re.sub(r'[^A-Za-z0-9]+', '-', surface.metric)}",
            title=f"{_said(surface.metric)} over {_said(surface.rows)} and {_said(surface.columns)}"
            + (f" ({about})" if about else ""),
            caption=f"Rows: {_said(surface.rows)}; columns: {_said(surface.columns)}. {about}".strip()
            + " Each cell is one job's estimate; its interval is in the table.",
            draw=partial(draw_grid, grid),
            alt=_extremes(list(surface.estimates.values())),
        )


_Labels = tuple[tuple[str, str], ...]
_Group = tuple[str, tuple[str, ...], _Labels]
"""Metric, what was averaged over, and the other labels."""


def _surfaces(estimates: Sequence[Estimate], rows: str, columns: str) -> Iterator[_Surface]:
    groups: dict[_Group, dict[tuple[str, str], Estimate]] = {}
    for estimate in estimates:
        if rows in estimate.labels and columns in estimate.labels:
            rest = tuple(sorted((k, v) for k, v in own_labels(estimate).items() if k not in (rows, columns)))
            cells = groups.setdefault((estimate.metric, estimate.over, rest), {})
            cells[estimate.labels[rows], estimate.labels[columns]] = estimate
    for (metric, _, rest), cells in groups.items():
        several = min(len({pair[i] for pair in cells}) for i in (0, 1)) > 1
        if several and any(estimate.defined for estimate in cells.values()):
            yield _Surface(metric, rows, columns, _unshared(rest, groups), cells)


def _unshared(rest: _Labels, groups: Iterable[_Group]) -> dict[str, str]:
    """The labels by which a group differs from the others; what all share need not be said in every title."""
    shared = set.intersection(*(set(found) for _, _, found in groups))
    return {label: value for label, value in rest if (label, value) not in shared}


def _lines(estimates: Sequence[Estimate], key: str, measures: Mapping[str, Measure]) -> Iterator[Figure]:
    """One figure a metric: a row for each value of the key, a series for each of the other conditions."""
    for metric in dict.fromkeys(estimate.metric for estimate in estimates):
        own = [e for e in estimates if e.metric == metric and key in e.labels]
        values = _ordered(e.labels[key] for e in own)
        series = {id(e): _series(e, own, key) for e in own}
        names = list(dict.fromkeys(series.values()))
        if len(values) < 2 or len(names) > SERIES or not any(e.defined for e in own):
            continue
        unit = measures.get(metric, Measure(metric)).unit
        dots = [Dot(("", e.labels[key]), e, series[id(e)]) for e in own]
        label = _said(metric) + (f", {unit}" if unit not in ("", "1") else "")
        chart = DotChart(dots, [("", value) for value in values], styles(names), label)
        yield Figure(
            name=f"over-{re.sub(r'[^A-Za-z0-9]+', '-', metric)}",
            title=f"{_said(metric)} over {_said(key)}",
            caption=f"Rows: {_said(key)}. {reading(own)}",
            draw=partial(draw_dots, chart),
            alt=_extremes(own),
        )


def _series(estimate: Estimate, among: Sequence[Estimate], key: str) -> str:
    """The labels by which an estimate differs from others of the same value of the key."""
    labels = {k: v for k, v in own_labels(estimate).items() if k != key}
    differing = {k: v for k, v in labels.items() if any(other.labels.get(k) != v for other in among)}
    return " · ".join([*differing.values(), *(f"mean over {unit}s" for unit in estimate.over)])


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
    return f"{len(values)} estimates from {number(min(values))} to {number(max(values))}{missing}."


def _said(name: str) -> str:
    return name.replace("_", " ")
