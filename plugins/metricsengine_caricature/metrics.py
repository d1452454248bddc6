"""The metrics of simulations: thin classes that read the table and build estimates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metricsengine import seeds
from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine_caricature import config
from metricsengine_caricature import individuation as forests
from metricsengine_caricature.axis import Array, Vectors
from metricsengine_caricature.corpus import Cell, Contrast, Undefined, describe
from metricsengine_caricature.exaggeration import Exaggeration, exaggeration
from metricsengine_caricature.scoring import Axes, Scored, axes, beyond_encoder
from metricsengine_caricature.simulations import Group, groups

if TYPE_CHECKING:
    import pandas as pd


class IndividuationMetric(Metric):
    """Accuracy of a random forest (section 4.2)."""

    def __init__(self, conf: config.IndividuationConf) -> None:
        self._splits = forests.Splits(conf.splits, conf.repeats, conf.grouped)

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each cell whose persona is not the default."""
        return MetricResult([self._estimate(paired, context) for paired in _paired(table, context)])

    def _estimate(self, paired: _Paired, context: MetricContext) -> Estimate:
        result = self._individuation(paired, context)
        if isinstance(result, Undefined):
            return paired.undefined("individuation", result, context)
        interval = result.interval
        return Estimate(
            "individuation",
            result.value,
            n=result.predictions // result.repeats,
            labels=paired.labels(context),
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            excluded=paired.excluded,
            interval="Wilson, over held-out predictions",
            flags=(
                "above_chance" if result.above_chance else "not_above_chance",
                *(["below_chance"] if result.below_chance else []),
                *(["depends_on_row_order"] if context.protocol == "released" else []),
                *paired.beyond_encoder,
            ),
        )

    def _individuation(self, paired: _Paired, context: MetricContext) -> forests.Individuation | Undefined:
        if context.protocol == "released":
            return paired.group.crashes(paired.cells) or forests.released_individuation(paired.pair, paired.matrix)
        # One seed for all cells: neither a persona's name nor another cell may move a number.
        seed = seeds.derive(context.seed, "individuation") % 2**32
        return forests.individuation(paired.pair, paired.matrix, self._splits, seed)


class VMeasureMetric(Metric):
    """V-measure of two clusters (Appendix B)."""

    def __init__(self, conf: config.VMeasureConf) -> None:
        self._seeds = range(conf.seeds)

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each cell whose persona is not the default."""
        return MetricResult([self._estimate(paired, context) for paired in _paired(table, context)])

    def _estimate(self, paired: _Paired, context: MetricContext) -> Estimate:
        result = forests.v_measure(paired.pair, paired.matrix, self._seeds)
        if isinstance(result, Undefined):
            return paired.undefined("individuation.v_measure", result, context)
        return Estimate(
            "individuation.v_measure",
            result.value,
            n=len(paired.pair.texts),
            labels=paired.labels(context),
            excluded=paired.excluded,
            interval=f"none: mean of {len(result.by_seed)} clusterings",
            flags=paired.beyond_encoder,
        )


class ExaggerationMetric(Metric):
    """Position on the persona-topic axis (section 4.3)."""

    def __init__(self, conf: config.ExaggerationConf) -> None:
        self._draws = conf.draws

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each scored cell, with the seed words and every response's place on its axis."""
        found = axes(table, context)
        return MetricResult(
            [self._estimate(found, scored, context) for scored in found],
            {"seed_words": found.seed_words(), "projections": found.projections(table)},
        )

    def _estimate(self, found: Axes, scored: Scored, context: MetricContext) -> Estimate:
        group, contrast = scored.group, scored.contrast
        labels = group.label(contrast.target) | {"encoder": context.encoder}
        result = self._exaggeration(found, scored, context)
        n = len(group.texts.get(contrast.target, ()))
        if isinstance(result, Exaggeration) and not math.isfinite(result.value):
            result = Undefined(f"the released code yields {result.value}: its controls coincide", result.flags)
        if isinstance(result, Undefined):
            return _undefined("exaggeration", result, scored, labels, n)
        return Estimate(
            "exaggeration",
            result.value,
            n=n,
            labels=labels,
            low=result.low,
            high=result.high,
            excluded=group.lost(contrast.controlled),
            interval="bootstrap over responses, axis fixed" if result.low is not None else "none: no draws",
            flags=(*result.flags, *found.beyond_encoder(scored)),
        )

    def _exaggeration(self, found: Axes, scored: Scored, context: MetricContext) -> Exaggeration | Undefined:
        if isinstance(scored.axis, Undefined):
            return scored.axis
        # The same draws for all cells: neither a persona's name nor another cell may move an interval.
        generator = seeds.generator(context.seed, "exaggeration")
        return exaggeration(scored.corpus, scored.axis, found.vectors, generator, self._draws)


