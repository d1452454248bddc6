"""The human check as a study: what goes onto the sheet, and what comes back from it."""

import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from metricsengine.errors import ConfigError, RecordsError
from metricsengine.exhibits import Listing, Passage
from metricsengine.inert import read_csv, write_csv
from metricsengine.records import SIMULATIONS, Tables
from metricsengine.results import Results
from metricsengine.study import StudyInputs
from metricsengine_caricature.human_check.specs import STUDIES
from metricsengine_caricature.human_check.study import HumanCheck, HumanCheckConf

DEFAULT = "person"
PERSONAS = ("Black person", "woman", "=80-year-old, person")
TOPICS = ("health", "Should abortion\nbe legal?")

Simulated = Callable[[str, str, int], str]


def plain(persona: str, topic: str, i: int) -> str:
    return f"Sample {i} of {persona} and {topic}.\nSecond line, with a comma."


def simulations(n: int = 12, text: Simulated = plain) -> pd.DataFrame:
    """A table as the caricature study leaves it: targets and both controls."""
    rows = [
        {
            "context": "online_forum",
            "persona": persona,
            "topic": topic,
            "default_persona": persona == DEFAULT,
            "default_topic": topic == "none",
            "replicate": i,
            "text": text(persona, topic, i),
            "outcome": "answered",
        }
        for persona, topic, i in product((DEFAULT, *PERSONAS), ("none", *TOPICS), range(n))
    ]
    return SIMULATIONS.conform(pd.DataFrame(rows))


def seed_words() -> pd.DataFrame:
    rows = [
        {
            "context": "online_forum",
            "part": None,
            "persona": persona,
            "topic": topic,
            "pole": pole,
            "word": f"{pole[0]}{i}",
            "z": sign * (2 + i),
        }
        for persona, topic in product(PERSONAS, TOPICS)
        for pole, sign, count in (("persona", 1, 20), ("topic", -1, 6))
        for i in range(count)
    ]
    return pd.DataFrame(rows)


def save(folder: Path, tables: Mapping[str, pd.DataFrame], study: str = "caricature") -> Path:
    Results(study, "paper", 0, None, {}, {}, [], tables=dict(tables)).save(folder)
    return folder


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("source"), {"Simulations": simulations(), "seed_words": seed_words()})


def study(seed: int = 0, **options: object) -> HumanCheck:
    return HumanCheck(HumanCheckConf(**options), StudyInputs(seed=seed))  # type: ignore[arg-type] # as Hydra fills it


def run(check: HumanCheck) -> dict[str, pd.DataFrame]:
    """The tables as the host keeps them; the study asks nothing."""
    check.check()
    rounds = check.run()
    with pytest.raises(StopIteration) as stop:
        next(rounds)
    tables: Tables = stop.value.value
    shapes = {table.name: table for table in STUDIES[0].tables}
    return {name: shapes[name].conform(frame) for name, frame in tables.items()}


def export(folder: Path, check: HumanCheck) -> tuple[Path, dict[str, pd.DataFrame]]:
    """Run mode one to its end, the listing of the sheet included."""
    tables = run(check)
    results = Results("human_check", "paper", 0, None, {}, {}, [], tables=tables)
    results.save(folder)
    for exhibit in check.exhibits(results):
        if isinstance(exhibit, Listing):
            write_csv(exhibit.frame, folder / "listings" / f"{exhibit.name}.csv")
    return folder, tables


def fill(folder: Path, judge: str, chosen: Mapping[str, str]) -> str:
    """A judge's copy of the exported sheet."""
    sheet = read_csv(folder / "listings" / "sheet.csv")
    sheet["judgement"] = sheet["item"].map(dict(chosen)).astype("string")
    write_csv(sheet, folder / f"{judge}.csv")
    return str(folder / f"{judge}.csv")


