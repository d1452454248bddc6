"""Holding interrupts back while the native library may call into Python.

An interrupt that arrives inside a callback would be raised there, printed and forgotten, and the run would go on.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_HELD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def held() -> Iterator[None]:
    """Deliver interrupts at the end of the block. Only the main thread gets any, so elsewhere nothing is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        arrived.append(number)

    before = {number: signal.signal(number, note) for number in _HELD}
    try:
        yield
    finally:
        for number, handler in before.items():
            # None stands for a handler that was not set from Python and cannot be set back from it.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if arrived:
            signal.raise_signal(arrived[0])
