"""How often answers differ when nothing but the seed does: what a sensitivity must exceed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine_psychometrics.measures.comparisons import Comparison, answered, base, by_test, resampling, slices
from metricsengine_psychometrics.measures.config_conditions import NoiseFloorConf
from metricsengine_psychometrics.measures.kinds import KINDS, OPEN, Kind, missing

if TYPE_CHECKING:
    import pandas as pd

FEWER = "fewer_repeats_than_conditions"


class NoiseFloorMetric(Metric):
    """Share of items whose answers do not all agree over repetitions of the same prompt under other seeds."""

    def __init__(self, conf: NoiseFloorConf) -> None:
        self._strict = conf.strict

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """For each sensitivity what it has estimates for, with the label ``of``."""
        return MetricResult([found for kind in KINDS for found in floors(kind, self._strict, table, context)])

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Sensitivities whose conditions are asked once."""
        return [
            found
            for kind in KINDS
            for found in _floors(kind, self._strict, answered(kind.rows(table, context)), context)
            if not found.defined
        ]


def floors(kind: Kind, strict: bool, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
    """The floor of one sensitivity: its conditions stay the same, and repetitions take their place.

    More answers agree less often by chance alone, so a floor takes as many repetitions as the sensitivity compares
    conditions. What the sensitivity compares (templates, orders) is averaged over instead.
    """
    # The table is kept beside its result: its id stays its own.
    key = ("psychometrics.floors", kind.name, strict, id(table))
    return context.shared(key, lambda: (table, _floors(kind, strict, kind.rows(table, context), context)))[1]


def bounds(
    kind: Kind, strict: bool, table: pd.DataFrame, context: MetricContext
) -> Mapping[frozenset[tuple[str, str]], float]:
    """What a sensitivity must exceed, by its labels; empty where there is no floor.

    That is the upper end of the floor's interval. Scores are computed and not drawn, so that repetitions show all there
    is to see of their noise: their bound is the floor itself.
    """
    found: dict[frozenset[tuple[str, str]], float] = {}
    for floor in floors(kind, strict, table, context):
        if floor.value is not None:
            drawn = floor.labels["mode"] != "scores" and floor.high is not None
            labels = frozenset(pair for pair in floor.labels.items() if pair[0] != "of")
            found[labels] = floor.high if drawn and floor.high is not None else floor.value
    return found


def _floors(kind: Kind, strict: bool, rows: pd.DataFrame, context: MetricContext) -> list[Estimate]:
    if rows.empty:
        return [Estimate.undefined("noise_floor", OPEN, labels={"of": kind.name}, over=("trait",))]
    return [
        floor
        for labels, part in by_test(rows)
        for floor in _of_test(kind, strict, {"of": kind.name, **labels}, part, context)
    ]


def _of_test(
    kind: Kind, strict: bool, labels: Mapping[str, str], part: pd.DataFrame, context: MetricContext
) -> Iterator[Estimate]:
    compared = _compared(kind, part)
    rows = base(part)
    repeats = sorted(set(rows["repeat"]))[:compared]
    if compared < 2 or len(repeats) < 2:
        once = f"everything was asked once: study.repeats={compared} asks again under other seeds"
        reason = missing(kind, part) if compared < 2 else once
        yield Estimate.undefined("noise_floor", reason, labels=labels, over=("trait",))
        return
    averaged = () if kind.across == "wording" else (kind.across,)
    comparison = Comparison("repeat", tuple(dict.fromkeys(("template", *averaged))), averaged, strict)
    flags = (*(("same_option",) if strict else ()), *((FEWER,) if len(repeats) < compared else ()))
    items = comparison.items(rows[rows["repeat"].isin(repeats)])
    for found in slices(items, comparison):
        floor = found.share("noise_floor", labels, resampling(context))
        yield replace(floor, flags=(*flags, *floor.flags))


def _compared(kind: Kind, part: pd.DataFrame) -> int:
    """Number of conditions that the sensitivity compares; 0 where there are none."""
    rows = kind.first(part)
    return int(rows.groupby(["family", *kind.within])[kind.across].nunique().max()) if len(rows) else 0
