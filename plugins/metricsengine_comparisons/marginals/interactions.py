"""Interactions: how far a table of two dimensions departs from the sum of their effects."""

from __future__ import annotations

from typing import Any

import numpy as np

from metricsengine.arrays import Floats
from metricsengine.estimate import Estimate
from metricsengine_comparisons.marginals.balance import Balance, balanced_pair
from metricsengine_comparisons.marginals.cells import Table
from metricsengine_comparisons.marginals.chance import ROUNDING, Chance
from metricsengine_comparisons.marginals.found import Tested, labelled
from metricsengine_comparisons.marginals.replicates import Joins
from metricsengine_comparisons.marginals.sums import Departures

INTERACTION = "interaction"

MOST = 2000
"""Cells of two dimensions up to which an interaction has an interval and a test.

A test that anything at all departs among more says little, and takes time by the third power of their number.
"""


def interaction(table: Table, first: str, second: str, joins: Joins) -> Tested | None:
    """The root mean square of the departures from additivity of two dimensions, averaged over all others.

    Of two levels each, ``a`` and ``b``, it is ``|a1b1 - a1b2 - a2b1 + a2b2| / 4``.

    Args:
        table: The table.
        first: Name of one dimension.
        second: Name of the other.
        joins: What the replicates of the table's cells make together.

    Returns:
        None where there are not two levels of each at which anything is complete; undefined where no replicate is
        shared by all the cells.
    """
    found = balanced_pair(table, first, second)
    if found is None:
        return None
    common: dict[str, Any] = {
        "labels": labelled(table, dimension=first, dimension_b=second),
        "unit": table.unit,
        "over": (*found.others, *table.replicates, *table.over),
        "excluded": found.excluded,
    }
    if reason := found.reason:
        return Tested(Estimate.undefined(INTERACTION, reason, flags=table.flags, **common), None, reason)
    errors = joins.errors(found.replicates)
    rows, columns = (len(found.table.levels[name]) for name in (first, second))
    sums = Departures(found.places(errors.number).reshape(rows, columns, -1))
    values = sums.of(errors.values[np.newaxis, sums.used])[0]
    chance = errors.of(sums) if rows * columns <= MOST else _untested(rows, columns)
    size = float(np.sqrt(np.mean(values**2)))
    common["flags"] = (*_largest(found, values, ROUNDING * chance.scale), *chance.flags, *table.flags)
    estimate = Estimate(INTERACTION, size, len(found.inner) * len(found.outer), **common, **chance.size(size))
    return Tested(estimate, *chance.p(values))


def _untested(rows: int, columns: int) -> Chance:
    return Chance(f"none: {rows} x {columns} levels are too many, an interaction is tested over at most {MOST:,}")


def _largest(found: Balance, values: Floats, least: float) -> tuple[str, ...]:
    """The cell that departs the most; the first of several."""
    sizes = np.abs(values)
    if sizes.max() <= least:
        return ()
    place = int(np.flatnonzero(sizes >= sizes.max() * (1 - 1e-9))[0])
    levels = zip(found.dimensions, found.inner[place], strict=True)
    side = "above" if values[place] > 0 else "below"
    return (f"departs most at {', '.join(f'{name}={level}' for name, level in levels)}, {side} the sum",)
