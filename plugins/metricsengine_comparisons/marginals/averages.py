"""The cells that an estimate is the average of: its units, where the metric tells none."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from metricsengine.aggregate import LEAST, MEAN_OF_CELLS
from metricsengine.estimate import Estimate
from metricsengine_comparisons.groups import REPEAT
from metricsengine_comparisons.pairing import Told, Units

_ROUNDING = 1e-9


class Averaged:
    """Units of estimates: those that the metric tells, or the values of each label that an average of cells is over.

    Cells of one topic resemble each other, and so do those of one persona: an average over both varies with the topics
    and with the personas. Taking both as independent counts what is neither's own twice, and so errs on the safe side.
    A label of fewer than five values stays as it is.

    Args:
        estimates: All estimates of a metric.
        told: The units that metrics told.
    """

    def __init__(self, estimates: Iterable[Estimate], told: Told) -> None:
        self._told = told
        self._cells = [e for e in estimates if not e.over and e.defined and REPEAT not in e.labels]
        self._grouped: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[tuple[str, ...], list[Estimate]]] = {}

    def units(self, estimate: Estimate) -> Mapping[str, Units]:
        """Value and weight of each unit of a defined estimate, by what the units are, in the plural."""
        if told := self._told.sample("", estimate).units:
            return {"units": told}
        if not estimate.over or MEAN_OF_CELLS not in estimate.flags:
            return {}
        found = self._of(estimate)
        return _by_label(found, estimate.over) if _is_mean(estimate, found) else {}

    def _of(self, estimate: Estimate) -> Sequence[Estimate]:
        """The cells that have the estimate's labels and those that it is averaged over."""
        names = tuple(sorted(estimate.labels))
        if (names, estimate.over) not in self._grouped:
            grouped = self._grouped[names, estimate.over] = {}
            for cell in self._cells:
                if cell.labels.keys() >= {*names, *estimate.over}:
                    grouped.setdefault(tuple(cell.labels[name] for name in names), []).append(cell)
        return self._grouped[names, estimate.over].get(tuple(estimate.labels[name] for name in names), ())


def _is_mean(estimate: Estimate, cells: Sequence[Estimate]) -> bool:
    values = [cell.value for cell in cells if cell.value is not None]
    if not values or estimate.value is None:
        return False
    close = _ROUNDING * max(abs(value) for value in values)
    return abs(math.fsum(values) / len(values) - estimate.value) <= close


def _by_label(cells: Sequence[Estimate], labels: Sequence[str]) -> Mapping[str, Units]:
    """Mean and number of the cells of each value of a label; the last of the names tells what has too few."""
    found = {f"{label}s": _means(cells, label) for label in labels}
    units = {name: means for name, means in found.items() if len(means) >= LEAST}
    few = [f"{name}: fewer than {LEAST}" for name in found if name not in units]
    if units and few:
        name, means = units.popitem()
        units[f"{name} ({', '.join(few)})"] = means
    return units


def _means(cells: Sequence[Estimate], label: str) -> Units:
    values: dict[str, list[float]] = {}
    for cell in cells:
        if cell.value is not None:
            values.setdefault(cell.labels[label], []).append(cell.value)
    return {name: (math.fsum(own) / len(own), float(len(own))) for name, own in values.items()}
