"""Averages of cells over personas, topics and whatever else a measure names as its units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist

from metricsengine import seeds
from metricsengine.bootstrap import Resampling, crossed_bootstrap_mean
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure
from metricsengine.stats import standard_error

MEAN_OF_CELLS = "mean of cells, each with the same weight"

FEW = 10
"""Below this many units a percentile bootstrap covers less than it says: about 83 % with five."""

LEAST = 5
"""Below this many there is no interval: with two it would be the span of two numbers, whatever they rest on."""


_HALF = NormalDist().inv_cdf(0.975)
"""Half a 95 % interval in standard errors."""


def error_of(estimate: Estimate) -> float | None:
    """Standard error of an estimate, if need be from the width of its interval; None where it has neither.

    Example:
        >>> error_of(Estimate("m", 1.0, 9, {}, standard_error=0.5))
        0.5
        >>> round(error_of(Estimate("m", 1.0, 9, {}, low=0.02, high=1.98)), 4)
        0.5
    """
    if estimate.standard_error is not None:
        return estimate.standard_error
    if estimate.low is None or estimate.high is None:
        return None
    return (estimate.high - estimate.low) / 2 / _HALF


def unit_of(label: str, units: Iterable[str]) -> str | None:
    """The unit a label names or is an attribute of.

    Example:
        >>> unit_of("persona_category", ("persona", "topic")), unit_of("encoder", ("persona", "topic"))
        ('persona', None)
    """
    return next((unit for unit in units if label == unit or label.startswith(f"{unit}_")), None)


def aggregate(cells: Sequence[Estimate], measure: Measure, seed: int) -> list[Estimate]:
    """The measure's aggregates of its cells, in the order in which the measure names them.

    Undefined cells are left out and counted. The interval resamples what is averaged over: one unit as a whole, or
    two units crossed. Of crossed units there is no standard error: one that knows a single unit would be too small.
    """
    return [
        _average(group, labels, keep, measure, seed)
        for keep in measure.keep
        for labels, group in _groups(cells, keep, measure.units)
        if _over(group, keep, measure.units)
    ]


def _over(cells: Sequence[Estimate], keep: Sequence[str], units: Sequence[str]) -> tuple[str, ...]:
    """The units that an average of the cells runs over."""
    return tuple(unit for unit in units if unit not in keep and any(unit in cell.labels for cell in cells))


def _groups(
    cells: Sequence[Estimate], keep: Sequence[str], units: Sequence[str]
) -> list[tuple[dict[str, str], list[Estimate]]]:
    groups: dict[tuple[tuple[str, str], ...], list[Estimate]] = {}
    for cell in cells:
        if any(name not in cell.labels for name in keep):
            continue
        labels = tuple(
            sorted((k, v) for k, v in cell.labels.items() if unit_of(k, units) in (None, *keep) or k in keep)
        )
        groups.setdefault(labels, []).append(cell)
    return [(dict(labels), groups[labels]) for labels in sorted(groups)]


def _average(
    cells: Sequence[Estimate], labels: dict[str, str], keep: Sequence[str], measure: Measure, seed: int
) -> Estimate:
    over = _over(cells, keep, measure.units)
    defined = sorted((cell for cell in cells if cell.defined), key=lambda cell: sorted(cell.labels.items()))
    excluded = Counter({"undefined cells": len(cells) - len(defined)})
    none = f"none of its {len(cells)} cells is" if len(cells) > 1 else "its only cell is not"
    common = Estimate.undefined(
        measure.name,
        f"{none} defined: {cells[0].reason}",
        labels=labels,
        unit=measure.unit,
        over=over,
        excluded={reason: n for reason, n in excluded.items() if n},
    )
    if not defined:
        return common
    values = [cell.value for cell in defined if cell.value is not None]
    factors = {f"{unit}s": [cell.labels.get(unit, "") for cell in defined] for unit in over}
    how = Resampling(
        seeds.derive(seed, "aggregate", measure.name, *(part for pair in sorted(labels.items()) for part in pair))
    )
    levels = {name: len(set(found)) for name, found in factors.items()}
    crossed = {name: count for name, count in levels.items() if count > 1}
    interval = crossed_bootstrap_mean(values, factors, how) if max(crossed.values(), default=0) >= LEAST else None
    return replace(
        common,
        value=float(sum(values) / len(values)),
        n=len(values),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        standard_error=standard_error(values, factors[next(iter(crossed))]) if len(crossed) == 1 else None,
        interval=interval.method if interval else f"none: {_counted(levels)}, and a bootstrap takes at least {LEAST}",
        status="ok",
        reason="",
        flags=(MEAN_OF_CELLS, *(["few_units"] if min(crossed.values(), default=0) < FEW else [])),
    )


def _counted(levels: Mapping[str, int]) -> str:
    return " and ".join(f"{count} {name}" for name, count in levels.items())
