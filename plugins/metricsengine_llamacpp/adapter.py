"""The model adapter: a GGUF file, and the backend that computes with it."""

from __future__ import annotations

import datetime
import functools
import importlib.metadata
from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b

from metricsengine.errors import ConfigError
from metricsengine.local.adapter import LocalAdapter
from metricsengine.model import ModelIdentity
from metricsengine_llamacpp import native, weights
from metricsengine_llamacpp.bindings import lib
from metricsengine_llamacpp.config import LlamaCppConf
from metricsengine_llamacpp.decoder import Decoder
from metricsengine_llamacpp.vocabulary import Vocabulary, read_vocabulary

FORMAT = 1
"""Raised when the same request would come to mean something else."""

_GPU_NOISE = "layers run on a graphics card, whose kernels promise no equal rounding from run to run"


class LlamaCpp(LocalAdapter):
    """Answers with a GGUF model in this process.

    Replies are decoded together, up to ``width`` of them, to one prompt or to many, and prompts are scored together;
    see :mod:`metricsengine.local.batches` for which. On a processor the same configuration (``width``,
    ``cache_tokens`` and ``threads`` among it), build and machine give the same replies and scores to the same list of
    requests, however often the run was interrupted. Beside other prompts, or with another ``width``, llama.cpp may
    round differently. That depends on the format of the weights: the embedded model's replies and scores stay as they
    are to the last bit; with others a likely token's probability moves by some hundredths, as much as storing the
    weights in four bits costs anyway, and a reply changes where a draw falls into that gap.

    Args:
        conf: The options.

    Raises:
        ConfigError: The options do not fit the file or the machine.
        ModelError: llama.cpp cannot read the file.
    """

    def __init__(self, conf: LlamaCppConf) -> None:
        native.check_cards(conf)
        self._parts = weights.locate(conf.path)
        vocabulary = read_vocabulary(self._parts[0])
        length = _context_length(conf, vocabulary)
        noise = _GPU_NOISE if conf.n_gpu_layers else ""
        super().__init__(self._parts[0].name, vocabulary, length, datetime.date.fromisoformat(conf.date), noise)
        self._metadata = vocabulary.metadata
        # One reply must always fit, however small the cache was chosen.
        self._conf = replace(conf, cache_tokens=max(conf.cache_tokens, length))

    @functools.cached_property
    def identity(self) -> ModelIdentity:
        """Which weights answer; the fingerprint is computed at the first look."""
        name = self._conf.name or weights.stem(self._parts[0])
        return ModelIdentity("llamacpp", name, weights.fingerprint(self._parts), FORMAT, self._details())

    @property
    def surroundings(self) -> Mapping[str, str]:
        """The library, and where it computes."""
        conf = self._conf
        cards = f" on card {conf.main_gpu}" if conf.main_gpu is not None else ""
        return {"library": _library(), "gpu layers": f"{conf.n_gpu_layers}{cards}"}

    def _load(self) -> Decoder:
        return Decoder(self._parts[0], self._conf)

    def _details(self) -> dict[str, str]:
        template = self._vocabulary.chat_template
        return {
            "file": self._parts[0].name,
            "architecture": self._metadata("general.architecture"),
            "quantisation": _quantisation(self._metadata("general.file_type")),
            "context length": str(self._context_length),
            "library": _library(),
            "chat template": blake2b(template.encode(), digest_size=4).hexdigest() if template else "none",
        }


def _library() -> str:
    return f"llama-cpp-python {importlib.metadata.version('llama-cpp-python')}"


def _context_length(conf: LlamaCppConf, vocabulary: Vocabulary) -> int:
    if conf.context_length is None:
        return vocabulary.context_length
    trained = vocabulary.metadata(f"{vocabulary.architecture}.context_length")
    if trained.isdecimal() and conf.context_length > int(trained):
        raise ConfigError(
            f"model.context_length={conf.context_length} is more than the {trained} tokens that the model "
            "was trained for: lower it, or leave it out"
        )
    return conf.context_length


def _quantisation(file_type: str) -> str:
    """Name of a file type number.

    Example:
        >>> _quantisation("3")
        'Q4_1'
    """
    prefix = "LLAMA_FTYPE_"
    known = {str(value): name for name, value in vars(lib).items() if name.startswith(prefix)}
    return known.get(file_type, "unknown").removeprefix(prefix).removeprefix("MOSTLY_").removeprefix("ALL_")
