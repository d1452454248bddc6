"""``status.json``: how the job of a folder ended, for the command line, for sweeps, and for whoever looks later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from metricsengine.files import write_json
from metricsengine.run import RunEnd

FILE = "status.json"
BEGUN = "running"

_CODES = {"finished": 0, "failed": 1, "interrupted": 130}


def write_status(folder: Path, end: RunEnd, *, configuration: bool = False) -> None:
    """Write how a job ended.

    Args:
        folder: The run folder.
        end: How it ended.
        configuration: Whether it failed because its configuration is wrong.
    """
    write_json(
        folder / FILE,
        {"status": end.status, "error": end.error, "failures": list(end.failures), "configuration": configuration},
    )


def write_begun(folder: Path) -> None:
    """Note that the job of a folder began: until it says how it ended, it runs or was killed."""
    write_json(folder / FILE, {"status": BEGUN, "error": "", "failures": []})


def has_begun(folder: Path) -> bool:
    """Whether the job of a folder began."""
    return (folder / FILE).is_file()


def has_ended(folder: Path) -> bool:
    """Whether the job of a folder told how it ended."""
    return bool(_row(folder).get("status", BEGUN) != BEGUN)


def read_status(folder: Path) -> tuple[RunEnd, int]:
    """How the job of a folder ended, and the exit status that says so."""
    row = _row(folder)
    if row.get("status", BEGUN) == BEGUN:
        return RunEnd("failed", "ended without a word (killed?)"), 1
    code = _CODES[row["status"]]
    return _end(row), 2 if code == 1 and row.get("configuration") else code


def _row(folder: Path) -> Mapping[str, Any]:
    """What the file says; nothing where there is none, or half of one."""
    try:
        row = json.loads((folder / FILE).read_text(encoding="utf-8"))
        return row if row["status"] == BEGUN else {**row, **asdict(_end(row))}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _end(row: Mapping[str, Any]) -> RunEnd:
    if row["status"] not in _CODES:
        raise ValueError(row["status"])
    return RunEnd(row["status"], str(row["error"]), tuple(map(str, row["failures"])))
