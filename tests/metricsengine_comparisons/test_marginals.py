"""Marginal means, differences and interactions against numbers worked out by hand and other implementations."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from compared import Told, findings, mean_of, named, of_units, plain
from scipy import stats

from metricsengine.aggregate import aggregate
from metricsengine.comparison import Findings
from metricsengine.errors import ConfigError
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure
from metricsengine_comparisons.config import MarginalsConf
from metricsengine_comparisons.marginals.comparison import Marginals

NOISE = np.random.default_rng(5).normal(size=(12, 4, 5))
"""Of 12 units, at up to 4 x 5 levels."""


def marginals(told: Iterable[Told], *swept: str, seed: int = 1, **options: Any) -> list[Estimate]:
    """What the comparison makes of a sweep of these labels."""
    return list(Marginals(MarginalsConf(**options)).compare(replace(findings(told), swept=swept), seed))


def grid(effects: Sequence[Sequence[float]], noise: float = 1.0, **labels: str) -> list[Told]:
    """A table of two dimensions, its units seen in every cell."""
    return [
        mean_of(effect + noise * NOISE[:, i, j], a=f"a{i}", b=f"b{j}", **labels)
        for i, row in enumerate(effects)
        for j, effect in enumerate(row)
    ]


def values(told: Sequence[Told], rows: int, columns: int) -> Any:
    """Values of the units of a grid, shape (units, rows, columns)."""
    table = [[value for value, _ in units.values()] for _, units in told]
    return np.array(table).T.reshape(-1, rows, columns)


class TestMeans:
    TOLD = (plain(1, a="x", b="1"), plain(2, a="x", b="2"), plain(5, a="y", b="1"), plain(4, a="y", b="2"))

    def test_by_hand(self) -> None:
        found = marginals(self.TOLD, "a", "b")
        assert {tuple(e.labels.values()): e.value for e in found if e.metric == "marginal_mean"} == {
            ("c", "a", "x"): 1.5,
            ("c", "a", "y"): 4.5,
            ("c", "b", "1"): 3.0,
            ("c", "b", "2"): 3.0,
        }
        mean = named(found, "marginal_mean", level="x")
        assert mean.labels == {"of": "c", "dimension": "a", "level": "x"}
        assert (mean.n, mean.over) == (2, ("b",))
        assert mean.interval.endswith("mean of 2 combinations, each with the same weight")
        difference = named(found, "marginal_difference", dimension="a")
        assert difference.labels == {"of": "c", "dimension": "a", "level": "y", "base": "x"}
        assert (difference.value, difference.low, difference.flags) == (3.0, None, ("no_test",))
        assert named(found, "interaction").value == pytest.approx(abs(1 - 2 - 5 + 4) / 4)

    def test_only_combinations_that_are_there_at_every_level(self) -> None:
        told = [*self.TOLD, plain(100, a="x", b="3"), plain(None, a="y", b="3"), plain(7, a="x", b="4")]
        found = marginals(told, "a", "b")
        mean = named(found, "marginal_mean", level="x")
        assert (mean.value, mean.n) == (1.5, 2)
        assert mean.excluded == {"undefined at a=y": 1, "nothing at a=y": 1}
        over_b = named(found, "marginal_mean", dimension="b", level="3")
        assert (over_b.value, over_b.n, over_b.excluded) == (100, 1, {"undefined at b=3 and 1 place more": 1})
        whole = named(found, "interaction")
        assert whole.value == pytest.approx(0.5)
        assert whole.excluded == {"incomplete levels of b": 2}

    def test_nothing_in_common_is_undefined_with_its_reason(self) -> None:
        found = marginals([plain(1, a="x", b="1"), plain(2, a="y", b="2")], "a", "b")
        assert [(e.metric, e.labels, e.reason) for e in found] == [
            (
                "marginal_mean",
                {"of": "c", "dimension": name},
                f"no combination of the other swept dimensions ({other}) is defined at every level of {name}: "
                f"nothing at {name}={first} (1), nothing at {name}={second} (1)",
            )
            for name, other, first, second in (("a", "b", "x", "y"), ("b", "a", "1", "2"))
        ]

    def test_a_level_that_is_nowhere_defined_takes_no_other_with_it_and_says_why(self) -> None:
        told = [*self.TOLD, plain(None, a="z", b="1"), plain(None, a="z", b="2")]
        found = marginals(told, "a", "b")
        assert named(found, "marginal_mean", level="x").value == 1.5
        lost = named(found, "marginal_mean", level="z")
        assert (lost.value, lost.reason) == (None, "nothing is defined at this level: nothing was read")
        assert not [e for e in found if "base" in e.labels and "z" in (e.labels["base"], e.labels["level"])]
        assert named(found, "interaction").excluded == {"undefined levels of a": 1}

    def test_combinations_that_no_level_defines_are_counted(self) -> None:
        found = marginals([*self.TOLD, plain(None, a="x", b="3"), plain(None, a="y", b="3")], "a", "b")
        mean = named(found, "marginal_mean", level="x")
        assert (mean.value, mean.n, mean.excluded) == (1.5, 2, {"undefined at a=x and 1 place more": 1})

    def test_a_dimension_of_which_one_level_is_defined_has_its_mean(self) -> None:
        found = marginals([plain(1, a="x"), plain(None, a="y")], "a")
        assert [(e.metric, e.labels["level"], e.value) for e in found] == [
            ("marginal_mean", "x", 1),
            ("marginal_mean", "y", None),
        ]

    def test_where_nothing_is_defined_the_mean_says_why(self) -> None:
        found = marginals([plain(None, a=a, b=b) for a in "xy" for b in "12"], "a", "b")
        assert [(e.metric, e.labels["dimension"], e.value, e.reason) for e in found] == [
            ("marginal_mean", name, None, f"nothing is defined at any level of {name}: nothing was read (4)")
            for name in "ab"
        ]

    def test_a_single_dimension(self) -> None:
        found = marginals([plain(1, a="x"), plain(3, a="y")], "a")
        assert [(e.metric, e.value, e.n) for e in found[:3]] == [
            ("marginal_mean", 1, 1),
            ("marginal_mean", 3, 1),
            ("marginal_difference", 2, 1),
        ]

    def test_units_of_the_metric_stay(self) -> None:
        told = [(replace(e, unit="%"), units) for e, units in self.TOLD]
        found = marginals(told, "a", "b")
        assert {e.unit for e in found if not e.metric.endswith(".p")} == {"%"}
        assert {e.unit for e in found if e.metric.endswith(".p")} == {"1"}


class TestLevels:
    def test_all_pairs_of_six_and_each_with_the_first_of_more(self) -> None:
        six = [plain(i, a=str(i)) for i in range(6)]
        assert sum(e.metric == "marginal_difference" for e in marginals(six, "a")) == 15
        seven = [plain(i, a=str(i)) for i in (0, 10, 2, 3, 4, 5, 6)]
        found = [e for e in marginals(seven, "a") if e.metric == "marginal_difference"]
        assert [(e.labels["base"], e.labels["level"]) for e in found] == [
            ("0", level) for level in ("2", "3", "4", "5", "6", "10")
        ]
        assert {e.labels["base"] for e in marginals(seven, "a", base="3") if "base" in e.labels} == {"3"}

    def test_a_base_model_is_the_base(self) -> None:
        told = [mean_of(NOISE[:, 0, 0] + 2, model="aligned"), mean_of(NOISE[:, 0, 1], model="base")]
        found = named(marginals(told, "model"), "marginal_difference")
        assert found.labels == {"of": "c", "dimension": "model", "level": "aligned", "base": "base"}
        assert found.value is not None
        assert found.value > 0
        assert "told_apart" in found.flags


class TestConditions:
    def test_are_never_mixed(self) -> None:
        told = [
            plain(float(i), a=a, agent=agent)
            for i, (a, agent) in enumerate([("x", "l"), ("y", "l"), ("x", "z"), ("y", "z")])
        ]
        found = [e for e in marginals(told, "a") if e.metric == "marginal_difference"]
        assert [(e.labels["agent"], e.value, e.over) for e in found] == [("l", 1, ()), ("z", 1, ())]

    def test_names_of_places_are_taken(self) -> None:
        told = [plain(1.0, a=a, level="high", base_model="m", of="everyday") for a in "xy"]
        found = named(marginals(told, "a"), "marginal_difference")
        assert found.labels == {
            "of": "c of everyday", "dimension": "a", "level": "y", "base": "x", "at_level": "high",
            "at_base_model": "m",
        }  # fmt: skip

    def test_what_tells_the_level_again_is_no_condition(self) -> None:
        told = [plain(1.0, a="1.0", told="one"), plain(2.0, a="2.0", told="two")]
        found = named(marginals(told, "a"), "marginal_difference")
        assert (found.value, "told" in found.labels) == (1.0, False)
        assert "varies with a: told" in found.flags

    def test_a_condition_that_a_level_lacks_holds_for_all_values(self) -> None:
        base = plain(50.0, trait="open", induce="none")
        induced = [
            plain(value, trait="open", induce=level, level=level, induced_trait=of, technique="p2")
            for value, level, of in ((90.0, "high", "open"), (20.0, "low", "open"), (60.0, "high", "calm"))
        ]
        found = [e for e in marginals([*induced, base], "induce") if e.metric == "marginal_difference"]
        assert {(e.labels["induced_trait"], e.labels["base"], e.labels["level"]): e.value for e in found} == {
            ("open", "none", "high"): 40,
            ("open", "none", "low"): -30,
            ("open", "high", "low"): -70,
            ("calm", "none", "high"): 10,
        }
        assert {"varies with induce: level (high, low)", "the same for every induced_trait, technique"} <= set(
            found[0].flags
        )

    def test_the_widest_estimates_only(self) -> None:
        whole, steps = plain(1, a="x"), [plain(9, a=a, step=s) for a in "xy" for s in "01"]
        found = marginals([whole, plain(2, a="y"), *steps, plain(8, metric="c.std", a="x")], "a")
        assert [e.value for e in found if e.metric == "marginal_difference"] == [1]

    def test_repeats_are_left_out(self) -> None:
        told = [plain(1, a="x"), plain(2, a="y"), plain(3, a="x", repeat="1"), plain(3, a="y", repeat="1")]
        assert sum(e.metric == "marginal_difference" for e in marginals(told, "a")) == 1

    def test_several_estimates_of_one_cell_are_none(self) -> None:
        told = [plain(1, a="x"), plain(1, a="x"), plain(2, a="y"), plain(2.5, a="y"), plain(3, a="z")]
        found = marginals(told, "a")
        means = {e.labels["level"]: (e.value, e.reason) for e in found if e.metric == "marginal_mean"}
        why = "nothing is defined at this level: 2 different estimates have these labels"
        assert means == {"x": (1, ""), "z": (3, ""), "y": (None, why)}


class TestTests:
    def test_one_difference_is_the_paired_t_test(self) -> None:
        told = grid([[0.0, 0.4, 1.0]])
        table = values(told, 1, 3)[:, 0]
        found = marginals(told, "b", "a")
        raw = [float(stats.ttest_rel(table[:, j], table[:, i]).pvalue) for i, j in ((0, 1), (0, 2), (1, 2))]
        assert [e.value for e in found if e.metric == "marginal_difference.p"] == pytest.approx(_holm(raw))

    def test_other_units_are_independent(self) -> None:
        one, two = NOISE[:7, 0, 0], NOISE[:, 1, 1] + 0.7
        told = [of_units({f"{a}{i}": (v, 1.0) for i, v in enumerate(v)}, a=a) for a, v in (("x", one), ("y", two))]
        found = marginals(told, "a")
        welch = stats.ttest_ind(two, one, equal_var=False)
        assert named(found, "marginal_difference.p").value == pytest.approx(float(welch.pvalue))
        difference = named(found, "marginal_difference")
        assert difference.interval == "bootstrap over independent units, 2000 draws, widened for few"
        ends = welch.confidence_interval()
        assert (difference.low, difference.high) == pytest.approx((ends.low, ends.high), abs=0.25)

    def test_units_that_are_partly_shared_covary_as_far_as_they_are(self) -> None:
        one, two = NOISE[:10, 0, 0], NOISE[:10, 0, 0] + NOISE[:10, 1, 1] + 0.9
        told = [
            of_units({f"{i + first:02}": (v, 1.0) for i, v in enumerate(values)}, a=a)
            for a, values, first in (("x", one, 0), ("y", np.roll(two, -4), 4))
        ]
        x, y = one - one.mean(), np.roll(two, -4) - two.mean()
        variance = (x @ x + y @ y - 2 * x[4:] @ y[:6]) / 100 * 10 / 9
        expected = 2 * stats.t.sf(abs(two.mean() - one.mean()) / np.sqrt(variance), 9)
        found = marginals(told, "a")
        assert named(found, "marginal_difference.p").value == pytest.approx(float(expected))
        assert named(found, "marginal_difference").value == pytest.approx(two.mean() - one.mean())

    def test_without_units_from_standard_errors(self) -> None:
        told = [plain(2.0, error=0.3, n=1000, a="x"), plain(1.0, error=0.4, n=1000, a="y")]
        found = marginals(told, "a")
        difference = named(found, "marginal_difference")
        assert (difference.low, difference.high) == pytest.approx((-1.98, -0.02), abs=2e-3)
        assert named(found, "marginal_difference.p").value == pytest.approx(2 * stats.norm.sf(2), abs=1e-3)

    def test_without_standard_errors_from_the_width_of_intervals(self) -> None:
        half = 1.959964 * 0.5
        told = [(replace(e, low=v - half, high=v + half), u) for v, (e, u) in ((v, plain(v, a=str(v))) for v in (0, 2))]
        assert named(marginals(told, "a"), "marginal_difference.p").value == pytest.approx(
            2 * stats.t.sf(2 / np.hypot(0.5, 0.5), 38)
        )

    def test_too_few_units_and_no_errors_give_no_test(self) -> None:
        found = marginals([mean_of([1, 2, 3, 4], a="x"), mean_of([2, 3, 4, 5.5], a="y")], "a")
        difference = named(found, "marginal_difference")
        assert (difference.low, difference.flags) == (None, ("no_test",))
        assert difference.interval == "none: 4 units, and a bootstrap takes at least 5"
        assert named(found, "marginal_difference.p").reason == "no test: 4 units, and a bootstrap takes at least 5"

    def test_units_that_all_differ_alike_are_tested_by_their_signs(self) -> None:
        base = NOISE[:, 0, 0]
        found = marginals([mean_of(base, a="x"), mean_of(base + 1, a="y"), mean_of(base, a="z")], "a")
        ps = {(e.labels["base"], e.labels["level"]): e for e in found if e.metric == "marginal_difference.p"}
        assert ps["x", "y"].value == pytest.approx(2 * 2.0**-11)
        assert ps["x", "z"].reason == "no test: alike in every unit: there is nothing to test"
        assert named(found, "marginal_difference", base="x", level="y").low is None
        assert "Holm over 2 tests" in ps["x", "y"].flags

    def test_all_tests_of_a_metric_are_one_family(self) -> None:
        told = [*grid([[0, 0.3], [0.5, 2.0]], agent="l"), *grid([[0, 3.0], [0.5, 0.1]], agent="z")]
        other = [(replace(e, metric="d"), units) for e, units in told[:4]]
        found = marginals([*told, *other], "a", "b")
        own = [e for e in found if e.labels["of"] == "c" and e.metric.endswith(".p")]
        assert len(own) == 6
        raw = [float(e.interval.partition("; ")[2].split()[0]) for e in own]
        assert [e.value for e in own] == pytest.approx(_holm(raw), rel=0.02)
        assert {"Holm over 6 tests" in e.flags for e in own} == {True}
        verdicts = [next(f for f in e.flags if f.endswith("told_apart")) for e in found if _is_tested(e, "c")]
        assert verdicts == ["told_apart" if e.value is not None and e.value < 0.05 else "not_told_apart" for e in own]


class TestInteractions:
    def test_of_two_levels_each_is_the_t_test_of_their_contrast(self) -> None:
        told = grid([[0.0, 0.5], [0.2, 1.8]])
        table = values(told, 2, 2)
        contrast = table[:, 0, 0] - table[:, 0, 1] - table[:, 1, 0] + table[:, 1, 1]
        found = marginals(told, "a", "b")
        whole = named(found, "interaction")
        assert whole.labels == {"of": "c", "dimension": "a", "dimension_b": "b"}
        assert whole.value == pytest.approx(abs(contrast.mean()) / 4)
        raw = float(named(found, "interaction.p").interval.partition("; ")[2].split()[0])
        assert raw == pytest.approx(float(stats.ttest_1samp(contrast, 0).pvalue), rel=0.01)

    def test_of_more_levels_is_the_f_test_of_repeated_measures(self) -> None:
        told = grid([[0.0, 0.5, 0.1], [0.2, 1.8, 0.4], [0.3, 0.1, 0.0], [0.0, 0.9, 0.6]])
        table = values(told, 4, 3)
        rest = table - table.mean(2, keepdims=True) - table.mean(1, keepdims=True) + table.mean((1, 2), keepdims=True)
        units, mean = len(rest), rest.mean(0)
        covariance = np.cov(rest.reshape(units, -1), rowvar=False)
        epsilon = np.trace(covariance) ** 2 / (6 * np.sum(covariance**2))  # of Greenhouse and Geisser
        error = np.sum((rest - mean) ** 2) / (6 * (units - 1))
        p = stats.f.sf(units * np.sum(mean**2) / 6 / error, 6 * epsilon, 6 * epsilon * (units - 1))
        found = marginals(told, "a", "b")
        assert named(found, "interaction").value == pytest.approx(float(np.sqrt(np.mean(mean**2))))
        assert float(named(found, "interaction.p").interval.partition("; ")[2].split()[0]) == pytest.approx(p, rel=0.01)

    def test_names_the_cell_that_departs_most(self) -> None:
        found = marginals(grid([[0, 0, 0], [0, 9, 0], [0, 0, 0]], noise=0.1), "a", "b")
        assert "departs most at a=a1, b=b1, above the sum" in named(found, "interaction").flags
        assert "told_apart" in named(found, "interaction").flags

    def test_its_interval_ends_at_0_and_reaches_it_where_nothing_interacts(self) -> None:
        additive = named(marginals(grid([[0, 1, 2], [3, 4, 5]]), "a", "b"), "interaction")
        assert additive.low == 0
        assert additive.high is not None
        assert additive.value is not None
        assert additive.high > additive.value
        strong = named(marginals(grid([[0, 9], [9, 0]], noise=0.3), "a", "b"), "interaction")
        assert strong.low is not None
        assert 4 < strong.low < 4.5

    def test_an_exactly_additive_table_has_none(self) -> None:
        found = marginals(grid([[0, 1], [2, 3]], noise=0), "a", "b")
        assert named(found, "interaction").value == pytest.approx(0, abs=1e-12)
        assert "no_test" in named(found, "interaction").flags

    def test_is_averaged_over_other_dimensions(self) -> None:
        told = [
            plain(float(i * j * (k + 1)), a=str(i), b=str(j), k=str(k)) for i in (0, 1) for j in (0, 1) for k in (0, 1)
        ]
        found = named(marginals(told, "a", "b", "k"), "interaction", dimension="a", dimension_b="b")
        assert (found.value, found.over, found.n) == (pytest.approx(1.5 / 4), ("k",), 8)


class TestReplicates:
    def test_seeds_are_units_where_there_are_none(self) -> None:
        told = [plain(float(NOISE[s, 0, i] + i), a="xy"[i], seed=str(s)) for i in (0, 1) for s in range(len(NOISE))]
        found = marginals(told, "a", "seed")
        assert {e.labels["dimension"] for e in found} == {"a"}
        mean = named(found, "marginal_mean", level="y")
        assert mean.value == pytest.approx(NOISE[:, 0, 1].mean() + 1)
        assert mean.over == ("seed",)
        assert mean.interval.startswith("bootstrap over seeds, 2000 draws")
        expected = stats.ttest_rel(NOISE[:, 0, 1] + 1, NOISE[:, 0, 0]).pvalue
        assert named(found, "marginal_difference.p").value == pytest.approx(float(expected))

    def test_units_of_several_seeds_are_joined(self) -> None:
        told = [mean_of(NOISE[:, i, s] + i, a="xy"[i], seed=str(s)) for i in (0, 1) for s in range(3)]
        first, second = (NOISE[:, i, :3].mean(axis=1) + i for i in (0, 1))
        found = marginals(told, "a", "seed")
        assert named(found, "marginal_difference").value == pytest.approx(second.mean() - first.mean())
        expected = stats.ttest_rel(second, first).pvalue
        assert named(found, "marginal_difference.p").value == pytest.approx(float(expected))

    def test_few_seeds_fall_back_on_standard_errors(self) -> None:
        told = [plain(float(i), error=0.2, a="xy"[i], seed=str(s)) for i in (0, 1) for s in range(4)]
        found = named(marginals(told, "a", "seed"), "marginal_difference")
        assert found.interval == "independent, from standard errors or widths of intervals"
        assert found.high == pytest.approx(1 + 1.97 * np.hypot(0.1, 0.1), abs=0.01)

    def test_undefined_replicates_are_counted(self) -> None:
        told = [plain(float(i), error=0.2, a="xy"[i], seed=str(s)) for i in (0, 1) for s in range(3)]
        found = marginals([*told, plain(None, a="x", seed="3"), plain(7.0, a="y", seed="3")], "a", "seed")
        difference = named(found, "marginal_difference")
        assert (difference.value, difference.excluded) == (1.0, {"undefined replicates": 1})

    def test_only_seeds_that_are_there_at_every_level(self) -> None:
        told = [plain(10, a="x", seed="1"), plain(13, a="y", seed="1"), plain(99, a="y", seed="2")]
        found = marginals(told, "a", "seed")
        assert [(e.metric, e.value, e.excluded) for e in found[:3]] == [
            ("marginal_mean", 10, {"missing replicates": 1}),
            ("marginal_mean", 13, {"missing replicates": 1}),
            ("marginal_difference", 3, {"missing replicates": 1}),
        ]

    def test_seeds_are_those_of_the_cells_that_are_compared(self) -> None:
        cells = {("x", "1"): (1, 2, 60), ("x", "2"): (3, 4, 70), ("y", "1"): (5, 9, 80), ("y", "2"): (6, 7, None)}
        told = [plain(v, a=a, b=b, seed=str(s)) for (a, b), own in cells.items() for s, v in enumerate(own)]
        found = marginals([*told, plain(8, a="x", b="3", seed="1")], "a", "b", "seed")
        undefined, missing = {"undefined replicates": 1}, {"missing replicates": 2}
        # Between levels of a, b=3 is nowhere compared, and takes no seed away: 0 and 1 are left.
        difference = named(found, "marginal_difference", dimension="a")
        assert difference.value == pytest.approx((7 + 6.5) / 2 - (1.5 + 3.5) / 2)
        assert difference.excluded == {"nothing at a=y": 1, **undefined}
        # Of b, only a=x is there at every level, where seed 1 alone has a value at b=3.
        means = [e for e in found if e.metric == "marginal_mean" and e.labels["dimension"] == "b"]
        assert [e.value for e in means] == [2, 4, 8]
        assert [e.excluded for e in means] == [{"nothing at b=3": 1, **missing}] * 3
        whole = named(found, "interaction")
        assert whole.value == pytest.approx(abs(1.5 - 3.5 - 7 + 6.5) / 4)
        assert whole.excluded == {"incomplete levels of b": 1, **undefined}

    def test_no_seed_in_common_is_undefined_with_its_reason(self) -> None:
        cells = [("x", "1", "1"), ("x", "2", "2"), ("y", "1", "1"), ("y", "2", "2")]
        found = marginals([plain(1, a=a, b=b, seed=seed) for a, b, seed in cells], "a", "b", "seed")
        why = "no seed is defined in all of the 4 cells that are compared: missing replicates (2)"
        assert [(e.metric, e.value, e.reason) for e in found] == [
            ("marginal_mean", None, why),
            ("marginal_mean", None, why),
            ("interaction", None, why),
            ("interaction.p", None, f"no test: {why}"),
        ]
        assert [e.excluded for e in found] == [{"missing replicates": 2}] * 4
        assert found[2].flags == ("no_test",)

    def test_seeds_that_are_not_shared_are_no_units(self) -> None:
        told = [plain(float(NOISE[s, 0, i] + i), a="xy"[i], seed=str(s)) for i in (0, 1) for s in range(7)]
        absent = marginals(told[1:], "a", "seed")
        pair = NOISE[1:7, 0, :2] + (0, 1)
        assert named(absent, "marginal_difference").value == pytest.approx(pair[:, 1].mean() - pair[:, 0].mean())
        expected = stats.ttest_rel(pair[:, 1], pair[:, 0]).pvalue
        assert named(absent, "marginal_difference.p").value == pytest.approx(float(expected))
        few = named(marginals(told[3:], "a", "seed"), "marginal_difference")
        assert few.interval == "none: neither units that could be resampled nor standard errors or intervals"

    def test_units_of_seeds_that_are_not_shared_are_left_out(self) -> None:
        told = [mean_of(NOISE[:, i, s] + i, a="xy"[i], seed=str(s)) for i in (0, 1) for s in range(3)]
        own = [*told[:2], *told[3:5]]
        found, alone = marginals(told[:-1], "a", "seed"), marginals(own, "a", "seed")
        assert [(e.value, e.low, e.high, e.interval) for e in found] == [
            (e.value, e.low, e.high, e.interval) for e in alone
        ]
        assert {tuple(e.excluded.items()) for e in found} == {(("missing replicates", 1),)}

    def test_whatever_is_missing_both_means_are_over_the_same_seeds(self) -> None:
        rng = np.random.default_rng(4)
        for _ in range(30):
            table = np.where(rng.random((2, 3, 4)) < 0.12, np.nan, rng.normal(size=(2, 3, 4)))
            there = [(i, j, s) for i, j, s in np.ndindex(2, 3, 4) if np.isfinite(table[i, j, s])]
            told = [plain(float(table[i, j, s]), a=str(i), b=str(j), seed=str(s)) for i, j, s in there]
            found = [e for e in marginals(told, "a", "b", "seed") if e.labels["dimension"] == "a"]
            common = table[:, :, np.isfinite(table).all(axis=(0, 1))]
            if common.size:
                difference = common[1].mean() - common[0].mean()
                assert named(found, "marginal_difference").value == pytest.approx(difference)
            else:
                assert named(found, "marginal_mean").reason.startswith("no seed is defined in all of the 6 cells")

    def test_seeds_alone_vary_nothing(self) -> None:
        assert marginals([plain(1, seed="1"), plain(2, seed="2")], "seed") == []


class TestAverages:
    def test_cells_of_an_average_are_its_units(self) -> None:
        measure = Measure("c", units=("topic",), keep=((),))
        cells = [
            Estimate("c", float(NOISE[t, 0, i] + i), 9, {"topic": str(t), "model": "xy"[i]})
            for i in (0, 1)
            for t in range(len(NOISE))
        ]
        told: list[Told] = [(estimate, {}) for estimate in [*aggregate(cells, measure, 1), *cells]]
        found = marginals(told, "model")
        assert named(found, "marginal_difference").interval.startswith("bootstrap over paired topics")
        expected = stats.ttest_rel(NOISE[:, 0, 1] + 1, NOISE[:, 0, 0]).pvalue
        assert named(found, "marginal_difference.p").value == pytest.approx(float(expected))
        assert named(found, "marginal_difference").over == ("topic",)

    @staticmethod
    def crossed(cells: np.ndarray, prompts: str = "x") -> list[Estimate]:
        """Of averages over personas and topics; values of shape (personas, topics, models), alike for each prompt."""
        measure = Measure("c", units=("persona", "topic"), keep=((),))
        own = [
            Estimate("c", float(value), 9, {"persona": f"p{p}", "topic": f"t{t}", "model": "xyz"[i], "prompt": prompt})
            for (p, t, i), value in np.ndenumerate(cells)
            for prompt in prompts
        ]
        return marginals([(estimate, {}) for estimate in [*aggregate(own, measure, 1), *own]], "model", "prompt")

    def test_personas_and_topics_both_vary(self) -> None:
        cells = NOISE[:7, :, :3].reshape(7, 6, 2) + np.array([0, 0.8])
        found = self.crossed(cells)
        difference = cells[:, :, 1] - cells[:, :, 0]
        of = [difference.mean(axis=axis) for axis in (1, 0)]
        squares = [float(np.var(means, ddof=1)) / len(means) for means in of]
        degrees = sum(squares) ** 2 / sum(square**2 / (len(m) - 1) for square, m in zip(squares, of, strict=True))
        expected = 2 * stats.t.sf(abs(difference.mean()) / np.sqrt(sum(squares)), degrees)
        assert named(found, "marginal_difference.p").value == pytest.approx(float(expected))
        told = named(found, "marginal_difference")
        assert told.interval == "bootstrap over paired personas x topics, 2000 draws, widened for few"
        assert told.low is not None
        assert told.high is not None
        width = 2 * stats.t.isf(0.025, degrees) * np.sqrt(sum(squares))
        assert told.high - told.low == pytest.approx(width, rel=0.15)

    def test_a_few_personas_stay_as_they_are(self) -> None:
        cells = NOISE[:, :4, :2] + np.array([0, 0.5])
        found = self.crossed(cells.swapaxes(0, 1))
        assert named(found, "marginal_difference").interval == (
            "bootstrap over paired topics (personas: fewer than 5), 2000 draws"
        )
        expected = stats.ttest_rel(cells[:, :, 1].mean(axis=1), cells[:, :, 0].mean(axis=1)).pvalue
        assert named(found, "marginal_difference.p").value == pytest.approx(float(expected))

    def test_another_prompt_adds_no_personas_and_topics(self) -> None:
        """A mean over prompts varies with the same personas and topics as that of one, and hardly less."""
        cells = NOISE[:6, :, :2].reshape(6, 8)[:, :, np.newaxis] + np.array([0, 0.5])
        one, two = (
            [e for e in self.crossed(cells, prompts) if e.labels["dimension"] == "model" and e.low is not None]
            for prompts in ("x", "xy")
        )
        assert [(e.value, e.low, e.high) for e in two] == [pytest.approx((e.value, e.low, e.high)) for e in one]
        assert [e.n for e in two] == [2, 2]

    def test_cells_that_are_not_those_of_the_average_are_no_units(self) -> None:
        measure = Measure("c", units=("topic",), keep=((),))
        cells = [
            Estimate("c", float(NOISE[t, 0, i]), 9, {"topic": str(t), "model": "xy"[i]})
            for i in (0, 1)
            for t in range(9)
        ]
        averages = aggregate(cells, measure, 1)
        for lost in (cells[:-1], [replace(cells[0], value=9.0), *cells[1:]]):
            found = marginals([(e, {}) for e in [*averages, *lost]], "model")
            assert named(found, "marginal_difference").interval.startswith("independent, from standard errors")


class TestSameResult:
    TOLD = (*grid([[0, 0.3, 1.0], [0.5, 2.0, 0.1]], agent="l"), *grid([[0, 3.0], [0.5, 0.1]], agent="z"))

    def test_whatever_the_order(self) -> None:
        found = marginals(self.TOLD, "a", "b")
        for seed in range(3):
            told = [(e, dict(random.Random(seed).sample(list(u.items()), len(u)))) for e, u in self.TOLD]
            random.Random(seed).shuffle(told)
            assert marginals(told, "a", "b") == found

    def test_of_the_same_seed_only(self) -> None:
        assert marginals(self.TOLD, "a", "b", seed=2) != marginals(self.TOLD, "a", "b")

    def test_whatever_else_there_is(self) -> None:
        own = marginals(self.TOLD[:6], "a", "b")
        more = marginals([*self.TOLD, mean_of(NOISE[:, 0, 0], None, "d", a="a0", b="b0")], "a", "b")
        means = [e for e in own if e.metric == "marginal_mean"]
        assert [e for e in more if e.metric == "marginal_mean" and e.labels["agent"] == "l"] == means


class TestOptions:
    TOLD = (plain(1, a="x"), plain(2, a="y"), plain(3, metric="d", a="x"), plain(4, metric="d", a="y"))

    def test_a_single_run_has_none_unless_asked_for(self) -> None:
        assert marginals(self.TOLD) == []
        assert len(marginals(self.TOLD, along="a")) == 8
        assert {e.labels["of"] for e in marginals(self.TOLD, along="a", metrics="d")} == {"d"}

    @pytest.mark.parametrize(("option", "said"), [("along", "label of estimates"), ("metrics", "metric of this run")])
    def test_unknown_names_are_refused(self, option: str, said: str) -> None:
        options: Any = {option: ["absent"]}
        with pytest.raises(ConfigError, match=f"comparison.marginals.{option}: .*{said}"):
            marginals(self.TOLD, "a", **options)

    def test_a_job_of_a_sweep_may_lack_them(self) -> None:
        found = replace(findings(self.TOLD), partial=True)
        assert list(Marginals(MarginalsConf(along="b")).compare(found, 1)) == []

    def test_few_draws_are_refused(self) -> None:
        with pytest.raises(ConfigError, match=r"comparison\.marginals\.draws"):
            MarginalsConf(draws=1)


class TestNoise:
    def test_nothing_is_told_apart_more_often_than_said(self) -> None:
        """Of 120 sweeps of three by three levels between which nothing differs, at most 5 % in the long run."""
        rng = np.random.default_rng(11)
        wrong = covered = total = 0
        for _ in range(120):
            noise = rng.normal(size=(16, 1, 1)) + rng.normal(size=(16, 3, 3))
            told = [mean_of(noise[:, i, j], a=str(i), b=str(j)) for i in range(3) for j in range(3)]
            found = marginals(told, "a", "b", draws=400)
            wrong += any("told_apart" in e.flags for e in found)
            ends = [(e.low, e.high) for e in found if e.metric in ("marginal_mean", "marginal_difference")]
            covered += sum(low is not None and high is not None and low <= 0 <= high for low, high in ends)
            total += len(ends)
        assert stats.binomtest(wrong, 120, 0.05, alternative="greater").pvalue > 0.01
        assert 0.91 < covered / total < 0.985


def _holm(raw: Sequence[float]) -> list[float]:
    """By its definition: the largest of what each smaller one is times the number of those not smaller."""
    return [
        max(min(1.0, p * sum(other >= p for other in raw)) for p in raw if p <= own)  # no two are equal here
        for own in raw
    ]


def _is_tested(estimate: Estimate, of: str) -> bool:
    return estimate.labels["of"] == of and estimate.metric in ("marginal_difference", "interaction")


def test_findings_are_not_changed() -> None:
    told: Findings = replace(findings(grid([[0, 1], [2, 3]])), swept=["a", "b"])
    before = told.units.copy()
    Marginals(MarginalsConf()).compare(told, 1)
    assert told.units.equals(before)
