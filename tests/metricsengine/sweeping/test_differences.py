"""Differences of two means: as scipy's t-tests have them, and none where the data cannot tell."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from metricsengine.aggregate import aggregate
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure
from metricsengine.sweeping.differences import Side, difference

RNG = np.random.default_rng(5)
FIRST, SECOND = RNG.normal(1, 1, 12), RNG.normal(0.4, 2, 12)


def side(values: np.ndarray, weights: np.ndarray | None = None, start: int = 0) -> Side:
    masses = np.ones(len(values)) if weights is None else weights
    units = {str(start + i): (float(v), float(w)) for i, (v, w) in enumerate(zip(values, masses, strict=True))}
    return Side(Estimate("warmth", float(np.average(values, weights=masses)), len(values), {}), units)


def bare(value: float, n: int = 20, **more: float) -> Side:
    return Side(Estimate("warmth", value, n, {}, **more))  # type: ignore[arg-type] # numbers of the estimate


def test_paired_units_are_compared_as_in_a_paired_t_test() -> None:
    found, known = difference(side(FIRST), side(SECOND), paired=True), stats.ttest_rel(FIRST, SECOND)
    interval = known.confidence_interval()
    assert found.p == pytest.approx(known.pvalue)
    assert found.interval == pytest.approx((interval.low, interval.high))
    assert found.value == pytest.approx(FIRST.mean() - SECOND.mean())
    assert found.n == 12


def test_only_units_that_both_have_are_paired() -> None:
    found = difference(side(FIRST), side(SECOND, start=2), paired=True)
    assert found.p == pytest.approx(stats.ttest_rel(FIRST[2:], SECOND[:-2]).pvalue)
    assert (found.n, found.alone) == (10, (2, 2))


def test_equal_weights_change_nothing_and_weights_are_those_of_the_mean() -> None:
    alike = difference(side(FIRST, np.full(12, 3.0)), side(SECOND), paired=True)
    assert alike.p == pytest.approx(difference(side(FIRST), side(SECOND), paired=True).p)
    weights = RNG.uniform(1, 2, 12)
    found = difference(side(FIRST, weights), side(SECOND), paired=True)
    assert found.value == pytest.approx(np.average(FIRST, weights=weights) - SECOND.mean())


def test_independent_units_are_compared_as_in_welchs_test() -> None:
    found = difference(side(FIRST), side(SECOND[:9]), paired=False)
    known = stats.ttest_ind(FIRST, SECOND[:9], equal_var=False)
    interval = known.confidence_interval()
    assert found.p == pytest.approx(known.pvalue)
    assert found.interval == pytest.approx((interval.low, interval.high))


def test_without_units_standard_errors_or_intervals_make_the_test() -> None:
    found = difference(bare(1.0, standard_error=0.3), bare(0.0, low=-0.784, high=0.784), paired=True)
    assert found.error == pytest.approx(0.5, abs=1e-4)
    degrees = 0.5**4 / ((0.3**4 + 0.4**4) / 19)
    assert found.p == pytest.approx(2 * stats.t.sf(2.0, degrees), rel=1e-3)


def test_standard_errors_of_means_are_compared_as_in_welchs_test() -> None:
    """Whatever a normal distribution would say: with five values each it errs in 9 of 100 tests."""
    sides = [bare(float(v.mean()), 5, standard_error=float(stats.sem(v))) for v in (FIRST[:5], SECOND[:5])]
    known = stats.ttest_ind(FIRST[:5], SECOND[:5], equal_var=False)
    found = difference(*sides, paired=False)
    assert found.p == pytest.approx(known.pvalue)
    assert found.interval == pytest.approx(tuple(known.confidence_interval()))


def test_averages_over_personas_and_topics_vary_with_both() -> None:
    """Two sweeps with topics of their own differ by these: a standard error over personas would know nothing of it."""
    measure = Measure("warmth", units=("persona", "topic"), keep=((),))
    topics = RNG.normal(size=(2, 8))
    noise = 0.1 * RNG.normal(size=(2, 8, 8))
    first, second = (
        aggregate(
            [
                Estimate("warmth", topics[i, t] + noise[i, p, t], 9, {"persona": f"p{p}", "topic": f"t{t}"})
                for p, t in product(range(8), repeat=2)
            ],
            measure,
            1,
        )[0]
        for i in (0, 1)
    )
    found = difference(Side(first), Side(second), paired=False)
    assert found.error is not None
    assert found.error > 0.7 * math.hypot(*(float(stats.sem(own)) for own in topics))


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (bare(1.0), bare(0.0, standard_error=0.3), "neither units that vary nor standard errors"),
        (bare(1.0, standard_error=1e-17), bare(0.0, standard_error=0.3), "all that one of them rests on is alike"),
        (bare(1.0, n=3, standard_error=0.3), bare(0.0, n=3, standard_error=0.3), "errors over 3"),
        (side(FIRST[:3]), side(SECOND[:3]), "3 paired units"),
        (side(FIRST), side(FIRST), "all paired units differ alike"),
    ],
)
def test_what_cannot_be_tested_says_why(first: Side, second: Side, why: str) -> None:
    found = difference(first, second, paired=True)
    assert (found.interval, found.p) == (None, None)
    assert why in found.method


@pytest.mark.parametrize("value", [0.0, 0.1, 0.7])
def test_units_that_are_alike_but_for_rounding_fall_back_on_intervals(value: float) -> None:
    first, second = (
        Side(Estimate("share", v, 9, {}, low=v - 0.1, high=v + 0.2), {str(i): (v, 0.3 + i) for i in range(9)})
        for v in (value, value + 0.2)
    )
    found = difference(first, second, paired=False)
    assert found.method == "independent, Welch's t from standard errors or widths of intervals"
    assert found.error == pytest.approx(math.hypot(0.15, 0.15) / 1.96, rel=1e-4)


def test_few_independent_units_have_no_test() -> None:
    found = difference(side(FIRST[:4]), side(SECOND), paired=False)
    assert (found.p, found.n, found.method) == (None, 4, "none: 4 units, and a test takes at least 5")
