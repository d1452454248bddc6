"""Estimates: a finite number, or the reason why there is none."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metricsengine.estimate import Estimate

NUMBER = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3)
DEFINED = st.builds(
    Estimate,
    metric=st.text(),
    value=NUMBER,
    n=st.integers(0),
    labels=TEXTS,
    low=st.none() | NUMBER,
    high=st.none() | NUMBER,
    standard_error=st.none() | NUMBER,
    unit=st.text(),
    excluded=st.dictionaries(st.text(max_size=5), st.integers(0), max_size=3),
    over=st.lists(st.text(max_size=5), max_size=3).map(tuple),
    interval=st.text(),
    flags=st.lists(st.text(max_size=5), max_size=3).map(tuple),
)
UNDEFINED = st.builds(Estimate.undefined, st.text(), st.text(min_size=1), labels=TEXTS, n=st.integers(0))


@given(DEFINED | UNDEFINED)
def test_json_and_back(estimate: Estimate) -> None:
    row = estimate.to_json()
    assert Estimate.from_json(json.loads(json.dumps(row, allow_nan=False))) == estimate
    assert ("reason" in row) is not estimate.defined


def test_the_keys_that_others_script_against() -> None:
    row = Estimate("exaggeration", 0.5, 3, {"persona": "woman"}, over=("topic",)).to_json()
    keys = ("metric", "value", "low", "high", "unit", "n", "excluded", "labels", "over", "interval", "status", "flags")
    assert set(keys) <= row.keys()
    undefined = Estimate.undefined("exaggeration", "1 response", labels={}).to_json()
    assert (undefined["value"], undefined["status"], undefined["reason"]) == (None, "undefined", "1 response")


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), np.float32("nan")])
@pytest.mark.parametrize("field", ["value", "low", "high", "standard_error"])
def test_what_is_not_finite_is_refused(field: str, number: float) -> None:
    with pytest.raises(ValueError, match="finite number or undefined"):
        Estimate(**{"metric": "m", "value": 0.5, "n": 1, "labels": {}, field: number})


@pytest.mark.parametrize(
    "fields",
    [
        {"value": None},
        {"value": 0.5, "status": "undefined", "reason": "few"},
        {"value": None, "status": "undefined"},
    ],
)
def test_undefined_and_without_a_value_are_one(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="m: "):
        Estimate(metric="m", n=1, labels={}, **fields)


def test_numbers_of_numpy_become_plain_ones() -> None:
    estimate = Estimate("m", np.float32(0.5), np.int64(3), {"a": np.str_("b")}, excluded={"missing": np.int32(2)})
    assert json.loads(json.dumps(estimate.to_json()))["value"] == 0.5
    assert (type(estimate.value), type(estimate.n)) == (float, int)


@pytest.mark.parametrize(
    "fields",
    [{"labels": {"day": 3}}, {"labels": {3: "day"}}, {"n": 2.5}, {"excluded": {"missing": 0.5}}, {"value": "much"}],
)
def test_other_types_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        Estimate(**{"metric": "m", "value": 0.5, "n": 1, "labels": {}, **fields})
