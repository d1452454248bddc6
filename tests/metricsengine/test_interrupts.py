"""The first interrupt lets what is on its way arrive, the second does not wait."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from metricsengine.interrupts import SIGNALS, raised, winding_down


@pytest.fixture(autouse=True)
def _handled() -> Iterator[None]:
    """All signals raise, as under the command line."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in SIGNALS}
    raised()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class Work:
    """A block of steps: a signal that arrives, an exception that is raised, or a word that is noted.

    Args:
        winds_down: Whether it can.
    """

    def __init__(self, *, winds_down: bool = True) -> None:
        self.winds_down, self.stops, self.done = winds_down, 0, list[str]()

    def stop(self) -> bool:
        self.stops += 1
        return self.winds_down

    def __call__(self, *steps: signal.Signals | Exception | str) -> None:
        with winding_down(self.stop):
            for step in steps:
                if isinstance(step, signal.Signals):
                    signal.raise_signal(step)
                elif isinstance(step, Exception):
                    raise step
                else:
                    self.done.append(step)


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_is_raised_when_the_block_has_ended(number: signal.Signals) -> None:
    work = Work()
    with pytest.raises(KeyboardInterrupt):
        work("one", number, "two")
    assert (work.stops, work.done) == (1, ["one", "two"])


@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_the_second_is_raised_at_once(second: signal.Signals) -> None:
    work = Work()
    with pytest.raises(KeyboardInterrupt):
        work(signal.SIGINT, "one", second, "two")
    assert (work.stops, work.done) == (1, ["one"])


@pytest.mark.parametrize("first", SIGNALS)
def test_a_closed_terminal_is_never_the_second(first: signal.Signals) -> None:
    work = Work()
    with pytest.raises(KeyboardInterrupt):
        work(first, signal.SIGHUP, "one", signal.SIGHUP, "two")
    assert (work.stops, work.done) == (1, ["one", "two"])


def test_a_closed_terminal_is_heard_once() -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGHUP)
    signal.raise_signal(signal.SIGHUP)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    raised()
    with pytest.raises(KeyboardInterrupt):
        Work()(signal.SIGHUP)
    signal.raise_signal(signal.SIGHUP)


def test_who_is_to_outlive_the_terminal_does() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    raised()
    signal.raise_signal(signal.SIGHUP)
    Work()(signal.SIGHUP)


def test_where_nothing_winds_down_the_first_is_raised_at_once() -> None:
    work = Work(winds_down=False)
    with pytest.raises(KeyboardInterrupt):
        work(signal.SIGINT, "one")
    assert not work.done


def test_what_goes_wrong_while_winding_down_is_part_of_it() -> None:
    with pytest.raises(KeyboardInterrupt):
        Work()(signal.SIGINT, ValueError("half a body"))


def test_what_goes_wrong_otherwise_is_raised() -> None:
    with pytest.raises(ValueError, match="half a body"):
        Work()(ValueError("half a body"))


def test_handlers_are_put_back_and_what_python_does_not_handle_is_left_alone() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    mine = signal.getsignal(signal.SIGINT)
    with winding_down(lambda: True):
        assert signal.getsignal(signal.SIGINT) is not mine
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) is mine


def test_other_threads_get_no_interrupts() -> None:
    mine, seen = signal.getsignal(signal.SIGINT), []

    def work() -> None:
        with winding_down(lambda: True):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [mine]
