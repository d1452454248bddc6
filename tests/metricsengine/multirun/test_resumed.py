"""Going on with a sweep or a run: what is done stays, what is missing or failed is run, in the same place."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metricsengine.errors import ModelError
from metricsengine.locks import at_work
from metricsengine.multirun.manifest import Manifest
from metricsengine.results import Results


@pytest.fixture
def moody(diary: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    """A model that cannot go on where a job has three days, until it is told to."""
    import metricsengine_diary.parrot as parrot

    answer, mood = parrot.Parrot.answer, {"bad": True}

    def moody(self: Any, requests: Any) -> Any:
        if mood["bad"] and len(requests) > 2:
            raise ModelError("the model is in a mood")
        yield from answer(self, requests)

    monkeypatch.setattr(parrot.Parrot, "answer", moody)
    return mood


def _python(script: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def started(job: Path) -> str:
    return str(Results.load(job).provenance["started"]) + str((job / "results.json").stat().st_mtime_ns)


class TestSweep:
    def test_only_what_failed_is_run_again(
        self, metricsengine: Callable[..., Any], diary: Callable[..., Any], moody: dict[str, bool]
    ) -> None:
        first = diary("-m", "study.days=1,3", "hydra.sweep.dir=sweep")
        sweep = Path.cwd() / "sweep"
        assert first.status == 1
        assert "metricsengine: job 1: the model is in a mood\n" in first.err
        assert f"To go on: metricsengine resume {sweep}\n" in first.out
        done, begun = started(sweep / "0"), Manifest.load(sweep)

        moody["bad"] = False
        again = metricsengine("resume", "sweep")
        assert again.status == 0
        assert "2 of 2 jobs done\n" in again.out
        assert started(sweep / "0") == done
        assert Manifest.load(sweep) == begun
        assert Results.load(sweep).provenance["command"] == begun.launch.command if begun else False
        assert [Results.load(sweep / job).provenance["overrides"][-1] for job in "01"] == [
            "study.days=1", "study.days=3",
        ]  # fmt: skip

    def test_the_same_command_finds_its_last_sweep(self, diary: Callable[..., Any], moody: dict[str, bool]) -> None:
        words = ("-m", "study.days=1,3")
        [folder] = diary(*words).named("Sweep folder")
        diary("-m", "study.days=1")
        moody["bad"] = False
        ended = diary(*words, "resume=true")
        assert (ended.status, ended.named("Sweep folder")) == (0, [folder])
        assert "nothing to resume: no sweep below" in diary("-m", "study.days=2", "resume=true").line

    def test_a_job_whose_results_are_damaged_is_run_again(
        self, metricsengine: Callable[..., Any], diary: Callable[..., Any]
    ) -> None:
        diary("-m", "study.days=1,2", "hydra.sweep.dir=sweep")
        Path("sweep/0/results.json").write_text("{")
        other = Path("sweep").absolute().parent / "outputs" / "sweeps" / "a" / "b"
        other.mkdir(parents=True)
        (other / "sweep.json").write_text("{")
        assert metricsengine("resume", "sweep").status == 0
        assert Results.load(Path("sweep/0")).counts["requests"] == 2

    def test_other_jobs_than_it_had_are_refused(self, diary: Callable[..., Any]) -> None:
        diary("-m", "study.days=1", "hydra.sweep.dir=sweep")
        ended = diary("-m", "study.days=2", "hydra.sweep.dir=sweep", "resume=true")
        assert ended.status == 2
        assert "job 0 of this sweep was experiment=diary tracking=none study.days=1, and would now be" in ended.line
        assert [Path("sweep/0/results.json").exists(), Results.load(Path("sweep/0")).counts["requests"]] == [True, 2]

    def test_one_that_another_process_is_at_work_on_is_left_alone(self, diary: Callable[..., Any]) -> None:
        holding = (
            "import sys; from pathlib import Path; from metricsengine.locks import at_work\n"
            "with at_work(Path('sweep')):\n print('held', flush=True); sys.stdin.read()"
        )
        with _python(holding) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == "held\n"
            ended = diary("-m", "study.days=1", "hydra.sweep.dir=sweep")
            other.kill()
        assert ended.status == 2
        assert ended.line.startswith("another process is at work on the sweep in ")
        assert diary("-m", "study.days=1", "hydra.sweep.dir=sweep").status == 0

    def test_a_job_that_another_process_finishes_meanwhile_is_not_run_again(
        self, metricsengine: Callable[..., Any], diary: Callable[..., Any], moody: dict[str, bool]
    ) -> None:
        diary("-m", "study.days=1,3", "hydra.sweep.dir=sweep")
        other = (
            "import json, sys, time; from pathlib import Path; from metricsengine.locks import at_work\n"
            "status = Path('sweep/1/status.json')\n"
            "with at_work(Path('sweep/1')):\n print('held', flush=True)\n"
            " while status.exists():\n  time.sleep(0.05)\n"
            " status.write_text(json.dumps({'status': 'finished', 'error': '', 'failures': []}))"
        )
        with _python(other) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            ended = metricsengine("resume", "sweep")
        assert ended.status == 0
        assert not Path("sweep/1/results.json").exists()

    def test_from_another_directory(
        self, metricsengine: Callable[..., Any], diary: Callable[..., Any], moody: dict[str, bool], tmp_path: Path
    ) -> None:
        diary("-m", "study.days=1,3", "hydra.sweep.dir=sweep")
        moody["bad"] = False
        folder, outputs = Path("sweep").absolute(), os.environ["METRICSENGINE_OUTPUTS"]
        os.chdir(tmp_path)
        os.environ["METRICSENGINE_OUTPUTS"] = "elsewhere"
        assert metricsengine("resume", str(folder)).status == 0
        assert os.environ["METRICSENGINE_OUTPUTS"] == outputs
        assert not (tmp_path / "elsewhere").exists()


class TestRun:
    def test_one_that_failed_goes_on_in_its_folder(
        self, metricsengine: Callable[..., Any], diary: Callable[..., Any], moody: dict[str, bool]
    ) -> None:
        assert diary("study.days=3").status == 1
        [folder] = Path(os.environ["METRICSENGINE_OUTPUTS"]).glob("runs/*/*")
        moody["bad"] = False
        ended = diary("study.days=3", "resume=true")
        assert (ended.status, ended.folder) == (0, folder)
        again = metricsengine("resume", str(folder))
        assert (again.status, again.out) == (0, f"Finished already: {folder}\n")

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("resume",), "usage: metricsengine resume SWEEP_DIR"),
            (("resume", "nowhere"), "nowhere does not exist"),
            (("resume", "."), "is the folder of no sweep and no run that could be resumed"),
            (("experiment=diary", "resume=yes"), "unknown resume 'yes'"),
            (("experiment=diary", "resume=true"), "nothing to resume: no run below"),
        ],
    )
    def test_what_cannot_be_resumed(self, metricsengine: Callable[..., Any], words: tuple[str, ...], said: str) -> None:
        ended = metricsengine(*words)
        assert ended.status == 2
        assert said in ended.line

    def test_whose_directory_is_gone(self, metricsengine: Callable[..., Any], diary: Callable[..., Any]) -> None:
        folder = diary("study.days=1").folder
        file = folder / "launch.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "directory": "/no/such/place"}))
        assert "was started in /no/such/place, which cannot be entered" in metricsengine("resume", str(folder)).line
        file.write_text("{")
        assert f"{file} is damaged" in metricsengine("resume", str(folder)).line
        shutil.rmtree(folder)


def test_a_lock_is_free_again_when_its_holder_is_gone(tmp_path: Path) -> None:
    with at_work(tmp_path):
        pass
    with at_work(tmp_path, seconds=0):
        pass
