"""How far a decoded opinion lies from the one that was encoded (Sense and Sensitivity, Definition 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from metricsengine.aggregate import MEAN_OF_CELLS
from metricsengine.arrays import Floats, aligned, finite
from metricsengine.clustered import Sample, units_table
from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine_dynamics.codec.config import HIGHEST, CodecErrorConf
from metricsengine_dynamics.trials.conditions import groups, label, outcomes
from metricsengine_dynamics.trials.means import resampling, undefined

if TYPE_CHECKING:
    import pandas as pd

ERROR, BIAS, UNDECODABLE = "codec_error", "codec_error.bias", "codec_error.undecodable"
UNIT = "personas"


def codec_error(opinions: ArrayLike, decoded: ArrayLike) -> float:
    """Expected distance of decoded opinions from encoded ones, every opinion value counting alike.

    Source: Sense and Sensitivity, eq. 8, with the absolute distance and a uniform p_X.

    Args:
        opinions: What was encoded, on -5 to 5; shape (n,), at least one.
        decoded: What was decoded of each.

    Returns:
        From 0 to 10.

    Example:
        >>> codec_error([0, 0, 5, 5, 5], [1, -1, 5, 5, 2])
        1.0
    """
    values = finite("opinions", opinions)
    errors = np.abs(aligned("decoded", finite("decoded", decoded), len(values)) - values)
    return float(np.mean([errors[values == value].mean() for value in np.unique(values)]))


@dataclass(frozen=True)
class Quantity:
    """What is averaged over trials.

    Attributes:
        metric: Name of its estimates.
        unit: Their unit.
        of: Its values in trials, NaN where a trial has none.
        ends: Its smallest and its largest value where a given opinion was encoded.
    """

    metric: str
    unit: str
    of: Callable[[pd.DataFrame], Floats]
    ends: Callable[[float], tuple[float, float]]


def _signed(rows: pd.DataFrame) -> Floats:
    difference = rows["decoded"].astype("Float64") - rows["opinion"]
    return difference.to_numpy(dtype=np.float64, na_value=np.nan)


def _unreadable(rows: pd.DataFrame) -> Floats:
    """100 where nothing could be read from what the model said; a request that failed says nothing of the codec."""
    missing = 100 * rows["decoded"].isna().to_numpy(dtype=np.float64)
    return np.where(rows["outcome"] == "error", np.nan, missing)


QUANTITIES = (
    Quantity(ERROR, "points", lambda rows: np.abs(_signed(rows)), lambda x: (0.0, HIGHEST + abs(x))),
    Quantity(BIAS, "points", _signed, lambda x: (-HIGHEST - x, HIGHEST - x)),
    Quantity(UNDECODABLE, "%", _unreadable, lambda _: (0.0, 100.0)),
)


class CodecError(Metric):
    """Distance, signed difference and share of what cannot be read: by opinion, and over all with equal weight."""

    def __init__(self, conf: CodecErrorConf) -> None:
        self._conf = conf

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each opinion value and one over them, for each variant, encoding and repeat."""
        cells = [
            cell
            for labels, rows in groups(table, "variant", "encoding")
            for quantity in QUANTITIES
            for cell in _cells(quantity, labels, rows)
        ]
        units = units_table((cell.quantity.metric, cell.labels, cell.sample) for cell in cells)
        return MetricResult([cell.estimate(context.seed) for cell in cells], units=units)


@dataclass(frozen=True)
class _Cell:
    """One quantity in the trials of one opinion, or of all.

    Attributes:
        quantity: What is averaged.
        labels: Labels of the estimate.
        trials: Each with its ``opinion``, ``outcome`` and ``value`` (NaN for none), and ``who`` posts.
        over: Labels that are averaged over.
    """

    quantity: Quantity
    labels: Mapping[str, str]
    trials: pd.DataFrame
    over: tuple[str, ...] = ()

    @cached_property
    def sample(self) -> Sample:
        """The trials with a value, weighted so that each opinion counts alike."""
        kept = self._kept
        sizes = kept.groupby("opinion")["value"].transform("size").to_numpy(dtype=np.float64)
        return Sample.of(kept["value"].to_numpy(dtype=np.float64), kept["who"], sizes.max(initial=1) / sizes)

    def estimate(self, seed: int) -> Estimate:
        """Its mean; over opinions, n is the number of those with a value."""
        kept, excluded = self._kept, outcomes(self.trials[self.trials["value"].isna()])
        metric, unit = self.quantity.metric, self.quantity.unit
        if kept.empty:
            return undefined(metric, excluded, self.labels, unit, over=self.over)
        ends = zip(*map(self.quantity.ends, kept["opinion"].unique()), strict=True)
        low, high = (float(np.mean(end)) for end in ends)
        found, n = self.sample.interval(resampling(seed), UNIT, (low, high)), len(kept)
        if self.over:
            n = kept["opinion"].nunique()
            lacking = self.trials["opinion"].nunique() - n
            excluded |= {"undefined cells": lacking} if lacking else {}
            found["flags"] = (MEAN_OF_CELLS, *found["flags"])
        return Estimate(metric, self.sample.mean, n, self.labels, unit=unit, excluded=excluded, over=self.over, **found)

    @property
    def _kept(self) -> pd.DataFrame:
        return self.trials[self.trials["value"].notna()]


def _cells(quantity: Quantity, labels: Mapping[str, str], rows: pd.DataFrame) -> Iterator[_Cell]:
    trials = rows[["opinion", "outcome"]].assign(value=quantity.of(rows), who=_posting(rows))
    trials = trials.sort_values(["opinion", "who", "value"])
    for opinion, own in trials.groupby("opinion", sort=True):
        yield _Cell(quantity, {**labels, "opinion": label(opinion)}, own)
    yield _Cell(quantity, labels, trials, over=("opinion",))


def _posting(rows: pd.DataFrame) -> list[str]:
    """Who posts: the persona, or where none is named the replicate."""
    replicates = "replicate " + rows["replicate"].astype(str)
    return [str(who) for who in rows["persona"].fillna(replicates)]
