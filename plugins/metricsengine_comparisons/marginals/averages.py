"""The cells that an estimate is the average of: its units, where the metric tells none."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from metricsengine.aggregate import MEAN_OF_CELLS
from metricsengine.estimate import Estimate
from metricsengine_comparisons.groups import REPEAT
from metricsengine_comparisons.pairing import Told, Units

_ROUNDING = 1e-9


class Averaged:
    """Units of estimates: those that the metric tells, or the cells of an average over one label, by its values.

    Averages over several labels have none here: cells of one topic resemble each other, and so do those of one persona.

    Args:
        estimates: All estimates of a metric.
        told: The units that metrics told.
    """

    def __init__(self, estimates: Iterable[Estimate], told: Told) -> None:
        self._told = told
        self._cells: dict[str, list[Estimate]] = {}
        for estimate in estimates:
            if not estimate.over and estimate.defined and REPEAT not in estimate.labels:
                for label in estimate.labels:
                    self._cells.setdefault(label, []).append(estimate)

    def units(self, estimate: Estimate) -> tuple[Units, str]:
        """Value and weight of each unit of a defined estimate, and what they are, in the plural."""
        units = self._told.sample("", estimate).units
        if units or len(estimate.over) != 1 or MEAN_OF_CELLS not in estimate.flags:
            return units, "units"
        [label] = estimate.over
        found = [cell for cell in self._cells.get(label, ()) if estimate.labels.items() <= cell.labels.items()]
        return _by_label(estimate, found, label), f"{label}s"


def _by_label(estimate: Estimate, found: Sequence[Estimate], label: str) -> Units:
    """The cells by value of the label; none where they are not what was averaged."""
    units = {cell.labels[label]: (cell.value, 1.0) for cell in found if cell.value is not None}
    if not units or len(units) != len(found) or estimate.value is None:
        return {}
    mean = math.fsum(value for value, _ in units.values()) / len(units)
    close = _ROUNDING * max(abs(value) for value, _ in units.values())
    return units if abs(mean - estimate.value) <= close else {}
