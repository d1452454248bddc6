"""Equations 2 and 3 and their interval."""

import math

import numpy as np
import pytest

from metricsengine_caricature.axis import Axis, AxisPlan, Vectors, build_axis, plan_axis
from metricsengine_caricature.corpus import Cell, Contrast, Corpus, Undefined
from metricsengine_caricature.exaggeration import (
    Exaggeration,
    Projection,
    bootstrap_means,
    exaggeration,
    texts_needed,
)
from metricsengine_caricature.tokens import Protocol

CONTRAST = Contrast("patriot", "golf", "person", "")
CELLS = {
    ("patriot", ""): [f"The flag and eagle {i % 3}. Proud!" for i in range(20)],
    ("person", "golf"): [f"The club is green. A swing {i % 4} 😀" for i in range(20)],
    ("patriot", "golf"): [f"The club has a flag {i % 7}." for i in range(12)],
    ("person", ""): ["So it is."] * 3,
}
Cells = dict[Cell, list[str]]


def axis_of(cells: Cells, protocol: Protocol = "paper", contrast: Contrast = CONTRAST) -> tuple[Corpus, Axis, Vectors]:
    corpus = Corpus(cells, protocol)
    plan = plan_axis(corpus, contrast)
    assert isinstance(plan, AxisPlan)
    texts = texts_needed(corpus, [plan])
    vectors = Vectors(texts, np.random.default_rng(5).standard_normal((len(texts), 16)))
    return corpus, build_axis(plan, vectors), vectors


def score(cells: Cells, protocol: Protocol = "paper", contrast: Contrast = CONTRAST) -> Exaggeration:
    result = exaggeration(*axis_of(cells, protocol, contrast), np.random.default_rng(0))
    assert isinstance(result, Exaggeration)
    return result


def test_value_is_equation_3_of_equation_2() -> None:
    corpus, axis, vectors = axis_of(CELLS)

    def mean_cosine(cell: Cell) -> float:
        rows = vectors[CELLS[cell]]
        return float(np.mean([row @ axis.vector / np.linalg.norm(row) / np.linalg.norm(axis.vector) for row in rows]))

    target, zero, one = (mean_cosine(c) for c in (CONTRAST.target, CONTRAST.without_persona, CONTRAST.without_topic))
    result = exaggeration(corpus, axis, vectors, np.random.default_rng(0))
    assert isinstance(result, Exaggeration)
    assert result.value == pytest.approx((target - zero) / (one - zero), abs=1e-12)
    assert result.projection.target == pytest.approx(target, abs=1e-12)
    assert result.n == (12, 20, 20)
    assert result.low is not None
    assert result.high is not None
    assert result.low < result.value < result.high


@pytest.mark.parametrize("protocol", ["paper", "released"])
def test_order_of_the_responses_changes_nothing(protocol: Protocol) -> None:
    shuffled = {cell: list(np.random.default_rng(9).permutation(texts)) for cell, texts in reversed(CELLS.items())}
    assert score(shuffled, protocol) == score(CELLS, protocol)


def test_same_generator_state_same_interval() -> None:
    assert score(CELLS) == score(CELLS)


def test_controls_score_one_and_zero_under_released() -> None:
    cells = {**CELLS, ("person", ""): ["Tasty food is served here again."] * 20}
    one = score(cells, "released", Contrast("patriot", "", "person", ""))
    assert (one.value, one.low, one.high) == (1.0, 1.0, 1.0)
    zero = score(cells, "released", Contrast("person", "golf", "person", ""))
    assert (zero.value, zero.low, zero.high) == (0.0, 0.0, 0.0)


def test_a_target_that_says_what_a_control_says_scores_as_the_control() -> None:
    assert score({**CELLS, CONTRAST.target: CELLS[CONTRAST.without_persona]}).value == pytest.approx(0.0, abs=1e-12)
    assert score({**CELLS, CONTRAST.target: CELLS[CONTRAST.without_topic]}).value == pytest.approx(1.0, abs=1e-12)


