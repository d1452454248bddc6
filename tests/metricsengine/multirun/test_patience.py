"""When a launcher has returned nothing still runs: with workers killed, and with the user interrupting."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hydra.core.plugins import Plugins
from hydra.core.utils import JobStatus
from hydra.plugins.launcher import Launcher
from omegaconf import OmegaConf

from metricsengine.multirun.patience import all_awaited
from metricsengine.multirun.worker import Mindful
from metricsengine.run import INTERRUPTED, RunEnd
from metricsengine.status import read_status

joblib = pytest.importorskip("joblib")
submitit = pytest.importorskip("submitit")


def launcher(name: str) -> Any:
    """A launcher as Hydra makes it, but not set up: these tests start the workers themselves."""
    Plugins.instance()
    if name == "joblib":
        from hydra_plugins.hydra_joblib_launcher.joblib_launcher import JoblibLauncher

        return JoblibLauncher(n_jobs=2)
    from hydra_plugins.hydra_submitit_launcher.submitit_launcher import LocalLauncher

    return LocalLauncher()


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def works(folder: Path, seconds: float, wind_down: float = 0.0) -> int:
    """A job: notes its process while it runs, and needs a while to end when it is interrupted."""
    note = folder / str(os.getpid())
    note.touch()
    try:
        time.sleep(seconds)
        return os.getpid()
    except KeyboardInterrupt:
        time.sleep(wind_down)
        (folder / f"{os.getpid()} interrupted").touch()
        raise
    finally:
        note.unlink()


def interrupting(folder: Path, jobs: int, number: int, *, group: bool) -> threading.Thread:
    """Interrupts this process, or all of its group, as soon as that many jobs run."""

    def interrupt() -> None:
        end = time.monotonic() + 60
        while len([note for note in folder.iterdir() if note.name.isdecimal()]) < jobs and time.monotonic() < end:
            time.sleep(0.1)
        os.killpg(0, number) if group else os.kill(os.getpid(), number)

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    return thread


def running(folder: Path) -> list[str]:
    return [note.name for note in folder.iterdir() if note.name.isdecimal()]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes"


@pytest.fixture
def own_group(tmp_path: Path) -> Iterator[None]:
    """Interrupts of the group reach nobody but this process and what it starts, and raise."""
    handler, group = signal.getsignal(signal.SIGTERM), os.getpgrp()
    if group != os.getpid():
        os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    yield
    signal.signal(signal.SIGTERM, handler)
    if group != os.getpid():
        os.setpgid(0, group)


def submitted(folder: Path, *jobs: Callable[[], Any]) -> list[Any]:
    executor = submitit.AutoExecutor(folder=folder / "submitit", cluster="local")
    executor.update_parameters(timeout_min=5)
    return [executor.submit(job) for job in jobs]


def test_other_launchers_are_left_alone() -> None:
    class Own(Launcher):
        def setup(self, **known: Any) -> None: ...

        def launch(self, job_overrides: Any, initial_job_idx: int) -> Any: ...

    with all_awaited(Own()):
        pass


def test_an_interrupt_before_a_job_ends_it_at_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    from metricsengine.multirun import worker

    began: list[Any] = []
    task = Mindful(began.append)
    monkeypatch.setattr(worker._State, "told", False)
    task(OmegaConf.create({"n": 1}))
    worker._note(signal.SIGINT, None)
    with pytest.raises(KeyboardInterrupt):
        task(OmegaConf.create({"n": 2}))
    assert began == [{"n": 1}]


def test_an_interrupt_within_a_job_is_raised_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from metricsengine.multirun import worker

    monkeypatch.setattr(worker._State, "told", False)
    with pytest.raises(KeyboardInterrupt):
        Mindful(lambda _: worker._note(signal.SIGINT, None))(OmegaConf.create())
    assert not worker._State.working


@pytest.mark.slow
def test_submitit_waits_for_all_when_one_is_killed(tmp_path: Path, notes: Path) -> None:
    with all_awaited(launcher("submitit")):
        jobs = submitted(tmp_path, killed, functools.partial(works, notes, 3.0))
        returned = [job.results()[0] for job in jobs]
    assert returned[0].status == JobStatus.FAILED
    assert isinstance(returned[1], int)
    assert not running(notes)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "group"), [(signal.SIGINT, True), (signal.SIGTERM, False)])
def test_submitit_jobs_wind_down_when_interrupted(
    tmp_path: Path, notes: Path, own_group: None, number: int, group: bool
) -> None:
    long = functools.partial(works, notes, 100.0, 3.0)  # to wind down takes longer than submitit itself allows
    interrupting(notes, 2, number, group=group)
    with pytest.raises(KeyboardInterrupt), all_awaited(launcher("submitit")):
        [job.results() for job in submitted(tmp_path, long, long)]
    assert not running(notes)
    assert len(list(notes.glob("* interrupted"))) == 2


def in_joblib(patient: Any, folder: Path, jobs: int, *times: float) -> list[Any]:
    return list(
        joblib.Parallel(**patient.joblib, pre_dispatch="n_jobs", batch_size=1)(
            joblib.delayed(patient.task_function)(OmegaConf.create({"folder": str(folder), "times": times}))
            for _ in range(jobs)
        )
    )


def work(config: Any) -> int:
    return works(Path(config.folder), *config.times)


def work_or_die(config: Any) -> int:
    folder = Path(config.folder)
    try:
        (folder / "one").mkdir()
    except FileExistsError:
        return works(folder, *config.times)
    time.sleep(2)
    return killed() or 0


@pytest.mark.slow
@pytest.mark.parametrize(("number", "group"), [(signal.SIGINT, True), (signal.SIGTERM, False)])
def test_joblib_jobs_wind_down_when_interrupted(notes: Path, own_group: None, number: int, group: bool) -> None:
    patient = launcher("joblib")
    patient.task_function = work
    interrupting(notes, 2, number, group=group)
    with pytest.raises(KeyboardInterrupt), all_awaited(patient):
        in_joblib(patient, notes, 4, 100.0, 3.0)
    assert not running(notes)
    assert len(list(notes.glob("* interrupted"))) == 2
    assert patient.task_function is work
    assert "initializer" not in patient.joblib


@pytest.mark.slow
def test_no_joblib_job_goes_on_beside_a_killed_one(notes: Path) -> None:
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    patient = launcher("joblib")
    patient.task_function = work_or_die
    with pytest.raises(TerminatedWorkerError), all_awaited(patient):
        in_joblib(patient, notes, 2, 100.0)
    for pid in map(int, running(notes)):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.nightly
def test_ray_jobs_wind_down_when_interrupted(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    words = ["experiment=opinion_baselines", "study.runs=1000000", "study.epsilon=0.1,0.2", "tracking=none"]
    command = [sys.executable, "-m", "metricsengine", "-m", *words, "hydra/launcher=ray"]
    sweep = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 120
    while not (begun := list(tmp_path.glob("outputs/sweeps/*/*/0/status.json"))) and time.monotonic() < end:
        time.sleep(0.5)
    time.sleep(5)  # past its imports
    sweep.terminate()
    _, said = sweep.communicate(timeout=60)
    assert sweep.returncode == 130, said.decode()
    assert read_status(begun[0].parent)[0] == RunEnd("interrupted", INTERRUPTED)
