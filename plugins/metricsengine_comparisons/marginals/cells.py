"""Tables of one metric over what was swept: a cell for each combination of levels, its replicates side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from metricsengine.estimate import Estimate
from metricsengine_comparisons.groups import BASE, natural
from metricsengine_comparisons.marginals.conditions import Row, is_replicate
from metricsengine_comparisons.pairing import Units

Levels = tuple[str, ...]
"""A level of each dimension of a table, in their order."""

_BASES = (BASE, "none", "")
"""Names of a level where nothing was changed, such as ``study.induce=[none]``, or a key that was left out."""

Replicates = Mapping[Levels, Estimate]
"""Estimates of one combination of levels, by the values of what varies chance alone; by none where nothing does."""


@dataclass(frozen=True)
class Cell:
    """One combination of levels that has a value, its replicates joined.

    Attributes:
        value: The estimate, or the mean of its replicates.
        n: What it rests on, as the estimates tell.
        error: Standard error; None where there is none.
        units: Value and weight of each unit that it is the mean of, by what the units are, in the plural. Of several
            kinds, such as personas and topics, each varies by itself. Empty where there are none.
        why: Why there is no standard error, as the estimate tells; empty where it tells nothing.
    """

    value: float
    n: int
    error: float | None = None
    units: Mapping[str, Units] = field(default_factory=dict)
    why: str = ""


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
        cells: The replicates of each combination that defines any of them.
        lacking: Why each of the others is undefined.
        flags: What a reader must know of the table.
    """

    metric: str
    conditions: Mapping[str, str]
    dimensions: tuple[str, ...]
    replicates: tuple[str, ...]
    over: tuple[str, ...]
    unit: str
    levels: Mapping[str, Levels]
    cells: Mapping[Levels, Replicates]
    lacking: Mapping[Levels, str]
    flags: tuple[str, ...] = ()

    def undefined(self, dimension: str) -> dict[str, str]:
        """The levels of a dimension at which nothing is defined, and why."""
        place = self.dimensions.index(dimension)
        found: dict[str, str] = {}
        for levels, why in self.lacking.items():
            if levels[place] not in self.levels[dimension]:
                found.setdefault(levels[place], why)
        return {level: found[level] for level in ordered_levels(found)}


def tables(placed: Iterable[Row], base: str) -> list[Table]:
    """The tables of one metric, in the order of their conditions, whatever that of the rows."""
    found: dict[tuple[Levels, Levels, tuple[tuple[str, str], ...]], list[Row]] = {}
    for row in placed:
        conditions = tuple((name, row.conditions[name]) for name in sorted(row.conditions))
        found.setdefault((tuple(row.levels), row.estimate.over, conditions), []).append(row)
    ordered = sorted(found, key=lambda key: ([natural(value) for _, value in key[2]], key))
    return [_table(found[key], base) for key in ordered]


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


def _table(own: Sequence[Row], base: str) -> Table:
    first = own[0]
    swept = tuple(name for name in first.levels if not is_replicate(name))
    replicates = tuple(name for name in first.levels if is_replicate(name))
    found: dict[Levels, dict[Levels, list[Estimate]]] = {}
    for row in own:
        of_cell = found.setdefault(tuple(row.levels[name] for name in swept), {})
        of_cell.setdefault(tuple(row.levels[name] for name in replicates), []).append(row.estimate)
    lacking = {levels: why for levels in sorted(found) if (why := _lacking(found[levels]))}
    cells = {levels: _replicates(found[levels]) for levels in sorted(found) if levels not in lacking}
    return Table(
        metric=first.estimate.metric,
        conditions=first.conditions,
        dimensions=swept,
        replicates=replicates,
        over=first.estimate.over,
        unit=first.estimate.unit,
        levels={name: ordered_levels((levels[i] for levels in cells), base) for i, name in enumerate(swept)},
        cells=cells,
        lacking=lacking,
        flags=tuple(sorted({flag for row in own for flag in row.flags})),
    )


def _lacking(found: Mapping[Levels, Sequence[Estimate]]) -> str:
    """Why a combination has no value; empty where it has one."""
    for same in found.values():
        if any(estimate != same[0] for estimate in same):
            return f"{len(same)} different estimates have these labels"
    every = list(_replicates(found).values())
    return "" if any(estimate.defined for estimate in every) else every[0].reason


def _replicates(found: Mapping[Levels, Sequence[Estimate]]) -> Replicates:
    return {names: found[names][0] for names in sorted(found)}
