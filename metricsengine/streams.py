"""Standard output and error, which may not take all that is written: that ends no job, and fails none."""

from __future__ import annotations

import errno
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


lost: list[OSError] = []
"""Why something was not written that somebody would have read: a full disk, say."""


class _Dropping(io.FileIO):
    """A file that drops what cannot be written; where a pipe's reader has ended or a terminal was closed, tacitly."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._gone = {errno.EPIPE, *([errno.EIO] if self.isatty() else [])}

    def write(self, data: ReadableBuffer, /) -> int:
        """Write, or drop."""
        try:
            return super().write(data)
        except OSError as error:
            if error.errno not in self._gone:
                lost.append(error)
            return memoryview(data).nbytes


def unread_is_dropped() -> None:
    """Have this process's standard output and error drop what they cannot write; :data:`lost` tells why.

    What a terminal has no sign for, they write as an escape.
    """
    sys.stdout = _dropping(sys.stdout, sys.__stdout__)
    sys.stderr = _dropping(sys.stderr, sys.__stderr__)


def _dropping(stream: TextIO | None, own: TextIO | None) -> TextIO:
    """The stream over a file that drops; unchanged where it is not the process's own, or over no file."""
    if stream is None:  # closed before the process began
        return Path(os.devnull).open("w", encoding="utf-8")
    if stream is not own or not isinstance(stream, io.TextIOWrapper):
        return stream
    raw = getattr(stream.buffer, "raw", stream.buffer)  # without a buffer under PYTHONUNBUFFERED
    if not isinstance(raw, io.FileIO):
        return stream
    stream.flush()
    file = _Dropping(raw.fileno())
    return io.TextIOWrapper(
        file if raw is stream.buffer else io.BufferedWriter(file),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
