"""Replicates of a table's cells: which of them all cells share, and what these make together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from metricsengine.aggregate import LEAST, error_of
from metricsengine_comparisons.marginals.averages import Averaged
from metricsengine_comparisons.marginals.cells import Cell, Levels, Replicates, Table
from metricsengine_comparisons.marginals.errors import Errors
from metricsengine_comparisons.marginals.resampling import Draws
from metricsengine_comparisons.pairing import Units

MISSING, UNDEFINED = "missing replicates", "undefined replicates"


class Joins:
    """The cells of one table, each the mean of the same replicates, and what is known of chance in them.

    Args:
        table: The table.
        told: Units of its estimates.
        draws: Random numbers.
    """

    def __init__(self, table: Table, told: Averaged, draws: Draws) -> None:
        self._table = table
        self._told = told
        self._draws = draws
        self._made: dict[tuple[Levels, ...], Errors] = {}

    def errors(self, replicates: tuple[Levels, ...]) -> Errors:
        """Those of all cells that define these replicates, joined over them and no others."""
        if replicates not in self._made:
            # Only the last: of a large table, the resamples take much memory, and seldom is there another.
            self._made = {replicates: Errors(self._cells(replicates), self._draws)}
        return self._made[replicates]

    def _cells(self, replicates: tuple[Levels, ...]) -> dict[Levels, Cell]:
        return {
            levels: _joined({names: found[names] for names in replicates}, self._told, self._table.replicates)
            for levels, found in self._table.cells.items()
            if all(_is_defined(found, names) for names in replicates)
        }


def shared(cells: Iterable[Replicates]) -> tuple[tuple[Levels, ...], dict[str, int]]:
    """The replicates that every cell defines, and how many others there are, by reason.

    Whatever else replicates differ in, such as the network that a seed draws, is then the same in every cell.
    """
    found = list(cells)
    why = {names: _left_out(names, found) for names in sorted({names for cell in found for names in cell})}
    left = Counter(reason for reason in why.values() if reason)
    return tuple(names for names, reason in why.items() if not reason), dict(sorted(left.items()))


def _left_out(names: Levels, cells: Sequence[Replicates]) -> str:
    """Why not every cell has a value of a replicate; empty where every cell has."""
    if any(names in cell and not cell[names].defined for cell in cells):
        return UNDEFINED
    return "" if all(names in cell for cell in cells) else MISSING


def _is_defined(found: Replicates, names: Levels) -> bool:
    return names in found and found[names].defined


def _joined(found: Replicates, told: Averaged, replicates: Sequence[str]) -> Cell:
    """The cell of one combination of levels: the mean of replicates, all of them defined."""
    values = [estimate.value for estimate in found.values() if estimate.value is not None]
    errors = [error for estimate in found.values() if (error := error_of(estimate)) is not None]
    known = len(errors) == len(values)
    cell = Cell(
        value=math.fsum(values) / len(values),
        n=sum(estimate.n for estimate in found.values()),
        error=math.hypot(*errors) / len(values) if known else None,
        units=_units([told.units(estimate) for estimate in found.values()]),
        why=next((e.interval for e in found.values() if e.interval.startswith("none: ")), ""),
    )
    if cell.units or len(values) < LEAST:
        return cell
    of_replicates = {", ".join(names): (value, 1.0) for names, value in zip(found, values, strict=True)}
    return Cell(cell.value, len(values), cell.error, {" x ".join(f"{name}s" for name in replicates): of_replicates})


def _units(replicates: Sequence[Mapping[str, Units]]) -> Mapping[str, Units]:
    """The units of all replicates; none where they have not the same kinds."""
    first, *others = replicates
    if any(other.keys() != first.keys() for other in others):
        return {}
    return {kind: _of_all([units[kind] for units in replicates]) for kind in first}


def _of_all(replicates: Sequence[Units]) -> Units:
    """What has the same name is one unit, and each replicate counts alike."""
    if len(replicates) == 1:
        return replicates[0]
    found: dict[str, list[tuple[float, float]]] = {}
    for units in replicates:
        whole = math.fsum(weight for _, weight in units.values())
        for name, (value, weight) in units.items():
            found.setdefault(name, []).append((value, weight / whole))
    masses = {name: math.fsum(weight for _, weight in pairs) for name, pairs in found.items()}
    return {name: (math.fsum(v * w for v, w in pairs) / masses[name], masses[name]) for name, pairs in found.items()}