def truths(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    return dict(zip(tables["Key"]["item"], tables["Key"]["truth"], strict=True))


# Responses


def test_every_text_is_asked_about_with_the_two_who_may_have_written_it(source: Path) -> None:
    tables = run(study(source=str(source), n=0))
    merged = tables["Sheet"].merge(tables["Key"], on="item", suffixes=("", "_key"))
    assert len(merged) == len(PERSONAS) * len(TOPICS) * 2 * 4  # 12 control texts for three personas, so 4 pairs each
    for _, row in merged.iterrows():
        writer = row[row["truth"]]
        assert {row["A"], row["B"]} == {row["persona_key"], DEFAULT}
        assert row["text"].startswith("Sample ")
        assert f"of {writer} and {row['topic']}." in row["text"]
        assert row["topic"] == row["topic_key"]
        assert row["question"] == "Who wrote this?"
        assert row[f"{row['truth']}_key"] == ("default persona" if writer == DEFAULT else "persona")
    assert merged["context"].unique() == ["online_forum"]


def test_truth_and_letters_are_balanced_in_every_cell(source: Path) -> None:
    tables = run(study(source=str(source), per_cell=4, n=0))
    merged = tables["Sheet"].merge(tables["Key"], on="item", suffixes=("", "_key"))
    merged["default_wrote"] = [row[row["truth"]] == DEFAULT for _, row in merged.iterrows()]
    for _, cell in merged.groupby(["persona_key", "topic"]):
        assert cell["default_wrote"].value_counts().to_dict() == {True: 2, False: 2}
    assert Counter(merged["truth"]) == {"A": 12, "B": 12}


def test_no_text_comes_twice_so_that_none_betrays_the_default_persona(tmp_path: Path) -> None:
    def repetitive(persona: str, topic: str, i: int) -> str:
        return f"Same  {i % 4}" if persona == DEFAULT or i % 2 else f"{persona} {topic} {i}"

    folder = save(tmp_path, {"Simulations": simulations(text=repetitive)})
    sheet = run(study(source=str(folder), n=0))["Sheet"]
    assert len(sheet) > 0
    assert sheet["text"].is_unique


def test_the_same_seed_gives_the_same_sheet_whatever_the_order_of_the_rows(tmp_path: Path, source: Path) -> None:
    shuffled = save(tmp_path, {"Simulations": simulations().sample(frac=1, random_state=1).reset_index(drop=True)})
    first, second = (run(study(seed=3, source=str(folder))) for folder in (source, shuffled))
    for name in ("Sheet", "Key"):
        pd.testing.assert_frame_equal(first[name], second[name])
    other = run(study(seed=4, source=str(source)))
    assert set(other["Sheet"]["item"]).isdisjoint(first["Sheet"]["item"])


def test_n_is_the_most_on_the_sheet_spread_over_personas(source: Path) -> None:
    key = run(study(source=str(source), n=13, per_cell=4))["Key"]
    assert Counter(key["persona"]) == dict.fromkeys(PERSONAS, 4)


def test_controls_are_never_targets_and_excluded_texts_never_shown(tmp_path: Path) -> None:
    table = simulations()
    table.loc[table["replicate"] >= 6, "excluded"] = "placeholder"
    tables = run(study(source=str(save(tmp_path, {"Simulations": table})), n=0))
    assert set(tables["Key"]["persona"]) == set(PERSONAS)
    assert set(tables["Key"]["topic"]) == set(TOPICS)
    assert not tables["Sheet"]["text"].str.contains(r"Sample (?:[6-9]|1\d) ").any()


def test_parts_of_a_simulation_are_kept_apart(tmp_path: Path) -> None:
    table = simulations()
    table["part"] = pd.Series([f"turn {1 + i % 2}" for i in table["replicate"]], dtype="string")
    key = run(study(source=str(save(tmp_path, {"Simulations": table})), n=0))["Key"]
    assert set(key["part"]) == {"turn 1", "turn 2"}


def test_a_run_without_its_controls_cannot_be_judged(tmp_path: Path) -> None:
    table = simulations()
    folder = save(tmp_path, {"Simulations": table[~table["default_persona"]].reset_index(drop=True)})
    with pytest.raises(ConfigError, match=r"study\.source .*no cell of its table Simulations"):
        study(source=str(folder)).check()


# Seed words


def test_the_top_words_of_both_poles_stand_in_lists_of_equal_length(source: Path) -> None:
    tables = run(study(source=str(source), of="seed_words", words=4))
    assert len(tables["Sheet"]) == len(PERSONAS) * len(TOPICS)
    assert set(tables["Sheet"]["persona"]) == set(PERSONAS)
    assert tables["Sheet"]["text"].isna().all()
    key = tables["Key"].set_index("item")
    for _, row in tables["Sheet"].iterrows():
        right = key.loc[row["item"], "truth"]
        wrong = "B" if right == "A" else "A"
        assert row[right] == "p19, p18, p17, p16"
        assert row[wrong] == "t5, t4, t3, t2"
        assert (key.loc[row["item"], "A"], key.loc[row["item"], "B"]) == ("A", "B")
    assert Counter(truths(tables).values()) == {"A": 3, "B": 3}


def test_a_list_is_no_longer_than_the_shorter_pole(source: Path) -> None:
    sheet = run(study(source=str(source), of="seed_words"))["Sheet"]
    assert {len(words.split(", ")) for words in (*sheet["A"], *sheet["B"])} == {6}


def test_an_axis_with_an_empty_pole_and_words_without_letters_are_left_out(tmp_path: Path) -> None:
    words = seed_words()
    words = words[~((words["persona"] == "woman") & (words["pole"] == "topic"))]
    words.loc[words["word"] == "t5", "word"] = ""
    folder = save(tmp_path, {"seed_words": words.reset_index(drop=True)})
    tables = run(study(source=str(folder), of="seed_words"))
    assert "woman" not in set(tables["Key"]["persona"])
    assert {len(words.split(", ")) for words in (*tables["Sheet"]["A"], *tables["Sheet"]["B"])} == {5}


# What the judges get


@pytest.mark.parametrize("of", ["responses", "seed_words"])
def test_judges_get_a_sheet_and_instructions_that_unblind_nothing(source: Path, of: str) -> None:
    check = study(source=str(source), of=of)
    tables = run(check)
    passage, listing = check.exhibits(Results("human_check", "paper", 0, None, {}, {}, [], tables=tables))
    assert isinstance(passage, Passage)
    assert isinstance(listing, Listing)
    assert (passage.name, listing.name) == ("instructions", "sheet")
    assert list(listing.frame["item"]) == list(tables["Sheet"]["item"])
    subject = ["topic", "text"] if of == "responses" else ["persona", "topic"]
    assert list(listing.frame) == ["item", *subject, "question", "A", "B", "judgement"]
    assert listing.frame["judgement"].isna().all()
    told = passage.markdown + listing.caption + listing.title + passage.title
    assert str(source) not in told
    assert not any(item in told for item in truths(tables))
    assert "judgement" in passage.markdown


def test_the_exported_file_keeps_texts_with_lines_commas_and_formulas(tmp_path: Path, source: Path) -> None:
    folder, tables = export(tmp_path, study(source=str(source)))
    sheet = read_csv(folder / "listings" / "sheet.csv")
    assert list(sheet["text"]) == list(tables["Sheet"]["text"])
    assert set(sheet["A"]) | set(sheet["B"]) == {DEFAULT, *PERSONAS}
    assert not re.search(r'(^|,)"?=', (folder / "listings" / "sheet.csv").read_text(encoding="utf-8"))


# The way back


@pytest.mark.parametrize("of", ["responses", "seed_words"])
def test_judgements_come_back_to_their_cells(tmp_path: Path, source: Path, of: str) -> None:
    folder, exported = export(tmp_path, study(source=str(source), of=of))
    wrong = {item: "b" if letter == "A" else "a" for item, letter in truths(exported).items()}
    files = [fill(folder, "anna", truths(exported)), fill(folder, "ben", wrong)]
    check = study(sheet=str(folder), judgements=files)
    tables = run(check)
    for name in ("Sheet", "Key"):
        pd.testing.assert_frame_equal(tables[name], exported[name])
    judged = tables["Judgements"]
    assert len(judged) == 2 * len(exported["Key"])
    assert judged.groupby("judge")["correct"].mean().to_dict() == {"anna": 1.0, "ben": 0.0}
    where = exported["Key"].set_index("item")
    for name in ("of", "context", "persona", "topic"):
        assert list(judged[name]) == [where.loc[item, name] for item in judged["item"]]
    meanings = {"persona", "default persona"} if of == "responses" else {"A", "B"}
    assert set(judged["answer"]) == set(judged["truth"]) == meanings
    assert check.compost(tables)["persona"].startswith("=80-year-old, person, Black person")


def test_a_run_that_read_judgements_is_a_sheet_too(tmp_path: Path, source: Path) -> None:
    folder, exported = export(tmp_path / "one", study(source=str(source), n=10))
    anna = fill(folder, "anna", truths(exported))
    second, _ = export(tmp_path / "two", study(sheet=str(folder), judgements=[anna]))
    shutil.copy(anna, tmp_path / "ben.csv")
    judged = run(study(sheet=str(second), judgements=[anna, str(tmp_path / "ben.csv")]))["Judgements"]
    assert set(judged["judge"]) == {"anna", "ben"}
    assert judged["correct"].all()


def test_items_that_readers_got_wrong_come_first(tmp_path: Path, source: Path) -> None:
    folder, exported = export(tmp_path, study(source=str(source), n=10))
    hard, easy = sorted(truths(exported))[:2]
    chosen = truths(exported) | {hard: "B" if truths(exported)[hard] == "A" else "A"}
    files = [fill(folder, "anna", chosen), fill(folder, "ben", {easy: truths(exported)[easy]})]
    check = study(sheet=str(folder), judgements=files)
    tables = run(check)
    (listing,) = check.exhibits(Results("human_check", "paper", 0, None, {}, {}, [], tables=tables))
    assert isinstance(listing, Listing)
    frame = listing.frame.set_index("item")
    assert frame.index[0] == hard
    assert tuple(frame.loc[hard, ["judges right", "judges"]]) == (0, 1)
    assert tuple(frame.loc[easy, ["judges right", "judges"]]) == (2, 2)
    assert frame.loc[hard, "right answer"] == truths(exported)[hard]
    assert "text" in frame


def test_a_bad_judgement_stops_the_run_before_it_starts(tmp_path: Path, source: Path) -> None:
    folder, exported = export(tmp_path, study(source=str(source), n=10))
    path = fill(folder, "anna", dict.fromkeys(truths(exported), "maybe"))
    with pytest.raises(RecordsError, match=r"anna\.csv, row 2, column judgement: 'maybe'"):
        study(sheet=str(folder), judgements=[path]).check()
    with pytest.raises(RecordsError, match=r"study\.judgements: .*nobody\.csv is no file"):
        study(sheet=str(folder), judgements=[str(folder / "nobody.csv")]).check()


# Configuration


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"of": "poems"}, "of"),
        ({"n": -1}, "n"),
        ({"n": 1}, "n"),
        ({"per_cell": 0}, "per_cell"),
        ({"per_cell": 3}, "per_cell"),
        ({"words": 0}, "words"),
        ({"source": "a", "sheet": "b", "judgements": ["c.csv"]}, "source"),
        ({"judgements": ["a.csv"]}, "judgements"),
        ({"source": "x", "judgements": ["a.csv"]}, "judgements"),
        ({"sheet": "x"}, "judgements"),
        ({"sheet": "x", "judgements": ["one/anna.csv", "two/anna.csv"]}, "judgements"),
    ],
)
def test_wrong_options_are_named(options: Mapping[str, object], key: str) -> None:
    with pytest.raises(ConfigError, match=rf"^study\.{key} "):
        HumanCheckConf(**options)  # type: ignore[arg-type] # wrong on purpose