def test_value_is_not_clipped_but_flagged() -> None:
    corpus, axis, vectors = axis_of(CELLS)
    far = Vectors(
        texts_needed(corpus, [axis.plan]),
        np.array([-axis.vector if "club has" in t else vectors[[t]][0] for t in texts_needed(corpus, [axis.plan])]),
    )
    result = exaggeration(corpus, axis, far, np.random.default_rng(0))
    assert isinstance(result, Exaggeration)
    assert result.value < 0
    assert result.projection.target == pytest.approx(-1)
    assert result.flags == ("outside_unit_interval",)


def level(corpus: Corpus, axis: Axis) -> Vectors:
    """All responses at right angles to the axis, so that the controls coincide."""
    texts = texts_needed(corpus, [axis.plan])
    other = np.zeros_like(axis.vector)
    other[0], other[1] = -axis.vector[1], axis.vector[0]
    return Vectors(texts, np.tile(other, (len(texts), 1)))


def test_degenerate_axis_is_undefined_under_paper() -> None:
    corpus, axis, _ = axis_of(CELLS)
    result = exaggeration(corpus, axis, level(corpus, axis), np.random.default_rng(0))
    assert isinstance(result, Undefined)
    assert "degenerate axis" in result.reason
    assert result.flags == ("axis_degenerate",)


def test_degenerate_axis_gives_what_it_gives_under_released() -> None:
    corpus, axis, _ = axis_of(CELLS, "released")
    result = exaggeration(corpus, axis, level(corpus, axis), np.random.default_rng(0))
    assert isinstance(result, Exaggeration)
    assert "axis_degenerate" in result.flags
    assert (result.low, result.high, result.draws_left_out) == (None, None, 2000)


def test_coinciding_poles_are_undefined() -> None:
    corpus, axis, vectors = axis_of(CELLS)
    flat = Axis(axis.plan, np.ones_like(axis.persona), np.ones_like(axis.topic))
    result = exaggeration(corpus, flat, vectors, np.random.default_rng(0))
    assert result == Undefined("degenerate axis: its poles coincide", ("axis_degenerate",))


def test_normalised_value_of_coinciding_controls() -> None:
    assert Projection(0.6, 0.5, 0.5).normalised == math.inf
    assert Projection(0.4, 0.5, 0.5).normalised == -math.inf
    assert math.isnan(Projection(0.5, 0.5, 0.5).normalised)
    assert Projection(0.6, 0.5, 0.5 + 1e-7).degenerate
    assert not Projection(0.6, 0.5, 0.5 + 1e-5).degenerate


def test_too_few_target_responses_are_undefined() -> None:
    corpus, axis, vectors = axis_of({**CELLS, CONTRAST.target: ["One flag."]})
    result = exaggeration(corpus, axis, vectors, np.random.default_rng(0))
    assert result == Undefined("insufficient data: persona 'patriot', topic 'golf' has n=1, minimum 2")


def test_no_draws_no_interval() -> None:
    result = exaggeration(*axis_of(CELLS), np.random.default_rng(0), draws=0)
    assert isinstance(result, Exaggeration)
    assert (result.low, result.high) == (None, None)


def test_bootstrap_means_have_the_moments_of_the_sample_mean() -> None:
    values = np.arange(10.0)
    means = bootstrap_means(values, 40_000, np.random.default_rng(1))
    assert means.mean() == pytest.approx(4.5, abs=0.02)
    assert means.std() == pytest.approx(values.std() / math.sqrt(10), rel=0.02)


def test_texts_to_embed_are_each_named_once_and_no_more_than_needed() -> None:
    corpus, axis, _ = axis_of(CELLS)
    needed = texts_needed(corpus, [axis.plan, axis.plan])
    assert needed == sorted(set(needed))
    assert "So it is." not in needed  # the prior is counted, never embedded
    assert "The club has a flag 0." in needed
    assert "The flag and eagle 0." in needed
