"""A run that is killed without warning goes on where it stopped, and comes to the same result."""

from __future__ import annotations

import json
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from killable import SLOW, Place, until

WORDS = ("experiment=diary", "model=slow", "tracking=none", "study.days=30", "probe=none")
REQUESTS = 60


def estimates(run: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((run / "results.json").read_text())["estimates"]
    return rows


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 130)])
def test_no_stored_answer_is_asked_twice(site: Any, tmp_path: Path, number: signal.Signals, status: int) -> None:
    site.add_diary()
    site.add("slow", SLOW)
    for name in ("killed", "whole"):
        (tmp_path / name).mkdir()
    killed, whole = Place(tmp_path / "killed", site.folder), Place(tmp_path / "whole", site.folder)
    assert whole.start(*WORDS, "hydra.run.dir=run").wait(120) == 0

    child = killed.start(*WORDS, "hydra.run.dir=first")
    until(lambda: len(killed.names("stored")) >= REQUESTS // 3, child)
    child.send_signal(number)
    assert child.wait(60) == status
    stored = set(killed.names("stored"))
    assert REQUESTS // 3 <= len(stored) < REQUESTS
    assert not (killed.folder / "first" / "results.json").exists()

    before = len(killed.names("asked"))
    assert killed.start(*WORDS, "hydra.run.dir=second").wait(120) == 0
    again = killed.names("asked")[before:]
    assert not stored & set(again)
    asked = Counter(killed.names("asked"))
    assert len(asked) == REQUESTS
    assert sum(asked.values()) <= REQUESTS + 1  # at most the one that was on its way
    assert estimates(killed.folder / "second") == estimates(whole.folder / "run")
    store = json.loads((killed.folder / "second" / "results.json").read_text())["store"]
    assert store["responses"] == REQUESTS
    assert store["hits"] == REQUESTS - len(again)
