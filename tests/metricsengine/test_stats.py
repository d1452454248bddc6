"""Statistics against closed forms, exhaustive enumeration, other libraries and published numbers."""

import itertools
import math
import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from metricsengine.bootstrap import Resampling, bootstrap_mean, bootstrap_statistic, crossed_bootstrap_mean
from metricsengine.stats import (
    Correlation,
    Interval,
    holm,
    pearson,
    standard_error,
    t_test_power,
    t_test_sample_size,
    wilson,
)

HOW = Resampling(seed=5)
FEW = Resampling(seed=5, draws=200)
NUMBERS = st.floats(-1e6, 1e6)
BAD = [math.nan, math.inf, -math.inf]
PS = st.lists(st.floats(0, 1), min_size=1, max_size=8)
ROWS = st.lists(st.tuples(NUMBERS, st.sampled_from("abcd"), st.sampled_from("xyz")), min_size=1, max_size=30)


def ends(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    return interval.low, interval.high


def cuts_equal_tails(interval: Interval | None, outcomes: Sequence[float], confidence: float) -> bool:
    """Whether both ends are quantiles of the equally likely outcomes, up to 1 % of probability."""
    low, high = ends(interval)
    tail, results = (1 - confidence) / 2, np.array(outcomes)
    slack = 1e-9  # equal outcomes that were summed in another order
    return bool(
        np.mean(results < low - slack) <= tail + 0.01
        and np.mean(results <= low + slack) >= tail - 0.01
        and np.mean(results > high + slack) <= tail + 0.01
        and np.mean(results >= high - slack) >= tail - 0.01
    )


# Bootstrap over clusters


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
def test_cluster_bootstrap_has_the_quantiles_of_all_resamples(confidence: float) -> None:
    clusters = {"a": [0.11, 0.52], "b": [1.9], "c": [2.3, 0.7, 4.2], "d": [3.13, 1.01]}
    every = itertools.product(clusters, repeat=4)
    means = [float(np.mean(np.concatenate([clusters[name] for name in drawn]))) for drawn in every]
    values = [value for group in clusters.values() for value in group]
    labels = [name for name, group in clusters.items() for _ in group]
    how = Resampling(seed=2, draws=40_000, confidence=confidence)
    interval = bootstrap_mean(values, how, unit="topics", clusters=labels)
    assert cuts_equal_tails(interval, means, confidence)


def test_weights_count_like_repeated_values() -> None:
    values, labels = [0.3, 0.9, 2.0, 5.0, 1.0], list("aabbc")
    weights = [1, 2, 3, 1, 2]
    repeated = [np.repeat(column, weights) for column in (np.array(values), np.array(labels))]
    weighted = bootstrap_mean(values, HOW, unit="topics", clusters=labels, weights=weights)
    assert ends(weighted) == pytest.approx(
        ends(bootstrap_mean(repeated[0], HOW, unit="topics", clusters=repeated[1])), abs=1e-12
    )


def test_values_of_weight_zero_are_absent() -> None:
    full = bootstrap_mean([1.0, 2.0, 4.0, 99.0], HOW, unit="items", weights=[1, 1, 1, 0])
    assert full == bootstrap_mean([1.0, 2.0, 4.0], HOW, unit="items")
    assert bootstrap_mean([1.0, 99.0], HOW, unit="items", weights=[1, 0]) is None


@settings(deadline=None, max_examples=50)
@given(ROWS, st.randoms(use_true_random=False))
def test_order_of_rows_changes_nothing(rows: list[tuple[float, str, str]], rng: random.Random) -> None:
    shuffled = rng.sample(rows, len(rows))

    def intervals(table: list[tuple[float, str, str]]) -> list[Interval | None]:
        values, personas, topics = (list(column) for column in zip(*table, strict=True))
        return [
            bootstrap_mean(values, FEW, unit="responses"),
            bootstrap_mean(values, FEW, unit="topics", clusters=topics),
            crossed_bootstrap_mean(values, {"personas": personas, "topics": topics}, FEW),
        ]

    assert intervals(rows) == intervals(shuffled)


@settings(deadline=None, max_examples=50)
@given(ROWS)
def test_other_names_for_clusters_change_nothing(rows: list[tuple[float, str, str]]) -> None:
    values, labels, _ = (list(column) for column in zip(*rows, strict=True))
    renamed = [{"a": "zoo", "b": 7, "c": ("x", 1), "d": ""}[label] for label in labels]
    given_names = bootstrap_mean(values, FEW, unit="topics", clusters=labels)
    assert given_names == bootstrap_mean(values, FEW, unit="topics", clusters=renamed)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(-1000, 1000), st.sampled_from("abcd")), min_size=1, max_size=30))
