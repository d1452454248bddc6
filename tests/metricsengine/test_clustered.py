"""Means over resampled units: against brute force, closed forms, and what must not matter."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metricsengine.aggregate import FEW, LEAST
from metricsengine.bootstrap import Resampling
from metricsengine.clustered import Sample, alike, fields, statistic_interval, units_table
from metricsengine.comparison import check_units, spelled
from metricsengine.estimate import Estimate
from metricsengine.stats import Interval, wilson

HOW = Resampling(seed=4)

drawn = st.lists(st.tuples(st.floats(-5, 5), st.sampled_from("abcdefgh"), st.floats(0.1, 9)), min_size=1, max_size=30)


def sample(rows: list[tuple[float, str, float]]) -> Sample:
    values, units, weights = zip(*rows, strict=True)
    return Sample.of(values, units, weights)


def noisy(units: int, each: int = 3, seed: int = 0) -> Sample:
    rng = np.random.default_rng(seed)
    return Sample.of(rng.normal(size=units * each), [f"unit {i}" for i in range(units)] * each)


class TestMeans:
    @given(drawn)
    def test_units_have_the_mean_of_their_values_and_together_that_of_all(
        self, rows: list[tuple[float, str, float]]
    ) -> None:
        units = sample(rows).by_unit
        assert len(units) == len({unit for _, unit, _ in rows})
        for name, value, weight in zip(units.units, units.values, units.weights, strict=True):
            own = [(v, w) for v, unit, w in rows if unit == name]
            assert weight == pytest.approx(sum(w for _, w in own))
            assert value == pytest.approx(sum(v * w for v, w in own) / sum(w for _, w in own))
        assert units.mean == pytest.approx(sample(rows).mean, abs=1e-12)
        assert sample(rows).mean == pytest.approx(sum(v * w for v, _, w in rows) / sum(w for _, _, w in rows))

    @given(drawn, st.randoms())
    def test_the_order_of_the_values_does_not_matter(self, rows: list[tuple[float, str, float]], rng: object) -> None:
        turned = list(rows)
        rng.shuffle(turned)  # type: ignore[attr-defined] # hypothesis hands out a random.Random
        assert sample(turned).mean == sample(rows).mean

    def test_values_that_are_units_themselves_stay_as_they_are(self) -> None:
        third = Sample.of([1 / 3, 0.1], "ba", [0.7, 3])
        assert third.by_unit is third

    def test_sums_become_means_weighted_by_counts(self) -> None:
        found = Sample.of_sums(["0", "1", "2"], np.array([6.0, 0.0, 3.0]), np.array([4.0, 0.0, 1.0]))
        assert (found.units, found.mean) == (["0", "2"], 9 / 5)

    @pytest.mark.parametrize(
        ("values", "units", "weights", "message"),
        [
            ([math.nan], "a", None, "NaN or infinite"),
            ([1, 2], "a", None, "units: 1 given for 2 values"),
            ([1, 2], "ab", [1], "weights: 1 given for 2 values"),
            ([1, 2], "ab", [1, 0], r"weights are above 0, got 0\.0"),
        ],
    )
    def test_what_is_no_sample_is_refused(
        self, values: list[float], units: str, weights: list[float] | None, message: str
    ) -> None:
        with pytest.raises(ValueError, match=message):
            Sample.of(values, units, weights)


class TestInterval:
    def test_whole_units_are_resampled(self) -> None:
        found = noisy(6, 2)
        rows = list(zip(found.values, found.units, strict=True))
        names = sorted(set(found.units), key=str)
        sums = [sum(v for v, unit in rows if unit == name) for name in names]
        every = [np.mean([sums[i] / 2 for i in draw]) for draw in product(range(6), repeat=6)]
        told = found.interval(HOW, "units", (None, None))
        assert [told["low"], told["high"]] == pytest.approx(np.quantile(every, [0.025, 0.975]), abs=0.05)
        assert told["interval"] == "bootstrap over units, 2000 draws"

    def test_weights_count_in_the_resamples(self) -> None:
        one = noisy(12, 1)
        twice = Sample.of([*one.values, *one.values[:4]], [*one.units, *one.units[:4]])
        heavy = Sample.of(one.values, one.units, [2.0] * 4 + [1.0] * 8)
        assert heavy.interval(HOW, "units", (0, 1)) == twice.interval(HOW, "units", (0, 1))
        assert heavy.interval(HOW, "units", (0, 1)) != one.interval(HOW, "units", (0, 1))

    @pytest.mark.parametrize("count", range(1, FEW + 2))
    def test_none_over_the_fewest_and_a_flag_over_few(self, count: int) -> None:
        told = noisy(count).interval(HOW, "units", (0, 1))
        assert ("low" in told) is (count >= LEAST)
        assert told["flags"] == (("few_units",) if count < FEW else ())
        if count < LEAST:
            noun = "unit" if count == 1 else "units"
            assert told["interval"] == f"none: {count} {noun}, and a bootstrap takes at least {LEAST}"

    def test_units_that_are_alike_are_bounded_by_the_others_there_may_be(self) -> None:
        ones = Sample.of([1.0] * 14, [f"unit {i % 7}" for i in range(14)])
        share, told = wilson(7, 7), ones.interval(HOW, "units", (0, 1))
        assert share is not None
        assert (told["low"], told["high"]) == (pytest.approx(share.low), 1)
        assert told["interval"] == "Wilson over units, all alike"

    def test_units_are_alike_whose_values_differ_but_not_their_means(self) -> None:
        halves = Sample.of([0.0, 1.0] * 7, [f"unit {i // 2}" for i in range(14)])
        told = halves.interval(HOW, "units", (0, 1))
        assert told["interval"] == "Wilson over units, all alike"
        assert told["low"] == pytest.approx(1 - told["high"])
        assert told["low"] < 0.5

    def test_rounding_makes_no_difference_between_units(self) -> None:
        sums = [0.1 + 0.2, 0.3, 0.15 * 2, 0.6 / 2, 0.9 / 3, 3 * 0.1]
        assert len(set(sums)) > 1
        told = Sample.of(sums, "abcdef").interval(HOW, "units", (0, 1))
        assert told["interval"] == "Wilson over units, all alike"
        assert told["high"] - told["low"] > 0.3

    def test_without_ends_units_that_are_alike_have_none(self) -> None:
        for ends in ((None, 1.0), (0.0, None)):
            told = Sample.of([1.0] * 6, "abcdef").interval(HOW, "runs", ends)
            assert told["interval"] == "none: all runs are alike, and a bootstrap would give no width"
            assert "low" not in told

    @given(st.integers(1, 40), st.floats(-3, 8))
    def test_bounds_of_alike_units_hold_their_value_within_the_ends(self, count: int, value: float) -> None:
        found = alike(value, count, "units", (-3, 8))
        assert -3 - 1e-9 <= found.low <= value <= found.high <= 8 + 1e-9
        assert found.high - found.low == pytest.approx(11 * (1 - (wilson(count, count) or found).low))


class TestStatistics:
    def test_a_mean_has_the_interval_of_a_bootstrap(self) -> None:
        values = np.random.default_rng(2).normal(size=30)
        told = statistic_interval(lambda units: float(values[units].mean()), 30, HOW, "trials", (-9, 9))
        mean = Sample.of(values, range(30)).interval(HOW, "trials", (-9, 9))
        assert [told["low"], told["high"]] == pytest.approx([mean["low"], mean["high"]], abs=0.06)
        assert told["interval"] == mean["interval"]

    def test_one_that_never_varies_is_bounded_as_units_that_are_alike(self) -> None:
        told = statistic_interval(lambda _: 2.0, 8, HOW, "trials", (0, 5))
        found = alike(2.0, 8, "trials", (0, 5))
        assert (told["low"], told["high"], told["interval"]) == (found.low, found.high, found.method)

    def test_one_that_mostly_has_no_value_has_no_interval(self) -> None:
        told = statistic_interval(lambda _: math.nan, 8, HOW, "trials", (0, 5))
        assert told["interval"] == "none: too many resamples of trials have no value"

    def test_over_the_fewest_units_it_is_not_even_drawn(self) -> None:
        calls: Counter[int] = Counter()
        told = statistic_interval(lambda units: calls.update(units) or 1.0, 4, HOW, "trials, paired", (0, 5))
        assert told["interval"] == "none: 4 trials, paired, and a bootstrap takes at least 5"
        assert not calls


def test_an_interval_over_the_fewest_units_is_withheld_whatever_it_is() -> None:
    assert "low" not in fields(Interval(0, 1, "bootstrap"), LEAST - 1, "runs")
    assert fields("none: not asked for", 20, "runs") == {"interval": "none: not asked for", "flags": ()}


class TestUnits:
    def test_rows_are_those_of_every_sample_and_their_mean_is_the_estimate(self) -> None:
        given = [("a", {"step": str(i)}, noisy(3 + i, seed=i)) for i in range(4)]
        estimates = [Estimate(metric, found.mean, len(found), labels) for metric, labels, found in given]
        table = units_table(given)
        assert table is not None
        check_units(table, estimates)
        assert table["labels"].value_counts().to_dict() == {spelled(e.labels): 3 + i for i, e in enumerate(estimates)}

    def test_samples_without_values_have_none(self) -> None:
        assert units_table([]) is None
        assert units_table([("a", {}, Sample.of([], []))]) is None
        some = units_table([("a", {}, Sample.of([], [])), ("b", {}, Sample.of([1.0], ["x"], [2.0]))])
        assert some is not None
        assert some.to_numpy().tolist() == [["b", "{}", "x", 1.0, 2.0]]
