"""How far chance moves weighted sums of a table's cells: by the units that they share, or by their standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from metricsengine.aggregate import FEW, LEAST
from metricsengine.arrays import Floats, Integers
from metricsengine.wording import plural
from metricsengine_comparisons.marginals.cells import Cell
from metricsengine_comparisons.marginals.chance import Chance
from metricsengine_comparisons.marginals.resampling import Draws, Pool, pools
from metricsengine_comparisons.marginals.significance import Part

_LOST = 0.05
"""The share of resamples without a value above which there is no interval: they could fill both tails."""


@dataclass
class Errors:
    """What is known of chance in the cells of one table.

    Attributes:
        cells: The cells.
        draws: Random numbers.
    """

    cells: Sequence[Cell]
    draws: Draws
    _moved: dict[int, Floats] = field(default_factory=dict)

    @cached_property
    def _pools(self) -> list[Pool]:
        return list(pools(self.cells))

    @cached_property
    def _scale(self) -> float:
        return max((abs(cell.value) for cell in self.cells), default=0.0) or 1.0

    def of(self, weights: Floats) -> Chance:
        """What chance does to sums of the cells.

        Args:
            weights: Weight of each cell in each sum, shape (sums, cells).
        """
        used = np.flatnonzero(np.any(weights != 0, axis=0))
        cells = [self.cells[i] for i in used.tolist()]
        if all(cell.units for cell in cells):
            return self._by_units(weights, used, min(len(cell.units) for cell in cells))
        if any(cell.error is None for cell in cells):
            return Chance("none: neither units that could be resampled nor standard errors or intervals")
        least = min(cell.n for cell in cells)
        if least < LEAST:
            return Chance(f"none: standard errors over {least}, and an interval takes at least {LEAST}")
        return self._by_errors(weights, used, least)

    def _by_units(self, weights: Floats, used: Integers, least: int) -> Chance:
        kind = self.cells[used[0]].kind
        if least < LEAST:
            return Chance(f"none: {plural(least, kind.removesuffix('s'))}, and a bootstrap takes at least {LEAST}")
        parts, deviations = [], np.zeros((self.draws.count, len(weights)))
        own_cells = set(used.tolist())
        shared = [pool for pool in self._pools if not own_cells.isdisjoint(pool.cells.tolist())]
        for pool in shared:
            own = weights[:, pool.cells].T
            influence = pool.influence @ own
            parts.append(Part(influence.T @ influence, int(pool.counts[np.any(own != 0, axis=1)].min()) - 1))
            deviations += _summed(self._resampled(pool), own)
        defined = np.isfinite(deviations).all(axis=1)
        if defined.mean() < 1 - _LOST:
            return Chance(f"none: too many resamples of {kind} have no value")
        how = "paired" if len(shared) == 1 else "independent"
        called = f"{how} {kind}" if len(used) > 1 else kind
        method = f"bootstrap over {called}, {self.draws.count} draws" + (", widened for few" if least < FEW else "")
        return Chance(method, parts, deviations[defined], least, self._scale, resampled=True)

    def _resampled(self, pool: Pool) -> Floats:
        if pool.stream not in self._moved:
            self._moved[pool.stream] = pool.moved(self.draws)
        return self._moved[pool.stream]

    def _by_errors(self, weights: Floats, used: Integers, least: int) -> Chance:
        errors = np.array([self.cells[i].error or 0.0 for i in used.tolist()])
        own = weights[:, used] * errors
        free = [self.cells[i].n - 1 for i in used.tolist()]
        parts = [Part(np.outer(column, column), n) for column, n in zip(own.T, free, strict=True)]
        moved: Floats = self.draws.normal(len(self.cells))[:, used] @ own.T
        return Chance("independent, from standard errors", parts, moved, least, self._scale)


def _summed(moved: Floats, weights: Floats) -> Floats:
    """Sums of moved cells; a cell without weight may be undefined."""
    used = np.any(weights != 0, axis=1)
    found: Floats = moved[:, used] @ weights[used]
    return found
