"""How far chance moves weighted sums of a table's cells: by the units that they share, or by their standard errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metricsengine.aggregate import FEW, LEAST
from metricsengine.arrays import Floats
from metricsengine.wording import plural
from metricsengine_comparisons.marginals.cells import Cell, Levels
from metricsengine_comparisons.marginals.chance import Chance
from metricsengine_comparisons.marginals.resampling import BATCH, Draws, Pool, pools
from metricsengine_comparisons.marginals.significance import Covariance, Part
from metricsengine_comparisons.marginals.sums import Sums
from metricsengine_comparisons.pairing import FROM_ERRORS

_NOTHING = "none: neither units that could be resampled nor standard errors or intervals"

_LOST = 0.05
"""The share of resamples without a value above which there is no interval: they could fill both tails."""


@dataclass
class Errors:
    """What is known of chance in the cells of one table.

    Attributes:
        found: The cells by their levels.
        draws: Random numbers.
    """

    found: Mapping[Levels, Cell]
    draws: Draws

    @cached_property
    def cells(self) -> list[Cell]:
        """The cells."""
        return list(self.found.values())

    @cached_property
    def number(self) -> dict[Levels, int]:
        """Number of each cell among them."""
        return {levels: i for i, levels in enumerate(self.found)}

    @cached_property
    def values(self) -> Floats:
        """Value of each cell."""
        return np.array([cell.value for cell in self.cells], dtype=np.float64)

    @cached_property
    def _pools(self) -> list[Pool]:
        return list(pools(self.cells))

    @cached_property
    def _pools_of(self) -> list[list[int]]:
        """Numbers of each cell's pools: one for each kind of units that it has."""
        found: list[list[int]] = [[] for _ in self.cells]
        for number, pool in enumerate(self._pools):
            for cell in pool.cells.tolist():
                found[cell].append(number)
        return found

    @cached_property
    def _resampled(self) -> Floats:
        """How far each resample moves each cell, shape (draws, cells); not at all where it has no units."""
        count = self.draws.affordable(len(self.cells), sum(pool.products for pool in self._pools))
        found = np.zeros((count, len(self.cells)))
        for pool in self._pools:
            found[:, pool.cells] += pool.moved(self.draws, count)
        return found

    @cached_property
    def _scale(self) -> float:
        return max((abs(cell.value) for cell in self.cells), default=0.0) or 1.0

    def of(self, sums: Sums) -> Chance:
        """What chance does to sums of the cells."""
        cells = [self.cells[i] for i in sums.used.tolist()]
        kinds = cells[0].units.keys()
        if kinds and all(cell.units.keys() == kinds for cell in cells):
            return self._by_units(sums, list(kinds))
        if lacking := [cell for cell in cells if cell.error is None]:
            return Chance(next((cell.why for cell in lacking if cell.why), _NOTHING))
        least = min(cell.n for cell in cells)
        if least < LEAST:
            return Chance(f"none: standard errors over {least}, and an interval takes at least {LEAST}")
        return self._by_errors(sums, least)

    def _by_units(self, sums: Sums, kinds: Sequence[str]) -> Chance:
        fewest = {kind: min(len(self.cells[i].units[kind]) for i in sums.used.tolist()) for kind in kinds}
        kind = min(fewest, key=lambda kind: fewest[kind])
        if (least := fewest[kind]) < LEAST:
            return Chance(f"none: {plural(least, kind.removesuffix('s'))}, and a bootstrap takes at least {LEAST}")
        moved = _moved(self._resampled, sums)
        defined = np.isfinite(moved)
        crossed = " x ".join(kinds)
        if defined.mean() < 1 - _LOST:
            return Chance(f"none: too many resamples of {crossed} have no value")
        parts = self._parts(sums)
        how = "paired" if len(parts) == len(kinds) else "independent"
        called = f"{how} {crossed}" if len(sums.used) > 1 else crossed
        method = f"bootstrap over {called}, {len(moved)} draws" + (", widened for few" if least < FEW else "")
        return Chance(method, Covariance(parts), moved[defined], least, self._scale, resampled=True)

    def _parts(self, sums: Sums) -> list[Part]:
        """What each pool of units adds to the sums."""
        place = np.full(len(self.cells), -1, dtype=np.intp)
        place[sums.used] = np.arange(len(sums.used))
        factors, free = [], []
        for number in sorted({number for i in sums.used.tolist() for number in self._pools_of[i]}):
            pool = self._pools[number]
            at = place[pool.cells]
            own = at >= 0
            factor = np.zeros((len(pool.factor), len(sums.used)))
            factor[:, at[own]] = pool.factor[:, own]
            factors.append(sums.of(factor))
            free.append(int(pool.counts[own].min()) - 1)
        return [Part(factor, n) for factor, n in zip(factors, free, strict=True)]

    def _by_errors(self, sums: Sums, least: int) -> Chance:
        cells = [self.cells[i] for i in sums.used.tolist()]
        errors = np.array([cell.error or 0.0 for cell in cells])
        factors = sums.apart(errors)
        parts = [Part(factor[np.newaxis], cell.n - 1) for factor, cell in zip(factors, cells, strict=True)]
        # The interval of a single sum needs no draws.
        several = factors.shape[1] > 1
        moved = _moved(self.draws.normal(len(self.cells)), sums, errors) if several else None
        return Chance(FROM_ERRORS, Covariance(parts), moved, least, self._scale)


def _moved(cells: Floats, sums: Sums, factors: Floats | float = 1.0) -> Floats:
    """How far each draw moves one sum; of several, the root mean square of how far it moves them. Shape (draws,).

    Args:
        cells: How far each draw moves each cell, shape (draws, cells).
        sums: The sums.
        factors: By what each used cell is multiplied.
    """
    size, found = max(1, BATCH // len(sums.used)), []
    for start in range(0, len(cells), size):
        moved = sums.of(cells[start : start + size, sums.used] * factors)
        found.append(moved[:, 0] if moved.shape[1] == 1 else np.sqrt(np.mean(moved**2, axis=1)))
    return np.concatenate(found)
