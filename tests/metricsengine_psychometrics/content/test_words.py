"""Words of a test: Dist-3, overlap of paraphrases, and the words of high and low options, against counts by hand."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from metricsengine.metric import MetricResult
from metricsengine.words import log_odds
from metricsengine_psychometrics.content.lexical import distinct_trigrams, exchanged, jaccard, jensen_shannon, trigrams

Measure = Callable[..., MetricResult]
Item = Callable[..., dict[str, Any]]
COUNTS = st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(any)


def test_trigrams_stay_within_a_text_and_ignore_case_and_punctuation() -> None:
    assert trigrams("I won’t go!") == [("i", "won't", "go")]
    assert trigrams("two words") == []
    assert distinct_trigrams(["a b c d", "A, B, C", "a b"]) == (2, 3)


def test_dist_3_is_taken_of_a_test_and_of_each_trait(measure: Measure, item: Item) -> None:
    rows = [
        item("1", situation="a b c d", question="x y z", high1="a b c", high2="", low1="p q", low2="a b c"),
        item("2", "humour", test="own", family="likert", statement="a b c"),
        item("2", "humour", family="likert", statement="other words entirely here", wording="paraphrase"),
    ]
    found = {e.labels.get("trait", ""): e for e in measure("lexical_diversity", rows).estimates}
    # abc bcd xyz abc abc of one trait, abc of the other: 3 of 6 are different.
    assert {trait: (e.value, e.n) for trait, e in found.items()} == {
        "": (3 / 6, 6),
        "openness": (3 / 5, 5),
        "humour": (1, 1),
    }


def test_dist_3_without_three_words_is_undefined(measure: Measure, item: Item) -> None:
    found = measure("lexical_diversity", [item("1", situation="two words")]).estimates
    assert {e.reason for e in found} == {"no text of three words"}


def test_duplicating_a_test_halves_its_dist_3(measure: Measure, item: Item) -> None:
    rows = [item("1", situation="one two three four five")]
    twice = [*rows, {**rows[0], "item": "2"}]
    assert [e.value for e in measure("lexical_diversity", rows).estimates] == [1, 1]
    assert [e.value for e in measure("lexical_diversity", twice).estimates] == [0.5, 0.5]


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [
        ("A b c", "a B d", 2 / 4),
        ("a a a b", "b a", 1),
        ("don't go", "dont go", 1 / 3),
        ("end.", "end", 0),
        ("", "  ", None),
        ("", "a", 0),
    ],
)
def test_overlap_is_the_jaccard_similarity_of_tokens_split_at_white_space(
    first: str, second: str, share: float | None
) -> None:
    assert jaccard(first, second) == share == jaccard(second, first)


def test_overlap_of_each_kind_of_text_and_of_all(measure: Measure, item: Item) -> None:
    words = {"situation": "a b", "question": "c d", "high1": "e f", "high2": "e f", "low1": "g", "low2": "h"}
    changed = {"situation": "a x", "question": "c d", "high1": "e f", "high2": "y z", "low1": "g", "low2": None}
    rows = [
        item("1", description="one", **words),
        item("1", description="one", **{**changed, "wording": "paraphrase"}),
        item("2", situation="only the original"),
    ]
    found = {e.labels["of"]: e for e in measure("paraphrase_overlap", rows).estimates}
    assert {of: e.value for of, e in found.items()} == {
        "situation": pytest.approx(1 / 3),
        "question": 1,
        "options": pytest.approx((1 + 0 + 1) / 3),
        "all": pytest.approx((1 / 3 + 1 + 1 + 0 + 1) / 5),
    }
    assert found["situation"].excluded == {"no paraphrase": 1}
    assert found["options"].excluded == {"no paraphrase": 1}
    assert found["all"].excluded == {"no paraphrase": 2}
    assert found["all"].interval == "none: 1 description, and a bootstrap takes at least 5"


def test_overlap_has_an_interval_over_descriptions(measure: Measure, item: Item) -> None:
    rows = [
        item(f"{i}", description=f"d{i % 12}", family="likert", statement="a b" if wording == "original" else said)
        | {"wording": wording}
        for i in range(24)
        for said in (("a b", "x y")[i % 12 % 2],)
        for wording in ("original", "paraphrase")
    ]
    found = {e.labels["of"]: e for e in measure("paraphrase_overlap", rows).estimates}
    assert found["statement"].value == found["all"].value == 0.5
    assert found["all"].interval == "bootstrap over descriptions, 2000 draws"
    assert 0.1 < found["all"].low < 0.35
    assert found["all"].flags == ()
    assert found["all"].standard_error == pytest.approx(0.5 / np.sqrt(11))


def test_without_paraphrases_overlap_is_undefined(measure: Measure, item: Item) -> None:
    found = measure("paraphrase_overlap", [item("1", situation="a b")]).estimates
    assert {(e.labels["of"], e.reason) for e in found} == {("situation", "no paraphrase"), ("all", "no paraphrase")}


@given(COUNTS, COUNTS)
def test_the_distance_of_words_is_that_of_scipy(first: list[int], second: list[int]) -> None:
    expected = jensenshannon(first, second, base=2)
    found = jensen_shannon(np.array(first), np.array(second))
    assert found == pytest.approx(0.0 if np.isnan(expected) else expected, abs=1e-7)
    assert found == pytest.approx(jensen_shannon(np.array(second), np.array(first)))


def test_words_of_high_and_low_options_are_told_apart(measure: Measure, item: Item) -> None:
    rows = [
        item(f"{i}", high1="try the new place", high2="explore it", low1="stay at home", low2="the usual place, home")
        for i in range(20)
    ] + [item("x", "neuroticism", high1="worry", high2="fret", low1="relax", low2="rest")]
    result = measure("word_distribution", rows)
    values = {e.labels["trait"]: e for e in result.estimates if e.metric == "word_distribution"}
    chance = {e.labels["trait"]: e for e in result.estimates if e.metric == "word_distribution.chance"}
    assert values["neuroticism"].value == 1
    assert values["neuroticism"].flags == ("not_above_chance",)  # one item: exchanging its sides changes nothing
    assert values["openness"].flags == ("above_chance",)
    assert chance["openness"].high < values["openness"].value
    assert values["openness"].n == 20 * 13
    table = result.tables["option_words"]
    own = table[table["trait"] == "openness"]
    assert list(own["z"]) == sorted(own["z"], reverse=True)
    assert own.iloc[-1]["word"] == "home"
    assert own.set_index("word").loc["place", ["high", "low"]].tolist() == [20, 20]
    assert set(table["trait"]) == {"openness", "neuroticism"}
    assert "worry" not in set(own["word"])


def test_chance_is_what_exchanging_the_sides_of_items_gives() -> None:
    high, low = np.array([[3, 0], [2, 1]]), np.array([[0, 1], [1, 0]])
    ways = {
        round(jensen_shannon(*sides), 9)
        for swapped in product((False, True), repeat=2)
        for sides in [
            [sum(((low, high) if swap else (high, low))[side][i] for i, swap in enumerate(swapped)) for side in (0, 1)]
        ]
    }
    found = exchanged(high, low, np.random.default_rng(1), 100)
    assert set(found.round(9)) == ways
    assert len(found) == 100


def test_options_whose_words_do_not_depend_on_the_level_are_not_above_chance(measure: Measure, item: Item) -> None:
    said = ("go home", "stay here", "ask a friend", "wait and see")
    rows = [
        item(
            f"{i}",
            **{role: said[(i + k * (1 + i // 4)) % 4] for k, role in enumerate(("high1", "high2", "low1", "low2"))},
        )
        for i in range(24)
    ]
    value, chance = measure("word_distribution", rows).estimates
    assert value.flags == ("not_above_chance",)
    assert chance.low <= chance.value <= chance.high


def test_z_scores_take_all_options_of_the_test_as_prior(measure: Measure, item: Item) -> None:
    rows = [
        item("1", high1="go", high2="go", low1="stay", low2="wait"),
        item("2", "humour", high1="go", high2="joke", low1="stay", low2="stay"),
    ]
    table = measure("word_distribution", rows).tables["option_words"]
    found = table[table["trait"] == "openness"].set_index("word")["z"]
    # go, joke, stay, wait
    high, low, prior = (np.array(counts) for counts in ([2, 0, 0, 0], [0, 0, 1, 1], [3, 1, 3, 1]))
    expected = dict(zip(("go", "joke", "stay", "wait"), log_odds(high, low, prior), strict=True))
    assert {word: expected[word] for word in ("go", "stay", "wait")} == pytest.approx(found.to_dict())


def test_exchanging_the_levels_changes_the_sign_of_z_and_not_the_distance(measure: Measure, item: Item) -> None:
    plain = [
        item("1", high1="a b", high2="c", low1="d d", low2="a"),
        item("2", high1="b", high2="b", low1="e", low2="f"),
    ]
    other = {"high1": "low1", "high2": "low2", "low1": "high1", "low2": "high2"}
    swapped = [{other.get(key, key): value for key, value in row.items()} for row in plain]
    first, second = (measure("word_distribution", rows) for rows in (plain, swapped))
    assert first.estimates[0].value == pytest.approx(second.estimates[0].value)
    z = [result.tables["option_words"].set_index("word")["z"].to_dict() for result in (first, second)]
    assert z[0] == pytest.approx({word: -value for word, value in z[1].items()})


def test_tests_without_options_have_no_word_distribution(measure: Measure, item: Item) -> None:
    result = measure("word_distribution", [item("1", family="likert", statement="I plan ahead.")])
    assert [e.reason for e in result.estimates] == ["no options, or none of one level"] * 2
    assert list(result.tables["option_words"]) == ["test", "trait", "word", "z", "high", "low"]