class AxisValidityMetric(Metric):
    """Leave-one-out validity of the axes (Appendix C)."""

    def __init__(self, conf: config.AxisValidityConf) -> None:
        self._conf = conf

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each axis, with the seed words and how each fared."""
        found = axes(table, context)
        return MetricResult([self._estimate(scored, context) for scored in found], {"seed_words": found.seed_words()})

    def _estimate(self, scored: Scored, context: MetricContext) -> Estimate:
        group, target = scored.group, scored.contrast.target
        labels = group.label(target) | {"encoder": context.encoder}
        if isinstance(scored.axis, Undefined):
            return _undefined("axis_validity", scored.axis, scored, labels, n=0)
        validity = scored.axis.leave_one_out()
        if validity.share is None:
            reason = Undefined(f"insufficient data: no pole has two seed words, {describe(target)}")
            return _undefined("axis_validity", reason, scored, labels, n=0)
        tested = len(validity.passed) + len(validity.failed)
        return Estimate(
            "axis_validity",
            validity.share,
            n=tested,
            labels=labels,
            excluded={"untested lone seed": len(validity.untested)} if validity.untested else {},
            interval="none: a description of this axis",
        )


class DuplicateRateMetric(Metric):
    """Share of repeated responses."""

    def __init__(self, conf: config.DuplicateRateConf) -> None:
        self._conf = conf

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each cell, controls included."""
        return MetricResult(
            [self._estimate(group, cell) for group in groups(table, context.protocol) for cell in group.cells]
        )

    def _estimate(self, group: Group, cell: Cell) -> Estimate:
        texts = group.texts.get(cell, ())
        result = forests.duplicates(texts)
        excluded = dict(group.excluded.get(cell, {}))
        if isinstance(result, Undefined):
            return Estimate.undefined(
                "duplicate_rate", f"{result.reason}, {describe(cell)}", labels=group.label(cell), excluded=excluded
            )
        return Estimate(
            "duplicate_rate",
            result.rate,
            n=result.n,
            labels=group.label(cell),
            excluded=excluded,
            interval="none: a description of these responses",
        )


@dataclass(frozen=True)
class _Paired:
    """A cell to be individuated beside its default persona; the vectors of both; what the encoder did not read."""

    group: Group
    contrast: Contrast
    pair: forests.Pair
    matrix: Array
    beyond_encoder: tuple[str, ...]

    @property
    def cells(self) -> tuple[Cell, Cell]:
        return self.contrast.target, self.contrast.without_persona

    @property
    def excluded(self) -> dict[str, int]:
        return self.group.lost(self.cells)

    def labels(self, context: MetricContext) -> dict[str, str]:
        return self.group.label(self.contrast.target) | {"encoder": context.encoder}

    def undefined(self, metric: str, why: Undefined, context: MetricContext) -> Estimate:
        reason = f"{why.reason}: {describe(self.contrast.target)}"
        n = len(self.pair.texts)
        return Estimate.undefined(metric, reason, labels=self.labels(context), n=n, excluded=self.excluded)


def _paired(table: pd.DataFrame, context: MetricContext) -> Iterator[_Paired]:
    """Every cell to be individuated beside its default persona."""
    cells = [
        (group, group.contrast(cell))
        for group in groups(table, context.protocol)
        for cell in _individuated(group, context)
    ]
    pairs = [_pair(group, contrast, context) for group, contrast in cells]
    texts = sorted({text for pair in pairs for text in pair.texts})
    encoded = context.encode(texts)
    vectors = Vectors(texts, encoded.vectors)
    truncated = {text for text, cut in zip(texts, encoded.truncated, strict=True) if cut}
    for (group, contrast), pair in zip(cells, pairs, strict=True):
        yield _Paired(group, contrast, pair, vectors[pair.texts], beyond_encoder(pair.texts, truncated))


def _individuated(group: Group, context: MetricContext) -> Sequence[Cell]:
    """Under ``paper`` the defaults are controls; the released code scores the default topic too."""
    return [
        (persona, topic)
        for persona, topic in group.cells
        if persona != group.default_persona and (topic != group.default_topic or context.protocol == "released")
    ]


def _pair(group: Group, contrast: Contrast, context: MetricContext) -> forests.Pair:
    cells = contrast.target, contrast.without_persona
    target, control = (group.texts.get(cell, ()) for cell in cells)
    if context.protocol == "released":
        positions = [row for cell in cells for row in group.source_rows.get(cell, ())]
        return forests.Pair.by_position(target, control, positions)
    return forests.Pair.by_text(target, control)


def _undefined(metric: str, why: Undefined, scored: Scored, labels: dict[str, str], n: int) -> Estimate:
    excluded = scored.group.lost(scored.contrast.controlled)
    return Estimate.undefined(metric, why.reason, labels=labels, n=n, excluded=excluded, flags=why.flags)
