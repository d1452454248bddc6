"""Tables of one metric over what was swept: a cell for each combination of levels, replicates joined."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

from metricsengine.aggregate import LEAST
from metricsengine.estimate import Estimate
from metricsengine_comparisons.groups import BASE, natural
from metricsengine_comparisons.marginals.averages import Averaged
from metricsengine_comparisons.marginals.conditions import Row, is_replicate
from metricsengine_comparisons.pairing import Units

Levels = tuple[str, ...]
"""A level of each dimension of a table, in their order."""

_BASES = (BASE, "none", "")
"""Names of a level where nothing was changed, such as ``study.induce=[none]``, or a key that was left out."""

_HALF = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Cell:
    """One combination of levels that has a value.

    Attributes:
        value: The estimate, or the mean of its replicates.
        n: What it rests on, as the estimates tell.
        error: Standard error; None where there is none.
        units: Value and weight of each unit that it is the mean of; empty where there are none.
        kind: What the units are, in the plural.
    """

    value: float
    n: int
    error: float | None = None
    units: Units = field(default_factory=dict)
    kind: str = "units"


@dataclass(frozen=True)
class Table:
    """Estimates of one metric under the same conditions, by level of each dimension.

    Attributes:
        metric: Name of the metric.
        conditions: What is the same for all.
        dimensions: What was swept, replicates apart.
        replicates: What was swept that varies chance alone, such as a seed.
        over: What the estimates themselves are averaged over.
        unit: Unit of the values.
        levels: Levels of each dimension at which anything is defined, the base first.
        cells: The defined cells.
        lacking: Why each of the others is undefined.
        excluded: Replicates that are undefined in cells that others define, by reason.
        flags: What a reader must know of the table.
    """

    metric: str
    conditions: Mapping[str, str]
    dimensions: tuple[str, ...]
    replicates: tuple[str, ...]
    over: tuple[str, ...]
    unit: str
    levels: Mapping[str, Levels]
    cells: Mapping[Levels, Cell]
    lacking: Mapping[Levels, str]
    excluded: Mapping[str, int]
    flags: tuple[str, ...] = ()


def tables(placed: Iterable[Row], told: Averaged, base: str) -> list[Table]:
    """The tables of one metric, in the order of their conditions, whatever that of the rows."""
    found: dict[tuple[Levels, Levels, tuple[tuple[str, str], ...]], list[Row]] = {}
    for row in placed:
        conditions = tuple((name, row.conditions[name]) for name in sorted(row.conditions))
        found.setdefault((tuple(row.levels), row.estimate.over, conditions), []).append(row)
    ordered = sorted(found, key=lambda key: ([natural(value) for _, value in key[2]], key))
    return [_table(found[key], told, base) for key in ordered]


def ordered_levels(levels: Iterable[str], base: str = "") -> Levels:
    """Levels, numbers by size and names by their numbers; the base first, or a name that tells it.

    Example:
        >>> ordered_levels(["0.15", "1e-3", "0.2"]), ordered_levels(["v10", "v2", "base"])
        (('1e-3', '0.15', '0.2'), ('base', 'v2', 'v10'))
        >>> ordered_levels(["[high]", "[none]"]), ordered_levels(["a", "b"], base="b")
        (('[none]', '[high]'), ('b', 'a'))
    """
    names = set(levels)
    try:
        ordered = sorted(names, key=lambda name: (float(name), name))
    except ValueError:
        ordered = sorted(sorted(names, key=natural), key=lambda name: name.strip("[]'\"") not in _BASES)
    return tuple(sorted(ordered, key=lambda name: name != base)) if base else tuple(ordered)


def _table(own: Sequence[Row], told: Averaged, base: str) -> Table:
    first = own[0]
    swept = tuple(name for name in first.levels if not is_replicate(name))
    replicates = tuple(name for name in first.levels if is_replicate(name))
    found: dict[Levels, dict[Levels, list[Estimate]]] = {}
    for row in own:
        of_cell = found.setdefault(tuple(row.levels[name] for name in swept), {})
        of_cell.setdefault(tuple(row.levels[name] for name in replicates), []).append(row.estimate)
    joined = {levels: _joined(found[levels], told, replicates) for levels in sorted(found)}
    cells = {levels: cell for levels, cell in joined.items() if isinstance(cell, Cell)}
    return Table(
        metric=first.estimate.metric,
        conditions=first.conditions,
        dimensions=swept,
        replicates=replicates,
        over=first.estimate.over,
        unit=first.estimate.unit,
        levels={name: ordered_levels((levels[i] for levels in cells), base) for i, name in enumerate(swept)},
        cells=cells,
        lacking={levels: why for levels, why in joined.items() if isinstance(why, str)},
        excluded=_lost([found[levels] for levels in cells]),
        flags=tuple(sorted({flag for row in own for flag in row.flags})),
    )


def _lost(cells: Iterable[Mapping[Levels, Sequence[Estimate]]]) -> dict[str, int]:
    lost = sum(not replicate[0].defined for cell in cells for replicate in cell.values())
    return {"undefined replicates": lost} if lost else {}


def _joined(found: Mapping[Levels, Sequence[Estimate]], told: Averaged, replicates: Sequence[str]) -> Cell | str:
    """The cell of one combination of levels, or why there is none; several replicates are joined by their mean."""
    for same in found.values():
        if any(estimate != same[0] for estimate in same):
            return f"{len(same)} different estimates have these labels"
    every = {names: found[names][0] for names in sorted(found)}
    defined = {names: estimate for names, estimate in every.items() if estimate.defined}
    if not defined:
        return next(iter(every.values())).reason
    values = [estimate.value for estimate in defined.values() if estimate.value is not None]
    errors = [error for estimate in defined.values() if (error := _error(estimate)) is not None]
    known = len(errors) == len(values)
    units, kinds = zip(*(told.units(estimate) for estimate in defined.values()), strict=True)
    cell = Cell(
        value=math.fsum(values) / len(values),
        n=sum(estimate.n for estimate in defined.values()),
        error=math.hypot(*errors) / len(values) if known else None,
        units=_units(units),
        kind=kinds[0],
    )
    if cell.units or len(values) < LEAST:
        return cell
    of_replicates = {", ".join(names): (value, 1.0) for names, value in zip(defined, values, strict=True)}
    return Cell(cell.value, len(values), cell.error, of_replicates, " x ".join(f"{name}s" for name in replicates))


def _error(estimate: Estimate) -> float | None:
    """The standard error, if need be from the width of the interval.

    Of an average over several labels only the latter: the standard error knows one of them.
    """
    if estimate.standard_error is not None and len(estimate.over) < 2:
        return estimate.standard_error
    if estimate.low is None or estimate.high is None:
        return None
    return (estimate.high - estimate.low) / 2 / _HALF


def _units(replicates: Sequence[Units]) -> Units:
    """The units of all replicates: what has the same name is one unit, and each replicate counts alike."""
    if len(replicates) == 1 or not all(replicates):
        return replicates[0] if len(replicates) == 1 else {}
    found: dict[str, list[tuple[float, float]]] = {}
    for units in replicates:
        whole = math.fsum(weight for _, weight in units.values())
        for name, (value, weight) in units.items():
            found.setdefault(name, []).append((value, weight / whole))
    masses = {name: math.fsum(weight for _, weight in pairs) for name, pairs in found.items()}
    return {name: (math.fsum(v * w for v, w in pairs) / masses[name], masses[name]) for name, pairs in found.items()}