def test_the_defaults_are_valid_but_name_no_source() -> None:
    with pytest.raises(ConfigError, match=r"^study\.source must name the folder of a finished run"):
        study().check()


def test_folders_that_are_no_such_runs_are_named(tmp_path: Path, source: Path) -> None:
    with pytest.raises(ConfigError, match=r"study\.source: .*holds no results\.json"):
        study(source=str(tmp_path / "nowhere")).check()
    with pytest.raises(ConfigError, match=r"study\.sheet .*no table Sheet, Key: give a run of study=human_check"):
        study(sheet=str(source), judgements=["a.csv"]).check()
    folder = save(tmp_path / "no seeds", {"Simulations": simulations()})
    with pytest.raises(ConfigError, match=r"study\.source .*no table seed_words: .*metric=\[exaggeration\]"):
        study(source=str(folder), of="seed_words").check()


def test_default_texts_are_shared_out_evenly_where_they_are_few(tmp_path: Path) -> None:
    table = simulations(n=12)
    scarce = table[~(table["default_persona"] & (table["replicate"] >= 6))].reset_index(drop=True)
    key = run(study(source=str(save(tmp_path, {"Simulations": scarce})), n=0))["Key"]
    by_cell: dict[tuple[str, str], int] = defaultdict(int)
    for _, row in key.iterrows():
        by_cell[row["persona"], row["topic"]] += 1
    assert set(by_cell.values()) == {4}
    assert len(by_cell) == len(PERSONAS) * len(TOPICS)
