"""Sensitivity against numbers worked out by hand, and what must not matter to it."""

import random
from dataclasses import replace

import numpy as np
import pytest
from compared import Told, findings, mean_of, named, of_units, plain, sensitivity

from metricsengine.comparison import Findings, spelled
from metricsengine.errors import ConfigError
from metricsengine_comparisons.config import SensitivityConf
from metricsengine_comparisons.sensitivity import Sensitivity

BASE = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
HIGHER = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
LOWER = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]

THREE = [mean_of(BASE, variant="base"), mean_of(HIGHER, variant="wording"), mean_of(LOWER, variant="logic")]


class TestValues:
    def test_by_hand(self) -> None:
        found = sensitivity(THREE)
        assert {(e.metric, *e.labels.items()): e.value for e in found} == {
            ("sensitivity", ("of", "c"), ("variant", "logic")): 1.5,
            ("sensitivity.signed", ("of", "c"), ("variant", "logic")): -1.5,
            ("sensitivity", ("of", "c"), ("variant", "wording")): 0.5,
            ("sensitivity.signed", ("of", "c"), ("variant", "wording")): 0.5,
            ("sensitivity.max", ("of", "c")): 1.5,
            ("sensitivity.mean", ("of", "c")): 1.0,
        }
        assert {e.over for e in found if e.metric in ("sensitivity.max", "sensitivity.mean")} == {("variant",)}
        assert {(e.metric, e.n) for e in found if e.n == 2} == {("sensitivity.max", 2), ("sensitivity.mean", 2)}
        assert {e.n for e in found} == {6, 2}
        assert all("base: base" in e.flags for e in found)

    def test_a_constant_shift_has_no_width(self) -> None:
        found = named(sensitivity(THREE), variant="wording")
        assert (found.low, found.high) == pytest.approx((0.5, 0.5))
        assert found.interval == "bootstrap over paired units, 2000 draws"

    def test_without_units_from_standard_errors(self) -> None:
        found = sensitivity([plain(2.0, error=0.3, variant="base"), plain(1.0, error=0.4, n=12, variant="newline")])
        signed, size = named(found, "sensitivity.signed"), named(found)
        assert (signed.value, signed.low, signed.high) == pytest.approx((-1, -1 - 0.979982, -1 + 0.979982), abs=1e-6)
        assert (size.value, size.low, size.high) == pytest.approx((1, 0.020018, 1.979982), abs=1e-6)
        assert size.interval == "independent, from standard errors or widths of intervals"
        assert size.n == 12
        assert named(found, "sensitivity.max").low is None

    def test_without_standard_errors_from_the_widths_of_intervals(self) -> None:
        told = [plain(2.0, variant="base"), plain(1.0, variant="newline")]
        wide = [(replace(e, low=v - 0.6, high=v + 0.6), u) for v, (e, u) in zip((2.0, 1.0), told, strict=True)]
        found = named(sensitivity(wide), "sensitivity.signed")
        assert (found.low, found.high) == pytest.approx((-1 - 0.6 * 2**0.5, -1 + 0.6 * 2**0.5))

    def test_few_units_of_either_carry_over(self) -> None:
        told = [plain(2.0, error=0.3, n=40, variant="base"), plain(1.0, error=0.4, n=40, variant="newline")]
        assert "few_units" not in named(sensitivity(told)).flags
        few = [(replace(told[0][0], flags=("few_units",)), {}), told[1]]
        assert "few_units" in named(sensitivity(few)).flags

    def test_an_interval_from_standard_errors_ends_at_0(self) -> None:
        found = named(sensitivity([plain(2.0, error=3, variant="base"), plain(1.0, error=4, variant="newline")]))
        assert (found.low, found.high) == pytest.approx((0, 1 + 5 * 1.959964))

    def test_neither_units_nor_errors(self) -> None:
        found = named(sensitivity([plain(2.0, variant="base"), plain(1.0, error=4, variant="newline")]))
        assert (found.value, found.low, found.interval) == (
            1.0,
            None,
            "none: neither units that could be paired nor standard errors or intervals",
        )

    def test_units_of_one_variant_only_are_left_out_and_counted(self) -> None:
        base = of_units({"a": (1, 1), "b": (2, 3), "c": (9, 1), "d": (4, 1)}, variant="base")
        other = of_units({"a": (2, 1), "b": (2, 1), "x": (50, 1)}, variant="newline")
        found = sensitivity([base, other])
        assert named(found).value == pytest.approx(abs((2 + 2) / 2 - (1 + 3 * 2) / 4))
        assert named(found).n == 2
        assert named(found).excluded == {"units of base only": 2, "units of newline only": 1}
        assert named(found).interval == "none: 2 shared units, and a bootstrap takes at least 5"
        assert "few_units" in named(found).flags

    def test_what_estimates_left_out_and_their_unit_carry_over(self) -> None:
        (base, units), (other, _) = THREE[:2]
        told = [
            (replace(base, unit="points", excluded={"refused": 2}), units),
            (replace(other, unit="points", excluded={"refused": 1, "cut": 3}), THREE[1][1]),
        ]
        found = named(sensitivity(told))
        assert found.unit == "points"
        assert found.excluded == {"base: refused": 2, "wording: refused": 1, "wording: cut": 3}

    def test_several_rows_of_a_unit_are_one(self) -> None:
        told = findings(THREE[:2])
        half = told.units.assign(weight=told.units["weight"] / 2)
        twice = Findings(told.estimates, half.loc[[*half.index, *half.index]])
        whole = Sensitivity(SensitivityConf()).compare(told, 1)
        assert Sensitivity(SensitivityConf()).compare(twice, 1) == whole

    def test_identical_conditions_differ_by_exactly_0(self) -> None:
        values, weights = np.random.default_rng(3).normal(size=(2, 37))
        told = [mean_of(values, abs(weights), variant=name) for name in ("base", "b", "c")]
        for estimate in sensitivity(told):
            assert (estimate.value, estimate.low, estimate.high) == (0, 0, 0)


