import posixpath
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metricsengine.estimate import Estimate
from metricsengine.metric import Measure
from metricsengine_mlflow import names

ACCEPTED = re.compile(r"[/\w.\- :]{1,250}")
"""MLflow's rule for names, with its limit."""

MEASURES = {"exaggeration": Measure("exaggeration", units=("persona", "topic"))}


def accepted(name: str) -> bool:
    """What MLflow checks: characters, length, and that the name is a normal path."""
    normal = posixpath.normpath(name)
    return bool(ACCEPTED.fullmatch(name)) and normal == name and not normal.startswith(("..", "/")) and normal != "."


def estimate(value: float, *, over: tuple[str, ...] = (), metric: str = "exaggeration", **labels: str) -> Estimate:
    return Estimate(metric, value, 5, labels, over=over)


def told(*estimates: Estimate) -> dict[str, float | None]:
    return {named.name: named.estimate.value for named in names.name_estimates(estimates, MEASURES)}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Black person", "Black person"),
        ("trait:openness(%)", "trait:openness"),
        ("a-VS-b", "a-VS-b"),
        ("C&A (UK) #1?", "C_A _UK_ _1"),
        ("and/or", "and_or"),
        ("学生", "学生"),
        ("étudiante", "étudiante"),
        ("..", "_"),
        ("", "_"),
        ("two\nlines", "two lines"),
    ],
)
def test_a_part_keeps_what_mlflow_accepts(text: str, name: str) -> None:
    assert names.part(text) == name


@given(st.lists(st.text(max_size=300), min_size=1, max_size=5))
def test_every_joined_name_is_accepted(parts: list[str]) -> None:
    assert accepted(names.join(parts))


@given(st.lists(st.text(max_size=20), min_size=1, max_size=20, unique=True))
def test_keys_never_fall_together_even_without_regard_to_case(keys: list[str]) -> None:
    found = names.keys(keys)
    assert found.keys() == set(keys)
    assert len({name.casefold() for name in found.values()}) == len(keys)
    assert all(accepted(name) for name in found.values())
    assert found == names.keys(reversed(keys))


def test_long_names_differ_by_their_digest() -> None:
    one, two = names.join(["m", "x" * 400 + "1"]), names.join(["m", "x" * 400 + "2"])
    assert len(one) == len(two) == 250
    assert one != two
    assert one == names.join(["m", "x" * 400 + "1"])


def test_a_suffix_keeps_long_names_apart_and_within_the_limit() -> None:
    one, two = (names.with_suffix("x" * 249 + end, "low") for end in "ab")
    assert names.with_suffix("exaggeration/mean", "low") == "exaggeration/mean low"
    assert one != two
    assert len(one) == len(two) == 250


def test_labels_that_do_not_vary_are_not_told() -> None:
    found = told(
        estimate(0.5, over=("persona",), encoder="minilm", context="forum"),
        estimate(0.25, persona="Black person", encoder="minilm", context="forum"),
        estimate(0.75, persona="woman", encoder="minilm", context="forum"),
    )
    assert found == {
        "exaggeration/mean": 0.5,
        "exaggeration/persona/Black person": 0.25,
        "exaggeration/persona/woman": 0.75,
    }


def test_a_swept_persona_gives_no_column_of_its_own() -> None:
    jobs = [
        told(
            estimate(value, over=("persona", "topic")),
            estimate(value, over=("topic",), persona=persona),
            estimate(value, persona=persona, topic="health"),
        )
        for persona, value in (("woman", 0.5), ("man", 0.25))
    ]
    assert jobs == [{"exaggeration/mean": 0.5}, {"exaggeration/mean": 0.25}]


def test_a_label_that_only_some_cells_have_is_told() -> None:
    found = told(
        estimate(0.25, topic="Golf", topic_category="sport"),
        estimate(0.75, topic="health"),
        estimate(0.5, over=("topic",)),
        estimate(0.25, over=("topic",), topic_category="sport"),
    )
    assert found == {
        "exaggeration/mean": 0.5,
        "exaggeration/topic_category/sport": 0.25,
        "exaggeration/topic/Golf": 0.25,
        "exaggeration/topic/health": 0.75,
    }


def test_a_second_label_of_one_kind_is_no_attribute() -> None:
    pairs = [estimate(v, metric="trait_correlation", trait="O", trait_b=b) for v, b in ((0.5, "C"), (0.25, "E"))]
    assert told(*pairs, estimate(0.1, metric="trait_correlation", trait="C", trait_b="E")) == {
        "trait_correlation/trait/O/trait_b/C": 0.5,
        "trait_correlation/trait/O/trait_b/E": 0.25,
        "trait_correlation/trait/C/trait_b/E": 0.1,
    }


def test_different_numbers_under_one_name_are_told_apart_the_same_way_each_time() -> None:
    estimates = [estimate(0.1, persona="50%"), estimate(0.2, persona="50#"), estimate(0.3, persona="50")]
    found = told(*estimates)
    assert sorted(v for v in found.values() if v is not None) == [0.1, 0.2, 0.3]
    assert len({name.casefold() for name in found}) == 3
    assert all(accepted(name) for name in found)
    assert found == told(*estimates)


def test_equal_numbers_of_different_personas_are_both_told() -> None:
    assert len(told(estimate(0.1, persona="50%"), estimate(0.1, persona="50#"))) == 2


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["exaggeration", "individuation.v_measure"]),
            st.dictionaries(st.sampled_from(["persona", "topic", "of"]), st.text(max_size=8), max_size=3),
            st.sampled_from([(), ("topic",)]),
            st.sampled_from([0.0, 0.5]),
        ),
        max_size=12,
    )
)
def test_names_are_unique_and_accepted_whatever_the_labels(
    rows: list[tuple[str, dict[str, str], tuple[str, ...], float]],
) -> None:
    named = names.name_estimates([Estimate(m, v, 1, labels, over=over) for m, labels, over, v in rows], {})
    assert len({n.name.casefold() for n in named}) == len(named)
    assert all(accepted(n.name) for n in named)
    assert {(n.estimate.metric, n.estimate.value) for n in named} == {(m, v) for m, _, _, v in rows}
