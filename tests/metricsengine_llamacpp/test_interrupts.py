from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from metricsengine_llamacpp.interrupts import held


@pytest.fixture(autouse=True)
def _own_handler() -> Iterator[None]:
    """Whatever handlers other tests left."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGINT, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_an_interrupt_waits_for_the_end_of_the_block(number: signal.Signals) -> None:
    reached = []

    def work() -> None:
        with held():
            signal.raise_signal(number)
            signal.raise_signal(number)
            reached.append(True)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached == [True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_an_interrupt_nothing_happens() -> None:
    with held():
        pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_are_left_alone() -> None:
    handlers = []

    def work() -> None:
        with held():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]