class TestGroups:
    def test_estimates_that_differ_in_more_are_not_compared(self) -> None:
        told = [
            mean_of(BASE, variant="base", trait="openness"),
            mean_of(LOWER, variant="logic", trait="openness"),
            mean_of(HIGHER, variant="logic", trait="narcissism"),
            mean_of(HIGHER, None, "d", variant="logic", trait="openness"),
        ]
        [found] = [e for e in sensitivity(told) if e.metric == "sensitivity"]
        assert found.labels == {"trait": "openness", "variant": "logic", "of": "c"}

    def test_averages_are_compared_with_averages(self) -> None:
        (one, _), (two, _), _ = THREE
        told = [(one, {}), (two, {}), *((replace(e, over=("topic",)), {}) for e in (one, two))]
        found = sensitivity(told)
        assert [e.over for e in found if e.metric == "sensitivity"] == [("topic",), ()]
        assert [e.over for e in found if e.metric == "sensitivity.max"] == [("topic", "variant"), ("variant",)]

    def test_each_label_is_tried(self) -> None:
        told = [
            mean_of(values, variant=variant, context=context)
            for values, variant, context in (
                (BASE, "base", "forum"),
                (LOWER, "logic", "forum"),
                (HIGHER, "base", "chat"),
                (LOWER, "logic", "chat"),
            )
        ]
        found = sensitivity(told)
        assert len([e for e in found if e.metric == "sensitivity"]) == 4
        told_of = {
            (e.flags[0], e.labels["variant"], e.labels["context"]): e.value for e in found if e.metric == "sensitivity"
        }
        assert told_of == {
            ("base: base", "logic", "forum"): 1.5,
            ("base: base", "logic", "chat"): 2.0,
            ("base: chat", "base", "forum"): 0.5,
            ("base: chat", "logic", "forum"): 0.0,
        }

    def test_the_first_by_name_is_the_base_where_none_is_called_so(self) -> None:
        found = sensitivity([plain(1, template="10"), plain(2, template="2")])
        assert named(found, "sensitivity.signed").labels["template"] == "10"
        assert named(found, "sensitivity.signed").value == -1

    def test_a_base_can_be_chosen(self) -> None:
        found = sensitivity(THREE, base="logic")
        assert named(found, "sensitivity.signed", variant="base").value == 1.5
        assert named(found, "sensitivity.signed", variant="wording").value == 2

    def test_a_chosen_base_concerns_the_labels_that_have_it(self) -> None:
        told = [*THREE, plain(1, "d", template="1"), plain(3, "d", template="2")]
        found = sensitivity(told, base="logic")
        assert named(found, "sensitivity.signed", template="2").value == 2

    def test_a_base_that_is_missing_somewhere_is_named(self) -> None:
        told = [*THREE, mean_of(HIGHER, variant="wording", trait="a"), mean_of(LOWER, variant="logic", trait="a")]
        found = named(sensitivity(told), trait="a", variant="logic")
        assert (found.value, found.reason) == (None, "base 'base' was not measured here")

    def test_metrics_can_be_chosen(self) -> None:
        told = [*THREE, plain(1, "d", variant="base"), plain(3, "d", variant="logic")]
        assert {e.labels["of"] for e in sensitivity(told)} == {"c", "d"}
        assert {e.labels["of"] for e in sensitivity(told, metrics="d")} == {"d"}

    def test_a_metric_with_a_label_of_keeps_its_value(self) -> None:
        told = [plain(1, variant="base", of="x"), plain(3, variant="logic", of="x")]
        assert {e.labels["of"] for e in sensitivity(told)} == {"c of x"}

    def test_nothing_to_compare_gives_nothing(self) -> None:
        assert sensitivity([]) == []
        assert sensitivity([mean_of(BASE, variant="base"), plain(1, persona="a"), plain(2, persona="b")]) == []

    def test_what_comparisons_made_is_compared_no_further(self) -> None:
        own = [(e, {}) for e in sensitivity(THREE)]
        assert sensitivity(own) == []
        assert sensitivity([*THREE, *own]) == sensitivity(THREE)


