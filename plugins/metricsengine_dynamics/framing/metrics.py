"""Whether stances that mean the same fare worse where they are worded as being against (Fig. 4e)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from metricsengine.arrays import Floats, Integers, finite
from metricsengine.clustered import Sample, statistic_interval, units_table
from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine_dynamics.framing.config import NegativityBiasConf
from metricsengine_dynamics.framing.framings import negative_wording, ordered, pairs
from metricsengine_dynamics.trials.conditions import groups, outcomes
from metricsengine_dynamics.trials.means import resampling, undefined

if TYPE_CHECKING:
    import pandas as pd

OPINION, BIAS, SIGNED = "framing_opinion", "negativity_bias", "negativity_bias.signed"
UNIT = "trials"
LOWEST, HIGHEST = -2.0, 2.0
FRAMINGS = 3


def negativity_bias(positive_only: ArrayLike, contra: ArrayLike) -> float:
    """How much lower or higher posts are judged where author or reader is worded as being against something.

    Source: Sense and Sensitivity, section 5 and Fig. 4e.

    Args:
        positive_only: Mean opinion of each cell whose author and reader are both worded as being for a pole, on -2
            to 2; at least one.
        contra: Mean opinion of each cell where either is worded as being against one; at least one.

    Returns:
        Mean over the latter less mean over the former, from -4 to 4. The bias is its absolute value.

    Example:
        >>> round(negativity_bias([-1.1, -1.0, -1.0, -1.1], [-0.9, -1.0, -0.8]), 2)
        0.15
    """
    return float(finite("contra", contra).mean() - finite("positive_only", positive_only).mean())


class NegativityBias(Metric):
    """Mean opinion of each cell, and the difference between the two kinds of framing."""

    def __init__(self, conf: NegativityBiasConf) -> None:
        self._conf = conf

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each cell, and the bias with and without its sign, for each variant and repeat."""
        estimates: list[Estimate] = []
        units: list[tuple[str, Mapping[str, str], Sample]] = []
        for labels, rows in groups(table, "author", "reader", "variant"):
            sample = _sample(rows)
            estimates.append(_opinion(sample, rows, labels, context.seed))
            units.append((OPINION, labels, sample))
        for labels, rows in groups(table, "variant"):
            contrast = _Contrast(labels, rows)
            estimates += contrast.estimates(context.seed)
            units.append((SIGNED, labels, contrast.by_trial))
        return MetricResult(estimates, units=units_table(units))

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Biases of which a cell is never asked."""
        read = table.assign(opinion=0.0)
        contrasts = [_Contrast(labels, rows) for labels, rows in groups(read, "variant")]
        return [found for one in contrasts if one.lacking for found in one.estimates(context.seed)]


def _sample(rows: pd.DataFrame) -> Sample:
    read = rows.set_index(rows["replicate"].astype(str))["opinion"].dropna().sort_index()
    return Sample.of(read.to_numpy(dtype=np.float64), read.index)


def _opinion(sample: Sample, rows: pd.DataFrame, labels: Mapping[str, str], seed: int) -> Estimate:
    excluded = outcomes(rows[rows["opinion"].isna()])
    if not len(sample):
        return undefined(OPINION, excluded, labels, "points")
    found = sample.interval(resampling(seed), UNIT, (LOWEST, HIGHEST))
    return Estimate(OPINION, sample.mean, len(sample), labels, unit="points", excluded=excluded, **found)


@dataclass(frozen=True)
class _Contrast:
    """Contra framings against positive-only ones, in the trials of one variant and repeat."""

    labels: Mapping[str, str]
    rows: pd.DataFrame

    @cached_property
    def _opinions(self) -> pd.DataFrame:
        """Opinions, a row for each cell and a column for each trial; missing where a reply could not be read."""
        means = self.rows.astype({"opinion": "float64"}).pivot_table(
            index=["author", "reader"], columns="replicate", values="opinion", aggfunc="mean", dropna=False
        )
        return means.dropna(how="all").dropna(how="all", axis="columns").sort_index()

    @cached_property
    def _contra(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which cells have a contra framing."""
        return np.array([any(map(negative_wording, cell)) for cell in self._opinions.index], dtype=bool)

    @cached_property
    def lacking(self) -> str:
        """Why there is no bias: it is a mean over all cells, and over fewer another quantity; empty where there is."""
        names = set(self.rows["author"]) | set(self.rows["reader"])
        if len(names) != FRAMINGS:
            return f"a bias takes {FRAMINGS} framings, and there are {len(names)}: {', '.join(ordered(names))}"
        cells = pairs(names)
        lacking = [cell for cell in cells if cell not in self._opinions.index]
        named = "; ".join(f"author {author}, reader {reader}" for author, reader in lacking)
        return f"no value in {len(lacking)} of {len(cells)} cells: {named}" if lacking else ""

    def difference(self, drawn: Integers) -> float:
        """The signed bias in drawn trials; NaN where a cell holds none of them that could be read."""
        opinions: Floats = self._opinions.to_numpy(dtype=np.float64)[:, drawn]
        known = np.isfinite(opinions)
        if not known.any(axis=1).all():
            return float("nan")
        means = np.where(known, opinions, 0).sum(axis=1) / known.sum(axis=1)
        return negativity_bias(means[~self._contra], means[self._contra])

    def estimates(self, seed: int) -> Iterator[Estimate]:
        """The bias and the signed difference; undefined where one of the seven cells has no value."""
        excluded, over = self._excluded, ("author", "reader")
        if self.lacking:
            for metric in (BIAS, SIGNED):
                yield Estimate.undefined(
                    metric, self.lacking, labels=self.labels, unit="points", excluded=excluded, over=over
                )
            return
        n = self._opinions.shape[1]
        value = self.difference(np.arange(n))
        ends = (LOWEST - HIGHEST, HIGHEST - LOWEST)
        found = statistic_interval(self.difference, n, resampling(seed), f"{UNIT}, cells paired", ends)
        common: dict[str, Any] = {"unit": "points", "excluded": excluded, "over": over}
        yield Estimate(BIAS, abs(value), n, self.labels, **common, **_absolute(found))
        yield Estimate(SIGNED, value, n, self.labels, **common, **found)

    @property
    def by_trial(self) -> Sample:
        """The difference in each trial; of none where a reply was not read, as the bias is no mean of trials then."""
        lacking = self._excluded or self.lacking or self._opinions.isna().any(axis=None)
        trials = range(0 if lacking else self._opinions.shape[1])
        return Sample.of([self.difference(np.array([i])) for i in trials], map(str, trials))

    @property
    def _excluded(self) -> dict[str, int]:
        cells = len(self.rows[["author", "reader"]].drop_duplicates())
        lacking = cells - len(self._opinions)
        excluded = outcomes(self.rows[self.rows["opinion"].isna()])
        return excluded | ({"undefined cells": lacking} if lacking else {})


def _absolute(found: Mapping[str, Any]) -> dict[str, Any]:
    """The interval of an absolute value from that of the value: percentiles of absolute draws would shun 0."""
    if "low" not in found:
        return dict(found)
    low, high = found["low"], found["high"]
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return {
        **found,
        "low": nearest,
        "high": max(abs(low), abs(high)),
        "interval": f"{found['interval']}, of the difference with its sign",
    }
