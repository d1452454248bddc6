"""Units that several cells of a table share, and what resampling them together does to the cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metricsengine import seeds
from metricsengine.arrays import Floats, Integers
from metricsengine_comparisons.marginals.cells import Cell
from metricsengine_comparisons.pairing import Units

BATCH = 1_000_000
"""Numbers held at once while drawing: bounds memory whatever the number of units."""

_KEPT = 200_000_000
"""Bytes of drawn numbers that are kept for other tables."""

_FEWEST = 400
"""Resamples that even the largest table has."""

_CELLS = 20_000_000
"""Resampled cells of a table, all resamples together, beyond which there are fewer of these."""

_PRODUCTS = 20_000_000_000
"""The same for the products that they take."""

_DRAWN = 100
"""Drawing a unit takes as long as so many products."""


class Draws:
    """Random numbers that all tables of a metric share.

    Args:
        seed: Seed of the comparison.
        count: Number of resamples.
    """

    def __init__(self, seed: int, count: int) -> None:
        self.count = count
        self._seed = seed
        self._kept: dict[tuple[str | int, ...], NDArray[Any]] = {}

    def affordable(self, cells: int, products: int = 0) -> int:
        """Number of resamples of a table: all, or as many as its size allows.

        Args:
            cells: Number of its cells.
            products: How many products one of them takes.

        Example:
            >>> draws = Draws(1, 2000)
            >>> draws.affordable(1000, 1_000_000), draws.affordable(1000, 20_000_000), draws.affordable(1_000_000)
            (2000, 1000, 400)
        """
        most = min(_CELLS // max(cells, 1), _PRODUCTS // max(products, 1))
        return min(self.count, max(_FEWEST, most))

    def times(self, units: int, stream: int, count: int) -> NDArray[np.uint16]:
        """How often each unit was drawn, shape (count, units); another stream is independent."""

        def drawn() -> NDArray[np.uint16]:
            rng = seeds.generator("marginals", self._seed, units, stream)
            size = max(1, BATCH // units)
            sizes = [min(size, count - start) for start in range(0, count, size)]
            return np.concatenate([_counted(rng.integers(units, size=(rows, units), dtype=np.intp)) for rows in sizes])

        return self._once(("times", units, stream, count), drawn)

    def normal(self, cells: int) -> Floats:
        """Independent standard normal numbers, shape (draws, cells)."""
        rng = seeds.generator("marginals, normal", self._seed, cells)
        count = self.affordable(cells)
        return self._once(("normal", cells), lambda: rng.standard_normal((count, cells)))

    def _once(self, key: tuple[str | int, ...], draw: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """Drawn numbers, kept while there are not too many of them: drawn anew, they are the same."""
        if key not in self._kept:
            found = draw()
            if found.nbytes + sum(kept.nbytes for kept in self._kept.values()) > _KEPT:
                self._kept.clear()
            self._kept[key] = found
        return self._kept[key]


def _counted(drawn: Integers) -> NDArray[np.uint16]:
    rows, units = drawn.shape
    flat = (drawn + units * np.arange(rows)[:, np.newaxis]).ravel()
    return np.asarray(np.bincount(flat, minlength=rows * units).reshape(rows, units), dtype=np.uint16)


@dataclass(frozen=True)
class Pool:
    """Cells that share units, directly or by way of others: what is resampled together.

    Attributes:
        cells: Numbers of the cells.
        values: Value of each unit in each cell, shape (units, cells); 0 where it has none.
        weights: Weight of each, 0 where a cell does not have the unit.
        stream: Number of the pool, by which its draws are independent of others.
    """

    cells: Integers
    values: Floats
    weights: Floats
    stream: int

    @cached_property
    def means(self) -> Floats:
        """Weighted mean of each cell."""
        means: Floats = (self.weights * self.values).sum(axis=0) / self.weights.sum(axis=0)
        return means

    @cached_property
    def counts(self) -> Integers:
        """Number of units of each cell."""
        return np.asarray(np.count_nonzero(self.weights, axis=0), dtype=np.intp)

    @cached_property
    def influence(self) -> Floats:
        """How each unit moves each mean, shape (units, cells): products of columns are the covariance.

        That is the sandwich estimate of Liang and Zeger (1986) with its factor G / (G - 1).
        """
        factors = np.sqrt(self.counts / np.maximum(self.counts - 1, 1))
        found: Floats = factors * self.weights * (self.values - self.means) / self.weights.sum(axis=0)
        return found

    @cached_property
    def factor(self) -> Floats:
        """As few rows as have the same products of columns as the influence, shape (rows, cells)."""
        units, cells = self.influence.shape
        return self.influence if units <= cells else np.asarray(np.linalg.qr(self.influence, mode="r"))

    @property
    def products(self) -> int:
        """How many products a resample takes, about."""
        return len(self.values) * (len(self.cells) + _DRAWN)

    def moved(self, draws: Draws, count: int) -> Floats:
        """Mean of each cell in each resample less its mean, shape (count, cells); NaN where it has no unit."""
        times, size = draws.times(len(self.values), self.stream, count), max(1, BATCH // len(self.values))
        masses, found = self.weights * (self.values - self.means), []
        for start in range(0, count, size):
            drawn = times[start : start + size].astype(np.float64)
            whole = drawn @ self.weights
            found.append(np.divide(drawn @ masses, whole, out=np.full(whole.shape, np.nan), where=whole > 0))
        return np.concatenate(found)


def pools(cells: Sequence[Cell]) -> Iterator[Pool]:
    """The cells that have units, for each kind of these parted into those that share none."""
    streams = count()
    for kind in dict.fromkeys(kind for cell in cells for kind in cell.units):
        units = {i: cell.units[kind] for i, cell in enumerate(cells) if kind in cell.units}
        yield from (Pool(*parted, next(streams)) for parted in _parted(units))


def _parted(of_cells: Mapping[int, Units]) -> Iterator[tuple[Integers, Floats, Floats]]:
    """The cells, values and weights of each pool, in the order of its first unit.

    Args:
        of_cells: The units of one kind, by number of the cell.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    having = list(of_cells)
    names = sorted({name for units in of_cells.values() for name in units})
    row = {name: number for number, name in enumerate(names)}
    ends = [(row[name], column) for column, i in enumerate(having) for name, (_, w) in of_cells[i].items() if w > 0]
    units, columns = np.array(ends, dtype=np.intp).T
    # A graph of units and cells: what is connected is resampled together.
    size = len(names) + len(having)
    graph = csr_array((np.ones(len(ends)), (units, len(names) + columns)), shape=(size, size))
    _, pool_of = connected_components(graph, directed=False)
    pool_of_unit, pool_of_cell = pool_of[: len(names)], pool_of[len(names) :]
    for pool in dict.fromkeys(pool_of_unit[np.unique(units)].tolist()):
        numbers = np.array(having, dtype=np.intp)[pool_of_cell == pool]
        own = [names[unit] for unit in np.flatnonzero(pool_of_unit == pool).tolist()]
        yield numbers, *_spread([of_cells[i] for i in numbers.tolist()], own)


def _spread(cells: Sequence[Units], names: Sequence[str]) -> tuple[Floats, Floats]:
    """Values and weights of these units in each cell, each of shape (units, cells)."""
    row = {name: number for number, name in enumerate(names)}
    values, weights = np.zeros((2, len(names), len(cells)))
    for column, units in enumerate(cells):
        found = {row[name]: pair for name, pair in units.items() if name in row}
        values[list(found), column], weights[list(found), column] = np.array(list(found.values())).T
    return values, weights