class TestRefusals:
    def test_a_metric_that_is_not_there(self) -> None:
        with pytest.raises(
            ConfigError, match=r"sensitivity\.metrics: unknown metric of this run 'cc': did you mean 'c'"
        ):
            sensitivity(THREE, metrics=["cc"])

    def test_a_base_that_is_not_there(self) -> None:
        with pytest.raises(ConfigError, match=r"sensitivity\.base: unknown variant 'bases': did you mean 'base'"):
            sensitivity(THREE, base="bases")

    def test_a_base_where_nothing_has_variants(self) -> None:
        alone = [plain(1, variant="base")]
        assert sensitivity(alone, base="base") == []
        with pytest.raises(ConfigError, match=r"sensitivity\.base: unknown variant 'bases': did you mean 'base'"):
            sensitivity(alone, base="bases")

    @pytest.mark.parametrize("along", [["mood"], ["variant", "mood"]])
    def test_a_label_that_no_estimate_has(self, along: list[str]) -> None:
        with pytest.raises(
            ConfigError, match=r"sensitivity\.along: unknown label of estimates 'mood'\. Known: variant"
        ):
            sensitivity(THREE, along=along)

    def test_a_label_that_is_compared_anyway_need_not_be_there_unless_it_alone_is_named(self) -> None:
        assert sensitivity(THREE, along=["template", "variant"]) == sensitivity(THREE)
        with pytest.raises(ConfigError, match=r"unknown label of estimates 'template'"):
            sensitivity(THREE, along="template")
        assert sensitivity([plain(1, agent="zero")]) == []

    @pytest.mark.parametrize("options", [{"along": ["mood"]}, {"base": "bases"}])
    def test_one_job_of_a_sweep_may_lack_what_the_others_tell(self, options: dict[str, object]) -> None:
        found = replace(findings([plain(1, variant="base")]), partial=True)
        assert list(Sensitivity(SensitivityConf(**options)).compare(found, 1)) == []

    def test_estimates_that_cannot_be_told_apart(self) -> None:
        with pytest.raises(ConfigError, match=r"2 different estimates of c have the labels \{'variant': 'logic'\}"):
            sensitivity([*THREE, plain(9, variant="logic")])

    @pytest.mark.parametrize("options", [{"along": []}, {"along": 3}, {"metrics": [""]}, {"draws": 1}])
    def test_options_out_of_range(self, options: dict[str, object]) -> None:
        with pytest.raises(ConfigError, match=rf"comparison\.sensitivity\.{next(iter(options))} must be"):
            SensitivityConf(**options)

    def test_one_name_is_a_list_of_one(self) -> None:
        conf = SensitivityConf(along="mode", metrics="c")
        assert (conf.along, conf.metrics) == (["mode"], ["c"])


