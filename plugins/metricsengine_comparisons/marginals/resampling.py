"""Units that several cells of a table share, and what resampling them together does to the cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metricsengine import seeds
from metricsengine.arrays import Floats, Integers
from metricsengine_comparisons.marginals.cells import Cell

_BATCH = 1_000_000
"""Numbers held at once while drawing: bounds memory whatever the number of units."""


class Draws:
    """Random numbers that all tables of a metric share, each drawn once.

    Args:
        seed: Seed of the comparison.
        count: Number of resamples.
    """

    def __init__(self, seed: int, count: int) -> None:
        self.count = count
        self._seed = seed
        self._times: dict[tuple[int, int], NDArray[np.uint16]] = {}
        self._normal: dict[int, Floats] = {}

    def times(self, units: int, stream: int) -> NDArray[np.uint16]:
        """How often each unit was drawn, shape (draws, units); another stream is independent."""
        key = (units, stream)
        if key not in self._times:
            rng = seeds.generator("marginals", self._seed, units, stream)
            size = max(1, _BATCH // units)
            sizes = [min(size, self.count - start) for start in range(0, self.count, size)]
            drawn = [_counted(rng.integers(units, size=(rows, units), dtype=np.intp)) for rows in sizes]
            self._times[key] = np.concatenate(drawn)
        return self._times[key]

    def normal(self, cells: int) -> Floats:
        """Independent standard normal numbers, shape (draws, cells)."""
        if cells not in self._normal:
            rng = seeds.generator("marginals, normal", self._seed, cells)
            self._normal[cells] = rng.standard_normal((self.count, cells))
        return self._normal[cells]


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

    def moved(self, draws: Draws) -> Floats:
        """Mean of each cell in each resample less its mean, shape (draws, cells); NaN where it has no unit."""
        times, size = draws.times(len(self.values), self.stream), max(1, _BATCH // len(self.values))
        masses, found = self.weights * (self.values - self.means), []
        for start in range(0, len(times), size):
            drawn = times[start : start + size].astype(np.float64)
            whole = drawn @ self.weights
            found.append(np.divide(drawn @ masses, whole, out=np.full(whole.shape, np.nan), where=whole > 0))
        return np.concatenate(found)


def pools(cells: Sequence[Cell]) -> Iterator[Pool]:
    """The cells that have units, parted into those that share none; in the order of their first unit."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    having = [i for i, cell in enumerate(cells) if cell.units]
    names = sorted({name for i in having for name in cells[i].units})
    row = {name: number for number, name in enumerate(names)}
    values, weights = np.zeros((2, len(names), len(having)))
    for column, i in enumerate(having):
        rows = [row[name] for name in cells[i].units]
        values[rows, column], weights[rows, column] = np.array(list(cells[i].units.values())).T
    if not having:
        return
    there = csr_array((weights > 0).astype(np.int64))
    _, pool_of = connected_components(there.T @ there, directed=False)
    first = {int(pool): int(np.argmax((weights[:, pool_of == pool] > 0).any(axis=1))) for pool in set(pool_of)}
    for stream, pool in enumerate(sorted(first, key=lambda pool: first[pool])):
        own = np.flatnonzero(pool_of == pool)
        having_any = np.flatnonzero((weights[:, own] > 0).any(axis=1))
        numbers = np.array([having[i] for i in own], dtype=np.intp)
        yield Pool(numbers, values[np.ix_(having_any, own)], weights[np.ix_(having_any, own)], stream)
