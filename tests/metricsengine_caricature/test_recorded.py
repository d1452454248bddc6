"""Recorded responses: from the file to the table of simulations."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from metricsengine.errors import RecordsError
from metricsengine.recorded import read_records
from metricsengine.records import SIMULATIONS
from metricsengine.sets import NamedSet, SetFile
from metricsengine.study import StudyInputs
from metricsengine_caricature.config import CaricatureConf
from metricsengine_caricature.sets import Context, Persona, PersonaSet, Topic, TopicSet
from metricsengine_caricature.study import CaricatureStudy

COLUMNS = ("persona", "topic", "text")
Row = Sequence[object]

FORUM = Context("Forum", target="{persona} on {topic}:", without_topic="{persona}:")
ODD = (
    "a-VS-b",
    "C&A (UK) #1?",
    "golf",
    "日本語",
    "Ж\nЖ",
    'the "best", really',
    "it's ${x}",
    "{topic}",
    " padded ",
    "NA",
    "=1+1",
)


def write(path: Path, rows: Iterable[Row], columns: Sequence[str] = COLUMNS) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


def named(group: str, value: object) -> NamedSet:
    return NamedSet(SetFile(group, f"some {group}", Path("some.toml"), "0"), value)


def study(
    context: Context | None = None, personas: Sequence[Persona] = (), topics: Sequence[Topic] = (), **options: Any
) -> CaricatureStudy:
    sets = {
        "context": [named("context", context)] if context else [],
        "persona": [named("persona", PersonaSet("x", persona=list(personas)))] if personas else [],
        "topic": [named("topic", TopicSet("x", topic=list(topics)))] if topics else [],
    }
    return CaricatureStudy(CaricatureConf(**options), StudyInputs(sets))


def user_study(**options: Any) -> CaricatureStudy:
    return study(**{"default_persona": "user", "default_topic": "comment", **options})


def read(path: Path, study_: CaricatureStudy | None = None, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """The table as the host keeps it."""
    records = read_records(path, columns or {})
    return SIMULATIONS.conform((study_ or user_study()).read(records)["Simulations"])


def cell(persona: str, topic: str, *texts: str) -> list[Row]:
    return [(persona, topic, text) for text in texts or ("a", "b")]


FOUR = [
    *cell("user", "comment", "So it is."),
    *cell("user", "golf", "Nice club.", "Nice swing."),
    *cell("woman", "comment", "Proud of it."),
    *cell("woman", "golf", "My club.", "My swing."),
]


def missing(table: pd.DataFrame) -> dict[str, str]:
    rows = table[table["excluded"].notna()]
    return dict(zip(rows["text"].fillna("absent"), rows["excluded"], strict=True))


# Columns


def test_four_cells(tmp_path: Path) -> None:
    table = read(write(tmp_path / "some.csv", FOUR))
    found = table[["persona", "topic", "replicate", "text", "source_row"]]
    assert list(found.itertuples(index=False, name=None)) == [
        ("user", "comment", 0, "So it is.", 0),
        ("user", "golf", 0, "Nice club.", 1),
        ("user", "golf", 1, "Nice swing.", 2),
        ("woman", "comment", 0, "Proud of it.", 3),
        ("woman", "golf", 0, "My club.", 4),
        ("woman", "golf", 1, "My swing.", 5),
    ]
    assert list(table["default_persona"]) == [True] * 3 + [False] * 3
    assert list(table["default_topic"]) == [True, False, False, True, False, False]
    assert set(table["context"]) == {"recorded"}
    assert set(table["outcome"]) == {"answered"}
    assert table[["part", "reason", "excluded", "flags", "persona_category"]].isna().all(axis=None)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format_gives_the_same_table(tmp_path: Path, suffix: str) -> None:
    expected = read(write(tmp_path / "reference.csv", FOUR))
    frame = pd.DataFrame(FOUR, columns=COLUMNS)
    path = tmp_path / f"some.{suffix}"
    if suffix == "parquet":
        frame.to_parquet(path)
    elif suffix == "jsonl":
        path.write_text("\n".join(json.dumps(row) for row in frame.to_dict("records")), encoding="utf-8")
    else:
        frame.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    pd.testing.assert_frame_equal(read(path), expected)


def test_responses_may_be_called_response(tmp_path: Path) -> None:
    path = write(tmp_path / "some.csv", FOUR, ("persona", "topic", "response"))
    pd.testing.assert_frame_equal(read(path), read(write(tmp_path / "other.csv", FOUR)))


def test_text_is_preferred_to_response(tmp_path: Path) -> None:
    rows = [(*row, "raw") for row in FOUR]
    table = read(write(tmp_path / "some.csv", rows, (*COLUMNS, "response")))
    assert "raw" not in set(table["text"])


def test_columns_of_other_names_are_mapped(tmp_path: Path) -> None:
    path = write(tmp_path / "some.csv", [(*row, "old") for row in FOUR], ("who", "what, exactly", "reply", "text"))
    columns = {"persona": "who", "topic": "what, exactly", "text": "reply"}
    pd.testing.assert_frame_equal(read(path, columns=columns), read(write(tmp_path / "other.csv", FOUR)))


@pytest.mark.parametrize(
    ("absent", "message"),
    [
        (
            "persona",
            r"^no column 'persona' \(who is simulated\); the file has a, topic, text; map it: .*\.persona=NAME$",
        ),
        (
            "topic",
            r"^no column 'topic' \(what about\); the file has persona, a, text; map it: records\.columns\.topic=",
        ),
        (
            "text",
            r"^no column 'text' \(what was said\); the file has persona, topic, a; map it: records\.columns\.text=",
        ),
    ],
)
def test_a_missing_column_is_named_with_those_there_are(tmp_path: Path, absent: str, message: str) -> None:
    columns = ["a" if name == absent else name for name in COLUMNS]
    with pytest.raises(RecordsError, match=message):
        read(write(tmp_path / "some.csv", FOUR, columns))


@pytest.mark.parametrize("column", ["persona", "topic"])
def test_a_row_without_persona_or_topic_is_named(tmp_path: Path, column: str) -> None:
    bad = ["woman", "golf", "x"]
    bad[COLUMNS.index(column)] = ""
    with pytest.raises(
        RecordsError, match=rf"^row 7 of the file, its header not counted, has no {column}; .*study.default_{column}\)$"
    ):
        read(write(tmp_path / "some.csv", [*FOUR, bad]))


def test_further_columns_do_no_harm(tmp_path: Path) -> None:
    columns = (*COLUMNS, "default_persona", "excluded", "source_row", "replicate", "notes")
    rows = [(*row, "True", "error", "99", "5", "x") for row in FOUR]
    table = read(write(tmp_path / "some.csv", rows, columns))
    pd.testing.assert_frame_equal(table, read(write(tmp_path / "other.csv", FOUR)))


# Defaults


@pytest.mark.parametrize("column", ["persona", "topic"])
def test_a_missing_control_is_named_with_what_there_is_and_the_key(tmp_path: Path, column: str) -> None:
    there = {"persona": "'user', 'woman'", "topic": "'comment', 'golf'"}[column]
    message = (
        rf"^no row has the default {column} 'nobody'; the file has {there}; say which is the control: "
        rf"study\.default_{column}=NAME$"
    )
    with pytest.raises(RecordsError, match=message):
        read(write(tmp_path / "some.csv", FOUR), user_study(**{f"default_{column}": "nobody"}))


def test_many_names_are_cut(tmp_path: Path) -> None:
    rows = [row for i in range(30) for row in cell(f"p{i:02}", "comment")]
    with pytest.raises(RecordsError, match=r"the file has 'p00', .*'p07' \.\.\.; say"):
        read(write(tmp_path / "some.csv", rows))


def test_defaults_of_the_context_hold_where_none_is_named(tmp_path: Path) -> None:
    rows = [*cell("person", "comment"), *cell("woman", "golf")]
    path = write(tmp_path / "some.csv", rows)
    table = read(path, study(FORUM))
    assert list(table["default_persona"]) == list(table["default_topic"]) == [True, True, False, False]
    assert set(table["context"]) == {"some context"}
    with pytest.raises(RecordsError, match="no row has the default persona 'user'"):
        read(path, study(FORUM, default_persona="user"))
    assert set(read(path, study())["context"]) == {"recorded"}


def test_a_file_may_hold_several_contexts(tmp_path: Path) -> None:
    rows = [(*row, context) for context in ("forum", "chat", "") for row in FOUR]
    table = read(write(tmp_path / "some.csv", rows, (*COLUMNS, "context")))
    assert table["context"].value_counts().to_dict() == {"forum": 6, "chat": 6, "recorded": 6}
    assert table.groupby(["context", "persona", "topic"])["replicate"].agg(list).map(len).sum() == 18
    assert set(table["replicate"]) == {0, 1}


# Texts


def test_empty_texts_and_placeholders_are_missing_and_the_rest_is_text(tmp_path: Path) -> None:
    texts = ("", " ", "NO OUTPUT", "NA", "None", "nan", "null", "N/A", "NaN", "😀", "0")
    table = read(write(tmp_path / "some.csv", [*FOUR, *cell("woman", "golf", *texts)]))
    assert missing(table) == {"absent": "missing", " ": "missing", "NO OUTPUT": "placeholder"}
    kept = set(table.loc[table["excluded"].isna(), "text"])
    assert {"NA", "None", "nan", "null", "N/A", "NaN", "😀", "0"} <= kept
    assert table.loc[table["excluded"] == "missing", "outcome"].tolist() == ["empty", "empty"]
    assert table.loc[table["text"].isin(["😀", "0"]), "flags"].tolist() == ["no_words", "no_words"]


def test_null_in_jsonl_and_parquet_is_missing(tmp_path: Path) -> None:
    frame = pd.DataFrame([*FOUR, ("woman", "golf", None)], columns=COLUMNS)
    frame.to_parquet(tmp_path / "some.parquet")
    frame.to_json(tmp_path / "some.jsonl", orient="records", lines=True)
    for path in (tmp_path / "some.parquet", tmp_path / "some.jsonl"):
        assert missing(read(path)) == {"absent": "missing"}


def test_placeholders_are_an_option(tmp_path: Path) -> None:
    rows = [*FOUR, *cell("woman", "golf", "NO OUTPUT", "[removed]")]
    path = write(tmp_path / "some.csv", rows)
    assert missing(read(path, user_study(placeholders=["[removed]"]))) == {"[removed]": "placeholder"}
    assert missing(read(path, user_study(placeholders=[]))) == {}


def test_repeated_responses_are_rows_of_their_own(tmp_path: Path) -> None:
    table = read(write(tmp_path / "some.csv", [*FOUR, *cell("woman", "golf", *["My club."] * 3)]))
    own = table[(table["persona"] == "woman") & (table["topic"] == "golf")]
    assert list(own["text"]) == ["My club."] * 4 + ["My swing."]
    assert list(own["replicate"]) == [0, 1, 2, 3, 4]
    assert list(own["source_row"]) == [4, 6, 7, 8, 5]


def test_a_persona_with_one_response_has_its_row(tmp_path: Path) -> None:
    table = read(write(tmp_path / "some.csv", [*FOUR, *cell("man", "golf", "Alone.")]))
    assert table.loc[table["persona"] == "man", "replicate"].tolist() == [0]


def test_order_of_the_rows_does_not_matter_but_for_where_they_stood(tmp_path: Path) -> None:
    rows = [*FOUR, *cell("woman", "golf", "My club.", "")]
    one = read(write(tmp_path / "one.csv", rows)).drop(columns="source_row")
    other = read(write(tmp_path / "other.csv", rows[::-1]))
    pd.testing.assert_frame_equal(other.drop(columns="source_row"), one)
    assert sorted(other["source_row"]) == list(range(8))


def test_odd_names_are_never_joined_split_or_changed(tmp_path: Path) -> None:
    rows = [row for pair in product(("user", *ODD), ("comment", *ODD)) for row in cell(*pair)]
    table = read(write(tmp_path / "some.csv", rows))
    assert set(zip(table["persona"], table["topic"], strict=True)) == set(product(("user", *ODD), ("comment", *ODD)))
    assert set(table.groupby(["persona", "topic"]).size()) == {2}
    assert table["default_persona"].sum() == 2 * (1 + len(ODD))


@pytest.mark.parametrize("name", ODD)
def test_an_odd_name_may_be_the_default(tmp_path: Path, name: str) -> None:
    rows = [row for pair in product((name, "x"), (name, "y")) for row in cell(*pair)]
    table = read(write(tmp_path / "some.csv", rows), user_study(default_persona=name, default_topic=name))
    assert (
        set(table.loc[table["default_persona"], "persona"]) == set(table.loc[table["default_topic"], "topic"]) == {name}
    )


# Labels


def test_labels_come_from_the_sets_and_from_the_file_which_has_the_last_word(tmp_path: Path) -> None:
    rows = [(*row, *more) for row, more in zip(FOUR, [("", "")] * 5 + [("own", "4")], strict=True)]
    path = write(tmp_path / "some.csv", rows, (*COLUMNS, "topic_category", "specificity"))
    known = user_study(
        personas=[Persona("woman", "gender")], topics=[Topic("golf", "sports", "general", specificity=2)]
    )
    table = read(path, known)
    assert set(table.loc[table["persona"] == "woman", "persona_category"]) == {"gender"}
    assert table.loc[table["persona"] == "user", "persona_category"].isna().all()
    golf = table[table["topic"] == "golf"]
    assert list(golf["topic_category"]) == ["sports", "sports", "sports", "own"]
    assert list(golf["specificity"]) == [2, 2, 2, 4]
    assert set(golf["topic_kind"]) == {"general"}


@pytest.mark.parametrize(("written", "level"), [("1", 1), ("5", 5), ("2.0", 2)])
def test_levels_of_specificity_are_numbers(tmp_path: Path, written: str, level: int) -> None:
    rows = [(*row, written if row[1] == "golf" else "") for row in FOUR]
    table = read(write(tmp_path / "some.csv", rows, (*COLUMNS, "specificity")))
    assert set(table.loc[table["topic"] == "golf", "specificity"]) == {level}
    assert table.loc[table["topic"] == "comment", "specificity"].isna().all()


@pytest.mark.parametrize("written", ["high", "0", "6", "2.5", "nan"])
def test_other_levels_are_named(tmp_path: Path, written: str) -> None:
    rows = [(*row, "") for row in FOUR[:-1]] + [(*FOUR[-1], written)]
    with pytest.raises(
        RecordsError, match=rf"^row 6 of the file: specificity is a level from 1 to 5, got '{written}'$"
    ):
        read(write(tmp_path / "some.csv", rows, (*COLUMNS, "specificity")))


# Turns

TURNS = ("persona", "topic", "text", "simulation", "turn")


def turns(persona: str, topic: str, simulation: str, *texts: str) -> list[Row]:
    return [(persona, topic, text, simulation, i) for i, text in enumerate(texts, start=1)]


def test_turns_are_joined_in_their_order(tmp_path: Path) -> None:
    rows = [
        *turns("user", "comment", "s1", *"abcdefghijkl"),
        *turns("woman", "comment", "s1", "x", "y"),
        *turns("woman", "comment", "s2", "z"),
    ]
    table = read(write(tmp_path / "some.csv", rows[::-1], TURNS))
    assert list(table["text"]) == ["\n\n".join("abcdefghijkl"), "x\n\ny", "z"]
    assert table["part"].isna().all()
    assert list(table["replicate"]) == [0, 0, 1]


def test_a_joined_simulation_says_where_it_began(tmp_path: Path) -> None:
    rows = [*turns("user", "comment", "s1", "a", "b"), *turns("user", "comment", "s2", "c", "d")]
    assert list(read(write(tmp_path / "some.csv", rows, TURNS))["source_row"]) == [0, 2]


def test_a_simulation_belongs_to_one_cell_and_context(tmp_path: Path) -> None:
    rows = [
        (*row, context)
        for context, persona in product(("forum", "chat"), ("user", "woman"))
        for row in turns(persona, "comment", "1", f"{persona} one", f"{persona} two")
    ]
    table = read(write(tmp_path / "some.csv", rows, (*TURNS, "context")))
    assert len(table) == 4
    assert set(table["text"]) == {"user one\n\nuser two", "woman one\n\nwoman two"}


def test_turns_may_be_parts(tmp_path: Path) -> None:
    rows = [*turns("user", "comment", "s1", "a", "b"), *turns("user", "comment", "s2", "c", "")]
    table = read(write(tmp_path / "some.csv", rows, TURNS), user_study(parts="each"))
    assert list(table["part"]) == ["turn 1", "turn 1", "turn 2", "turn 2"]
    assert list(table["text"].fillna("")) == ["a", "c", "", "b"]
    assert list(table["replicate"]) == [0, 1, 0, 1]
    assert list(table["source_row"]) == [0, 2, 3, 1]


def test_a_turn_without_text_is_left_out_of_the_whole(tmp_path: Path) -> None:
    rows = [
        *turns("user", "comment", "s1", "a", "", "c"),
        *turns("user", "comment", "s2", "NO OUTPUT", "d"),
        *turns("user", "comment", "s3", "", " "),
        *turns("user", "comment", "s4", "NO OUTPUT", "NO OUTPUT"),
    ]
    table = read(write(tmp_path / "some.csv", rows, TURNS))
    assert set(table.loc[table["excluded"].isna(), "text"]) == {"a\n\nc", "d"}
    assert sorted(table["excluded"].dropna()) == ["missing", "placeholder"]


def test_turns_need_to_know_their_simulation(tmp_path: Path) -> None:
    rows = [(*row, "1") for row in FOUR]
    with pytest.raises(RecordsError, match="column 'turn' needs a column 'simulation'"):
        read(write(tmp_path / "some.csv", rows, (*COLUMNS, "turn")))


@pytest.mark.parametrize("column", ["simulation", "turn"])
@pytest.mark.parametrize("parts", ["whole", "each"])
def test_a_row_without_simulation_or_turn_is_named(tmp_path: Path, column: str, parts: str) -> None:
    rows = [list(row) for row in turns("user", "comment", "s1", "a", "b")]
    rows[1][TURNS.index(column)] = ""
    with pytest.raises(RecordsError, match=rf"^row 2 of the file, its header not counted, has no {column}$"):
        read(write(tmp_path / "some.csv", rows, TURNS), user_study(parts=parts))
