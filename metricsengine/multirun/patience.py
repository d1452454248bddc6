"""Around a launcher: nothing still runs when it has returned, whatever became of its jobs.

The launchers that are packages of their own give up at the first job whose worker is lost, or when they are
interrupted, while other jobs go on. Inside :func:`all_awaited` a job whose worker is lost is a failed one among others;
and an interrupt is passed on to the jobs, which store what is in flight, and waited for. A second one ends them at
once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from types import SimpleNamespace
from typing import Any

from hydra.core.utils import JobReturn, JobStatus
from hydra.plugins.launcher import Launcher

from metricsengine.multirun.worker import Mindful, mind

_GLANCE = 0.1  # seconds between two looks at what still runs


def all_awaited(launcher: Launcher) -> AbstractContextManager[None]:
    """Around ``launcher.launch``, in the main thread.

    Args:
        launcher: Set up.
    """
    package = type(launcher).__module__.rpartition(".")[0].removeprefix("hydra_plugins.")
    found = {"hydra_joblib_launcher": _joblib, "hydra_submitit_launcher": _submitit, "hydra_ray_launcher": _ray}
    patient: Callable[[Any], AbstractContextManager[None]] | None = found.get(package)
    return patient(launcher) if patient else nullcontext()


@contextmanager
def _joblib(launcher: Any) -> Iterator[None]:
    """Joblib kills its workers when it is interrupted; those that are at work are told first, and waited for."""
    from joblib._parallel_backends import LokyBackend
    from joblib.externals.loky.backend import resource_tracker

    with _outliving_the_terminal():
        resource_tracker.ensure_running()
    abort = LokyBackend.abort_everything

    def patient(backend: Any, ensure_ready: bool = True) -> None:
        try:
            _wind_down(backend._workers)
        finally:
            abort(backend, ensure_ready)

    options, task = launcher.joblib, launcher.task_function
    launcher.joblib = {**options, "initializer": partial(mind, os.getpid())}
    launcher.task_function = Mindful(task)
    try:
        with _replaced(LokyBackend, "abort_everything", patient):
            yield
    finally:
        launcher.joblib, launcher.task_function = options, task


def _wind_down(executor: Any) -> None:
    for pid in list(executor._processes):
        _interrupt(pid)
    while any(not item.future.done() for item in list(executor._pending_work_items.values())):
        time.sleep(_GLANCE)


@contextmanager
def _submitit(launcher: Any) -> Iterator[None]:
    """Submitit raises for the first job that left no result, and leaves all running when it is interrupted."""
    from submitit.core import core
    from submitit.local import local

    results = core.Job.results
    started: list[subprocess.Popen[bytes]] = []

    def patient(job: Any) -> list[Any]:
        try:
            return list(results(job))
        except Exception as error:  # noqa: BLE001 - whatever became of this job, the others are waited for
            return [_lost(error)]

    def start(*command: Any, **options: Any) -> subprocess.Popen[bytes]:
        options["start_new_session"] = True  # an interrupt in the terminal reaches it through this process only
        process: subprocess.Popen[bytes] = subprocess.Popen(*command, **options)  # noqa: S603 - what submitit starts
        started.append(process)
        return process

    with _replaced(core.Job, "results", patient), _replaced(local, "subprocess", SimpleNamespace(Popen=start)):
        try:
            yield
        finally:
            _end(started)


def _end(controllers: list[subprocess.Popen[bytes]]) -> None:
    """Interrupt what still runs beneath the controllers, each once, and wait; a further interrupt kills it."""
    told: set[int] = set()
    try:
        while running := [controller.pid for controller in controllers if controller.poll() is None]:
            for pid in {child for controller in running for child in _children(controller)} - told:
                _interrupt(pid)
                told.add(pid)
            time.sleep(_GLANCE)
    finally:
        for controller in controllers:
            if controller.poll() is None:
                os.killpg(controller.pid, signal.SIGKILL)
                controller.wait()


def _children(pid: int) -> list[int]:
    import psutil

    with suppress(psutil.Error):
        return [child.pid for child in psutil.Process(pid).children()]
    return []


@contextmanager
def _ray(launcher: Any) -> Iterator[None]:
    """Ray raises for the first job whose worker is lost, and leaves all running when it is interrupted."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray
    from hydra_plugins.hydra_ray_launcher import _core

    get, connect, begin = ray.get, _core.start_ray, _core.launch_job_on_ray
    begun: list[Any] = []

    def start_ray(options: Any) -> None:
        handler = signal.getsignal(signal.SIGTERM)
        with _outliving_the_terminal():
            connect(options)
        signal.signal(signal.SIGTERM, handler)  # Ray's own ends this process at once

    def start(*arguments: Any) -> Any:
        begun.append(begin(*arguments))
        return begun[-1]

    def patient(reference: Any) -> Any:
        try:
            return get(reference)
        except Exception as error:  # noqa: BLE001 - whatever became of this job, the others are waited for
            return _lost(error)

    with ExitStack() as replaced:
        replaced.enter_context(_replaced(_core, "start_ray", start_ray))
        replaced.enter_context(_replaced(_core, "launch_job_on_ray", start))
        replaced.enter_context(_replaced(_core, "ray", _Substitute(ray, get=patient)))
        try:
            yield
        except KeyboardInterrupt:
            for reference in begun:
                ray.cancel(reference)
            ray.wait(begun, num_returns=len(begun))
            raise


@contextmanager
def _outliving_the_terminal() -> Iterator[None]:
    """What is started here is still there when the terminal is closed and jobs wind down."""
    handler = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, handler)


class _Substitute:
    """A module with some names replaced."""

    def __init__(self, module: Any, **names: Any) -> None:
        self._module = module
        self.__dict__.update(names)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def _lost(error: BaseException) -> JobReturn:
    return JobReturn(status=JobStatus.FAILED, _return_value=error)


def _interrupt(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGINT)


@contextmanager
def _replaced(place: Any, name: str, substitute: Any) -> Iterator[None]:
    original = getattr(place, name)
    setattr(place, name, substitute)
    try:
        yield
    finally:
        setattr(place, name, original)
