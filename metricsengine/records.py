"""Record tables: typed rows with documented columns, and their Parquet files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from metricsengine.errors import RecordsError

if TYPE_CHECKING:
    import pandas as pd

ColumnType = Literal["text", "integer", "number", "boolean"]

_DTYPES: Mapping[ColumnType, str] = {
    "text": "string",
    "integer": "Int64",
    "number": "Float64",
    "boolean": "boolean",
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a record table.

    Attributes:
        name: Name of the column.
        type: Type of its values.
        doc: What it holds, with unit and range where there is one.
        required: Whether a value must be present in every row.
    """

    name: str
    type: ColumnType
    doc: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class TableSpec:
    """The shape of a record table.

    Attributes:
        name: Name of the table, as metrics refer to it.
        doc: What one row is.
        columns: The documented columns; a table may carry more.
    """

    name: str
    doc: str
    columns: tuple[Column, ...]

    def conform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The frame with this table's columns first, in order and typed; absent optional columns are filled with NA.

        Raises:
            RecordsError: A required column is absent or has a hole, or a value is not of the column's type.
        """
        import pandas as pd

        typed: dict[str, pd.Series] = {}
        for column in self.columns:
            if column.name in frame:
                typed[column.name] = self._typed(column, frame[column.name])
            elif column.required:
                raise RecordsError(f"table {self.name} lacks its column {column.name!r} ({column.doc})")
            else:
                typed[column.name] = pd.Series(pd.NA, index=frame.index, dtype=_DTYPES[column.type])
        extra = {str(name): frame[name] for name in frame.columns if name not in typed}
        return pd.DataFrame({**typed, **extra}).reset_index(drop=True)

    def _typed(self, column: Column, series: pd.Series) -> pd.Series:
        try:
            typed: pd.Series = series.astype(_DTYPES[column.type])  # type: ignore[call-overload] # stubs know dtype names as literals only
        except (TypeError, ValueError) as error:
            raise RecordsError(
                f"table {self.name}, column {column.name!r} must hold {column.type} values: {error}"
            ) from error
        if column.required and typed.isna().any():
            row = int(typed.isna().to_numpy().argmax())
            raise RecordsError(f"table {self.name}, column {column.name!r} has no value in row {row}")
        return typed


Tables = Mapping[str, "pd.DataFrame"]
"""Record tables by name."""


SIMULATIONS = TableSpec(
    "Simulations",
    "One open text: a response of the simulation S(p, t, c) (CoMPosT, section 2).",
    (
        Column("context", "text", "Where the simulation takes place", required=True),
        Column("persona", "text", "Who is simulated", required=True),
        Column("topic", "text", "What it is about", required=True),
        Column("default_persona", "boolean", "The persona is the unmarked default: a control", required=True),
        Column("default_topic", "boolean", "No topic was given: a control", required=True),
        Column("replicate", "integer", "Index of the sample in its cell, from 0", required=True),
        Column("source_row", "integer", "Row of the recorded file, from 0; absent where simulated"),
        Column("part", "text", "Which part or turn of a longer simulation; absent for the whole text"),
        Column("text", "text", "What the simulated person says; absent where there is none"),
        Column("outcome", "text", "What became of the request", required=True),
        Column("reason", "text", "Why the outcome is not `answered`"),
        Column("excluded", "text", "Why the row does not enter any metric; absent where it does"),
        Column("flags", "text", "Remarks such as `looks_like_refusal`, separated by spaces"),
        Column("persona_category", "text", "Group of the persona, such as `gender`"),
        Column("topic_category", "text", "Group of the topic"),
        Column("topic_kind", "text", "`general` or `specific`"),
        Column("topic_origin", "text", "Where the topic was taken from"),
        Column("specificity", "integer", "Level of specificity, 1 (general) to 5"),
    ),
)


def save_table(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as Parquet; a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    frame.to_parquet(partial, index=False)
    partial.replace(path)


def load_tables(folder: Path, only: Collection[str] | None = None) -> Tables:
    """The Parquet tables of a folder, by file stem: those named, or all."""
    import pandas as pd

    paths = [path for path in sorted(folder.glob("*.parquet")) if only is None or path.stem in only]
    return {path.stem: pd.read_parquet(path) for path in paths}
