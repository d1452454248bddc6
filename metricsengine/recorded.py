"""Reading files of recorded responses: CSV, JSONL, Parquet. Every cell is text or missing; nothing is guessed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metricsengine.errors import RecordsError

if TYPE_CHECKING:
    import pandas as pd


def read_records(path: Path, columns: Mapping[str, str]) -> pd.DataFrame:
    """The rows of a file, with the mapped columns renamed to what the study calls them.

    "NA", "None" and "nan" are text; an empty cell or null is missing.

    Args:
        path: A ``.csv``, ``.tsv``, ``.jsonl``, ``.ndjson`` or ``.parquet`` file.
        columns: The file's column for each column the study reads.

    Raises:
        RecordsError: The file cannot be read, or a mapped column is not there; names file, line or column.
    """
    readers = {".csv": _csv, ".tsv": _csv, ".jsonl": _jsonl, ".ndjson": _jsonl, ".parquet": _parquet}
    if path.suffix.lower() not in readers:
        raise RecordsError(f"{path}: cannot read {path.suffix or 'a file without suffix'}; give {', '.join(readers)}")
    if not path.is_file():
        raise RecordsError(f"{path}: no such file")
    frame = readers[path.suffix.lower()](path)
    if not len(frame):
        raise RecordsError(f"{path}: holds no rows")
    for name, source in columns.items():
        if source not in frame.columns:
            raise RecordsError(f"{path}: no column {source!r} for {name}; it has {', '.join(map(str, frame.columns))}")
    renamed = frame.drop(columns=[name for name in columns if name in frame and name not in columns.values()])
    return renamed.rename(columns={source: name for name, source in columns.items()})


def digest(path: Path) -> str:
    """Hash of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:16]


def _csv(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        frame = pd.read_csv(
            path,
            dtype=str,
            sep="\t" if path.suffix.lower() == ".tsv" else ",",
            keep_default_na=False,
            encoding="utf-8-sig",
            index_col=False,
        )
    except (UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise RecordsError(f"{path}: {' '.join(str(error).split())}; give UTF-8 text with one header line") from error
    return _text(frame)


def _jsonl(path: Path) -> pd.DataFrame:
    import pandas as pd

    rows = []
    try:
        for number, line in enumerate(path.read_text(encoding="utf-8-sig").split("\n"), start=1):
            if line.strip():
                rows.append(_object(line, f"{path}, line {number}"))
    except UnicodeDecodeError as error:
        raise RecordsError(f"{path}: {error}; give UTF-8 text") from error
    return _text(pd.DataFrame(rows, dtype=object))


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise RecordsError(f"{where}: {error}") from error
    if not isinstance(row, dict):
        raise RecordsError(f"{where}: expected an object with one value per column, got {type(row).__name__}")
    return row


def _parquet(path: Path) -> pd.DataFrame:
    import pandas as pd
    import pyarrow as pa

    try:
        return _text(pd.read_parquet(path))
    except (pa.ArrowException, OSError) as error:
        raise RecordsError(f"{path}: {' '.join(str(error).split())}") from error


def _text(frame: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    def cell(value: object) -> object:
        if isinstance(value, (list, dict)):
            return json.dumps(value, ensure_ascii=False)
        return pd.NA if value is None or value is pd.NA or value == "" or value != value else str(value)

    return pd.DataFrame({name: frame[name].astype(object).map(cell).astype("string") for name in frame.columns})
