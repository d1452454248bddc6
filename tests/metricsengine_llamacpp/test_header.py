import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from metricsengine.errors import ModelError
from metricsengine_llamacpp import header
from metricsengine_llamacpp.vocabulary import Vocabulary


def text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


def gguf(*tokens: bytes) -> bytes:
    """A header with a number, a text, an array of texts and one of numbers before the vocabulary."""
    values = [
        text(b"general.file_type") + struct.pack("<II", 4, 3),
        text(b"general.name") + struct.pack("<I", 8) + text(b"tiny"),
        text(b"general.tags") + struct.pack("<IIQ", 9, 8, 2) + text(b"same") + text(b"same"),
        text(b"tokenizer.ggml.scores") + struct.pack("<IIQ", 9, 6, 2) + struct.pack("<ff", 0.5, 0.5),
        text(b"tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, len(tokens)) + b"".join(map(text, tokens)),
    ]
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(values)) + b"".join(values)


def test_distinct_tokens_pass_and_empty_ones_may_repeat(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(gguf(b"a", b"b", b"", b""))
    header.check_vocabulary(file)


def test_a_token_that_occurs_twice_is_a_damaged_file(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(gguf(b"a", b"b", b"a"))
    with pytest.raises(ModelError, match=r"model\.gguf: two tokens of the vocabulary are alike"):
        header.check_vocabulary(file)


@pytest.mark.parametrize("length", [4, 10, 24, 40, 150])
def test_a_cut_header_is_left_to_the_library(tmp_path: Path, length: int) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(gguf(b"a", b"b", b"a")[:length])
    header.check_vocabulary(file)
    with pytest.raises(ModelError, match=r"llama\.cpp cannot load it"):
        Vocabulary(file)


def test_a_flipped_bit_that_would_end_the_process_is_an_error(
    variant: Callable[[dict[bytes, bytes]], Path],
) -> None:
    three, two = struct.pack("<Q", 1) + b"3" + struct.pack("<Q", 1) + b"4", struct.pack("<Q", 1) + b"2"
    damaged = variant({three: two + three[9:]})
    with pytest.raises(ModelError, match="two tokens"):
        Vocabulary(damaged)
