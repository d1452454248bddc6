"""The permutation test against brute force and a closed form."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metricsengine_psychometrics.runs.significance import sign_flips

DIFFERENCES = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=7)


@given(DIFFERENCES, st.data())
def test_the_exact_p_value_is_the_share_of_all_sign_changes(values: list[float], data: st.DataObject) -> None:
    clusters = data.draw(st.lists(st.sampled_from("abc"), min_size=len(values), max_size=len(values)))
    names = sorted(set(clusters))
    means = [
        abs(sum(signs[names.index(where)] * value for where, value in zip(clusters, values, strict=True)))
        for signs in product((1, -1), repeat=len(names))
    ]
    p, exact = sign_flips(values, clusters, seed=1)
    assert exact
    assert p == pytest.approx(sum(mean >= abs(sum(values)) - 1e-12 for mean in means) / len(means))


def test_equal_differences_of_n_clusters_have_two_ways_of_two_to_the_n() -> None:
    assert sign_flips([3.0] * 10, range(10), seed=1) == (2 / 2**10, True)
    assert sign_flips([0.0, 0.0], "ab", seed=1) == (1, True)
    assert sign_flips([4.0, 1.0], "aa", seed=1) == (1, True)


def test_drawn_sign_changes_come_close_to_all_of_them() -> None:
    values = np.random.default_rng(3).normal(0.4, 1, 14)
    exact, whole = sign_flips(values, range(14), seed=1, draws=2**14)
    drawn, _ = sign_flips(values, range(14), seed=1, draws=5000)
    assert whole
    assert abs(drawn - exact) < 4 * math.sqrt(exact * (1 - exact) / 5000) + 1 / 5001


def test_drawn_p_values_are_never_0_and_follow_the_seed() -> None:
    values, clusters = [1.0] * 40, range(40)
    assert sign_flips(values, clusters, seed=1, draws=999) == (1 / 1000, False)
    mixed = [1.0, -0.9] * 20
    assert sign_flips(mixed, clusters, seed=1) == sign_flips(mixed, clusters, seed=1)
    assert sign_flips(mixed, clusters, seed=1) != sign_flips(mixed, clusters, seed=2)


@settings(max_examples=20)
@given(st.lists(st.integers(-9, 9).map(float), min_size=15, max_size=25))
def test_neither_the_order_of_sides_nor_of_clusters_matters(values: list[float]) -> None:
    first = sign_flips(values, range(len(values)), seed=1, draws=500)
    assert sign_flips([-value for value in values], range(len(values)), seed=1, draws=500) == first
    assert sign_flips(values[::-1], range(len(values)), seed=1, draws=500) == first
