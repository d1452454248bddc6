"""Averages of cells: plain means, undefined cells counted, what is not a unit never mixed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metricsengine.aggregate import aggregate, unit_of
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure

PERSONAS = {"woman": "gender", "man": "gender", "teenager": "age"}
TOPICS = ("golf", "health")


def measure(*keep: tuple[str, ...]) -> Measure:
    return Measure("m", unit="points", units=("persona", "topic"), keep=keep)


def cell(value: float | None, persona: str, topic: str, encoder: str = "minilm") -> Estimate:
    labels = {"persona": persona, "persona_category": PERSONAS[persona], "topic": topic, "encoder": encoder}
    if value is None:
        return Estimate.undefined("m", "1 response, 2 needed", labels=labels, unit="points", n=1)
    return Estimate("m", value, 10, labels, unit="points")


def grid(values: Sequence[float | None]) -> list[Estimate]:
    return [cell(value, *names) for value, names in zip(values, product(PERSONAS, TOPICS), strict=True)]


def test_units_and_their_attributes() -> None:
    units = ("persona", "topic")
    found = {label: unit_of(label, units) for label in ("persona", "persona_category", "topic_kind", "personal", "of")}
    assert found == {
        "persona": "persona",
        "persona_category": "persona",
        "topic_kind": "topic",
        "personal": None,
        "of": None,
    }


def test_a_mean_over_everything() -> None:
    [average] = aggregate(grid([1, 2, 3, 4, 5, 9]), measure(()), seed=1)
    assert average.value == pytest.approx(24 / 6)
    assert (average.n, average.labels, average.over) == (6, {"encoder": "minilm"}, ("persona", "topic"))
    assert average.unit == "points"
    assert (average.low, average.high) == (None, None)
    assert average.interval == "none: 3 personas and 2 topics, and a bootstrap takes at least 5"
    assert "mean of cells, each with the same weight" in average.flags
    assert "few_units" in average.flags


def test_a_mean_for_each_persona_keeps_what_depends_on_it() -> None:
    averages = aggregate(grid([1, 2, 3, 4, 5, 9]), measure(("persona",)), seed=1)
    assert {a.labels["persona"]: a.value for a in averages} == {"woman": 1.5, "man": 3.5, "teenager": 7.0}
    assert {a.labels["persona"]: a.labels["persona_category"] for a in averages} == PERSONAS
    assert {a.over for a in averages} == {("topic",)}


def test_a_mean_for_each_category_averages_over_personas_too() -> None:
    averages = aggregate(grid([1, 2, 3, 4, 5, 9]), measure(("persona_category",)), seed=1)
    assert {a.labels["persona_category"]: (a.value, a.n) for a in averages} == {"gender": (2.5, 4), "age": (7.0, 2)}
    assert all("persona" not in a.labels and a.over == ("persona", "topic") for a in averages)


def test_conditions_are_never_mixed() -> None:
    cells = [*grid([1] * 6), *(replace(c, labels={**c.labels, "encoder": "mpnet"}) for c in grid([2] * 6))]
    averages = aggregate(cells, measure(()), seed=1)
    assert {a.labels["encoder"]: a.value for a in averages} == {"minilm": 1.0, "mpnet": 2.0}


def test_undefined_cells_are_left_out_and_counted() -> None:
    [average] = aggregate(grid([1, None, 3, None, None, 8]), measure(()), seed=1)
    assert (average.value, average.n, average.excluded) == (4.0, 3, {"undefined cells": 3})


def test_no_defined_cell_is_undefined_with_the_reason() -> None:
    [average] = aggregate(grid([None] * 6), measure(()), seed=1)
    assert (average.value, average.status, average.n) == (None, "undefined", 0)
    assert average.reason == "none of its 6 cells is defined: 1 response, 2 needed"
    assert average.excluded == {"undefined cells": 6}
    [average] = aggregate(grid([None] * 6)[:1], measure(()), seed=1)
    assert average.reason == "its only cell is not defined: 1 response, 2 needed"


def test_one_level_has_no_interval() -> None:
    [average] = aggregate([cell(0.5, "woman", "golf")], measure(()), seed=1)
    assert (average.value, average.low, average.high) == (0.5, None, None)
    assert average.interval.startswith("none: ")


@pytest.mark.parametrize(("topics", "there"), [(4, False), (5, True)])
def test_an_interval_takes_five_units(topics: int, there: bool) -> None:
    cells = [cell(float(i + j), p, f"t{j}") for i, p in enumerate(PERSONAS) for j in range(topics)]
    [average] = aggregate(cells, measure(()), seed=1)
    assert (average.low is not None) == there
    if average.low is not None and average.high is not None and average.value is not None:
        assert 0 <= average.low <= average.value <= average.high <= topics + 1
        assert "personas x topics" in average.interval
    assert "few_units" in average.flags


def test_many_units_carry_no_warning() -> None:
    cells = [Estimate("m", float(i % 3), 5, {"persona": f"p{i}", "topic": "golf"}) for i in range(12)]
    [average] = aggregate(cells, measure(()), seed=1)
    assert average.value == 1.0
    assert "few_units" not in average.flags


@pytest.mark.parametrize(("personas", "few"), [(1, False), (3, True), (10, False)])
def test_a_few_of_what_is_crossed_carry_a_warning_however_many_the_others_are(personas: int, few: bool) -> None:
    cells = [
        Estimate("m", float((7 * i + 3 * j) % 11), 5, {"persona": f"p{i}", "topic": f"t{j}"})
        for i, j in product(range(personas), range(12))
    ]
    [average] = aggregate(cells, measure(()), seed=1)
    assert average.low is not None
    assert ("few_units" in average.flags) == few


def test_a_standard_error_is_that_of_the_only_unit_that_varies() -> None:
    values = {"golf": 1.0, "health": 2.0, "law": 6.0}
    [average] = aggregate([cell(value, "woman", topic) for topic, value in values.items()], measure(()), seed=1)
    assert average.standard_error == pytest.approx(stdev(values.values()) / 3**0.5)
    [crossed] = aggregate(grid([1, 2, 3, 4, 5, 9]), measure(()), seed=1)
    assert crossed.standard_error is None


def test_no_cells_have_no_average() -> None:
    assert aggregate([], measure((), ("persona",)), seed=1) == []


def test_a_label_that_no_cell_has_makes_no_average() -> None:
    assert aggregate(grid([1] * 6), measure(("topic_kind",)), seed=1) == []


@given(
    values=st.lists(st.none() | st.floats(-1e6, 1e6), min_size=6, max_size=6),
    order=st.randoms(use_true_random=False),
)
def test_the_order_of_the_cells_does_not_matter(values: list[float | None], order: random.Random) -> None:
    cells = grid(values)
    shuffled = list(cells)
    order.shuffle(shuffled)
    wanted = measure((), ("persona",), ("persona_category",))
    assert aggregate(shuffled, wanted, seed=3) == aggregate(cells, wanted, seed=3)


def test_the_seed_moves_the_interval_and_nothing_else() -> None:
    cells = [Estimate("m", (i * 0.618) % 1, 5, {"persona": f"p{i}"}) for i in range(30)]
    one, again, other = (aggregate(cells, measure(()), seed)[0] for seed in (1, 1, 2))
    assert one == again
    assert one.value == other.value
    assert (one.low, one.high) != (other.low, other.high)
