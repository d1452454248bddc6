"""Interrupts in a worker that gets one job after the other: they are for its job, and end no worker."""

from __future__ import annotations

import os
import signal
import threading
import time
from types import FrameType
from typing import Any

from hydra.types import TaskFunction
from omegaconf import DictConfig

from metricsengine.streams import unread_is_dropped


class _State:
    """Of this process."""

    working = False
    told = False


def mind(parent: int) -> None:
    """Begin, in a fresh worker.

    Its parent alone tells it of interrupts, and outside of a job they are only noted. Where the parent is killed, the
    worker brings its job to an end and goes: it would wait minutes for another, the weights in memory.

    Args:
        parent: Number of the parent's process, which may be gone already.
    """
    os.setpgid(0, 0)
    unread_is_dropped()
    signal.signal(signal.SIGINT, _note)
    threading.Thread(target=_leave, args=(parent,), daemon=True).start()


class Mindful:
    """A job that an interrupt ends; one that arrived before the job began, at its beginning.

    Args:
        task: The job.
    """

    def __init__(self, task: TaskFunction) -> None:
        self._task = task

    def __call__(self, config: DictConfig) -> Any:
        """Run the job.

        Raises:
            KeyboardInterrupt: It was interrupted.
        """
        if _State.told:
            raise KeyboardInterrupt
        _State.working = True
        try:
            return self._task(config)
        finally:
            _State.working = False


def _note(number: int, frame: FrameType | None) -> None:
    _State.told = True
    if _State.working:
        raise KeyboardInterrupt


def _leave(parent: int) -> None:
    while os.getppid() == parent or _State.working:
        time.sleep(1)
    os._exit(1)
