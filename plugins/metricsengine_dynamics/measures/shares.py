"""Shares of updates: wrong sides taken, neutral opinions, nobody heard, no opinion told, posts left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from metricsengine.estimate import Estimate
from metricsengine.metric import Measure, Metric, MetricContext, MetricResult
from metricsengine_dynamics.measures import known, populations, updates
from metricsengine_dynamics.measures.by_run import Gathering
from metricsengine_dynamics.measures.updates import Mask, Updates

if TYPE_CHECKING:
    import pandas as pd

LLM = "llm"
"""The agent that is a model."""

ROUNDING = 1e-12
"""Up to which size an opinion of the reference model is 0 but for the last binary digits of its computation."""


def takes_other_side(reference: ArrayLike, opinions: ArrayLike) -> Mask:
    """Which opinions are not neutral and lie on a side where the reference model's does not (Table 7).

    The reference model's opinion is not rounded. Where it is 0, up to :data:`ROUNDING`, it takes no side, and every
    side is another.

    Args:
        reference: f(x), on any scale around 0, shape (updates,).
        opinions: h(x), shape (updates,).

    Example:
        >>> takes_other_side([0.2, 0.2, 0.2, 0.0], [1, 0, -1, 1]).tolist()
        [False, False, True, True]
    """
    opinion, truth = np.asarray(opinions, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    sides = np.where(abs(truth) <= ROUNDING, 0.0, np.sign(truth))
    other: Mask = (opinion != 0) & (np.sign(opinion) != sides)
    return other


@dataclass(frozen=True)
class Share:
    """A share of updates.

    Attributes:
        measure: What it is.
        holds: Which updates have the property, shape (updates,).
        meant: Of which updates it is the share.
        usable: Of which of these it can be told; the others are excluded and counted.
        nothing: Why a cell has none.
        asked: Whether only a model's updates are meant.
        recorded: Whether what cannot be told was not recorded, whatever became of the opinion.
    """

    measure: Measure
    holds: Callable[[Updates], Mask]
    meant: Callable[[Updates], Mask]
    usable: Callable[[Updates], Mask]
    nothing: str = "no update has an opinion that can be read"
    asked: bool = False
    recorded: bool = False


def _all(found: Updates) -> Mask:
    return np.ones(len(found), dtype=bool)


def _readable(found: Updates) -> Mask:
    return found.readable


def _unread(found: Updates) -> Mask:
    return ~found.readable


def _asked(found: Updates) -> Mask:
    return ~found.isolated


def _told(found: Updates) -> Mask:
    """Updates of which it is known how many posts were left out."""
    return ~np.isnan(found.cut)


def _came_back(found: Updates) -> Mask:
    """Updates whose requests did not end in an error: of those nothing is known."""
    return ~np.isin(found.reason, [code for code, reason in enumerate(found.reasons) if reason == "error"])


def _other_side(found: Updates) -> Mask:
    return takes_other_side(found.reference, found.opinion)


_UNTOLD = "it is not told how many agents were heard"

_KNOWN = (
    Share(known.FILTERED_POLARITY, _other_side, _all, _readable),
    Share(known.ZERO_SHARE, lambda found: found.opinion == 0, _all, _readable),
    Share(known.ISOLATED_SHARE, lambda found: found.isolated, _all, lambda found: found.told, _UNTOLD, recorded=True),
    Share(known.UNDECODABLE_SHARE, _unread, _asked, _came_back, "no update was asked and came back", asked=True),
    Share(
        known.CUT_SHARE,
        lambda found: found.cut > 0,
        _asked,
        _told,
        "no timeline is known to be whole",
        asked=True,
        recorded=True,
    ),
)
SHARES: Mapping[str, Share] = {share.measure.name: share for share in _KNOWN}
"""The shares by name."""


class ShareMetric(Metric):
    """A share of updates in percent, for every agent, variant and repeat."""

    def __init__(self, share: Share) -> None:
        self._share = share

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate a cell."""
        return self._gathered(updates.agents(table, context), context.seed).result()

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Cells without an update that is meant; in free runs answers decide which are."""
        found = updates.agents(table, context).answered
        asked = any(labels["agent"] == LLM for labels in found.cells)
        if asked and not populations.forced(table, context):
            return ()
        return self._gathered(found, context.seed).undefined

    def _gathered(self, found: Updates, seed: int) -> Gathering:
        share, gathering = self._share, Gathering(seed)
        found = found.of(lambda agent: agent == LLM) if share.asked else found
        found = replace(found, reason=np.zeros_like(found.reason)) if share.recorded else found
        if not len(found):
            gathering.nothing(share.measure, {}, "no model was asked" if share.asked else "there are no updates")
        held = 100 * share.holds(found).astype(np.float64)
        for one in found.slices(held, meant=share.meant(found), usable=share.usable(found)):
            gathering.add(share.measure, one, share.nothing)
        return gathering
