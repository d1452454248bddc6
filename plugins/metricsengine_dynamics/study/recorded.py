"""Recorded transitions, such as those of a simulation that was run elsewhere, as a table of transitions.

Columns: ``run``, ``step``, ``node``, ``x``, ``reference`` and ``opinion``; optional ``agent`` (``llm`` where absent),
``variant``, ``repeat``, ``heard``, and the other columns of the table. An empty opinion is one that could not be read.
``x`` and ``reference`` are on the scale from -1 to 1, ``opinion`` on that from -5 to 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from metricsengine.errors import RecordsError
from metricsengine.wording import plural
from metricsengine_dynamics.study.conditions import LLM
from metricsengine_dynamics.tables import TRANSITIONS

if TYPE_CHECKING:
    import pandas as pd

NEEDED = ("run", "step", "node", "x", "reference", "opinion")

UNIT = ["agent", "variant", "repeat", "run", "step", "node"]
"""What tells one update from another."""

RANGES: Mapping[str, tuple[float, float]] = {"x": (-1, 1), "reference": (-1, 1), "opinion": (-5, 5)}
SCALE = 5
"""How many times larger the scale of opinions is than that of x and reference."""

WHOLE = ("run", "step", "node", "repeat", "heard", "cut", "lost")

UNNAMED = "recorded"
"""Prompt set of LLM agents that the file does not name."""


def read(records: pd.DataFrame) -> pd.DataFrame:
    """The table of transitions of a file, in an order that does not depend on the file's.

    Args:
        records: Rows, every cell text or missing.

    Raises:
        RecordsError: A column or a value is missing or out of range, opinions seem to be on the scale of the reference,
            or an update occurs twice.
    """
    lacking = [column for column in NEEDED if column not in records]
    if lacking:
        found = ", ".join(map(str, records.columns))
        ways = " ".join(f"records.columns.{column}=NAME" for column in lacking)
        raise RecordsError(f"the file has no column {', '.join(lacking)}; it has {found}; map them: {ways}")
    names = {column.name for column in TRANSITIONS.columns} & {str(column) for column in records.columns}
    frame = records[sorted(names)].copy()
    for column in (*WHOLE, *RANGES):
        if column in frame:
            frame[column] = _numbers(frame[column], column)
    if _seem_small(frame) and (frame["opinion"].dropna() % 1 != 0).any():
        raise RecordsError(
            f"opinion is on the scale from -{SCALE} to {SCALE}, {SCALE} times that of reference; none in the file lies "
            f"beyond 1: multiply by {SCALE}"
        )
    frame = _sorted(_filled(frame))
    return TRANSITIONS.conform(frame)


def labels(table: pd.DataFrame) -> dict[str, str]:
    """What a file tells of its simulation: the number of agents, where it is the same in all runs."""
    sizes = set(table.groupby(["agent", "run"])["node"].nunique())
    return {"n_agents": str(sizes.pop())} if len(sizes) == 1 else {}


def remarks(table: pd.DataFrame) -> list[str]:
    """What a file leaves unsaid that a reader of the results must know."""
    said = []
    if n := int(table["heard"].isna().sum()):
        said.append(f"{plural(n, 'row')} of the file without a number of agents heard: none counts as isolated")
    if _seem_small(table):
        said.append(
            f"opinion is on the scale from -{SCALE} to {SCALE}, and none in the file lies beyond 1: if these are on "
            f"that of reference, multiply by {SCALE}"
        )
    return said


def _seem_small(frame: pd.DataFrame) -> bool:
    """Whether opinions may be on the scale of the reference: none is beyond 1 where the reference comes to 2 and more.

    Zeros are the same on both.
    """
    given = frame["opinion"].dropna().abs()
    far = (frame["reference"].abs() > 2 / SCALE).any()
    return bool(far and (given <= 1).all() and (given > 0).any())


def _numbers(cells: pd.Series, column: str) -> pd.Series:
    """A column of numbers; NA where a cell is empty and may be."""
    import pandas as pd

    numbers = pd.to_numeric(cells, errors="coerce").astype("Float64")
    low, high = RANGES.get(column, (0, 10**9))
    is_wrong = cells.notna() & ~numbers.between(low, high).fillna(False)
    if column in WHOLE:
        is_wrong |= (numbers % 1 != 0).fillna(False)
    if column in NEEDED and column != "opinion":
        is_wrong |= cells.isna()
    if is_wrong.any():
        row = int(is_wrong.to_numpy().argmax())
        kind = f"a whole number from {low:g}" if column in WHOLE else f"a number from {low:g} to {high:g}"
        given = repr(cells.iloc[row]) if pd.notna(cells.iloc[row]) else "nothing"
        way = "; an empty cell is one that could not be read" if column == "opinion" else ""
        raise RecordsError(f"row {row + 1} of the file, its header not counted: {column} is {kind}, got {given}{way}")
    return numbers.astype("Int64") if column in WHOLE else numbers


def _filled(frame: pd.DataFrame) -> pd.DataFrame:
    """With what the file leaves unsaid."""
    import pandas as pd

    agent = frame["agent"].fillna(LLM) if "agent" in frame else pd.Series(LLM, index=frame.index, dtype="string")
    variant = frame["variant"] if "variant" in frame else pd.Series(pd.NA, index=frame.index, dtype="string")
    return frame.assign(
        agent=agent,
        variant=variant.where((agent != LLM) | variant.notna(), UNNAMED),
        repeat=frame["repeat"].fillna(0) if "repeat" in frame else 0,
        isolated=_isolated(frame),
    )


def _isolated(frame: pd.DataFrame) -> pd.Series:
    """Who heard nobody; nobody did where the file does not tell."""
    import pandas as pd

    if "heard" in frame:
        return (frame["heard"] == 0).fillna(False)
    return pd.Series(False, index=frame.index)


def _sorted(frame: pd.DataFrame) -> pd.DataFrame:
    twice = frame.duplicated(UNIT)
    if twice.any():
        row = int(twice.to_numpy().argmax())
        where = ", ".join(f"{column} {frame[column].iloc[row]}" for column in UNIT if frame[column].notna().iloc[row])
        raise RecordsError(f"row {row + 1} of the file, its header not counted: the file holds {where} twice")
    return frame.sort_values(UNIT, ignore_index=True)
