"""A look into the header of a GGUF file, for the one fault on which llama.cpp ends the process instead of saying so.

A damaged byte in the vocabulary may make two tokens alike, and llama.cpp then aborts. Every other damage that was
tried (cut files, flipped bits, blocks of noise) it reports.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

from metricsengine.errors import ModelError

_TOKENS = b"tokenizer.ggml.tokens"
_STRING, _ARRAY = 8, 9
_BYTES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # by type of value
_NUMBER = {4: struct.Struct("<I"), 8: struct.Struct("<Q")}


def check_vocabulary(file: Path) -> None:
    """Make sure that no two tokens are alike.

    Args:
        file: A GGUF file; of a split model its first part.

    Raises:
        ModelError: Two tokens are alike.
    """
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            tokens = _Header(data).tokens()
        except (struct.error, KeyError, OverflowError):
            return  # damaged in a way that llama.cpp reports
    texts = [text for text in tokens if text]
    if len(set(texts)) != len(texts):
        raise ModelError(f"{file}: two tokens of the vocabulary are alike, so the file is damaged: fetch it again")


class _Header:
    """Reads a header from front to back; every number in it is little-endian."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = len("GGUF") + 4 + 8  # past magic, version, count of tensors

    def tokens(self) -> list[bytes]:
        """Texts of the vocabulary; none where the header names none."""
        for _ in range(self._number(8)):
            key, kind = self._text(), self._number(4)
            if kind == _ARRAY:
                kind, count = self._number(4), self._number(8)
                if key == _TOKENS and kind == _STRING:
                    return [self._text() for _ in range(count)]
                self._skip(kind, count)
            else:
                self._skip(kind, 1)
        return []

    def _skip(self, kind: int, count: int) -> None:
        if kind == _STRING:
            for _ in range(count):
                length = self._number(8)
                self._at += length
        else:
            self._at += _BYTES[kind] * count

    def _text(self) -> bytes:
        length = self._number(8)
        self._at += length
        return self._data[self._at - length : self._at]

    def _number(self, size: int) -> int:
        value: int = _NUMBER[size].unpack_from(self._data, self._at)[0]
        self._at += size
        return value
