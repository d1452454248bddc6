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
from metricsengine_caricature.exaggeration import Exaggeration, exaggeration, target_too_few
from metricsengine_caricature.scoring import Axes, Candidate, Scored, axes, beyond_encoder, candidates
from metricsengine_caricature.simulations import Group, shared_groups

if TYPE_CHECKING:
    import pandas as pd


class IndividuationMetric(Metric):
    """Accuracy of a random forest (section 4.2)."""

    def __init__(self, conf: config.IndividuationConf) -> None:
        self._splits = forests.Splits(conf.splits, conf.repeats, conf.grouped)

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each cell whose persona is not the default."""
        return MetricResult([self._estimate(paired, context) for paired in _paired(table, context)])

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Cells with too few responses of the target, or of its default persona, to be cut into folds."""
        released = context.protocol == "released"
        minimum = forests.TWO_SIDES if released else self._splits.folds
        return _too_few("individuation", table, context, minimum, distinct=self._splits.grouped and not released)

    def _estimate(self, paired: _Paired, context: MetricContext) -> Estimate:
        result = self._individuation(paired, context)
        if isinstance(result, Undefined):
            return paired.cell.undefined("individuation", result, context)
        interval = result.interval
        return Estimate(
            "individuation",
            result.value,
            n=result.predictions // result.repeats,
            labels=paired.cell.labels(context),
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            excluded=paired.cell.excluded,
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
            return paired.cell.crash or forests.released_individuation(paired.pair, paired.matrix, context.remembered)
        # One seed for all cells: neither a persona's name nor another cell may move a number.
        seed = seeds.derive(context.seed, "individuation") % 2**32
        return forests.individuation(paired.pair, paired.matrix, self._splits, seed, context.remembered)


class VMeasureMetric(Metric):
    """V-measure of two clusters (Appendix B)."""

    def __init__(self, conf: config.VMeasureConf) -> None:
        self._seeds = range(conf.seeds)

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each cell whose persona is not the default."""
        return MetricResult([self._estimate(paired, context) for paired in _paired(table, context)])

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Cells with too few responses of the target, or of its default persona, to be clustered."""
        return _too_few("individuation.v_measure", table, context, forests.TWO_SIDES)

    def _estimate(self, paired: _Paired, context: MetricContext) -> Estimate:
        result = forests.v_measure(paired.pair, paired.matrix, self._seeds, context.remembered)
        if isinstance(result, Undefined):
            return paired.cell.undefined("individuation.v_measure", result, context)
        return Estimate(
            "individuation.v_measure",
            result.value,
            n=len(paired.pair.texts),
            labels=paired.cell.labels(context),
            excluded=paired.cell.excluded,
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

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Cells with too few responses of the target, or of a control."""
        too_few = (
            (cell, cell.too_few or target_too_few(cell.corpus, cell.contrast)) for cell in candidates(table, context)
        )
        return [_undefined("exaggeration", why, cell, context, _responses(cell)) for cell, why in too_few if why]

    def _estimate(self, found: Axes, scored: Scored, context: MetricContext) -> Estimate:
        group, contrast = scored.group, scored.contrast
        result = self._exaggeration(found, scored, context)
        n = _responses(scored)
        if isinstance(result, Exaggeration) and not math.isfinite(result.value):
            result = Undefined(f"the released code yields {result.value}: its controls coincide", result.flags)
        if isinstance(result, Undefined):
            return _undefined("exaggeration", result, scored, context, n)
        return Estimate(
            "exaggeration",
            result.value,
            n=n,
            labels=_labels(scored, context),
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

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Axes of which a control has too few responses."""
        too_few = ((cell, cell.too_few) for cell in candidates(table, context))
        return [_undefined("axis_validity", why, cell, context, n=0) for cell, why in too_few if why]

    def _estimate(self, scored: Scored, context: MetricContext) -> Estimate:
        if isinstance(scored.axis, Undefined):
            return _undefined("axis_validity", scored.axis, scored, context, n=0)
        validity = scored.axis.leave_one_out()
        if validity.share is None:
            reason = Undefined(f"insufficient data: no pole has two seed words, {describe(scored.contrast.target)}")
            return _undefined("axis_validity", reason, scored, context, n=0)
        tested = len(validity.passed) + len(validity.failed)
        return Estimate(
            "axis_validity",
            validity.share,
            n=tested,
            labels=_labels(scored, context),
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
            [self._estimate(group, cell) for group in shared_groups(table, context) for cell in group.cells]
        )

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Cells without a response; what the others say does not decide whether they have a rate."""
        return [found for found in self.compute(table, context).estimates if not found.defined]

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
class _Cell:
    """A cell to be individuated."""

    group: Group
    contrast: Contrast

    @property
    def both(self) -> tuple[Cell, Cell]:
        """The cell and its default persona's."""
        return self.contrast.target, self.contrast.without_persona

    @property
    def texts(self) -> tuple[Sequence[str], Sequence[str]]:
        """The responses of both."""
        target, control = (self.group.texts.get(cell, ()) for cell in self.both)
        return target, control

    @property
    def crash(self) -> Undefined | None:
        return self.group.crashes(self.both)

    @property
    def excluded(self) -> dict[str, int]:
        return self.group.lost(self.both)

    def labels(self, context: MetricContext) -> dict[str, str]:
        return self.group.label(self.contrast.target) | {"encoder": context.encoder}

    def too_few(self, minimum: int, distinct: bool) -> Undefined | None:
        target, control = map(len, self.texts)
        return forests.too_few(target, control, minimum, distinct)

    def pair(self, context: MetricContext) -> forests.Pair:
        if context.protocol == "released":
            positions = [row for cell in self.both for row in self.group.source_rows.get(cell, ())]
            return forests.Pair.by_position(*self.texts, positions)
        return forests.Pair.by_text(*self.texts)

    def undefined(self, metric: str, why: Undefined, context: MetricContext) -> Estimate:
        reason, n = f"{why.reason}: {describe(self.contrast.target)}", sum(map(len, self.texts))
        return Estimate.undefined(metric, reason, labels=self.labels(context), n=n, excluded=self.excluded)


@dataclass(frozen=True)
class _Paired:
    """A cell to be individuated beside its default persona; the vectors of both; what the encoder did not read."""

    cell: _Cell
    pair: forests.Pair
    matrix: Array
    beyond_encoder: tuple[str, ...]


def _paired(table: pd.DataFrame, context: MetricContext) -> Iterator[_Paired]:
    """Every cell to be individuated beside its default persona."""
    cells = _individuated(table, context)
    pairs = [cell.pair(context) for cell in cells]
    texts = sorted({text for pair in pairs for text in pair.texts})
    encoded = context.encode(texts)
    vectors = Vectors(texts, encoded.vectors)
    truncated = {text for text, cut in zip(texts, encoded.truncated, strict=True) if cut}
    for cell, pair in zip(cells, pairs, strict=True):
        yield _Paired(cell, pair, vectors[pair.texts], beyond_encoder(pair.texts, truncated))


def _individuated(table: pd.DataFrame, context: MetricContext) -> list[_Cell]:
    """Under ``paper`` the defaults are controls; the released code scores the default topic too."""
    return [
        _Cell(group, group.contrast((persona, topic)))
        for group in shared_groups(table, context)
        for persona, topic in group.cells
        if persona != group.default_persona and (topic != group.default_topic or context.protocol == "released")
    ]


def _too_few(
    metric: str, table: pd.DataFrame, context: MetricContext, minimum: int, distinct: bool = False
) -> list[Estimate]:
    """Cells that cannot be told from their default persona, as either has too few responses, whatever they say."""
    found = [(cell, cell.crash or cell.too_few(minimum, distinct)) for cell in _individuated(table, context)]
    return [cell.undefined(metric, why, context) for cell, why in found if why]


def _responses(cell: Candidate) -> int:
    return len(cell.group.texts.get(cell.contrast.target, ()))


def _labels(cell: Candidate, context: MetricContext) -> dict[str, str]:
    return cell.group.label(cell.contrast.target) | {"encoder": context.encoder}


def _undefined(metric: str, why: Undefined, cell: Candidate, context: MetricContext, n: int) -> Estimate:
    excluded = cell.group.lost(cell.contrast.controlled)
    labels = _labels(cell, context)
    return Estimate.undefined(metric, why.reason, labels=labels, n=n, excluded=excluded, flags=why.flags)
