"""Exaggeration: where a simulation lies between its two controls on their axis (CoMPosT, equations 2 and 3)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from metricsengine_caricature.axis import MINIMUM_RESPONSES, Array, Axis, AxisPlan, Vectors, cosines
from metricsengine_caricature.corpus import Cell, Contrast, Corpus, Undefined

DEGENERATE = 1e-6
"""The controls' mean cosines must differ by more than this for equation 3 to mean anything."""


@dataclass(frozen=True)
class Projection:
    """Mean cosines with an axis (equation 2), each in -1..1.

    Attributes:
        target: Of S(p, t).
        without_persona: Of S(_, t), the zero of the scale.
        without_topic: Of S(p, _), the one of the scale.
    """

    target: float
    without_persona: float
    without_topic: float

    @property
    def degenerate(self) -> bool:
        """Whether the controls cannot be told apart on the axis."""
        return abs(self.without_topic - self.without_persona) <= DEGENERATE

    @property
    def normalised(self) -> float:
        """Equation 3, unclipped; infinite or NaN where the controls coincide.

        Example:
            >>> round(Projection(target=0.1, without_persona=-0.2, without_topic=0.4).normalised, 6)
            0.5
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = np.float64(self.target - self.without_persona)
            return float(distance / np.float64(self.without_topic - self.without_persona))


@dataclass(frozen=True)
class Exaggeration:
    """Exaggeration of one target simulation.

    Attributes:
        value: Equation 3, unclipped: 0 is the default persona, 1 the default topic. Under ``released`` it may be
            infinite or NaN, as the released code produces it.
        low: Lower end of the 95 % bootstrap interval over responses, the axis fixed; None where not computed.
        high: Upper end.
        projection: The mean cosines behind it.
        n: Number of responses: of the target, of S(_, t), of S(p, _).
        draws_left_out: Bootstrap draws in which the controls coincided.
        flags: ``outside_unit_interval``, ``axis_degenerate``, and those of the axis.
    """

    value: float
    low: float | None
    high: float | None
    projection: Projection
    n: tuple[int, int, int]
    draws_left_out: int = 0
    flags: tuple[str, ...] = ()


def texts_needed(corpus: Corpus, plans: Iterable[AxisPlan]) -> list[str]:
    """Every text whose vector the axes and their cells need, sorted, each once."""
    needed: set[str] = set()
    for plan in plans:
        contrast = plan.contrast
        needed.update(plan.persona.sentences, plan.topic.sentences)
        for cell in (contrast.target, contrast.without_persona, contrast.without_topic):
            needed.update(corpus.responses(cell))
    return sorted(needed)


def target_too_few(corpus: Corpus, contrast: Contrast) -> Undefined | None:
    """Why there is no exaggeration, where the target has fewer responses than needed."""
    return corpus.too_few(contrast.target, MINIMUM_RESPONSES)


def exaggeration(
    corpus: Corpus, axis: Axis, vectors: Vectors, rng: np.random.Generator, draws: int = 2000
) -> Exaggeration | Undefined:
    """Exaggeration of the axis' target.

    Args:
        corpus: The simulations.
        axis: Axis of the target, made from the same corpus and vectors.
        vectors: Vectors of all responses of the target and of its controls.
        rng: Draws the bootstrap samples.
        draws: Number of bootstrap samples; 0 for no interval.
    """
    contrast = axis.plan.contrast
    if reason := target_too_few(corpus, contrast):
        return reason
    if not axis.vector.any():
        return Undefined("degenerate axis: its poles coincide", ("axis_degenerate",))
    cells = (contrast.target, contrast.without_persona, contrast.without_topic)
    by_cell = {cell: cosines(vectors[corpus.responses(cell)], axis.vector) for cell in dict.fromkeys(cells)}
    projection = Projection(*(float(by_cell[cell].mean()) for cell in cells))
    if projection.degenerate and corpus.protocol == "paper":
        distance = projection.without_topic - projection.without_persona
        return Undefined(f"degenerate axis: its controls lie {distance:.1e} apart", ("axis_degenerate",))
    low, high, left_out = _interval(by_cell, cells, rng, draws)
    value = projection.normalised
    return Exaggeration(
        value, low, high, projection, _sizes(corpus, cells), left_out, (*_flags(value, projection), *axis.plan.flags)
    )


def bootstrap_means(values: Array, draws: int, rng: np.random.Generator) -> Array:
    """Means of samples drawn with replacement; shape (draws,)."""
    means: Array = values[rng.integers(len(values), size=(draws, len(values)))].mean(axis=1)
    return means


def _interval(
    by_cell: dict[Cell, Array], cells: tuple[Cell, Cell, Cell], rng: np.random.Generator, draws: int
) -> tuple[float | None, float | None, int]:
    """Percentile interval; a cell that plays two parts is drawn once, so that a default topic stays at exactly 1."""
    if not draws:
        return None, None, 0
    means = {cell: bootstrap_means(cosine, draws, rng) for cell, cosine in by_cell.items()}
    target, zero, one = (means[cell] for cell in cells)
    apart = np.abs(one - zero) > DEGENERATE
    left_out = draws - int(apart.sum())
    if left_out == draws:
        return None, None, left_out
    low, high = np.percentile((target - zero)[apart] / (one - zero)[apart], [2.5, 97.5])
    return float(low), float(high), left_out


def _sizes(corpus: Corpus, cells: tuple[Cell, Cell, Cell]) -> tuple[int, int, int]:
    target, zero, one = (len(corpus.responses(cell)) for cell in cells)
    return target, zero, one


def _flags(value: float, projection: Projection) -> tuple[str, ...]:
    outside = not math.isfinite(value) or not 0 <= value <= 1
    return ("outside_unit_interval",) * outside + ("axis_degenerate",) * projection.degenerate
