"""Writing files so that a reader, or a kill, never meets half of one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def write_text(path: Path, text: str) -> None:
    """Replace a file's content in one step; lone surrogates, which UTF-8 cannot hold, are escaped."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    partial.write_text(text, encoding="utf-8", errors="backslashreplace")
    partial.replace(path)


def write_json(path: Path, content: Any) -> None:  # whatever JSON can hold
    """Write JSON, indented; NaN and infinity are errors.

    Raises:
        ValueError: The content holds NaN or infinity.
    """
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