def test_duplicated_rows_within_clusters_narrow_nothing(rows: list[tuple[int, str]]) -> None:
    values, labels = [row[0] for row in rows], [row[1] for row in rows]
    once = bootstrap_mean(values, FEW, unit="topics", clusters=labels)
    twice = bootstrap_mean(values * 2, FEW, unit="topics", clusters=labels * 2)
    assert once == twice


def test_duplicated_rows_narrow_an_unclustered_interval() -> None:
    values = np.random.default_rng(0).normal(size=50)
    low, high = ends(bootstrap_mean(values, HOW, unit="rows"))
    low4, high4 = ends(bootstrap_mean(np.tile(values, 4), HOW, unit="rows"))
    assert (high - low) / (high4 - low4) == pytest.approx(2, rel=0.15)


@settings(deadline=None, max_examples=50)
@given(ROWS)
def test_interval_stays_within_the_values(rows: list[tuple[float, str, str]]) -> None:
    values, personas, topics = (list(column) for column in zip(*rows, strict=True))
    for interval in (
        bootstrap_mean(values, FEW, unit="topics", clusters=topics),
        crossed_bootstrap_mean(values, {"personas": personas, "topics": topics}, FEW),
    ):
        assert interval is None or min(values) <= interval.low <= interval.high <= max(values)


@settings(deadline=None, max_examples=50)
@given(ROWS, st.integers(0, 10))
def test_only_a_single_cluster_has_no_interval(rows: list[tuple[float, str, str]], seed: int) -> None:
    values, labels, _ = (list(column) for column in zip(*rows, strict=True))
    interval = bootstrap_mean(values, Resampling(seed, draws=20), unit="topics", clusters=labels)
    assert (interval is None) == (len(set(labels)) == 1)


def test_labels_that_look_alike_are_different_clusters() -> None:
    assert bootstrap_mean([1.0, 2.0], FEW, unit="topics", clusters=[1, "1"]) is not None


def test_more_units_than_one_batch_holds() -> None:
    values = np.random.default_rng(3).normal(1, 2, size=10_000)
    low, high = ends(bootstrap_mean(values, HOW, unit="responses"))
    half = 1.96 * values.std() / 100
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.1 * half)


def test_seed_decides_and_global_state_does_not() -> None:
    values = [1.0, 4.0, 2.0, 8.0, 5.0, 7.0]
    state = repr(np.random.get_state(legacy=False))
    first = bootstrap_mean(values, Resampling(1), unit="items")
    assert first == bootstrap_mean(values, Resampling(1), unit="items")
    assert repr(np.random.get_state(legacy=False)) == state
    assert len({bootstrap_mean(values, Resampling(seed, 50), unit="items") for seed in range(20)}) > 5


def test_coverage_is_near_nominal_with_clusters_and_far_below_without() -> None:
    rng = np.random.default_rng(11)
    labels = np.repeat(np.arange(30), 8)
    clustered = naive = 0
    for trial in range(300):
        values = rng.normal(size=30)[labels] + rng.normal(size=240)
        how = Resampling(trial, draws=300)
        for_clusters = ends(bootstrap_mean(values, how, unit="topics", clusters=labels))
        for_rows = ends(bootstrap_mean(values, how, unit="rows"))
        clustered += for_clusters[0] <= 0 <= for_clusters[1]
        naive += for_rows[0] <= 0 <= for_rows[1]
    assert 0.88 <= clustered / 300 <= 0.98
    assert naive / 300 < 0.75


