"""Which estimates of two sweeps, or two runs, are of the same: those of one metric with the same labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from metricsengine.comparison import UNITS, spelled
from metricsengine.estimate import Estimate
from metricsengine.results import Results
from metricsengine.sweeping.differences import Units

if TYPE_CHECKING:
    import pandas as pd

_TOLERANCE = 1e-6
"""How far a mean of units may lie from its estimate, as a share of the largest of them: rounding only."""

Key = tuple[str, str, tuple[str, ...]]
"""Metric, labels and what was averaged over."""


@dataclass(frozen=True)
class Pair:
    """Two estimates of the same.

    Attributes:
        here: That of the first.
        there: That of the second.
    """

    here: Estimate
    there: Estimate


@dataclass(frozen=True)
class Matched:
    """What was matched, and what could not be.

    Attributes:
        pairs: Estimates that both have.
        here_only: Those that only the first has.
        there_only: Those that only the second has.
        ambiguous: Those of which one of the two has several that nothing tells apart.
    """

    pairs: Sequence[Pair]
    here_only: Sequence[Estimate]
    there_only: Sequence[Estimate]
    ambiguous: Sequence[Estimate]


@dataclass(frozen=True)
class Against:
    """Two sweeps or runs with their results.

    Attributes:
        names: What they are called.
        here: Results of the first.
        there: Results of the second.
    """

    names: tuple[str, str]
    here: Results
    there: Results

    @cached_property
    def matched(self) -> Matched:
        """What both have."""
        return match(self.here, self.there)

    @property
    def paired(self) -> bool:
        """Whether units of one name are the same in both: both have the same seeds and the same data."""
        return _seeds(self.here) == _seeds(self.there) and _data(self.here) == _data(self.there) != set()


def match(here: Results, there: Results) -> Matched:
    """Match the estimates of metrics, without those of comparisons, metric by metric in the order of the first."""
    first, second = _of_metrics(here), _of_metrics(there)
    times = [Counter(map(key_of, estimates)) for estimates in (first, second)]
    several = {key for counts in times for key, n in counts.items() if n > 1 and all(key in other for other in times)}
    by_key = {key_of(e): e for e in second}
    single = [e for e in first if key_of(e) not in several]
    return Matched(
        pairs=[Pair(e, by_key[key_of(e)]) for e in _by_metric(single) if key_of(e) in by_key],
        here_only=[e for e in single if key_of(e) not in times[1]],
        there_only=[e for e in second if key_of(e) not in times[0]],
        ambiguous=list({key_of(e): e for e in first if key_of(e) in several}.values()),
    )


def _by_metric(estimates: Sequence[Estimate]) -> list[Estimate]:
    order = {metric: i for i, metric in enumerate(dict.fromkeys(e.metric for e in estimates))}
    return sorted(estimates, key=lambda e: order[e.metric])


def _of_metrics(results: Results) -> list[Estimate]:
    return [e for e in results.estimates if e.metric not in results.compared]


def key_of(estimate: Estimate) -> Key:
    """By which estimates are matched."""
    return estimate.metric, spelled(estimate.labels), estimate.over


def units_of(results: Results) -> Mapping[tuple[str, str], Units]:
    """The units of all estimates, by metric and labels; several rows of one unit joined to one."""
    frame = results.tables.get(UNITS.name)
    if frame is None or not len(frame):
        return {}
    found: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}
    for metric, labels, unit, mass, weight in _joined(frame).itertuples(name=None, index=False):
        found.setdefault((metric, labels), {})[unit] = (mass / weight, weight)
    return found


def _joined(frame: pd.DataFrame) -> pd.DataFrame:
    weights = frame["weight"].fillna(1.0).astype(float)
    rows = frame.assign(weight=weights, mass=weights * frame["value"].astype(float))
    columns = ["metric", "labels", "unit"]
    return rows.groupby(columns, sort=False)[["mass", "weight"]].sum().reset_index()


def own(estimate: Estimate, units: Mapping[tuple[str, str], Units]) -> Units:
    """The units of an estimate; none where those of its labels are of another, such as of cells it averages."""
    found = units.get((estimate.metric, spelled(estimate.labels)), {})
    if not found or estimate.value is None:
        return {}
    mean = math.fsum(value * weight for value, weight in found.values()) / math.fsum(w for _, w in found.values())
    close = _TOLERANCE * max(abs(value) for value, _ in found.values())
    return found if abs(mean - estimate.value) <= close else {}


def _seeds(results: Results) -> list[int]:
    return list(results.provenance.get("seeds") or [results.seed])


def _data(results: Results) -> set[str]:
    one = results.provenance.get("dataset") or {}
    return set(results.provenance.get("datasets") or ()) or {str(one.get("digest") or "")} - {""}
