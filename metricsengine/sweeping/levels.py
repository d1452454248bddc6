"""What comparisons found of single levels of what was swept: rows of dots, one figure for each metric."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

from metricsengine.charts.captions import extremes, reading
from metricsengine.charts.drawing import draw_dots
from metricsengine.charts.forms import Dot, DotChart, Row, most_series, styles
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Figure
from metricsengine.wording import own_labels, plural

FIRST, ROWS = 3, 60
"""Metrics that have a figure, those that the study puts first; rows of one figure."""

OF, DIMENSION, LEVEL, BASE = "of", "dimension", "level", "base"
"""Labels of what is said of one level of a dimension, such as its mean; one that has a base is a difference."""


def levels(compared: Sequence[Estimate], metrics: Sequence[str]) -> Iterator[Figure]:
    """A figure for each of the first metrics of which something is told by level.

    Args:
        compared: What comparisons found.
        metrics: Names of the metrics in the order of the study.
    """
    drawn = 0
    for metric in metrics:
        own = [e for e in compared if e.labels.get(OF) == metric and {DIMENSION, LEVEL} <= e.labels.keys()]
        for name in dict.fromkeys(e.metric for e in own if BASE not in e.labels):
            if drawn < FIRST and (figure := _figure(name, metric, [e for e in own if e.metric == name])):
                drawn += 1
                yield figure


def _figure(name: str, metric: str, own: Sequence[Estimate]) -> Figure | None:
    rows: list[Row] = list(dict.fromkeys(_row(e) for e in own))
    varying = _varying(own)
    series = {id(e): _condition(e, varying) for e in own}
    names = list(dict.fromkeys(series.values()))[: most_series(len(rows[:ROWS]))]
    shown = [e for e in own if _row(e) in set(rows[:ROWS]) and series[id(e)] in names]
    if not any(e.defined for e in shown):
        return None
    units = {e.unit for e in shown} - {"", "1"}
    said = f"{name} of {metric}".replace("_", " ")
    chart = DotChart(
        [Dot(_row(e), e, series[id(e)]) for e in shown], rows[:ROWS], styles(names),
        said + "".join(f", {unit}" for unit in sorted(units)),
    )  # fmt: skip
    left = f" {plural(len(own) - len(shown), 'further estimate')} are in the tables only." if own[len(shown) :] else ""
    return Figure(
        name=re.sub(r"[^A-Za-z0-9]+", "-", f"levels {name} {metric}"),
        title=said[:1].upper() + said[1:],
        caption=f"One row is one level of what was swept. {reading(shown)}{left}",
        draw=partial(draw_dots, chart),
        alt=extremes((", ".join(filter(None, (" ".join(_row(e)), series[id(e)]))), e) for e in shown),
    )


def _row(estimate: Estimate) -> Row:
    return estimate.labels[DIMENSION].replace("_", " "), estimate.labels[LEVEL]


def _varying(estimates: Sequence[Estimate]) -> set[str]:
    """Labels that tell estimates apart; what all share need not be said."""
    names = {name for estimate in estimates for name in estimate.labels}
    return {name for name in names if len({estimate.labels.get(name) for estimate in estimates}) > 1}


def _condition(estimate: Estimate, varying: AbstractSet[str]) -> str:
    rest = {k: v for k, v in own_labels(estimate).items() if k in varying and k not in (DIMENSION, LEVEL)}
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in rest.items())