# Crossed factors


def brute_force_pigeonhole(table: dict[tuple[str, str], list[float]], draws: int, seed: int) -> list[float]:
    """Means of resampled tables, cell by cell, each pair of drawn levels contributing its values."""
    rng = random.Random(seed)
    rows, columns = (sorted({key[axis] for key in table}) for axis in (0, 1))
    means: list[float] = []
    while len(means) < draws:
        drawn = itertools.product(rng.choices(rows, k=len(rows)), rng.choices(columns, k=len(columns)))
        values = [value for cell in drawn for value in table.get(cell, [])]
        means += [sum(values) / len(values)] if values else []
    return means


def unfolded(table: dict[tuple[str, str], list[float]]) -> tuple[list[float], dict[str, list[str]]]:
    rows = [(value, *cell) for cell, values in table.items() for value in values]
    values, personas, topics = (list(column) for column in zip(*rows, strict=True))
    return values, {"personas": personas, "topics": topics}


def test_crossed_bootstrap_has_the_quantiles_of_all_resamples() -> None:
    rng = np.random.default_rng(4)
    grid = rng.normal(size=(3, 1)) + rng.normal(size=(1, 4)) + rng.normal(size=(3, 4))
    means = [
        float(grid[np.ix_(rows, columns)].mean())
        for rows in itertools.product(range(3), repeat=3)
        for columns in itertools.product(range(4), repeat=4)
    ]
    factors = {"personas": np.repeat(np.arange(3), 4), "topics": np.tile(np.arange(4), 3)}
    for confidence in (0.5, 0.9):
        how = Resampling(seed=1, draws=40_000, confidence=confidence)
        interval = crossed_bootstrap_mean(grid.ravel(), factors, how)
        assert cuts_equal_tails(interval, means, confidence)


def test_crossed_variance_equals_that_of_a_loop_over_unbalanced_cells() -> None:
    rng = np.random.default_rng(8)
    effect = dict(zip("ABCDEFGHIJ", rng.normal(size=10), strict=True))
    table = {
        (p, t): list(effect[p] + effect[t] + rng.normal(size=rng.integers(1, 5)))
        for p, t in itertools.product("ABCDE", "FGHIJ")
        if rng.random() < 0.8
    }
    values, factors = unfolded(table)
    low, high = ends(crossed_bootstrap_mean(values, factors, Resampling(seed=1, draws=20_000, confidence=0.6827)))
    loop = brute_force_pigeonhole(table, draws=20_000, seed=1)
    expected_low, expected_high = np.quantile(loop, [0.15865, 0.84135])
    assert (high - low) ** 2 == pytest.approx((expected_high - expected_low) ** 2, rel=0.06)
    assert (low, high) == pytest.approx((expected_low, expected_high), abs=0.03)


def test_crossed_variance_of_an_additive_table_is_the_sum_of_both_factors() -> None:
    rng = np.random.default_rng(9)
    personas, topics = rng.normal(size=40), rng.normal(size=60)
    grid = personas[:, np.newaxis] + topics
    factors = {"personas": np.repeat(np.arange(40), 60), "topics": np.tile(np.arange(60), 40)}
    low, high = ends(crossed_bootstrap_mean(grid.ravel(), factors, Resampling(seed=1, draws=10_000)))
    assert ((high - low) / (2 * 1.96)) ** 2 == pytest.approx(personas.var() / 40 + topics.var() / 60, rel=0.08)


def test_single_level_of_one_factor_falls_back_to_the_other() -> None:
    values, topics = [0.1, 0.5, 0.2, 0.9], list("ttuv")
    crossed = crossed_bootstrap_mean(values, {"personas": ["woman"] * 4, "topics": topics}, HOW)
    alone = bootstrap_mean(values, HOW, unit="topics", clusters=topics)
    assert crossed is not None
    assert alone is not None
    assert ends(crossed) == ends(alone)
    assert crossed.method == "bootstrap over topics (personas: one level only), 2000 draws"
    assert alone.method == "bootstrap over topics, 2000 draws"


