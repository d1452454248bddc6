"""What a GGUF file tells without its weights: metadata and the tokenizer."""

from __future__ import annotations

import ctypes
import functools
import re
from pathlib import Path

from metricsengine.errors import ModelError
from metricsengine_llamacpp import header, native
from metricsengine_llamacpp.bindings import lib


def read_vocabulary(path: Path) -> Vocabulary:
    """The vocabulary of a file, read once for all jobs of this process while the file stays as it is.

    Raises:
        ModelError: llama.cpp cannot read the file.
    """
    state = path.stat()
    return _read(path, state.st_size, state.st_mtime_ns)


@functools.lru_cache(maxsize=2)
def _read(path: Path, _size: int, _changed: int) -> Vocabulary:
    return Vocabulary(path)


class Vocabulary:
    """Metadata and tokenizer of a GGUF file.

    Args:
        path: The file; of a split model its first part.

    Raises:
        ModelError: llama.cpp cannot read the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        header.check_vocabulary(path)
        self._model = native.load(path)
        self._vocab = lib.llama_model_get_vocab(self._model.pointer)
        self._spelt = functools.cache(self._spell)

    def metadata(self, key: str) -> str:
        """Value of a metadata key; empty where there is none."""
        size = 4096
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = lib.llama_model_meta_val_str(self._model.pointer, key.encode(), buffer, size)
            if length < size:
                return buffer.value.decode("utf-8", errors="replace") if length > 0 else ""
            size = length + 1

    @property
    def architecture(self) -> str:
        """Kind of model, such as ``llama``."""
        return self.metadata("general.architecture")

    @property
    def context_length(self) -> int:
        """Tokens that the model was trained to read at once.

        Raises:
            ModelError: The file does not tell.
        """
        value = self.metadata(f"{self.architecture}.context_length")
        if not value.isdecimal():
            raise ModelError(f"{self._path}: the header names no context length: give model.context_length")
        return int(value)

    @property
    def chat_template(self) -> str:
        """Jinja source of the chat template; empty for a model without one."""
        return self.metadata("tokenizer.chat_template")

    @functools.cached_property
    def bos(self) -> int | None:
        """Token that opens every text, where the model wants one."""
        return lib.llama_vocab_bos(self._vocab) if lib.llama_vocab_get_add_bos(self._vocab) else None

    def special_texts(self) -> tuple[str, str]:
        """Texts of the tokens that begin and end a text; a template may ask for them, wanted by the model or not."""
        return self._text(lib.llama_vocab_bos(self._vocab)), self._text(lib.llama_vocab_eos(self._vocab))

    @functools.cached_property
    def control(self) -> dict[str, int]:
        """Control tokens by their text: those of the vocabulary, and user-defined ones that the template uses."""
        plain, template = lib.LLAMA_TOKEN_ATTR_USER_DEFINED, self.chat_template
        always = lib.LLAMA_TOKEN_ATTR_CONTROL | lib.LLAMA_TOKEN_ATTR_UNKNOWN
        found = {}
        for token in range(lib.llama_vocab_n_tokens(self._vocab)):
            attributes = lib.llama_vocab_get_attr(self._vocab, token)
            if attributes & (always | plain):
                text = self._text(token)
                if attributes & always or (text.strip() and text in template):
                    found[text] = token
        found.pop("", None)
        return found

    @functools.cached_property
    def control_pattern(self) -> re.Pattern[str]:
        """Matches the text of a control token, the longest first."""
        texts = sorted(self.control, key=len, reverse=True)
        return re.compile("|".join(map(re.escape, texts)) if texts else "(?!)")

    def encode(self, text: str, *, control: bool) -> list[int]:
        """Tokens of a text, without the one that opens every text.

        Args:
            text: Any text without lone surrogates.
            control: Whether the text of a control token becomes that token; otherwise it is read as plain text.

        Raises:
            ModelError: The text is not valid Unicode.
        """
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            raise ModelError(f"the prompt is not valid Unicode: {error}") from error
        size = len(data) + 8
        while True:
            buffer = (lib.llama_token * size)()
            count = lib.llama_tokenize(self._vocab, data, len(data), buffer, size, False, control)
            if count >= 0:
                return buffer[:count]
            size = -count

    def piece(self, token: int) -> bytes:
        """Bytes that a token adds to a text: none for a control token, perhaps a part of a character."""
        return self._spelt(token)

    def _spell(self, token: int) -> bytes:
        size = 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = lib.llama_token_to_piece(self._vocab, token, buffer, size, 0, False)
            if length >= 0:
                return buffer.raw[:length]
            size = -length

    def ends(self, token: int) -> bool:
        """Whether a token ends the reply."""
        return bool(lib.llama_vocab_is_eog(self._vocab, token))

    def _text(self, token: int) -> str:
        text = lib.llama_vocab_get_text(self._vocab, token) if token >= 0 else None
        return text.decode("utf-8", errors="replace") if text else ""
