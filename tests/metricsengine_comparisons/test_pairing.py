"""Intervals of differences: against every possible resample, and how often they hold the truth."""

from itertools import product

import numpy as np
import pytest
from compared import mean_of, named, sensitivity


def test_against_every_possible_resample() -> None:
    base, other = np.array([1.0, 3.0, 2.0, 7.0, 4.0]), np.array([2.0, 1.0, 6.0, 8.0, 4.5])
    heavy, light = np.array([1.0, 2.0, 1.0, 0.5, 1.0]), np.array([2.0, 1.0, 1.0, 1.0, 3.0])
    drawn = np.array(list(product(range(5), repeat=5)))

    def means(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return (values * weights)[drawn].sum(axis=1) / weights[drawn].sum(axis=1)

    exact = means(other, light) - means(base, heavy)
    difference = np.average(other, weights=light) - np.average(base, weights=heavy)
    told = [mean_of(base, heavy, variant="base"), mean_of(other, light, variant="logic")]
    found = sensitivity(told, draws=100_000)
    signed = named(found, "sensitivity.signed")
    assert signed.value == pytest.approx(difference)
    assert (signed.low, signed.high) == pytest.approx(np.quantile(exact, [0.025, 0.975]), abs=0.02)
    half = np.quantile(np.abs(exact - difference), 0.95)
    for metric in ("sensitivity", "sensitivity.max", "sensitivity.mean"):
        size = named(found, metric)
        assert (size.low, size.high) == pytest.approx((0, difference + half), abs=0.02)


def test_what_units_have_in_common_falls_out() -> None:
    rng = np.random.default_rng(1)
    shared = 100 * rng.normal(size=30)
    told = [mean_of(shared, variant="base"), mean_of(shared + 1 + 0.1 * rng.normal(size=30), variant="logic")]
    found = named(sensitivity(told))
    assert 0.8 < found.low < 1 < found.high < 1.2


def test_a_difference_rests_on_its_own_units_whatever_others_share() -> None:
    rng = np.random.default_rng(2)
    base, one, other = (mean_of(rng.normal(size=n), variant=name) for name, n in (("base", 20), ("a", 20), ("b", 9)))
    together, apart = sensitivity([base, one, other]), sensitivity([base, one])
    assert named(together, variant="a") == named(apart, variant="a")
    assert named(together, variant="b") == named(sensitivity([base, other]), variant="b")
    assert (named(together, variant="a").n, named(together, variant="b").n) == (20, 9)


@pytest.mark.parametrize("truth", [(0.0, 0.0), (0.5, -1.0)])
def test_intervals_hold_the_truth(truth: tuple[float, float]) -> None:
    rng = np.random.default_rng(7)
    sizes = np.abs(truth)
    expected = {
        ("sensitivity", "a"): sizes[0],
        ("sensitivity", "b"): sizes[1],
        ("sensitivity.signed", "a"): truth[0],
        ("sensitivity.signed", "b"): truth[1],
        ("sensitivity.max", None): sizes.max(),
        ("sensitivity.mean", None): sizes.mean(),
    }
    held = dict.fromkeys(expected, 0)
    rounds = 200
    for _ in range(rounds):
        shared = 3 * rng.normal(size=40)
        told = [
            mean_of(shared + shift + rng.normal(size=40), variant=name)
            for name, shift in (("base", 0.0), ("a", truth[0]), ("b", truth[1]))
        ]
        for estimate in sensitivity(told, draws=200):
            key = estimate.metric, estimate.labels.get("variant")
            held[key] += estimate.low <= expected[key] <= estimate.high
    for key, times in held.items():
        assert times / rounds > 0.9, (key, times / rounds)