def test_single_levels_of_both_factors_have_no_interval() -> None:
    assert crossed_bootstrap_mean([0.1, 0.2], {"personas": "aa", "topics": "bb"}, HOW) is None


def test_levels_with_equal_means_are_drawn_alike_in_every_process() -> None:
    magic_square = [16, 3, 2, 13, 5, 10, 11, 8, 9, 6, 7, 12, 4, 15, 14, 1]
    code = (
        "from metricsengine.bootstrap import Resampling, crossed_bootstrap_mean as bootstrap\n"
        "factors = {'personas': 'aaaabbbbccccdddd', 'topics': 'wxyzwxyzwxyzwxyz'}\n"
        f"print(bootstrap({magic_square}, factors, Resampling(seed=1, draws=50)))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in range(4)
    }
    assert len(printed) == 1


def test_draws_without_a_value_are_counted_and_too_many_leave_no_interval() -> None:
    diagonal = {"personas": "ab", "topics": "xy"}  # one draw in eight holds nothing
    assert crossed_bootstrap_mean([1.0, 2.0], diagonal, HOW) is None
    assert crossed_bootstrap_mean([1.0, 2.0], diagonal, Resampling(seed=5, confidence=0.8)) is not None
    most_cells = [cell for cell in itertools.product("abc", "xyz") if cell not in {("a", "x"), ("b", "y")}]
    personas, topics = zip(*most_cells, strict=True)
    interval = crossed_bootstrap_mean(range(7), {"personas": personas, "topics": topics}, HOW)
    assert interval is not None
    # Only a-a-a with x-x-x and b-b-b with y-y-y hold nothing: 2 resamples of 729, about 5 of 2,000 draws.
    counted = int(interval.method.removesuffix(" undefined").rsplit(", ", 1)[1])
    assert 0 < counted < 20


# Any statistic


def test_statistic_of_a_mean_agrees_with_the_mean() -> None:
    values = np.random.default_rng(2).normal(size=40)
    how = Resampling(seed=1, draws=20_000)
    by_statistic = bootstrap_statistic(lambda drawn: float(values[drawn].mean()), 40, how, unit="items")
    assert ends(by_statistic) == pytest.approx(ends(bootstrap_mean(values, how, unit="items")), abs=0.02)
    assert by_statistic is not None
    assert by_statistic.method == "bootstrap over items, 20000 draws"


def test_statistic_sees_as_many_cluster_numbers_as_there_are_clusters() -> None:
    seen: list[np.ndarray] = []

    def statistic(drawn: np.ndarray) -> float:
        seen.append(drawn)
        return float(len(seen))

    bootstrap_statistic(statistic, 7, Resampling(seed=1, draws=500), unit="runs")
    counts = np.bincount(np.concatenate(seen))
    assert len(seen) == 500
    assert {drawn.shape for drawn in seen} == {(7,)}
    assert counts.shape == (7,)
    assert scipy_stats.chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize(("undefined", "has_interval"), [(10, True), (11, False)])
def test_undefined_statistics_are_counted_until_they_could_fill_the_tails(undefined: int, has_interval: bool) -> None:
    results = iter([math.nan] * undefined + list(range(200 - undefined)))
    interval = bootstrap_statistic(lambda drawn: next(results), 3, Resampling(seed=1, draws=200), unit="runs")
    assert (interval is not None) == has_interval
    if interval is not None:
        assert interval.method == "bootstrap over runs, 200 draws, 10 undefined"


@pytest.mark.parametrize("clusters", [0, 1])
def test_statistic_of_fewer_than_two_clusters_has_no_interval(clusters: int) -> None:
    assert bootstrap_statistic(lambda drawn: 1.0, clusters, HOW, unit="runs") is None


# Standard error


@settings(deadline=None)
@given(st.lists(NUMBERS, min_size=2, max_size=20))
def test_standard_error_is_the_usual_one_when_every_value_is_its_own_cluster(values: list[float]) -> None:
    usual = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    assert standard_error(values) == pytest.approx(usual, rel=1e-9, abs=1e-9)
    assert standard_error(values, clusters=range(len(values))) == pytest.approx(usual, rel=1e-9, abs=1e-9)


