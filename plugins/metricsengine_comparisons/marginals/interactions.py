"""Interactions: how far a table of two dimensions departs from the sum of their effects."""

from __future__ import annotations

from typing import Any

import numpy as np

from metricsengine.arrays import Floats
from metricsengine.estimate import Estimate
from metricsengine_comparisons.marginals.balance import Balance, balanced_pair
from metricsengine_comparisons.marginals.cells import Table
from metricsengine_comparisons.marginals.chance import ROUNDING
from metricsengine_comparisons.marginals.errors import Errors
from metricsengine_comparisons.marginals.found import Tested, labelled

INTERACTION = "interaction"


def departures(rows: int, columns: int) -> Floats:
    """What takes from a table its departures from additivity: each cell less its row's and column's mean, plus all's.

    Returns:
        Shape (rows * columns, rows * columns), for the cells of a table row by row.

    Example:
        >>> (departures(2, 2) @ [1, 2, 3, 8]).tolist()
        [1.0, -1.0, -1.0, 1.0]
    """
    row, column = (np.eye(size) - 1 / size for size in (rows, columns))
    return np.asarray(np.kron(row, column), dtype=np.float64)


def interaction(table: Table, first: str, second: str, errors: Errors) -> Tested | None:
    """The root mean square of the departures from additivity of two dimensions, averaged over all others.

    Of two levels each, ``a`` and ``b``, it is ``|a1b1 - a1b2 - a2b1 + a2b2| / 4``.

    Args:
        table: The table.
        first: Name of one dimension.
        second: Name of the other.
        errors: What is known of chance in the table's cells.

    Returns:
        None where there are not two levels of each at which anything is complete.
    """
    found = balanced_pair(table, first, second)
    if found is None:
        return None
    rows, columns = (len(found.table.levels[name]) for name in (first, second))
    cells = {levels: i for i, levels in enumerate(table.cells)}
    weights = np.zeros((rows * columns, len(cells)))
    weights[:, [cells[levels] for levels in found.table.cells]] = departures(rows, columns) @ found.means
    values = weights @ np.array([cell.value for cell in table.cells.values()])
    chance = errors.of(weights)
    size = float(np.sqrt(np.mean(values**2)))
    common: dict[str, Any] = {
        "labels": labelled(table, dimension=first, dimension_b=second),
        "unit": table.unit,
        "over": (*found.others, *table.replicates, *table.over),
        "excluded": {**found.excluded, **table.excluded},
        "flags": (*_largest(found, values, ROUNDING * chance.scale), *chance.flags, *table.flags),
    }
    estimate = Estimate(INTERACTION, size, len(found.inner) * len(found.outer), **common, **chance.size(size))
    return Tested(estimate, *chance.p(values))


def _largest(found: Balance, values: Floats, least: float) -> tuple[str, ...]:
    """The cell that departs the most; the first of several."""
    sizes = np.abs(values)
    if sizes.max() <= least:
        return ()
    place = int(np.flatnonzero(sizes >= sizes.max() * (1 - 1e-9))[0])
    levels = zip(found.dimensions, found.inner[place], strict=True)
    side = "above" if values[place] > 0 else "below"
    return (f"departs most at {', '.join(f'{name}={level}' for name, level in levels)}, {side} the sum",)
