"""Under which conditions trials were asked, and what became of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def groups(table: pd.DataFrame, *by: str) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    """Rows of each combination of columns, in order, with the labels that it has in estimates.

    The label ``repeat`` is left out where everything is asked for the first time.
    """
    for key, rows in table.groupby([*by, "repeat"], sort=True):
        repeat = key[-1]
        labels = {name: label(value) for name, value in zip(by, key, strict=False)}
        yield labels | ({"repeat": str(repeat)} if repeat else {}), rows


def label(value: object) -> str:
    """A value as the label of an estimate.

    Example:
        >>> label(-5.0), label(-0.0), label("base")
        ('-5', '0', 'base')
    """
    return f"{value + 0.0:g}" if isinstance(value, float) else str(value)


def outcomes(rows: pd.DataFrame) -> dict[str, int]:
    """How many rows have which outcome; an answer without a value counts as ``unparsed``."""
    told = rows["outcome"].astype(str).replace("answered", "unparsed")
    return {str(outcome): int(n) for outcome, n in told.value_counts().sort_index().items()}


def first(table: pd.DataFrame) -> pd.DataFrame:
    """What was asked the first time, without the repeats that show the noise floor."""
    return table[table["repeat"] == 0]


def named(labels: Mapping[str, str], *names: str) -> str:
    """Values of some labels in a row, as far as there are any."""
    return ", ".join(labels[name] for name in names if name in labels)


def differing(labels: Sequence[Mapping[str, str]], *names: str) -> tuple[str, ...]:
    """Those of the labels in which some differ."""
    return tuple(name for name in names if len({each.get(name) for each in labels}) > 1)