def test_clustered_standard_error_by_hand() -> None:
    # Mean 3; deviations sum to -4 in a, -1 in b and 5 in c; sqrt(3 / 2 * (16 + 1 + 25)) / 6.
    values, clusters = [0.0, 2.0, 2.0, 4.0 - 1.0, 3.0, 8.0], list("aabccc")
    assert standard_error(values, clusters) == pytest.approx(math.sqrt(1.5 * (16 + 1 + 25)) / 6)


def test_clustered_standard_error_of_equal_clusters_is_that_of_their_means() -> None:
    values = np.random.default_rng(1).normal(size=(6, 4))
    clustered = standard_error(values.ravel(), np.repeat(list("abcdef"), 4))
    assert clustered == pytest.approx(standard_error(values.mean(axis=1)))


@pytest.mark.parametrize(("values", "clusters"), [([], None), ([1.0], None), ([1.0, 2.0], "aa"), ([], "")])
def test_standard_error_needs_two_units(values: list[float], clusters: str | None) -> None:
    assert standard_error(values, clusters) is None


# Wilson


@settings(deadline=None)
@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_wilson_equals_scipy(case: tuple[int, int], confidence: float) -> None:
    expected = scipy_stats.binomtest(*case).proportion_ci(confidence, method="wilson")
    interval = wilson(*case, confidence=confidence)
    assert ends(interval) == pytest.approx((expected.low, expected.high), abs=1e-10)
    assert interval is not None
    assert 0 <= interval.low <= case[0] / case[1] <= interval.high <= 1


def test_wilson_at_the_ends_is_exact_and_open_to_the_other_side() -> None:
    z2 = 1.959963984540054**2
    low, high = ends(wilson(0, 10))
    assert low == 0
    assert high == pytest.approx(z2 / (10 + z2))
    low, high = ends(wilson(10, 10))
    assert low == pytest.approx(10 / (10 + z2))
    assert high == 1


def test_wilson_takes_half_successes_and_is_symmetric() -> None:
    low, high = ends(wilson(2.5, 10))
    assert ends(wilson(2, 10))[0] < low < ends(wilson(3, 10))[0]
    assert ends(wilson(7.5, 10)) == pytest.approx((1 - high, 1 - low))


def test_wilson_without_trials_has_no_interval() -> None:
    assert wilson(0, 0) is None


@pytest.mark.parametrize(("successes", "n"), [(-1, 5), (6, 5), (1, 0), (0, -1), (math.nan, 5), (math.inf, math.inf)])
def test_wilson_refuses_impossible_counts(successes: float, n: int) -> None:
    with pytest.raises(ValueError, match="between 0 and the number of trials"):
        wilson(successes, n)


# Power


@pytest.mark.parametrize(("effect", "expected"), [(0.75, 29), (0.62, 42), (-0.62, 42)])
def test_sample_sizes_of_caricature_comparisons(effect: float, expected: int) -> None:
    assert t_test_sample_size(effect, alpha=0.05, power=0.8) == expected


@pytest.mark.parametrize(("effect", "expected"), [(0.2, 394), (0.5, 64), (0.8, 26)])
def test_sample_sizes_of_small_medium_and_large_effects(effect: float, expected: int) -> None:
    """Cohen, "A power primer", 1992, table 2, has 393, 64 and 26, the first by an approximation."""
    assert t_test_sample_size(effect) == expected


@settings(deadline=None, max_examples=50)
@given(st.floats(0.05, 3), st.integers(2, 200), st.floats(0.001, 0.3))
def test_power_is_the_mass_of_noncentral_t_in_both_tails(effect: float, n: int, alpha: float) -> None:
    degrees, noncentrality = 2 * n - 2, effect * math.sqrt(n / 2)
    critical = scipy_stats.t.ppf(1 - alpha / 2, degrees)
    lower = np.nan_to_num(scipy_stats.nct.cdf(-critical, degrees, noncentrality))  # NaN where it vanishes
    expected = scipy_stats.nct.sf(critical, degrees, noncentrality) + lower
    assert t_test_power(effect, n, alpha) == pytest.approx(expected, abs=1e-9)


