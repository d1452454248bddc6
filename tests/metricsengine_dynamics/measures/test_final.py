"""Numbers of a population, against brute force and other implementations."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from metricsengine_dynamics.measures.final import bimodality, cluster_count, consensus_time, spread
from metricsengine_dynamics.measures.populations import by_segment

GRID = st.integers(-20, 20).map(lambda tick: tick / 20)
POPULATIONS = arrays(float, st.integers(1, 12), elements=GRID)


@given(POPULATIONS, st.sampled_from([0.0, 0.05, 0.1, 0.3]))
def test_clusters_are_the_connected_groups_of_close_opinions(opinions: np.ndarray, gap: float) -> None:
    groups = [{i} for i in range(len(opinions))]
    for i in range(len(opinions)):
        for j in range(i):
            if abs(opinions[i] - opinions[j]) <= gap + 1e-9:
                one, other = (next(group for group in groups if k in group) for k in (i, j))
                if one is not other:
                    groups.remove(other)
                    one |= other
    assert cluster_count(opinions, gap) == len(groups)


@given(POPULATIONS, st.randoms())
def test_order_and_sign_of_opinions_do_not_matter(opinions: np.ndarray, random: object) -> None:
    other = -np.random.default_rng(3).permutation(opinions)
    assert cluster_count(opinions, 0.1) == cluster_count(other, 0.1)
    assert spread(opinions) == pytest.approx(spread(other), abs=1e-12)
    np.testing.assert_allclose(bimodality(opinions), bimodality(other), rtol=1e-9)


def test_a_gap_as_wide_as_the_limit_separates_nobody() -> None:
    assert 0.4 - 0.3 > 0.1  # by a binary digit
    assert cluster_count([0.3, 0.4], 0.1) == 1
    assert cluster_count([0.3, 0.41], 0.1) == 2


@given(POPULATIONS)
def test_spread_is_the_standard_deviation_of_a_population(opinions: np.ndarray) -> None:
    assert spread(opinions) == pytest.approx(statistics.pstdev(opinions.tolist()), abs=1e-12)


@pytest.mark.parametrize("n", [4, 7, 50])
def test_bimodality_has_unbiased_skewness_and_kurtosis(n: int) -> None:
    opinions = np.random.default_rng(n).uniform(-1, 1, (5, n)) ** 3
    skewness, kurtosis = stats.skew(opinions, axis=1, bias=False), stats.kurtosis(opinions, axis=1, bias=False)
    wanted = (skewness**2 + 1) / (kurtosis + 3 * (n - 1) ** 2 / ((n - 2) * (n - 3)))
    np.testing.assert_allclose(bimodality(opinions), wanted)
    np.testing.assert_allclose(bimodality(3 - 0.2 * opinions), wanted)


def test_bimodality_of_known_distributions() -> None:
    even = np.linspace(-1, 1, 10_001)
    assert bimodality(even) == pytest.approx(5 / 9, abs=1e-3)
    assert bimodality(np.repeat([-0.8, 0.8], 5_000)) == pytest.approx(1, abs=1e-3)
    assert bimodality(stats.norm.ppf((np.arange(1, 10_000)) / 10_000)) == pytest.approx(1 / 3, abs=1e-2)


def test_bimodality_needs_four_agents_that_differ() -> None:
    assert np.isnan(bimodality([0.0, 0.5, 1.0]))
    assert np.isnan(bimodality([0.3, 0.3 + 1e-16, 0.3, 0.3]))


def test_consensus_is_the_first_state_within_the_tolerance() -> None:
    ranges = np.array([[2.0, 0.3, 0.1, 0.4], [0.05, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 0.4 - 0.3]])
    assert consensus_time(ranges, 0.1).tolist() == [2, 0, 3]
    assert np.isnan(consensus_time(ranges, 0.01)).all()


@given(st.lists(st.integers(1, 4), min_size=1, max_size=8))
def test_pieces_of_any_sizes_are_told_apart(sizes: list[int]) -> None:
    pieces = [np.random.default_rng(i).uniform(size=size) for i, size in enumerate(sizes)]
    found = by_segment(spread, np.concatenate(pieces), np.array(sizes))
    np.testing.assert_allclose(found, [np.std(piece) for piece in pieces], atol=1e-15)
