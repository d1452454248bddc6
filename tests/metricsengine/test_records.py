"""Record tables: typed columns in order, and files that are there whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from metricsengine.errors import RecordsError
from metricsengine.records import SIMULATIONS, Column, TableSpec, load_tables, save_table

PAGES = TableSpec(
    "Pages",
    "One page.",
    (
        Column("mood", "text", "The mood", required=True),
        Column("day", "integer", "Day, from 0", required=True),
        Column("weight", "number", "Weight in kg"),
        Column("read", "boolean", "Whether someone read it"),
    ),
)


class TestConforming:
    def test_documented_columns_come_first_in_order_and_typed(self) -> None:
        frame = pd.DataFrame({"extra": [[1]], "weight": [3], "day": [1.0], "mood": ["happy"]}, index=[7])
        table = PAGES.conform(frame)
        assert list(table.columns) == ["mood", "day", "weight", "read", "extra"]
        assert [str(dtype) for dtype in table.dtypes] == ["string", "Int64", "Float64", "boolean", "object"]
        assert list(table.index) == [0]
        assert table["read"].isna().all()

    def test_no_rows_are_a_table_too(self) -> None:
        table = PAGES.conform(pd.DataFrame({"mood": [], "day": []}))
        assert len(table) == 0
        assert str(table["day"].dtype) == "Int64"

    def test_na_and_none_are_texts(self) -> None:
        table = PAGES.conform(pd.DataFrame({"mood": ["NA", "None", "nan"], "day": [0, 1, 2]}))
        assert list(table["mood"]) == ["NA", "None", "nan"]

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"mood": ["happy"]}, r"table Pages lacks its column 'day' \(Day, from 0\)"),
            ({"mood": ["a", None], "day": [0, 1]}, "table Pages, column 'mood' has no value in row 1"),
            ({"mood": ["a"], "day": ["first"]}, "table Pages, column 'day' must hold integer values: .*"),
            ({"mood": ["a"], "day": [0.5]}, "table Pages, column 'day' must hold integer values: .*"),
            ({"mood": ["a"], "day": [0], "read": ["maybe"]}, "column 'read' must hold boolean values: .*"),
        ],
    )
    def test_what_does_not_fit_is_named(self, columns: dict[str, list[object]], message: str) -> None:
        with pytest.raises(RecordsError, match=message):
            PAGES.conform(pd.DataFrame(columns))

    def test_a_frame_is_not_changed(self) -> None:
        frame = pd.DataFrame({"mood": ["happy"], "day": [1]})
        before = frame.copy(deep=True)
        PAGES.conform(frame)
        pd.testing.assert_frame_equal(frame, before)

    def test_every_column_is_documented(self) -> None:
        assert all(column.doc for column in SIMULATIONS.columns)
        assert len({column.name for column in SIMULATIONS.columns}) == len(SIMULATIONS.columns)


class TestFiles:
    def test_a_table_comes_back_as_it_was(self, tmp_path: Path) -> None:
        table = PAGES.conform(pd.DataFrame({"mood": ["happy", "${sad}\n"], "day": [0, 1], "weight": [None, 0.1]}))
        save_table(table, tmp_path / "tables" / "Pages.parquet")
        loaded = load_tables(tmp_path / "tables")
        assert list(loaded) == ["Pages"]
        pd.testing.assert_frame_equal(loaded["Pages"], table)

    def test_writing_leaves_nothing_else_and_replaces(self, tmp_path: Path) -> None:
        for mood in ("happy", "sad"):
            save_table(pd.DataFrame({"mood": [mood]}), tmp_path / "Pages.parquet")
        assert [path.name for path in tmp_path.iterdir()] == ["Pages.parquet"]
        assert list(load_tables(tmp_path)["Pages"]["mood"]) == ["sad"]

    def test_a_folder_that_is_not_there_holds_no_tables(self, tmp_path: Path) -> None:
        assert load_tables(tmp_path / "tables") == {}
