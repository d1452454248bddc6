"""A sweep whose jobs fail, whose workers and whose parent are killed, goes on in the same run and ends complete.

Where its terminal is closed, or nobody reads what it says, nothing is lost either.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import sqlite3
import subprocess
import termios
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from killable import SLOW, Place, until

JOBS, DAYS, MOODS = 12, 10, 2
SWEEP = ("-m", "experiment=diary", "model=slow", "probe=none", "hydra.sweep.dir=sweep")
WORDS = (*SWEEP, "model.seconds=0.05", "model.moody_at=7", f"study.days={DAYS}", f"seed=range(0,{JOBS})")


@pytest.fixture
def place(site: Any, tmp_path: Path) -> Place:
    """Where the sweep runs."""
    site.add_diary()
    site.add("slow", SLOW)
    return Place(tmp_path, site.folder)


def statuses(sweep: Path) -> Counter[str]:
    return Counter(json.loads(path.read_text())["status"] for path in sweep.glob("*/status.json"))


@pytest.mark.slow
@pytest.mark.parametrize("launcher", ["joblib", "submitit_local"])
def test_what_is_left_is_run_once_and_nothing_is_asked_twice(place: Place, launcher: str) -> None:
    pytest.importorskip(f"hydra_plugins.hydra_{launcher.partition('_')[0]}_launcher")
    sweep = place.folder / "sweep"
    parent = place.start(*WORDS, f"hydra/launcher={launcher}")
    until(lambda: len(place.noted("stored")) >= DAYS, parent)
    os.kill(place.noted("asked")[-1][1], signal.SIGKILL)
    until(lambda: statuses(sweep)["finished"] >= JOBS // 3, parent)
    parent.kill()
    parent.wait(60)
    assert statuses(sweep)["finished"] < JOBS - 1

    resumed = place.start("resume", "sweep")
    status, out = resumed.wait(300), place.said()
    assert status == 1, out
    assert f"{JOBS - 1} of {JOBS} jobs done" in out
    assert "the model is in a mood" in out
    assert statuses(sweep) == {"finished": JOBS - 1, "failed": 1}

    answered = Counter(place.names("stored"))
    assert len(answered) == (JOBS - 1) * DAYS * MOODS
    assert set(answered.values()) == {1}
    asked = Counter(place.names("asked"))
    assert sum(asked.values()) <= len(answered) + 4  # those on their way when processes were killed
    check_runs(runs(place.outputs / "mlflow.db"))
    check_table(sweep)


def runs(database: Path) -> dict[str, list[tuple[str, str]]]:
    """Number and status of the tracked runs, by their parents."""
    with sqlite3.connect(database) as store:
        rows = store.execute("select run_uuid, status from runs").fetchall()
        tags: dict[tuple[str, str], str] = {
            (r, k): v for r, k, v in store.execute("select run_uuid, key, value from tags")
        }
    found: dict[str, list[tuple[str, str]]] = {}
    for run, status in rows:
        parent = tags.get((run, "mlflow.parentRunId"), "")
        found.setdefault(parent, []).append((tags.get((run, "job"), run), status))
    return found


def check_runs(runs: dict[str, list[tuple[str, str]]]) -> None:
    """One parent with a child for each job, none of them running."""
    [[(parent, ended)]] = [found for key, found in runs.items() if not key]
    assert ended == "FAILED"
    assert sorted(runs[parent], key=lambda run: int(run[0])) == [
        (str(job), "FAILED" if job == 7 else "FINISHED") for job in range(JOBS)
    ]


def check_table(sweep: Path) -> None:
    table = pd.read_parquet(sweep / "estimates.parquet")
    cells = table[(table["metric"] == "page_length") & ~table["comparison"]]
    assert set(cells["seed"]) == {str(job) for job in range(JOBS) if job != 7}


@pytest.mark.slow
def test_a_closed_terminal_ends_it_with_all_that_was_answered(place: Place) -> None:
    ours, terminal = pty.openpty()
    child = place.start(
        *SWEEP, "tracking=none", "study.days=500", "seed=1,2", stdin=terminal, stdout=terminal, stderr=terminal,
        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(terminal, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(terminal)
    until(lambda: len(place.noted("stored")) >= DAYS, child)
    os.close(ours)
    assert child.wait(60) == 130
    assert statuses(place.folder / "sweep") == {"interrupted": 1}
    stored, asked = len(place.noted("stored")), len(place.noted("asked"))
    with sqlite3.connect(place.outputs / "store.db") as store:
        [kept] = store.execute("select count(*) from response").fetchone()
    assert DAYS <= stored <= kept <= asked <= stored + 1  # this model does not wind down


@pytest.mark.slow
@pytest.mark.parametrize("launcher", ["basic", "joblib"])
def test_that_nobody_reads_what_it_says_ends_no_job(place: Place, launcher: str) -> None:
    if launcher != "basic":
        pytest.importorskip(f"hydra_plugins.hydra_{launcher}_launcher")
    words = (*SWEEP, "tracking=none", "study.days=1", "seed=1,2", f"hydra/launcher={launcher}")
    child = place.start(*words, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.close()
    assert child.wait(120) == 0, place.said()
    assert statuses(place.folder / "sweep") == {"finished": 2}
