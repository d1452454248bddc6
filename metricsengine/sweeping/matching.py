"""Which estimates of two sweeps, or two runs, are of the same: those of one metric with the same labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
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

    @property
    def both(self) -> Estimate:
        """The first with the labels of both: ``20 against 10`` where their values differ."""
        others = self.there.labels
        labels = {
            name: value if value == others[name] else f"{value} against {others[name]}"
            for name, value in self.here.labels.items()
        }
        return replace(self.here, labels=labels)


@dataclass(frozen=True)
class Matched:
    """What was matched, and what could not be.

    Attributes:
        pairs: Estimates that both have.
        here_only: Those that only the first has.
        there_only: Those that only the second has.
        ambiguous: Those of which one of the two has several that nothing tells apart.
        compared: Labels by which the two differ as wholes, with the value in each: they were left out of the matching.
        possible: Numbers of estimates of the first and of the second that could have been matched.
    """

    pairs: Sequence[Pair]
    here_only: Sequence[Estimate]
    there_only: Sequence[Estimate]
    ambiguous: Sequence[Estimate]
    compared: Mapping[str, tuple[str, str]]
    possible: tuple[int, int]


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

    @cached_property
    def apart(self) -> str:
        """Why units of one name may not be the same in both; empty where both have the same seeds and data."""
        if seeds_of(self.here) != seeds_of(self.there):
            return "their seeds differ"
        here, there = _data(self.here), _data(self.there)
        if not (here and there):
            return "it is not recorded that their data agree"
        return "their data differ" if here != there else ""


def match(here: Results, there: Results) -> Matched:
    """Match the estimates of metrics, without those of comparisons, metric by metric in the order of the first.

    A label that has one single value in all of the first and another single one in all of the second, where they have
    it, is what is compared: its values need not agree.
    """
    first, second = _of_metrics(here), _of_metrics(there)
    compared = _compared(first, second)
    key = partial(key_of, blank=compared.keys())
    times = [Counter(map(key, estimates)) for estimates in (first, second)]
    several = {one for counts in times for one, n in counts.items() if n > 1 and all(one in other for other in times)}
    by_key = {key(e): e for e in second}
    single = [e for e in first if key(e) not in several]
    return Matched(
        pairs=[Pair(e, by_key[key(e)]) for e in _by_metric(single) if key(e) in by_key],
        here_only=[e for e in single if key(e) not in times[1]],
        there_only=[e for e in second if key(e) not in times[0]],
        ambiguous=list({key(e): e for e in first if key(e) in several}.values()),
        compared=compared,
        possible=(len(first), len(second)),
    )


def _compared(first: Sequence[Estimate], second: Sequence[Estimate]) -> dict[str, tuple[str, str]]:
    here, there = _values(first), _values(second)
    pairs = {label: (here[label], there[label]) for label in here if label in there}
    return {label: (*a, *b) for label, (a, b) in pairs.items() if len(a) == len(b) == 1 and a != b}


def _values(estimates: Sequence[Estimate]) -> dict[str, tuple[str, ...]]:
    """The different values of each label."""
    found: dict[str, dict[str, None]] = {}
    for estimate in estimates:
        for label, value in estimate.labels.items():
            found.setdefault(label, {})[value] = None
    return {label: tuple(values) for label, values in found.items()}


def preventing(matched: Matched) -> dict[str, tuple[Sequence[str], Sequence[str]]]:
    """The labels that kept estimates of one metric from being matched, with their values in both.

    Returns:
        Those that have no value in both, or that all estimates of one have and none of the other; no value stands for
        the one without.
    """
    metrics = {e.metric for e in matched.here_only} & {e.metric for e in matched.there_only}
    sides = [[e for e in lone if e.metric in metrics] for lone in (matched.here_only, matched.there_only)]
    here, there = map(_values, sides)
    always = [set.intersection(*(set(e.labels) for e in side)) if side else set[str]() for side in sides]
    return {
        label: (a, b)
        for label in dict.fromkeys([*here, *there])
        if label not in matched.compared
        and not set(a := here.get(label, ())) & set(b := there.get(label, ()))
        and ((a and b) or any(label in one for one in always))
    }


def _by_metric(estimates: Sequence[Estimate]) -> list[Estimate]:
    order = {metric: i for i, metric in enumerate(dict.fromkeys(e.metric for e in estimates))}
    return sorted(estimates, key=lambda e: order[e.metric])


def _of_metrics(results: Results) -> list[Estimate]:
    return [e for e in results.estimates if e.metric not in results.compared]


def key_of(estimate: Estimate, blank: Collection[str] = ()) -> Key:
    """By which estimates are matched: of the labels in ``blank`` only whether it has them."""
    labels = {name: "" if name in blank else value for name, value in estimate.labels.items()}
    return estimate.metric, spelled(labels), estimate.over


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


def seeds_of(results: Results) -> list[int]:
    """The seed of a run, or those of a sweep's jobs."""
    return list(results.provenance.get("seeds") or [results.seed])


def _data(results: Results) -> set[str]:
    one = results.provenance.get("dataset") or {}
    return set(results.provenance.get("datasets") or ()) or {str(one.get("digest") or "")} - {""}
