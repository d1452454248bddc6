"""What a model said acts nowhere: not on a terminal, not in a figure, not in a spreadsheet."""

import tempfile
import unicodedata
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from metricsengine.errors import RecordsError
from metricsengine.inert import for_csv, for_figure, for_terminal, from_csv, read_csv, shorten, visible, write_csv

FORMULAS = ['=HYPERLINK("http://evil")', "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "＠x"]
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))
UTF8_TEXT = st.text(st.characters(codec="utf-8"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, 老师, é", "plain, 老师, é"),
        ("\x1b[2J\x07\x00", "␛[2J␇␀"),
        ("\x9b31m", "⟨U+009B⟩31m"),
        ("a\r\nb\tc\x7f", "a␍⏎b␉c␡"),
        ("\u202eevil\u2066", "⟨U+202E⟩evil⟨U+2066⟩"),
        ("\ud800", "⟨U+D800⟩"),
        ("a\u2028b\ufeff", "a⟨U+2028⟩b⟨U+FEFF⟩"),
        ("pay\u200dload", "pay⟨U+200D⟩load"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("م\u200c\u200cی", "م⟨U+200C⟩⟨U+200C⟩ی"),
    ],
)
def test_controls_and_format_characters_are_spelt_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_characters_to_keep_are_kept() -> None:
    assert visible("a\nb\x00", keep="\n") == "a\nb␀"


@given(ANY_TEXT)
def test_nothing_hidden_remains_but_joiners(text: str) -> None:
    left = {c for c in visible(text) if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert left <= {"\u200c", "\u200d"}


@given(ANY_TEXT)
def test_a_terminal_receives_no_markup_and_no_control_sequence(text: str) -> None:
    console = Console(width=1_000_000, force_terminal=False, color_system=None, record=True, file=_Nowhere())
    console.print(for_terminal(text), soft_wrap=True, end="")
    assert console.export_text() == visible(text)


class _Nowhere:
    encoding = "utf-8"

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        pass


def test_markup_is_text() -> None:
    assert for_terminal("[bold red]x[/] :smile: [link=http://evil]y[/link]").plain == (
        "[bold red]x[/] :smile: [link=http://evil]y[/link]"
    )
    assert for_terminal("[bold red]x[/]").spans == []


def test_the_width_counts_terminal_columns() -> None:
    cut = for_terminal("老师" * 100, width=11)
    assert cut.cell_len <= 11
    assert cut.plain.endswith("…")
    assert for_terminal("short", width=11).plain == "short"


def test_long_texts_keep_both_ends_and_say_how_long_they_were() -> None:
    name = "a" + "x" * 9_998 + "z"
    cut = shorten(name, 100)
    assert cut.startswith("ax")
    assert cut.endswith("xz (10,000 characters)")
    assert len(cut) < 130
    assert shorten("x" * 100, 100) == "x" * 100


def test_dollars_do_not_open_a_formula() -> None:
    from matplotlib.figure import Figure

    title = Figure().add_subplot().set_title(for_figure("$\\evil$ costs $5\x00"))
    drawn, is_math = title._preprocess_math(title.get_text())
    assert (drawn, is_math) == ("$\\evil$ costs $5␀", False)


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_guarded(text: str) -> None:
    assert for_csv(text) == f"'{text}"


@pytest.mark.parametrize("text", ["plain", "'tis", "a=b", "3-1", "user@example.org", " =1"])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert for_csv(text) == text
    assert from_csv(text) == text


@given(st.text() | st.from_regex(r"\A'{0,3}[=+\-@\t\r\n＝＋－＠]?.{0,3}\Z"))
def test_guards_are_undone_exactly_and_no_cell_starts_a_formula(text: str) -> None:
    assert from_csv(for_csv(text)) == text
    assert for_csv(text)[:1] not in set("=+-@\t\r\n＝＋－＠")
    assert for_csv(text) != ""


@given(st.lists(st.tuples(st.none() | UTF8_TEXT, st.none() | st.sampled_from(FORMULAS), UTF8_TEXT)))
def test_a_table_comes_back_from_csv(rows: list[tuple[str | None, str | None, str]]) -> None:
    frame = pd.DataFrame(rows, columns=["=text", "", "NA"], dtype="string")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_csv(frame, path)
        pd.testing.assert_frame_equal(read_csv(path), frame, check_dtype=False, check_column_type=False)


def test_placeholders_stay_texts_and_holes_stay_holes(tmp_path: Path) -> None:
    write_csv(pd.DataFrame({"text": ["NA", "None", "", "nan", None, "null"]}), tmp_path / "t.csv")
    assert read_csv(tmp_path / "t.csv")["text"].fillna("HOLE").tolist() == ["NA", "None", "", "nan", "HOLE", "null"]


def test_numbers_are_written_in_full_and_unguarded(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"x": [-0.1, 1 / 3, float("nan")], "n": pd.array([-1, None, 2**60], dtype="Int64"), "ok": [True, False, True]}
    )
    write_csv(frame, tmp_path / "t.csv")
    back = read_csv(tmp_path / "t.csv")
    assert back["x"].dropna().map(float).tolist() == [-0.1, 1 / 3]
    assert back["n"].fillna("HOLE").tolist() == ["-1", "HOLE", str(2**60)]
    assert back["ok"].tolist() == ["True", "False", "True"]


def test_columns_of_one_name_and_tables_without_rows_survive(tmp_path: Path) -> None:
    write_csv(pd.DataFrame([["a", "b"]], columns=["x", "x"]), tmp_path / "t.csv")
    back = read_csv(tmp_path / "t.csv")
    assert (list(back.columns), back.to_numpy().tolist()) == (["x", "x"], [["a", "b"]])
    write_csv(pd.DataFrame({"x": [], "y": []}), tmp_path / "t.csv")
    assert read_csv(tmp_path / "t.csv").shape == (0, 2)


def test_lone_surrogates_are_escaped_so_that_the_file_stays_utf8(tmp_path: Path) -> None:
    write_csv(pd.DataFrame({"text": pd.Series(["a\ud800b"], dtype=object)}), tmp_path / "t.csv")
    assert read_csv(tmp_path / "t.csv")["text"].tolist() == ["a\\ud800b"]


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b'"a","b"\n"1","2","3"\n'])
def test_what_is_no_csv_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.csv").write_bytes(content)
    with pytest.raises(RecordsError, match=r"bad\.csv"):
        read_csv(tmp_path / "bad.csv")
