"""A sweep whose jobs fail, whose workers and whose parent are killed, goes on in the same run and ends complete."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

MOODY = """
import os, time
from dataclasses import dataclass
from metricsengine import hookimpl
from metricsengine.errors import ModelError
from metricsengine.model import Capabilities, ModelAdapter, ModelIdentity, ModelSpec, Outcome, Response

@dataclass
class Conf:
    seconds: float = 0.05

class Moody(ModelAdapter):
    identity = ModelIdentity("moody", "Moody", "1", 1)
    capabilities = Capabilities(exact_replay=True)

    def __init__(self, conf):
        self._seconds = conf.seconds

    def render(self, request):
        return request.prompt

    def answer(self, requests):
        with open(os.environ["MOODY_LOG"], "a", encoding="utf-8", buffering=1) as log:
            for i, request in enumerate(requests):
                if request.seed == 7:
                    raise ModelError("the model is in a mood")
                name = f"{request.seed} {request.prompt!r} {request.replicate}"
                log.write(f"asked {name} {os.getpid()}\\n")
                time.sleep(self._seconds)
                yield [(i, Response(Outcome.ANSWERED, "well " * (1 + (7 * request.replicate) % 5)))]
                log.write(f"stored {name} {os.getpid()}\\n")

@hookimpl
def metricsengine_models():
    return [ModelSpec("moody", Conf, Moody)]
"""
JOBS, DAYS, MOODS = 12, 10, 2
WORDS = ("-m", "experiment=diary", "model=moody", f"study.days={DAYS}", "probe=none", f"seed=range(0,{JOBS})",
         "hydra.sweep.dir=sweep")  # fmt: skip


class Place:
    """A folder in which the sweep runs, with a log of what its model was asked."""

    def __init__(self, folder: Path, site: Path) -> None:
        self.sweep, self._folder, self._log = folder / "sweep", folder, folder / "log.txt"
        self._said = folder / "said.txt"
        diary = Path(__file__).parents[2] / "third_party" / "diary" / "src"
        self._environment = {
            **os.environ,
            "METRICSENGINE_OUTPUTS": str(folder / "outputs"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join([str(site), str(diary)]),
            "MOODY_LOG": str(self._log),
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start the command; its output goes to a file, which workers that outlive it may keep open."""
        command = Path(sys.executable).with_name("metricsengine")
        with self._said.open("w") as said:
            return subprocess.Popen(
                [command, *words], cwd=self._folder, env=self._environment, text=True, stdout=said, stderr=said
            )

    def said(self) -> str:
        """What the last command said."""
        return self._said.read_text(encoding="utf-8")

    def lines(self, kind: str) -> list[list[str]]:
        """What was asked or stored: words before the process's number, and that number."""
        text = self._log.read_text(encoding="utf-8") if self._log.exists() else ""
        return [line.partition(" ")[2].rsplit(" ", 1) for line in text.splitlines() if line.startswith(f"{kind} ")]

    def runs(self) -> dict[str, list[tuple[str, str]]]:
        """Number and status of the tracked runs, by their parents."""
        with sqlite3.connect(self._folder / "outputs" / "mlflow.db") as store:
            rows = store.execute("select run_uuid, status from runs").fetchall()
            tags: dict[tuple[str, str], str] = {
                (r, k): v for r, k, v in store.execute("select run_uuid, key, value from tags")
            }
        found: dict[str, list[tuple[str, str]]] = {}
        for run, status in rows:
            parent = tags.get((run, "mlflow.parentRunId"), "")
            found.setdefault(parent, []).append((tags.get((run, "job"), run), status))
        return found


def until(holds: Callable[[], bool], child: subprocess.Popen[str], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not holds() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)


def statuses(sweep: Path) -> Counter[str]:
    return Counter(json.loads(path.read_text())["status"] for path in sweep.glob("*/status.json"))


@pytest.mark.slow
@pytest.mark.parametrize("launcher", ["joblib", "submitit_local"])
def test_what_is_left_is_run_once_and_nothing_is_asked_twice(site: Any, tmp_path: Path, launcher: str) -> None:
    pytest.importorskip(f"hydra_plugins.hydra_{launcher.partition('_')[0]}_launcher")
    site.add_diary()
    site.add("moody", MOODY)
    place = Place(tmp_path, site.folder)

    parent = place.start(*WORDS, f"hydra/launcher={launcher}")
    until(lambda: len(place.lines("stored")) >= DAYS, parent)
    worker = int(place.lines("asked")[-1][1])
    os.kill(worker, signal.SIGKILL)
    until(lambda: statuses(place.sweep)["finished"] >= JOBS // 3, parent)
    parent.kill()
    parent.wait(60)
    assert statuses(place.sweep)["finished"] < JOBS - 1

    resumed = place.start("resume", "sweep")
    status, out = resumed.wait(300), place.said()
    assert status == 1, out
    assert f"{JOBS - 1} of {JOBS} jobs done" in out
    assert "the model is in a mood" in out
    assert statuses(place.sweep) == {"finished": JOBS - 1, "failed": 1}

    answered = Counter(name for name, _ in place.lines("stored"))
    assert len(answered) == (JOBS - 1) * DAYS * MOODS
    assert set(answered.values()) == {1}
    asked = Counter(name for name, _ in place.lines("asked"))
    assert sum(asked.values()) <= len(answered) + 4  # those on their way when processes were killed
    check_runs(place)
    check_table(place.sweep)


def check_runs(place: Place) -> None:
    """One parent with a child for each job, none of them running."""
    runs = place.runs()
    [[(parent, ended)]] = [found for key, found in runs.items() if not key]
    assert ended == "FAILED"
    assert sorted(runs[parent], key=lambda run: int(run[0])) == [
        (str(job), "FAILED" if job == 7 else "FINISHED") for job in range(JOBS)
    ]


def check_table(sweep: Path) -> None:
    table = pd.read_parquet(sweep / "estimates.parquet")
    cells = table[(table["metric"] == "page_length") & ~table["comparison"]]
    assert set(cells["seed"]) == {str(job) for job in range(JOBS) if job != 7}
