"""Noise floors: the same asked again."""

import numpy as np
import pytest
from compared import Told, mean_of, named, plain, sensitivity

VALUES = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def shifted(by: float, **labels: str) -> Told:
    return mean_of([value + by for value in VALUES], **labels)


def test_of_two_repeats_by_hand() -> None:
    told = [shifted(0, variant="base"), shifted(0.25, variant="base", repeat="1"), shifted(1, variant="logic")]
    found = sensitivity(told)
    floor = named(found, "noise_floor")
    assert (floor.value, floor.n, floor.labels, floor.over) == (0.25, 1, {"variant": "base", "of": "c"}, ())
    assert (floor.low, floor.high) == pytest.approx((0.25, 0.25))
    assert "above_noise_floor" in named(found).flags
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
    assert "within_noise_floor" in named(found).flags
    assert named(found).value == 0.75


def test_a_value_must_exceed_the_floor_where_there_is_no_interval() -> None:
    told = [plain(1, variant="base"), plain(1.5, variant="base", repeat="1")]
    same, more = plain(0.5, variant="same"), plain(0.4, variant="more")
    found = sensitivity([*told, same, more])
    assert named(found, "noise_floor").low is None
    assert "within_noise_floor" in named(found, variant="same").flags
    assert "above_noise_floor" in named(found, variant="more").flags


def test_an_interval_must_lie_above_it_as_a_whole() -> None:
    rng = np.random.default_rng(4)
    base = rng.normal(size=12)
    told = [mean_of(base, variant="base"), mean_of(base + 0.1, variant="base", repeat="1")]
    found = named(sensitivity([*told, mean_of(rng.normal(0.6, 2, size=12), variant="logic")]))
    assert found.low < 0.1 < found.value
    assert "within_noise_floor" in found.flags


def test_nothing_repeated() -> None:
    found = sensitivity(
        [shifted(0, variant="base"), shifted(1, variant="logic"), shifted(3, variant="logic", repeat="1")]
    )
    assert "no_noise_floor" in named(found).flags
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
    assert "no_noise_floor" in named(found).flags


def test_one_floor_serves_all_labels_along_which_its_estimate_is_the_base() -> None:
    told = [
        shifted(by, variant=variant, context=context)
        for by, variant, context in ((0, "base", "a"), (1, "logic", "a"), (2, "base", "b"))
    ]
    found = sensitivity([*told, shifted(0.1, variant="base", context="a", repeat="1")])
    assert named(found, "noise_floor").labels == {"variant": "base", "context": "a", "of": "c"}
    assert all("above_noise_floor" in e.flags for e in found if e.metric == "sensitivity")
