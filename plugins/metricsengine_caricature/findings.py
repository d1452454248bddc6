"""What the exhibits select from the results of a run: cells, averages, scored responses, defaults and chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from metricsengine.aggregate import aggregate
from metricsengine.estimate import Estimate
from metricsengine.results import Results

if TYPE_CHECKING:
    import pandas as pd

INDIVIDUATION, V_MEASURE, EXAGGERATION = "individuation", "individuation.v_measure", "exaggeration"

Where = tuple[str, str, str, str]
"""Context, part (may be empty), persona and topic."""


def where(labels: Mapping[str, str]) -> Where:
    """The cell that labels are about."""
    context, part, persona, topic = (labels.get(name, "") for name in ("context", "part", "persona", "topic"))
    return context, part, persona, topic


def scene_of(cell: Where) -> str:
    """Context, and part where parts are scored by themselves."""
    return ", ".join(filter(None, cell[:2]))


def scene(estimate: Estimate) -> str:
    """The context, and part, of an estimate."""
    return scene_of(where(estimate.labels))


def encoders(results: Results, metric: str) -> list[str]:
    """Encoders under which a metric was computed; figures show the first, unless they compare encoders."""
    return distinct(cell.labels.get("encoder", "") for cell in results.cells(metric))


def cells(results: Results, metric: str, encoder: str | None = None) -> list[Estimate]:
    """Cells of a metric under one encoder, by default the first."""
    chosen = encoder if encoder is not None else next(iter(encoders(results, metric)), "")
    return [cell for cell in results.cells(metric) if cell.labels.get("encoder", "") == chosen]


def averages(results: Results, metric: str, *keep: str, encoder: str | None = None) -> list[Estimate]:
    """The run's aggregates that keep these labels, under one encoder, by default the first.

    Those that the run does not hold are made here, by the host's own function.
    """
    own = cells(results, metric, encoder)
    names = {cell.labels.get("encoder", "") for cell in own}
    found = [e for e in results.aggregates(metric, *keep) if e.labels.get("encoder", "") in names]
    return _with_intervals(found, own) if found else average(results, own, *keep)


def average(results: Results, chosen: Sequence[Estimate], *keep: str) -> list[Estimate]:
    """Averages of some cells, by the host's own function."""
    if not chosen or chosen[0].metric not in results.measures:
        return []
    measure = replace(results.measures[chosen[0].metric], keep=(keep,))
    return _with_intervals(aggregate(chosen, measure, results.seed), chosen)


def _with_intervals(averaged: Iterable[Estimate], own: Sequence[Estimate]) -> list[Estimate]:
    """An average of a single cell has no interval over cells; it gets the one of its cell."""

    def single(mean: Estimate) -> Estimate:
        if mean.n != 1 or mean.low is not None:
            return mean
        cell = next((c for c in own if c.defined and mean.labels.items() <= c.labels.items()), mean)
        return replace(mean, low=cell.low, high=cell.high, interval=cell.interval)

    return [single(mean) for mean in averaged]


def by_cell(frame: pd.DataFrame, column: str) -> Iterator[tuple[Where, Any]]:
    """The cell of each row of a table, and what the row holds in a column."""
    keys = (frame[name].astype(object).fillna("") for name in ("context", "part", "persona", "topic"))
    return zip(zip(*keys, strict=True), frame[column], strict=True)


def responses(results: Results) -> pd.DataFrame:
    """The rows of the simulations that enter the metrics."""
    table = results.tables["Simulations"]
    return table.loc[table["excluded"].fillna("") == ""]


def defaults(results: Results, dimension: str) -> dict[tuple[str, str], str]:
    """The default persona or the default topic of each context and part."""
    table = results.tables["Simulations"]
    rows = table.loc[table[f"default_{dimension}"].astype(bool)]
    return {(context, part): name for (context, part, *_), name in by_cell(rows, dimension)}


def control_of(cell: Where, default: Mapping[tuple[str, str], str]) -> Where:
    """The default persona's cell on the same topic, from the default personas of :func:`defaults`."""
    return *cell[:2], default.get(cell[:2], ""), cell[3]


def on_topic(results: Results, estimates: Iterable[Estimate]) -> list[Estimate]:
    """The estimates without the default topic, which ``released`` scores too, at 1 by construction."""
    default = defaults(results, "topic")
    return [e for e in estimates if e.labels.get("topic") != default.get(where(e.labels)[:2])]


def chances(results: Results) -> dict[Where, float]:
    """Accuracy of always answering the larger class, for each cell beside its default persona; 0.5 to 1."""
    n = Counter(cell for cell, _ in by_cell(responses(results), "persona"))
    default = defaults(results, "persona")
    beside = {cell: n[control_of(cell, default)] for cell in n}
    return {cell: max(n[cell], control) / (n[cell] + control) for cell, control in beside.items()}


def highest_first(estimate: Estimate | None) -> float:
    """Sorts estimates by value, the highest first and those without a value last."""
    return math.inf if estimate is None or estimate.value is None else -estimate.value


def distinct(names: Iterable[object]) -> list[str]:
    """Each name once, in the order in which they first come."""
    return list(dict.fromkeys(map(str, names)))
