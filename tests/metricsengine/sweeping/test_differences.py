"""Differences of two means: as scipy's t-tests have them, and none where the data cannot tell."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metricsengine.estimate import Estimate
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
    assert found.p == pytest.approx(2 * stats.norm.sf(2.0), rel=1e-3)


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (bare(1.0), bare(0.0, standard_error=0.3), "neither units nor standard errors"),
        (bare(1.0, n=3, standard_error=0.3), bare(0.0, n=3, standard_error=0.3), "errors over 3"),
        (side(FIRST[:3]), side(SECOND[:3]), "3 paired units"),
        (side(FIRST), side(FIRST), "all paired units differ alike"),
    ],
)
def test_what_cannot_be_tested_says_why(first: Side, second: Side, why: str) -> None:
    found = difference(first, second, paired=True)
    assert (found.interval, found.p) == (None, None)
    assert why in found.method


def test_units_that_are_alike_fall_back_on_intervals() -> None:
    alike = {str(i): (1.0, 1.0) for i in range(9)}
    first = Side(Estimate("share", 1.0, 9, {}, low=0.7, high=1.0), alike)
    second = Side(Estimate("share", 0.0, 9, {}, low=0.0, high=0.3), dict.fromkeys(alike, (0.0, 1.0)))
    assert difference(first, second, paired=False).method.startswith("independent, normal")
