"""Noise floors: the same asked again."""

import numpy as np
import pytest
from compared import Told, mean_of, named, of_units, plain, sensitivity

from metricsengine.estimate import Estimate
from metricsengine_comparisons.floors import flag

VALUES = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def shifted(by: float, **labels: str) -> Told:
    return mean_of([value + by for value in VALUES], **labels)


MANY = list(range(12))
FLAGS = {"above_noise_floor", "within_noise_floor", "noise_floor_unclear", "no_noise_floor"}


def verdict(estimate: Estimate) -> str:
    """The one flag that holds it against the noise floor."""
    [found] = FLAGS & set(estimate.flags)
    return found


def test_of_two_repeats_by_hand() -> None:
    told = [shifted(0, variant="base"), shifted(0.25, variant="base", repeat="1"), shifted(1, variant="logic")]
    found = sensitivity(told)
    floor = named(found, "noise_floor")
    assert (floor.value, floor.n, floor.labels, floor.over) == (0.25, 1, {"variant": "base", "of": "c"}, ())
    assert (floor.low, floor.high) == pytest.approx((0.25, 0.25))
    assert verdict(named(found)) == "above_noise_floor"
    assert [e.labels["variant"] for e in found if e.metric == "sensitivity"] == ["logic"]


def test_of_three_repeats_is_the_mean_of_all_pairs() -> None:
    told = [
        shifted(0, variant="base"),
        shifted(0.5, variant="base", repeat="1"),
        shifted(-1, variant="base", repeat="2"),
        shifted(0.75, variant="logic"),
        shifted(9, variant="logic", repeat="1"),
    ]
    found = sensitivity(told)
    floor = named(found, "noise_floor")
    assert (floor.value, floor.n) == (pytest.approx((0.5 + 1 + 1.5) / 3), 3)
    assert verdict(named(found)) == "within_noise_floor"
    assert named(found).value == 0.75


@pytest.mark.parametrize("error", [None, 0.01])
def test_nothing_is_said_where_the_floor_has_no_interval(error: float | None) -> None:
    told = [plain(41.7, variant="base", error=error), plain(50, variant="base", error=error, repeat="1")]
    found = sensitivity([*told, plain(8.7, variant="logic", error=error)])
    size, floor = named(found), named(found, "noise_floor")
    assert (floor.value, floor.low) == (pytest.approx(8.3), None)
    assert size.value == pytest.approx(33)
    assert (size.low is None) == (error is None)
    assert verdict(size) == "noise_floor_unclear"


def test_nothing_is_said_of_two_runs() -> None:
    told = [mean_of([1, 2], variant="base"), mean_of([2, 2], variant="base", repeat="1"), mean_of([9, 9], variant="x")]
    found = sensitivity(told)
    assert named(found, "noise_floor").flags == ("few_units",)
    assert verdict(named(found)) == "noise_floor_unclear"


def test_nothing_is_said_of_a_sensitivity_without_an_interval() -> None:
    told = [shifted(0, variant="base"), shifted(0.25, variant="base", repeat="1"), plain(90, variant="logic")]
    found = sensitivity(told)
    assert named(found, "noise_floor").high is not None
    assert verdict(named(found)) == "noise_floor_unclear"


@pytest.mark.parametrize(
    ("low", "high", "flagged"),
    [
        (0.31, 0.3, "above_noise_floor"),
        (0.3, 0.3, "within_noise_floor"),
        (0.25, 0.3, "within_noise_floor"),
        (0.1, 0.3, "within_noise_floor"),
        (0.1, 0.0, "above_noise_floor"),
        (0.0, 0.0, "within_noise_floor"),
        (None, 0.3, "noise_floor_unclear"),
        (0.31, None, "noise_floor_unclear"),
        (None, None, "noise_floor_unclear"),
    ],
)
def test_the_intervals_must_lie_apart(low: float | None, high: float | None, flagged: str) -> None:
    floor = Estimate("noise_floor", 0.0, 3, {}, low=None if high is None else 0.0, high=high)
    assert flag(low, floor) == flagged
    assert flag(low, None) == "no_noise_floor"


@pytest.mark.parametrize(("units", "flags"), [(9, ("few_units",)), (10, ())])
def test_a_floor_of_few_units_says_so(units: int, flags: tuple[str, ...]) -> None:
    told = [mean_of(MANY[:units], variant="base"), mean_of(MANY[:units], variant="base", repeat="1")]
    found = sensitivity([*told, mean_of(MANY[:units], variant="logic")])
    assert named(found, "noise_floor").flags == flags


def test_the_units_that_all_repeats_share_are_those_that_count() -> None:
    masses = {str(i): (float(i), 1.0) for i in MANY}
    less = {name: pair for name, pair in masses.items() if name != "0"}
    other = {name: pair for name, pair in masses.items() if name not in ("1", "2")}
    told = [of_units(masses, variant="base"), of_units(less, variant="base", repeat="1")]
    found = sensitivity([*told, of_units(other, variant="base", repeat="2"), of_units(masses, variant="logic")])
    assert named(found, "noise_floor").flags == ("few_units",)


def test_an_interval_must_lie_above_it_as_a_whole() -> None:
    rng = np.random.default_rng(4)
    base = rng.normal(size=12)
    told = [mean_of(base, variant="base"), mean_of(base + 0.1, variant="base", repeat="1")]
    found = named(sensitivity([*told, mean_of(rng.normal(0.6, 2, size=12), variant="logic")]))
    assert found.low < 0.1 < found.value
    assert verdict(found) == "within_noise_floor"


def test_it_must_lie_above_the_interval_of_the_floor_too() -> None:
    again = [value + (0.9 if value % 2 else -0.5) for value in MANY]
    told = [mean_of(MANY, variant="base"), mean_of(again, variant="base", repeat="1")]
    found = sensitivity([*told, mean_of([value + 0.4 for value in MANY], variant="logic")])
    size, floor = named(found), named(found, "noise_floor")
    assert floor.value == pytest.approx(0.2)
    assert floor.value < size.low < floor.high
    assert verdict(size) == "within_noise_floor"


def test_nothing_repeated() -> None:
    found = sensitivity(
        [shifted(0, variant="base"), shifted(1, variant="logic"), shifted(3, variant="logic", repeat="1")]
    )
    assert verdict(named(found)) == "no_noise_floor"
    assert not [e for e in found if e.metric == "noise_floor"]


def test_repeats_without_a_value_are_left_out_and_counted() -> None:
    told = [
        shifted(0, variant="base"),
        plain(None, variant="base", repeat="1"),
        shifted(0.5, variant="base", repeat="2"),
        shifted(1, variant="logic"),
    ]
    floor = named(sensitivity(told), "noise_floor")
    assert (floor.value, floor.n, floor.excluded) == (0.5, 1, {"undefined repeats": 1})
    found = sensitivity([*told[:2], told[3]])
    floor = named(found, "noise_floor")
    assert (floor.value, floor.reason) == (None, "1 of 2 repeats are defined, and a difference takes two")
    assert verdict(named(found)) == "noise_floor_unclear"


def test_one_floor_serves_all_labels_along_which_its_estimate_is_the_base() -> None:
    told = [
        shifted(by, variant=variant, context=context)
        for by, variant, context in ((0, "base", "a"), (1, "logic", "a"), (2, "base", "b"))
    ]
    found = sensitivity([*told, shifted(0.1, variant="base", context="a", repeat="1")])
    assert named(found, "noise_floor").labels == {"variant": "base", "context": "a", "of": "c"}
    assert all(verdict(e) == "above_noise_floor" for e in found if e.metric == "sensitivity")