def test_power_is_the_share_of_rejections_in_a_simulation() -> None:
    rng = np.random.default_rng(6)
    left, right = rng.normal(0.75, 1, size=(4000, 29)), rng.normal(0, 1, size=(4000, 29))
    rejected = np.mean(scipy_stats.ttest_ind(left, right, axis=1).pvalue < 0.05)
    assert rejected == pytest.approx(t_test_power(0.75, 29), abs=0.025)


def test_power_without_an_effect_is_the_level() -> None:
    assert t_test_power(0, 20, alpha=0.03) == pytest.approx(0.03)


def test_power_of_enormous_effects_is_one() -> None:
    assert t_test_power(50, 2) == 1
    assert t_test_sample_size(50) == 2


@settings(deadline=None, max_examples=30)
@given(st.floats(0.1, 2), st.floats(0.2, 0.99))
def test_sample_size_is_the_smallest_that_suffices(effect: float, power: float) -> None:
    n = t_test_sample_size(effect, power=power)
    assert t_test_power(effect, n) >= power
    assert n == 2 or t_test_power(effect, n - 1) < power


@pytest.mark.parametrize("effect", [0.0, 1e-9, math.nan, math.inf])
def test_sample_size_needs_an_effect(effect: float) -> None:
    with pytest.raises(ValueError, match="effect"):
        t_test_sample_size(effect)


@pytest.mark.parametrize(("effect", "n"), [(0.5, 1), (math.nan, 10), (math.inf, 10)])
def test_power_needs_a_finite_effect_and_two_values(effect: float, n: int) -> None:
    with pytest.raises(ValueError, match="finite effect and at least 2"):
        t_test_power(effect, n)


# Correlation


@settings(deadline=None, max_examples=50)
@given(st.integers(4, 60), st.integers(0, 1000), st.floats(0.5, 0.99))
def test_pearson_and_fisher_by_their_formulas(n: int, seed: int, confidence: float) -> None:
    x, noise = np.random.default_rng(seed).normal(size=(2, n))
    y = x + noise
    r = float(np.corrcoef(x, y)[0, 1])
    half = scipy_stats.norm.ppf((1 + confidence) / 2) / math.sqrt(n - 3)
    result = pearson(x, y, confidence)
    assert result.value == pytest.approx(r)
    assert (result.low, result.high) == pytest.approx(
        (math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))
    )
    assert (result.n, result.reason) == (n, "")


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "0 pairs, at least 3 needed"),
        ([1, 2], [2, 5], "2 pairs, at least 3 needed"),
        ([0.1] * 5, [1, 2, 3, 4, 5], "one side does not vary"),
        ([1, 2, 3, 4, 5], [0.1 + 0.2, 0.3, 0.3, 0.3, 0.3], "one side does not vary"),
        ([0] * 4, [0] * 4, "one side does not vary"),
    ],
)
def test_correlation_without_a_value_says_why(x: list[float], y: list[float], reason: str) -> None:
    assert pearson(x, y) == Correlation(None, None, len(x), reason)


@pytest.mark.parametrize(
    ("x", "y", "value", "reason"),
    [
        ([1, 2, 3], [1, 3, 2], 0.5, "3 pairs, at least 4 needed for an interval"),
        ([1, 2, 3, 4], [-0.1, -0.2, -0.3, -0.4], -1, "all pairs lie on a line: Fisher's z is infinite"),
        # Pearson's r of these is 0.9999999999999998.
        ([0.6, 0.3, 0, 0, 0.8], [1.9, 1, 0.1, 0.1, 2.5], 1, "all pairs lie on a line: Fisher's z is infinite"),
    ],
)
def test_correlation_without_an_interval_says_why(x: list[float], y: list[float], value: float, reason: str) -> None:
    result = pearson(x, y)
    assert result.value == pytest.approx(value)
    assert (result.interval, result.low, result.high, result.reason) == (None, None, None, reason)


