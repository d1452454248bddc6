"""What nobody reads is dropped; what cannot be written for any other reason is an error."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from metricsengine.cli import main
from metricsengine.streams import unread_is_dropped


@pytest.fixture
def speaking(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Makes a file standard output, as the interpreter opens it."""
    opened: list[io.TextIOWrapper] = []

    def speak(descriptor: int, *, buffered: bool = True) -> None:
        raw: Any = io.FileIO(descriptor, "w", closefd=False)
        file = io.BufferedWriter(raw) if buffered else raw
        stream = io.TextIOWrapper(file, "ascii", line_buffering=True, write_through=not buffered)
        opened.append(stream)
        for name in ("stdout", "__stdout__"):
            monkeypatch.setattr(sys, name, stream)

    yield speak
    for stream in opened:
        os.close(stream.fileno())


@pytest.mark.parametrize("buffered", [True, False])
def test_what_is_read_arrives_and_what_is_not_is_dropped(speaking: Callable[..., None], buffered: bool) -> None:
    read, write = os.pipe()
    speaking(write, buffered=buffered)
    unread_is_dropped()
    print("é read")
    assert os.read(read, 100) == b"\\xe9 read\n"
    os.close(read)
    print("unread")
    print("x" * 100_000, flush=True)


def test_a_full_disk_ends_nothing_and_is_told(
    speaking: Callable[..., None], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    speaking(os.open("/dev/full", os.O_WRONLY), buffered=False)
    monkeypatch.setattr("metricsengine.streams.lost", found := [])
    monkeypatch.setattr("metricsengine.cli.lost", found)
    assert main(["--version"]) == 1
    assert capfd.readouterr().err == "metricsengine: not all of the output could be written: No space left on device\n"


def test_closed_streams_take_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    unread_is_dropped()
    print("nothing")
    sys.stdout.close()


def test_streams_of_others_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = io.StringIO()
    monkeypatch.setattr(sys, "stdout", mine)
    monkeypatch.setattr(sys, "stderr", mine)
    unread_is_dropped()
    assert sys.stdout is sys.stderr is mine


def test_twice_is_once(speaking: Callable[..., None]) -> None:
    speaking(os.open(os.devnull, os.O_WRONLY))
    unread_is_dropped()
    once = sys.stdout
    unread_is_dropped()
    assert sys.stdout is once
