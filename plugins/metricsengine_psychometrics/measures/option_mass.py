"""How much of the next token's probability lies on the options that were shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from metricsengine.arrays import finite
from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine_psychometrics.measures.cells import Cell, cells, resampled
from metricsengine_psychometrics.measures.config import OptionMassConf
from metricsengine_psychometrics.measures.judged import by_arrangement

if TYPE_CHECKING:
    import pandas as pd


def option_mass(masses: ArrayLike) -> float:
    """Mean probability of all options together, over items and arrangements.

    Args:
        masses: 0 to 1, shape (n,), at least one.

    Example:
        >>> option_mass([1.0, 0.5, 0.0])
        0.5
    """
    return float(finite("masses", masses).mean())


class OptionMassMetric(Metric):
    """Probability of the options, unscorable items included."""

    def __init__(self, conf: OptionMassConf) -> None:
        self._conf = conf

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each test, template, mode and induced level."""
        return MetricResult([_mass(cell, context.seed) for cell in cells(by_arrangement(table, context.protocol))])

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Cells whose replies are written."""
        found = cells(by_arrangement(table, context.protocol))
        return [_written(cell) for cell in found if cell.labels["mode"] != "scores"]


def _written(cell: Cell) -> Estimate:
    reason = "a reply was written and no option scored: study.answer=[scores] scores them"
    return Estimate.undefined("option_mass", reason, labels=cell.labels)


def _mass(cell: Cell, seed: int) -> Estimate:
    known = cell.rows[cell.rows["mass"].notna()]
    failed = cell.rows[cell.rows["mass"].isna()]
    if cell.labels["mode"] != "scores":
        return _written(cell)
    excluded = Cell(cell.labels, failed).excluded
    if not len(known) and len(Cell(cell.labels, failed).answered):
        reason = "answers were written and read (fallback answer_by_text), and no option was scored"
        return Estimate.undefined("option_mass", reason, labels=cell.labels, excluded=excluded)
    if not len(known):
        return Estimate.undefined("option_mass", cell.nothing, labels=cell.labels, excluded=excluded)
    found = resampled(known["mass"], list(known["item"]), seed, unit="items")
    censored = int((known["censored"] > 0).sum())
    flags = (*((f"censored: {censored}",) if censored else ()), *found.pop("flags"))
    return Estimate(
        "option_mass", option_mass(known["mass"]), len(known), cell.labels, excluded=excluded, flags=flags, **found
    )
