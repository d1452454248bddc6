"""Tables of edges and of agents: CSV and TSV with a header line."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from metricsengine.errors import ConfigError
from metricsengine.wording import plural
from metricsengine_dynamics.networks.agents import Agents, Edge

SUFFIXES = (".csv", ".tsv")


@dataclass(frozen=True)
class Row:
    """A row by column, without white space around.

    Attributes:
        cells: Texts by column.
        where: File and line.
    """

    cells: dict[str, str]
    where: str


def read_edges(path: Path) -> list[Edge]:
    """The edges of a table with columns ``source``, ``target`` and, where wanted, ``weight``.

    Raises:
        ConfigError: The file cannot be read, or an edge lacks an end; names file and line.
    """
    return [
        Edge((_name(row, "source"), _name(row, "target")), row.cells.get("weight"), row.where)
        for row in _rows(path, ("source", "target"))
    ]


def read_agents(path: Path) -> Agents:
    """The agents of a table with a column ``name``; further columns are their attributes.

    Raises:
        ConfigError: The file cannot be read, or a name is missing or there twice; names file and line.
    """
    rows = _rows(path, ("name",))
    seen: dict[str, str] = {}
    for row in rows:
        name = _name(row, "name")
        if name in seen:
            raise ConfigError(f"{row.where}: the agent {name!r} is there already, {seen[name]}; names must differ")
        seen[name] = row.where.rpartition(", ")[2]
    columns = [column for column in (rows[0].cells if rows else ()) if column != "name"]
    return Agents(list(seen), {column: [row.cells[column] for row in rows] for column in columns}, str(path))


def ends_of(edges: Sequence[Edge], path: Path) -> Agents:
    """The agents whom edges name, in the order in which they do."""
    return Agents(list(dict.fromkeys(end for edge in edges for end in edge.ends)), {}, str(path))


def _name(row: Row, column: str) -> str:
    if not row.cells[column]:
        raise ConfigError(f"{row.where}: {column} is empty; give the name of an agent")
    return row.cells[column]


def _rows(path: Path, needed: Sequence[str]) -> list[Row]:
    try:
        heading, *rows = _lines(path) or [Line(1, [])]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{path}: {error}; give UTF-8 text with one header line, and quotes doubled") from error
    columns = heading.cells
    if missing := [name for name in needed if name not in columns]:
        held = ", ".join(columns) or "nothing"
        raise ConfigError(
            f"{path}: its header line must name {' and '.join(needed)}, but {missing[0]} is not among {held}"
        )
    if repeated := [name for name, count in Counter(columns).items() if count > 1]:
        raise ConfigError(f"{path}: two columns are called {repeated[0]!r}; rename one")
    for row in rows:
        if len(row.cells) != len(columns):
            raise ConfigError(
                f"{path}, line {row.number}: {plural(len(row.cells), 'cell')} under a header line of {len(columns)}; "
                "quote names with separators"
            )
    return [Row(dict(zip(columns, row.cells, strict=True)), f"{path}, line {row.number}") for row in rows]


@dataclass(frozen=True)
class Line:
    """A line that is not blank.

    Attributes:
        number: Its number in the file, from 1; the last one where a text spans several.
        cells: Its cells, without white space around.
    """

    number: int
    cells: list[str]


def _lines(path: Path) -> list[Line]:
    csv.field_size_limit(sys.maxsize)  # a text may be longer than the 128 KiB that Python expects
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",", strict=True)
        lines = [Line(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(map(str.strip, row))]
    for line in lines:
        if any("\0" in cell for cell in line.cells):
            raise csv.Error(f"line {line.number} holds a NUL character")
    return lines