# Input


@settings(deadline=None, max_examples=30)
@given(st.lists(NUMBERS, min_size=1, max_size=10), st.sampled_from(BAD), st.data())
def test_nan_and_infinity_are_errors_everywhere(values: list[float], bad: float, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(values)))
    spoilt = [*values[:place], bad, *values[place:]]
    fine = [1.0] * len(spoilt)
    calls: list[tuple[str, Callable[[], object]]] = [
        ("values", lambda: bootstrap_mean(spoilt, FEW, unit="items")),
        ("weights", lambda: bootstrap_mean(fine, FEW, unit="items", weights=spoilt)),
        ("values", lambda: crossed_bootstrap_mean(spoilt, {"items": range(len(spoilt))}, FEW)),
        ("values", lambda: standard_error(spoilt)),
        ("x", lambda: pearson(spoilt, fine)),
        ("y", lambda: pearson(fine, spoilt)),
    ]
    for name, call in calls:
        with pytest.raises(ValueError, match=rf"^{name}: 1 of {len(spoilt)} are NaN or infinite"):
            call()


def test_nothing_has_no_interval() -> None:
    assert bootstrap_mean([], HOW, unit="items") is None
    assert bootstrap_mean([], HOW, unit="topics", clusters=[]) is None
    assert crossed_bootstrap_mean([], {"personas": [], "topics": []}, HOW) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bootstrap_mean([1.0, 2.0], HOW, unit="topics", clusters="a"), "topics: 1 given for 2 values"),
        (lambda: bootstrap_mean([1.0, 2.0], HOW, unit="topics", weights=[1.0]), "weights: 1 given for 2 values"),
        (lambda: bootstrap_mean([1.0, 2.0], HOW, unit="topics", weights=[1.0, -1.0]), "weights must not be negative"),
        (lambda: bootstrap_mean([1.0, 2.0], HOW, unit="topics", clusters=["a", math.nan]), "a label is NaN"),
        (lambda: bootstrap_mean([[1.0, 2.0]], HOW, unit="topics"), r"one dimension, got shape \(1, 2\)"),
        (lambda: crossed_bootstrap_mean([1.0], {}, HOW), "at least one factor"),
        (lambda: standard_error([1.0, 2.0], clusters="abc"), "clusters: 3 given for 2 values"),
        (lambda: pearson([1, 2, 3], [1, 2]), "y: 2 given for 3 values"),
        (lambda: Resampling(seed=1, draws=1), "at least 2 draws, got 1"),
        (lambda: Resampling(seed=1, confidence=95), "confidence lies between 0 and 1, got 95"),
        (lambda: wilson(1, 2, confidence=1.0), "confidence lies between 0 and 1, got 1.0"),
        (lambda: t_test_power(1, 10, alpha=0), "alpha lies between 0 and 1, got 0"),
        (lambda: t_test_sample_size(1, power=1), "power lies between 0 and 1, got 1"),
        (lambda: Interval(1.0, 0.0, "bootstrap over topics"), "finite ends in order, got 1.0 to 0.0"),
        (lambda: Interval(math.nan, 0.0, "bootstrap over topics"), "finite ends in order"),
    ],
)
def test_impossible_arguments_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@given(PS)
def test_holm_rejects_what_stepping_down_rejects(ps: list[float]) -> None:
    for alpha in (0.01, 0.05, 0.3):
        rejected, order = set(), sorted(range(len(ps)), key=lambda i: ps[i])
        for rank, i in enumerate(order):
            if ps[i] * (len(ps) - rank) > alpha:
                break
            rejected.add(i)
        assert {i for i, p in enumerate(holm(ps)) if p <= alpha} == rejected


@given(PS)
def test_corrected_p_values_lie_between_the_plain_and_the_bonferroni_ones(ps: list[float]) -> None:
    for p, corrected in zip(ps, holm(ps), strict=True):
        assert p <= corrected <= min(1, p * len(ps)) + 1e-12


def test_a_single_p_value_needs_no_correction() -> None:
    assert holm([0.04]) == [0.04]
    assert holm([]) == []