class TestUndefined:
    def test_a_variant(self) -> None:
        found = sensitivity([*THREE, plain(None, variant="newline")])
        lost = named(found, variant="newline")
        assert lost.reason == "undefined variant 'newline': nothing was read"
        assert named(found, "sensitivity.signed", variant="newline").value is None
        assert named(found, "sensitivity.max").excluded == {"variants that cannot be compared": 1}
        assert (named(found, "sensitivity.max").value, named(found, "sensitivity.mean").value) == (1.5, 1.0)

    def test_the_base(self) -> None:
        found = sensitivity([plain(None, variant="base"), *THREE[1:]])
        assert {e.reason for e in found if not e.over} == {"undefined base 'base': nothing was read"}
        assert named(found, "sensitivity.max").reason.startswith("no variant can be compared: undefined base 'base'")
        assert all(e.value is None for e in found)

    def test_both(self) -> None:
        found = sensitivity([plain(None, variant="base"), plain(None, variant="logic")])
        assert named(found).reason == "undefined base 'base' and variant 'logic': nothing was read"


def some(seed: int = 0) -> list[Told]:
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=12)
    return [
        mean_of(shared + rng.normal(size=12), rng.uniform(0.5, 2, size=12), metric, variant=variant, **repeat)
        for metric in ("c", "d")
        for variant in ("base", "newline", "logic")
        for repeat in ({}, {"repeat": "1"})
    ]


class TestSymmetries:
    def test_base_and_variant_swapped(self) -> None:
        told = [t for t in some() if t[0].labels["variant"] != "logic"]
        one, other = sensitivity(told), sensitivity(told, base="newline")
        assert named(one, of="c").value == named(other, of="c").value
        assert (named(one, of="c").low, named(one, of="c").high) == (
            named(other, of="c").low,
            named(other, of="c").high,
        )
        there, back = named(one, "sensitivity.signed", of="c"), named(other, "sensitivity.signed", of="c")
        assert (there.value, there.low, there.high) == pytest.approx((-back.value, -back.high, -back.low))

    def test_order_does_not_matter(self) -> None:
        told = findings(some())
        expected = Sensitivity(SensitivityConf()).compare(told, 5)
        for seed in range(3):
            estimates = list(told.estimates)
            random.Random(seed).shuffle(estimates)
            shuffled = Findings(estimates, told.units.sample(frac=1, random_state=seed))
            assert Sensitivity(SensitivityConf()).compare(shuffled, 5) == expected

    def test_other_estimates_do_not_matter(self) -> None:
        told = some()
        alone = [t for t in told if t[0].metric == "d"]
        assert [e for e in sensitivity(told) if e.labels["of"] == "d"] == sensitivity(alone)

    def test_units_of_measurement_scale_everything(self) -> None:
        told = some()
        scaled = [
            (replace(e, value=-100 * e.value), {unit: (-100 * v, w) for unit, (v, w) in units.items()})
            for e, units in told
        ]
        for one, other in zip(sensitivity(told), sensitivity(scaled), strict=True):
            sign = -100 if one.metric == "sensitivity.signed" else 100
            ends = (one.low, one.high) if sign > 0 else (one.high, one.low)
            assert (other.value, other.low, other.high) == pytest.approx((sign * one.value, *(sign * e for e in ends)))

    def test_labels_are_found_however_they_are_written(self) -> None:
        told = [mean_of(BASE, variant="base", persona="élève"), mean_of(LOWER, variant="logic", persona="élève")]
        assert "élève" in spelled(told[0][0].labels)
        assert named(sensitivity(told)).low is not None
