"""Weighted sums of a table's cells, taken without a matrix of their weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from metricsengine.arrays import Floats, Integers


class Sums(Protocol):
    """Sums of some of a table's cells."""

    @property
    def used(self) -> Integers:
        """Numbers of the cells that are summed, each once."""

    def of(self, rows: Floats) -> Floats:
        """The sums of each row.

        Args:
            rows: Numbers of the used cells, shape (rows, used).

        Returns:
            Shape (rows, sums).
        """

    def apart(self, values: Floats) -> Floats:
        """What each used cell adds to the sums, shape (used, sums)."""


@dataclass(frozen=True)
class Single:
    """One sum.

    Attributes:
        weights: Weight of each cell of the table, shape (cells,).
    """

    weights: Floats

    @cached_property
    def used(self) -> Integers:
        """The cells that have a weight."""
        return np.flatnonzero(self.weights)

    def of(self, rows: Floats) -> Floats:
        """Shape (rows, 1)."""
        found: Floats = rows @ self.weights[self.used, np.newaxis]
        return found

    def apart(self, values: Floats) -> Floats:
        """Shape (used, 1)."""
        found: Floats = (values * self.weights[self.used])[:, np.newaxis]
        return found


@dataclass(frozen=True)
class Departures:
    """The departures from additivity of two dimensions' cells, each averaged over what else was swept.

    Attributes:
        cells: Numbers of the cells, shape (levels of one, levels of the other, averaged).
    """

    cells: Integers

    @property
    def used(self) -> Integers:
        """All cells, row by row."""
        return self.cells.ravel()

    def of(self, rows: Floats) -> Floats:
        """Each average less its row's and its column's mean, plus the mean of all; shape (rows, levels of both).

        Example:
            >>> Departures(np.arange(4).reshape(2, 2, 1)).of(np.array([[1.0, 2.0, 3.0, 8.0]])).tolist()
            [[1.0, -1.0, -1.0, 1.0]]
        """
        found: Floats = rows.reshape(len(rows), *self.cells.shape).mean(axis=3)
        found -= found.mean(axis=1, keepdims=True)
        found -= found.mean(axis=2, keepdims=True)
        return found.reshape(len(rows), -1)

    def apart(self, values: Floats) -> Floats:
        """Shape (used, levels of both)."""
        return self.of(np.diag(values))
