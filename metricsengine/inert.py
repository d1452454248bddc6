"""Keeping what a model said inert: on the terminal, in figures and in spreadsheets. HTML is escaped by its template."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from metricsengine.errors import RecordsError
from metricsengine.files import write_text

if TYPE_CHECKING:
    import pandas as pd

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")
_FORMULA = "=+\\-@\t\r\n＝＋－＠"
_NEEDS_GUARD = re.compile(rf"'*(?:[{_FORMULA}]|\Z)")
_GUARDED = re.compile(rf"'+(?:[{_FORMULA}]|\Z)")


def visible(text: str, keep: str = "") -> str:
    r"""The text with control, format and surrogate characters spelt out, so that none acts and none hides.

    Joiners stay where they join letters or emoji, as Persian, Hindi and family emoji need.

    Args:
        text: Anything a model, a file or a plugin may hold.
        keep: Characters that may stay, such as ``"\n"``.

    Example:
        >>> visible("one\ntwo \x1b[31mred \u202eesrever")
        'one⏎two ␛[31mred ⟨U+202E⟩esrever'
    """
    if text.translate(dict.fromkeys(map(ord, keep))).isprintable():
        return text
    return "".join(
        _spelt(character) if character not in keep and _hides(text, i) else character
        for i, character in enumerate(text)
    )


def _hides(text: str, i: int) -> bool:
    if unicodedata.category(text[i]) not in _HIDDEN:
        return False
    return text[i] not in _JOINERS or not (_joinable(text[max(i - 1, 0) : i]) and _joinable(text[i + 1 : i + 2]))


def _joinable(character: str) -> bool:
    return character > "\x7f" and unicodedata.category(character) not in _HIDDEN


def _spelt(character: str) -> str:
    code = ord(character)
    if character == "\n":
        return "⏎"
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def shorten(text: str, length: int) -> str:
    """At most about ``length`` characters, of which the middle is left out and counted.

    Example:
        >>> shorten("a" * 40 + "z" * 40, 20)
        'aaaaaaaaaaaaaa … zzzzzz (80 characters)'
    """
    if len(text) <= length:
        return text
    tail = length * 3 // 10
    return f"{text[: length - tail]} … {text[len(text) - tail :]} ({len(text):,} characters)"


def for_terminal(text: str, width: int | None = None) -> Text:
    """The text for a rich console: never markup, never a control sequence, on one line.

    Args:
        text: What to print; ``.plain`` of the result is the same as a string.
        width: Cut to that many terminal columns, ending in "…".
    """
    shown = Text(visible(text))
    if width is not None:
        shown.truncate(width, overflow="ellipsis")
    return shown


def for_figure(text: str) -> str:
    r"""The text as a matplotlib label: a dollar sign does not open a formula.

    Example:
        >>> print(for_figure("$5 or $10?"))
        \$5 or \$10?
    """
    return visible(text).replace("$", r"\$")


def for_csv(text: str) -> str:
    """The text as a spreadsheet cell that is not a formula; an empty text differs from an empty cell.

    Texts that a spreadsheet would compute get a leading apostrophe; so do those that would then be mistaken for
    guarded ones, and the empty text. :func:`from_csv` undoes it exactly.

    Example:
        >>> for_csv("=1+1"), for_csv("'tis"), for_csv("")
        ("'=1+1", "'tis", "'")
    """
    return f"'{text}" if _NEEDS_GUARD.match(text) else text


def from_csv(cell: str) -> str:
    """Inverse of :func:`for_csv`."""
    return cell[1:] if _GUARDED.match(cell) else cell


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as UTF-8 CSV without formulas; NA is an empty cell, texts are quoted, the index is left out."""
    import pandas as pd

    columns = [
        series if pd.api.types.is_numeric_dtype(series) else _each(series, for_csv) for _, series in frame.items()
    ]
    guarded = pd.concat(columns, axis=1) if columns else frame.copy()
    guarded.columns = pd.Index([for_csv(str(name)) for name in frame.columns], dtype=object)
    write_text(path, guarded.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC))


def read_csv(path: Path) -> pd.DataFrame:
    """Read what :func:`write_csv` wrote: every cell text or NA, guards undone, "NA" and "None" kept as texts.

    Raises:
        RecordsError: The file is not CSV in UTF-8, or has not even a heading.
    """
    import pandas as pd

    try:
        rows = pd.read_csv(
            path, header=None, dtype="string", keep_default_na=False, na_values=[""], skip_blank_lines=False
        )
    except (pd.errors.EmptyDataError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise RecordsError(f"{path} cannot be read as CSV in UTF-8: {error}") from error
    frame = rows.iloc[1:].reset_index(drop=True).apply(lambda column: _each(column, from_csv).astype("string"))
    frame.columns = pd.Index([from_csv(str(name)) for name in rows.iloc[0]], dtype=object)
    return frame


def _each(series: pd.Series, change: Callable[[str], str]) -> pd.Series:
    """The series with its texts changed; as objects, since pandas' own strings cannot hold lone surrogates."""
    import pandas as pd

    changed = [change(value) if isinstance(value, str) else value for value in series]
    return pd.Series(changed, index=series.index, dtype=object)
