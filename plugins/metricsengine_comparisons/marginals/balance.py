"""The part of a table that is complete: what is averaged over, replicates too, is then the same at every level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from metricsengine.arrays import Integers
from metricsengine.wording import first_few, plural
from metricsengine_comparisons.marginals.cells import Levels, Table
from metricsengine_comparisons.marginals.replicates import shared


@dataclass(frozen=True)
class Balance:
    """The combinations of the other dimensions' levels that are defined at all levels of some dimensions.

    Attributes:
        table: The table.
        dimensions: The dimensions that are not averaged over.
        outer: The combinations, as levels of the other dimensions.
        left: How many combinations, and levels, were left out, by reason.
    """

    table: Table
    dimensions: tuple[str, ...]
    outer: Sequence[Levels]
    left: Mapping[str, int]

    @property
    def others(self) -> tuple[str, ...]:
        """The dimensions that are averaged over."""
        return tuple(name for name in self.table.dimensions if name not in self.dimensions)

    @property
    def inner(self) -> list[Levels]:
        """All combinations of the levels of the dimensions."""
        return list(product(*(self.table.levels[name] for name in self.dimensions)))

    @cached_property
    def cells(self) -> list[list[Levels]]:
        """The cells at each inner combination, one for each outer."""
        return [[_joined(self.table, self.dimensions, here, there) for there in self.outer] for here in self.inner]

    def places(self, number: Mapping[Levels, int]) -> Integers:
        """Numbers of the cells, shape (inner, outer)."""
        return np.array([[number[levels] for levels in row] for row in self.cells], dtype=np.intp)

    @property
    def replicates(self) -> tuple[Levels, ...]:
        """The replicates that all the cells define: no others are averaged."""
        return self._shared[0]

    @property
    def excluded(self) -> dict[str, int]:
        """How many combinations, levels and replicates were left out, by reason."""
        return {**self.left, **self._shared[1]}

    @cached_property
    def _shared(self) -> tuple[tuple[Levels, ...], dict[str, int]]:
        return shared(self.table.cells[levels] for row in self.cells for levels in row)

    @property
    def reason(self) -> str:
        """Why there is nothing to be averaged over; empty where there is something."""
        if self.replicates:
            return ""
        own = " and ".join(self.dimensions)
        if not self.inner:
            return f"nothing is defined at any level of {own}{_told(Counter(self.table.lacking.values()))}"
        if self.outer:
            n, named = len(self.inner) * len(self.outer), " and ".join(self.table.replicates)
            return f"no {named} is defined in all of the {plural(n, 'cell')} that are compared{_told(self._shared[1])}"
        others = ", ".join(self.others)
        return (
            f"no combination of the other swept dimensions ({others}) is defined at every level of {own}"
            f"{_told(self.left)}"
        )


def balance(table: Table, dimensions: Sequence[str]) -> Balance:
    """The combinations of the other dimensions that are defined at every level of these; others are counted."""
    there: dict[Levels, set[Levels]] = {}
    for levels in table.cells:
        here, outer = _parted(table, dimensions, levels)
        there.setdefault(outer, set()).add(here)
    for levels in table.lacking:
        there.setdefault(_parted(table, dimensions, levels)[1], set())
    found = Balance(table, tuple(dimensions), (), {})
    inner = found.inner
    complete = [outer for outer, here in there.items() if len(here) == len(inner)]
    partial = {combination: here for combination, here in there.items() if len(here) < len(inner)}
    excluded = Counter(_why(table, dimensions, combination, inner, here) for combination, here in partial.items())
    return replace(found, outer=complete, left=dict(sorted(excluded.items())))


def balanced_pair(table: Table, first: str, second: str) -> Balance | None:
    """The same for two dimensions; where no combination has all levels, of fewer levels, the most complete ones.

    Returns:
        None where not even two levels of each are left.
    """
    nowhere = {name: len(table.undefined(name)) for name in (first, second)}
    left = Counter({f"undefined levels of {name}": n for name, n in nowhere.items() if n})
    outer = Counter(_parted(table, (first, second), levels)[1] for levels in table.cells)
    if max(outer.values(), default=0) < 4:
        return None
    while all(len(table.levels[name]) > 1 for name in (first, second)):
        found = balance(table, (first, second))
        if found.outer:
            return replace(found, left={**found.left, **left})
        spare = [name for name in (first, second) if len(table.levels[name]) > 2]
        if not spare:
            return None
        name, level = _least_complete(table, spare)
        left[f"incomplete levels of {name}"] += 1
        table = _without(table, name, level)
    return None


def _told(reasons: Mapping[str, int]) -> str:
    told = first_few((f"{reason} ({n})" for reason, n in reasons.items()), 3)
    return f": {told}" if told else ""


def _parted(table: Table, dimensions: Sequence[str], levels: Levels) -> tuple[Levels, Levels]:
    """The levels of the dimensions, and those of the others."""
    said = dict(zip(table.dimensions, levels, strict=True))
    return tuple(said[name] for name in dimensions), tuple(said[n] for n in table.dimensions if n not in dimensions)


def _joined(table: Table, dimensions: Sequence[str], here: Levels, outer: Levels) -> Levels:
    others = [name for name in table.dimensions if name not in dimensions]
    said = dict(zip((*dimensions, *others), (*here, *outer), strict=True))
    return tuple(said[name] for name in table.dimensions)


def _why(table: Table, dimensions: Sequence[str], outer: Levels, inner: Sequence[Levels], here: set[Levels]) -> str:
    """Where a combination is not there: the first place, and how many more."""
    first = next(levels for levels in inner if levels not in here)
    place = ", ".join(f"{name}={level}" for name, level in zip(dimensions, first, strict=True))
    more = len(inner) - len(here) - 1
    known = _joined(table, dimensions, first, outer) in table.lacking
    return f"{'undefined' if known else 'nothing'} at {place}" + (f" and {plural(more, 'place')} more" if more else "")


def _least_complete(table: Table, dimensions: Sequence[str]) -> tuple[str, str]:
    """The level that has the smallest share of its cells, of several the last of the dimension with the most."""
    share = {
        (name, level): sum(levels[table.dimensions.index(name)] == level for levels in table.cells)
        * len(table.levels[name])
        for name in sorted(dimensions, key=lambda name: -len(table.levels[name]))
        for level in reversed(table.levels[name])
    }
    return min(share, key=lambda pair: share[pair])


def _without(table: Table, name: str, level: str) -> Table:
    place = table.dimensions.index(name)
    cells = {levels: cell for levels, cell in table.cells.items() if levels[place] != level}
    kept = tuple(other for other in table.levels[name] if other != level)
    return replace(table, levels={**table.levels, name: kept}, cells=cells)
