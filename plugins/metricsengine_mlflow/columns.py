"""What a run shows in MLflow's table of runs: a few columns, chosen whole group by whole group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metricsengine.estimate import Estimate
from metricsengine.results import Results
from metricsengine_mlflow import names
from metricsengine_mlflow.curves import Curve, curves, stepped
from metricsengine_mlflow.names import Named

INTERVAL = ("low", "high", "n")
"""Shown beside the values of a metric's broadest estimates, as ``exaggeration/mean low``."""

OF = "of"
"""Label of what a comparison compares."""

_USAGE = ("prompt_tokens", "completion_tokens", "cost")


@dataclass
class Columns:
    """The metrics of one run.

    Attributes:
        values: Finite numbers by name.
        curves: Finite numbers by step, by name.
        meaning: What each name stands for.
    """

    values: dict[str, float] = field(default_factory=dict)
    curves: dict[str, dict[int, float]] = field(default_factory=dict)
    meaning: dict[str, Mapping[str, object]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.values) + len(self.curves)

    def add(self, other: Columns) -> None:
        """Take the columns of another group."""
        self.values |= other.values
        self.curves |= other.curves
        self.meaning |= other.meaning


def choose(results: Results, limit: int) -> Columns:
    """Columns for the results: at most ``limit``, and at most as many curves over the steps of opinion time.

    First come the counts, tokens and cost, and every metric's broadest estimates (those that tell no label, or else the
    fewest) with interval and n; then every metric's averages by persona, by topic and so on, the broadest first; cells
    of a metric that has averages come last. A group that does not fit is left out whole, as half of it would mislead.
    """
    chosen = _fitting(_groups(results), limit)
    chosen.add(_fitting(_curve_groups(results), limit))
    return chosen


def choose_compared(results: Results, limit: int) -> Columns:
    """Columns for what comparisons found, at most ``limit``, each with interval and n.

    What was found about the study's first metric comes first. A comparison of a metric that does not fit is left out
    whole.
    """
    found = [estimate for estimate in results.estimates if estimate.metric in results.compared]
    groups: dict[tuple[str, str], list[Named]] = {(e.labels.get(OF, ""), e.metric): [] for e in found}
    for named in names.name_estimates(found, results.measures):
        groups[named.estimate.labels.get(OF, ""), named.estimate.metric].append(named)
    return _fitting((_columns(group, ("value", *INTERVAL)) for group in groups.values()), limit)


def _fitting(groups: Iterable[Columns], limit: int) -> Columns:
    chosen = Columns()
    for group in groups:
        if len(chosen) + len(group) <= limit:
            chosen.add(group)
    return chosen


def _groups(results: Results) -> Iterator[Columns]:
    yield _counts(results)
    yield _usage(results)
    groups: dict[tuple[Any, ...], list[Named]] = {}
    for named in names.name_estimates([e for e in results.estimates if not stepped(e)], results.measures):
        groups.setdefault(_rank(named, results), []).append(named)
    ranked = [groups[rank] for rank in sorted(groups)]
    broadest = {id(g) for g in {group[0].estimate.metric: group for group in reversed(ranked)}.values()}
    first = [group for group in ranked if id(group) in broadest]
    yield from (_columns(group, ("value",) if group[0].shown else ("value", *INTERVAL)) for group in first)
    yield from (_columns(group, INTERVAL) for group in first if group[0].shown)
    yield from (_columns(group, ("value",)) for group in ranked if id(group) not in broadest)


def _counts(results: Results) -> Columns:
    counts = {names.join(["counts", name]): (name, n) for name, n in results.counts.items()}
    return Columns(
        {name: float(n) for name, (_, n) in counts.items()},
        meaning={name: {"counts": original} for name, (original, _) in counts.items()},
    )


def _usage(results: Results) -> Columns:
    usage = {names.join(["usage", name]): name for name in _USAGE if results.usage.get(name) is not None}
    return Columns(
        {column: float(results.usage[name]) for column, name in usage.items()},
        meaning={column: {"usage": name} for column, name in usage.items()},
    )


def _rank(named: Named, results: Results) -> tuple[Any, ...]:
    """Cells after averages, few labels before many, units before their attributes; then metric by metric."""
    metric = named.estimate.metric
    metrics = list(dict.fromkeys(e.metric for e in results.estimates))
    units = results.measures[metric].units if metric in results.measures else ()
    cell = not named.estimate.over and any(e.over for e in results.estimates if e.metric == metric)
    attributes = sum(label not in units for label in named.shown)
    return cell, len(named.shown), attributes, named.shown, metrics.index(metric)


def _columns(group: Sequence[Named], parts: Sequence[str]) -> Columns:
    columns = Columns()
    for named in group:
        for part in parts:
            number = _number(named.estimate, part)
            if number is not None:
                name = _named(named.name, part)
                columns.values[name] = number
                columns.meaning[name] = _meaning(named.estimate.metric, named.estimate, part)
    return columns


def _curve_groups(results: Results) -> Iterator[Columns]:
    by_metric: dict[str, list[Curve]] = {}
    for curve in curves(results.estimates, results.measures):
        by_metric.setdefault(curve.metric, []).append(curve)
    for parts in (("value",), INTERVAL):
        yield from (_drawn(group, parts) for group in by_metric.values())


def _drawn(group: Sequence[Curve], parts: Sequence[str]) -> Columns:
    columns = Columns()
    for curve in group:
        for part in parts:
            numbers = {step: _number(estimate, part) for step, estimate in curve.steps.items()}
            points = {step: number for step, number in numbers.items() if number is not None}
            if points:
                name = _named(curve.name, part)
                columns.curves[name] = points
                columns.meaning[name] = _meaning(curve.metric, curve, part) | {"by": "step"}
    return columns


def _number(estimate: Estimate, part: str) -> float | None:
    number = getattr(estimate, part)
    return float(number) if estimate.defined and number is not None else None


def _named(name: str, part: str) -> str:
    return name if part == "value" else names.with_suffix(name, part)


def _meaning(metric: str, of: Estimate | Curve, part: str) -> dict[str, object]:
    return {"metric": metric, "labels": dict(of.labels), "over": list(of.over), "what": part}
