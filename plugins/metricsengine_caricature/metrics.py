"""The metrics of simulations: thin classes that read the table and build estimates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from metricsengine import seeds
from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine_caricature import config
from metricsengine_caricature import individuation as forests
from metricsengine_caricature.axis import Vectors
from metricsengine_caricature.corpus import Cell, Contrast, Undefined, describe
from metricsengine_caricature.exaggeration import Exaggeration, exaggeration
from metricsengine_caricature.scoring import Axes, Scored, axes
from metricsengine_caricature.simulations import Group, groups

if TYPE_CHECKING:
    import pandas as pd


class IndividuationMetric(Metric):
    """Accuracy of a random forest (section 4.2)."""

    def __init__(self, conf: config.IndividuationConf) -> None:
        self._splits = forests.Splits(conf.splits, conf.repeats, conf.grouped)

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each cell whose persona is not the default."""
        found = _paired(table, context)
        return MetricResult(
            [self._estimate(group, cell, pair, vectors, context) for group, cell, pair, vectors in found]
        )

    def _estimate(
        self, group: Group, cell: Cell, pair: forests.Pair, vectors: Vectors, context: MetricContext
    ) -> Estimate:
        labels = group.label(cell) | {"encoder": context.encoder}
        matrix = vectors[pair.texts]
        seed = seeds.derive(context.seed, "individuation", *sorted(group.labels.values()), *cell) % 2**32
        released = context.protocol == "released"
        result = (
            forests.released_individuation(pair, matrix)
            if released
            else forests.individuation(pair, matrix, self._splits, seed)
        )
        if isinstance(result, Undefined):
            return _undefined("individuation", result, group, cell, labels, n=len(pair.texts))
        interval = result.interval
        return Estimate(
            "individuation",
            result.value,
            n=result.predictions // result.repeats,
            labels=labels,
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            excluded=group.lost(group.contrast(cell)),
            interval="Wilson, over held-out predictions",
            flags=(
                "above_chance" if result.above_chance else "not_above_chance",
                *(["depends_on_row_order"] if released else []),
            ),
        )


class VMeasureMetric(Metric):
    """V-measure of two clusters (Appendix B)."""

    def __init__(self, conf: config.VMeasureConf) -> None:
        self._seeds = range(conf.seeds)

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each cell whose persona is not the default."""
        estimates = []
        for group, cell, pair, vectors in _paired(table, context):
            labels = group.label(cell) | {"encoder": context.encoder}
            result = forests.v_measure(pair, vectors[pair.texts], self._seeds)
            if isinstance(result, Undefined):
                estimates.append(_undefined("individuation.v_measure", result, group, cell, labels, len(pair.texts)))
                continue
            estimates.append(
                Estimate(
                    "individuation.v_measure",
                    result.value,
                    n=len(pair.texts),
                    labels=labels,
                    excluded=group.lost(group.contrast(cell)),
                    interval=f"none: mean of {len(result.by_seed)} clusterings",
                )
            )
        return MetricResult(estimates)


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
            return _undefined("exaggeration", result, group, contrast.target, labels, n)
        return Estimate(
            "exaggeration",
            result.value,
            n=n,
            labels=labels,
            low=result.low,
            high=result.high,
            excluded=group.lost(contrast),
            interval="bootstrap over responses, axis fixed" if result.low is not None else "none: no draws",
            flags=(*result.flags, *found.beyond_encoder(scored)),
        )

    def _exaggeration(self, found: Axes, scored: Scored, context: MetricContext) -> Exaggeration | Undefined:
        if isinstance(scored.axis, Undefined):
            return scored.axis
        generator = seeds.generator(
            context.seed, "exaggeration", *sorted(scored.group.labels.values()), *scored.contrast.target
        )
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
            return _undefined("axis_validity", scored.axis, group, target, labels, n=0)
        validity = scored.axis.leave_one_out()
        if validity.share is None:
            reason = Undefined(f"insufficient data: no pole has two seed words, {describe(target)}")
            return _undefined("axis_validity", reason, group, target, labels, n=0)
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
        return MetricResult([self._estimate(group, cell) for group in groups(table, context.protocol) for cell in group.cells])

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


def _paired(table: pd.DataFrame, context: MetricContext) -> Iterator[tuple[Group, Cell, forests.Pair, Vectors]]:
    """Every cell to be individuated beside its default persona, and the vectors of all their responses."""
    cells = [(group, cell) for group in groups(table, context.protocol) for cell in _individuated(group, context)]
    pairs = [_pair(group, group.contrast(cell), context) for group, cell in cells]
    texts = sorted({text for pair in pairs for text in pair.texts})
    vectors = Vectors(texts, context.encode(texts).vectors)
    for (group, cell), pair in zip(cells, pairs, strict=True):
        yield group, cell, pair, vectors


def _individuated(group: Group, context: MetricContext) -> Sequence[Cell]:
    """Under ``paper`` the defaults are controls; the released code scores the default topic too."""
    return [
        (persona, topic)
        for persona, topic in group.cells
        if persona != group.default_persona and (topic != group.default_topic or context.protocol == "released")
    ]


def _pair(group: Group, contrast: Contrast, context: MetricContext) -> forests.Pair:
    target, control = (group.texts.get(cell, ()) for cell in (contrast.target, contrast.without_persona))
    if context.protocol == "released":
        positions = [row for cell in (contrast.target, contrast.without_persona) for row in group.source_rows.get(cell, ())]
        return forests.Pair.by_position(target, control, positions)
    return forests.Pair.by_text(target, control)


def _undefined(metric: str, why: Undefined, group: Group, cell: Cell, labels: dict[str, str], n: int) -> Estimate:
    return Estimate.undefined(
        metric, why.reason, labels=labels, n=n, excluded=group.lost(group.contrast(cell)), flags=why.flags
    )
