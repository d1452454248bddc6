"""Marginal means of a dimension's levels, and the differences between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from metricsengine.arrays import Floats, Integers
from metricsengine.estimate import Estimate
from metricsengine.wording import plural
from metricsengine_comparisons.marginals.balance import Balance, balance
from metricsengine_comparisons.marginals.cells import Table
from metricsengine_comparisons.marginals.chance import Chance
from metricsengine_comparisons.marginals.errors import Errors
from metricsengine_comparisons.marginals.found import Tested, labelled
from metricsengine_comparisons.marginals.replicates import Joins
from metricsengine_comparisons.marginals.sums import Single

MEAN, DIFFERENCE = "marginal_mean", "marginal_difference"

MOST = 6
"""Levels of which all pairs are compared; of more, each with the first."""


@dataclass(frozen=True)
class Margin:
    """One dimension of a table.

    Attributes:
        table: The table.
        dimension: Name of the dimension.
        joins: What the cells' replicates make together.
    """

    table: Table
    dimension: str
    joins: Joins

    @cached_property
    def _balance(self) -> Balance:
        return balance(self.table, (self.dimension,))

    @cached_property
    def _errors(self) -> Errors:
        return self.joins.errors(self._balance.replicates)

    @cached_property
    def _cells(self) -> dict[str, Integers]:
        """Numbers of the cells at each level."""
        places = self._balance.places(self._errors.number)
        return dict(zip(self.table.levels[self.dimension], places, strict=True))

    def _mean(self, cells: Integers, weight: float = 1.0) -> Floats:
        """Weight of each cell in the mean of these."""
        found = np.zeros(len(self._errors.cells))
        found[cells] = weight / len(cells)
        return found

    @property
    def _common(self) -> dict[str, Any]:
        table = self.table
        return {
            "unit": table.unit,
            "over": (*self._balance.others, *table.replicates, *table.over),
            "excluded": self._balance.excluded,
        }

    def means(self) -> Iterator[Estimate]:
        """The mean at each level, over combinations that are there at all; one that says why there is none.

        A level at which nothing is defined takes no combination from the others: its own mean says why it has none.
        """
        labels = labelled(self.table, dimension=self.dimension)
        if reason := self._balance.reason:
            yield Estimate.undefined(MEAN, reason, labels=labels, **self._common)
            return
        n = len(self._balance.outer)
        for level, cells in self._cells.items():
            chance, value = self._of(self._mean(cells))
            found = chance.signed(value)
            if self._balance.others:
                found["interval"] += f"; mean of {plural(n, 'combination')}, each with the same weight"
            own = labelled(self.table, dimension=self.dimension, level=level)
            yield Estimate(MEAN, value, n, own, flags=(*chance.flags, *self.table.flags), **self._common, **found)
        for level, why in self.table.undefined(self.dimension).items():
            own = labelled(self.table, dimension=self.dimension, level=level)
            common = self._common | {"excluded": {}}
            yield Estimate.undefined(MEAN, f"nothing is defined at this level: {why}", labels=own, **common)

    def differences(self) -> Iterator[Tested]:
        """Those of all pairs of levels, or of each level and the first; a level less its base."""
        if self._balance.reason:
            return
        cells = self._cells
        pairs = list(combinations(cells, 2)) if len(cells) <= MOST else [(next(iter(cells)), b) for b in cells]
        for base, level in (pair for pair in pairs if pair[0] != pair[1]):
            yield self._difference(base, level, self._mean(cells[level]) + self._mean(cells[base], -1.0))

    def _of(self, weights: Floats) -> tuple[Chance, float]:
        return self._errors.of(Single(weights)), float(weights @ self._errors.values)

    def _difference(self, base: str, level: str, weights: Floats) -> Tested:
        chance, value = self._of(weights)
        labels = labelled(self.table, dimension=self.dimension, level=level, base=base)
        flags, n = (*chance.flags, *self.table.flags), len(self._balance.outer)
        estimate = Estimate(DIFFERENCE, value, n, labels, flags=flags, **self._common, **chance.signed(value))
        return Tested(estimate, *chance.p(np.array([value])))
