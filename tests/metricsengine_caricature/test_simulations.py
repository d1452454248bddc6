"""From the table of simulations to cells: what belongs together, what was lost, which labels there are."""

from itertools import product
from typing import Any

import pandas as pd
import pytest

from metricsengine.metric import Protocol
from metricsengine.records import SIMULATIONS
from metricsengine_caricature.corpus import Contrast
from metricsengine_caricature.simulations import Group, groups

PERSONAS, TOPICS = ("person", "woman"), ("comment", "golf")


def row(persona: str, topic: str, text: str | None = "text", **more: Any) -> dict[str, Any]:
    return {
        "context": "forum",
        "persona": persona,
        "topic": topic,
        "default_persona": persona == "person",
        "default_topic": topic == "comment",
        "replicate": 0,
        "text": text,
        "outcome": "answered",
        **more,
    }


def table(*rows: dict[str, Any]) -> pd.DataFrame:
    return SIMULATIONS.conform(pd.DataFrame(rows))


def one(frame: pd.DataFrame, protocol: Protocol = "paper") -> Group:
    (group,) = groups(frame, protocol)
    return group


FOUR = [row(persona, topic, f"{persona} {topic} {i}") for persona, topic in product(PERSONAS, TOPICS) for i in range(2)]
LOST = [
    row("woman", "golf", None, excluded="missing"),
    row("woman", "golf", None, excluded="error"),
    row("woman", "golf", "NO OUTPUT", excluded="placeholder"),
    row("person", "golf", "NO OUTPUT", excluded="placeholder"),
    row("person", "comment", None, excluded="missing"),
    row("man", "golf", None, excluded="refused_by_provider"),
]


def test_texts_of_each_cell_with_their_places() -> None:
    group = one(table(*FOUR))
    assert group.labels == {"context": "forum"}
    assert (group.default_persona, group.default_topic) == ("person", "comment")
    assert group.cells == sorted(product(PERSONAS, TOPICS))
    assert group.texts["woman", "golf"] == ["woman golf 0", "woman golf 1"]
    assert group.rows["woman", "golf"] == group.source_rows["woman", "golf"] == [6, 7]
    assert group.excluded == {}
    assert group.contrast(("woman", "golf")) == Contrast("woman", "golf", "person", "comment")


def test_places_in_a_file_are_those_of_the_file() -> None:
    group = one(table(*(r | {"source_row": 7 - i} for i, r in enumerate(FOUR))))
    assert group.rows["woman", "golf"] == [6, 7]
    assert group.source_rows["woman", "golf"] == [1, 0]


def test_what_left_is_counted_where_it_left() -> None:
    group = one(table(*FOUR, *LOST))
    assert group.excluded == {
        ("woman", "golf"): {"missing": 1, "error": 1, "placeholder": 1},
        ("person", "golf"): {"placeholder": 1},
        ("person", "comment"): {"missing": 1},
        ("man", "golf"): {"refused_by_provider": 1},
    }
    assert group.texts["woman", "golf"] == ["woman golf 0", "woman golf 1"]
    assert ("man", "golf") in group.cells
    assert ("man", "golf") not in group.texts
    assert group.lost([("woman", "golf"), ("person", "golf")]) == {"missing": 1, "error": 1, "placeholder": 2}
    assert group.lost([("woman", "golf"), ("woman", "golf")]) == group.excluded["woman", "golf"]
    assert group.lost([("woman", "comment"), ("nobody", "golf")]) == {}


def test_the_released_code_reads_placeholders_and_crashes_on_missing_texts() -> None:
    frame = table(*FOUR, *LOST)
    group = one(frame, "released")
    assert group.texts["woman", "golf"] == ["woman golf 0", "woman golf 1", "NO OUTPUT"]
    assert group.texts["person", "golf"][-1] == "NO OUTPUT"
    assert group.lost([("woman", "golf"), ("person", "golf")]) == {"missing": 1, "error": 1}
    assert group.unreadable == {("woman", "golf"), ("person", "comment")}
    crash = group.crashes([("person", "golf"), ("person", "comment")])
    assert crash is not None
    assert crash.reason == "the released code crashes on a missing text: persona 'person', topic 'comment'"
    assert group.crashes([("person", "golf"), ("man", "golf"), ("woman", "comment")]) is None
    assert one(frame).crashes(group.cells) is None
    assert set(frame["excluded"].dropna()) == {"missing", "error", "placeholder", "refused_by_provider"}


def test_contexts_and_parts_are_groups_of_their_own_in_order() -> None:
    rows = [
        *(r | {"context": "thread", "part": f"turn {i}"} for i in (2, 1) for r in FOUR),
        *(r | {"context": "chat"} for r in FOUR),
    ]
    found = groups(table(*rows), "paper")
    assert [group.labels for group in found] == [
        {"context": "chat"},
        {"context": "thread", "part": "turn 1"},
        {"context": "thread", "part": "turn 2"},
    ]
    assert [group.rows["person", "comment"] for group in found] == [[16, 17], [8, 9], [0, 1]]
    assert found[1].label(("woman", "golf")) == {
        "context": "thread",
        "part": "turn 1",
        "persona": "woman",
        "topic": "golf",
    }


def test_contexts_have_their_own_defaults() -> None:
    chat = [r | {"context": "chat", "persona": {"person": "user"}.get(r["persona"], r["persona"])} for r in FOUR]
    found = groups(table(*FOUR, *chat), "paper")
    assert [(group.default_persona, group.default_topic) for group in found] == [
        ("user", "comment"),
        ("person", "comment"),
    ]


def test_a_context_that_lacks_a_default_still_names_it() -> None:
    chat = [row("woman", "golf", context="chat"), row("woman", "health", context="chat")]
    found = groups(table(*FOUR, *chat), "paper")
    assert (found[0].default_persona, found[0].default_topic) == ("person", "comment")
    assert found[0].cells == [("woman", "golf"), ("woman", "health")]


def test_labels_are_those_of_the_persona_and_of_the_topic() -> None:
    labels = {"topic_category": "sports", "topic_kind": "general", "topic_origin": "WikiHow", "specificity": 3}
    rows = [
        r
        | ({"persona_category": "gender"} if r["persona"] == "woman" else {})
        | (labels if r["topic"] == "golf" else {})
        for r in FOUR
    ]
    group = one(table(*rows))
    own = {"context": "forum", "persona": "woman", "persona_category": "gender"}
    assert group.label(("woman", "golf")) == {
        **own,
        "topic": "golf",
        "topic_category": "sports",
        "topic_kind": "general",
        "topic_origin": "WikiHow",
        "topic_specificity": "3",
    }
    assert group.label(("woman", "comment")) == {**own, "topic": "comment"}
    assert group.label(("person", "comment")) == {"context": "forum", "persona": "person", "topic": "comment"}


@pytest.mark.parametrize("protocol", ["paper", "released"])
def test_names_are_never_joined(protocol: Protocol) -> None:
    names = ("a", "a-VS-b", "b", "C&A (UK) #1?", "日本語", "NA", "a\nb", " ")
    pairs = set(product((*PERSONAS, *names, "golf"), (*TOPICS, *names, "woman")))
    group = one(table(*(row(*pair, text=f"{pair}") for pair in sorted(pairs))), protocol)
    assert group.texts == {pair: [f"{pair}"] for pair in pairs}
