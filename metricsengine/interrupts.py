"""Interrupts: from the keyboard, from whoever ends this process, and from a terminal that is closed.

While a model is asked, what is in flight still arrives where the adapter can wind down.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def raised() -> None:
    """Have interrupts raise; the closing of the terminal only where the process was not told to outlive it."""
    for number in SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _raise)


def _raise(number: int, frame: FrameType | None) -> None:
    if number == signal.SIGHUP:
        signal.signal(number, signal.SIG_IGN)  # a terminal that is closed says so several times
    raise KeyboardInterrupt


@contextmanager
def winding_down(stop: Callable[[], bool]) -> Iterator[None]:
    """Have the first interrupt wind the block down, and raise it at the block's end.

    Raised inside the block it would end the very iterator that has still something to yield. The second interrupt is
    not held back, unless a closed terminal says again what is known; nor is the first where ``stop`` says that nothing
    winds down. Only the main thread gets interrupts, so elsewhere nothing is done; a signal that Python does not handle
    is left as it is.

    Args:
        stop: Begins to wind down; whether it does. Called in a signal handler.

    Raises:
        KeyboardInterrupt: The block was interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: handler for number in SIGNALS if callable(handler := signal.getsignal(number))}
    arrived: list[signal.Signals] = []

    def handle(number: int, frame: FrameType | None) -> None:
        arrived.append(signal.Signals(number))
        if len(arrived) > 1 and number == signal.SIGHUP:
            return
        if len(arrived) > 1 or not stop():
            before[arrived[-1]](number, frame)

    for number in before:
        signal.signal(number, handle)
    try:
        yield
    except Exception:
        if not arrived:  # otherwise a consequence of winding down
            raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if arrived:
        before[arrived[0]](arrived[0], None)
        raise KeyboardInterrupt
