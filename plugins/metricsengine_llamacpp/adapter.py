"""The model adapter: requests in, batches of responses out."""

from __future__ import annotations

import datetime
import functools
import importlib.metadata
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b

from metricsengine.errors import ConfigError, ModelError
from metricsengine.model import (
    Batch,
    Capabilities,
    Message,
    ModelAdapter,
    ModelIdentity,
    Outcome,
    Request,
    Response,
)
from metricsengine_llamacpp import options, prompts, weights
from metricsengine_llamacpp.bindings import lib
from metricsengine_llamacpp.config import LlamaCppConf
from metricsengine_llamacpp.decoder import Decoder, cache_size
from metricsengine_llamacpp.options import Scoring
from metricsengine_llamacpp.prompts import Prompt
from metricsengine_llamacpp.samples import Key, Samples, place
from metricsengine_llamacpp.template import ChatTemplate, Piece
from metricsengine_llamacpp.vocabulary import Vocabulary

FORMAT = 1
"""Raised when the same request would come to mean something else."""

_GPU_NOISE = "layers run on a graphics card, whose kernels promise no equal rounding from run to run"


class LlamaCpp(ModelAdapter):
    """Answers with a GGUF model in this process.

    Samples of one prompt are decoded together, up to ``width`` of them; see
    :mod:`metricsengine_llamacpp.samples` for which. On a processor the same configuration (``width``,
    ``cache_tokens`` and ``threads`` among it), build and machine give the same replies, however often a run was
    interrupted; another ``width`` or number of threads rounds differently and may change some. The same holds for
    samples that are added to stored ones later: they are a group of their own.

    Args:
        conf: The options.

    Raises:
        ConfigError: The options and the file do not fit.
        ModelError: llama.cpp cannot read the file.
    """

    def __init__(self, conf: LlamaCppConf) -> None:
        self._parts = weights.locate(conf.path)
        self._vocabulary = Vocabulary(self._parts[0])
        self._context_length = _context_length(conf, self._vocabulary)
        # One reply must always fit, however small the cache was chosen.
        self._conf = replace(conf, cache_tokens=max(conf.cache_tokens, self._context_length))
        self._decoder: Decoder | None = None
        self._lock = threading.Lock()
        self._prompt = functools.lru_cache(maxsize=1024)(self._read)

    @functools.cached_property
    def identity(self) -> ModelIdentity:
        """Which weights answer; the fingerprint is computed at the first look."""
        name = self._conf.name or weights.stem(self._parts[0])
        return ModelIdentity("llamacpp", name, weights.fingerprint(self._parts), FORMAT, self._details())

    @functools.cached_property
    def capabilities(self) -> Capabilities:
        """What the model can do: its template is tried on a chat with and without a system turn."""
        user, system = Message("user", "Hello."), Message("system", "You are a nurse.")
        noise = _GPU_NOISE if self._conf.n_gpu_layers else ""
        return Capabilities(
            chat=self._takes(user),
            system_role=self._takes(system, user),
            option_scores=True,
            context_length=self._context_length,
            exact_replay=not noise,
            batch_noise=noise,
        )

    def render(self, request: Request) -> str:
        """The prompt as the model sees it, chat template applied.

        Raises:
            ModelError: The template rejects the turns or leaves one out, or there is none.
        """
        return self._prompt(request.prompt).text

    def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
        """Answer all requests, one batch for each group that is decoded together.

        Raises:
            ModelError: The weights cannot be loaded, or llama.cpp cannot go on.
        """
        jobs, refused = self._plan(requests)
        if refused:
            yield refused
        # Neighbours with caches of one size share a context.
        for job in sorted(jobs, key=lambda job: cache_size(job.cache)):
            with self._lock:
                batch = job.run(self._loaded(), self._vocabulary)
            yield batch

    def close(self) -> None:
        """Free the weights; a later ``answer`` loads them again."""
        with self._lock:
            if self._decoder is not None:
                self._decoder.close()
                self._decoder = None

    def _loaded(self) -> Decoder:
        if self._decoder is None:
            self._decoder = Decoder(self._parts[0], self._conf)
        return self._decoder

    def _plan(self, requests: Sequence[Request]) -> tuple[list[Samples | Scoring], Batch]:
        """Group the requests; those that cannot be asked are answered at once."""
        samples: dict[Key, Samples] = {}
        scorings: dict[tuple[str, tuple[str, ...]], Scoring] = {}
        refused = []
        for index, request in enumerate(requests):
            try:
                if request.options:
                    asked = self.render(request), request.options
                    if asked not in scorings:
                        scorings[asked] = self._scoring(request)
                    scorings[asked].indices.append(index)
                else:
                    self._sample(index, request, samples)
            except ModelError as error:
                refused.append((index, Response(Outcome.ERROR, reason=str(error))))
        return [*samples.values(), *scorings.values()], refused

    def _sample(self, index: int, request: Request, samples: dict[Key, Samples]) -> None:
        prompt, sampling = self._prompt(request.prompt), request.sampling
        self._check_length(prompt.tokens, sampling.max_tokens)
        block, member = place(request.replicate, len(prompt.tokens), sampling, self._conf)
        key = Key(prompt.text, sampling, request.seed, block)
        samples.setdefault(key, Samples(key, prompt.tokens)).members.setdefault(member, []).append(index)

    def _scoring(self, request: Request) -> Scoring:
        tokens, spellings = options.spell(self._prompt(request.prompt).pieces, request.options, self._vocabulary)
        self._check_length(tokens, 0)
        return Scoring(tokens, spellings, [])

    def _check_length(self, tokens: Sequence[int], reply: int) -> None:
        if not tokens:
            raise ModelError("the prompt is empty, and this model has no token that opens a text")
        if len(tokens) + reply > self._context_length:
            wanted = f" and a reply of up to {reply} (max_tokens)" if reply else ""
            raise ModelError(
                f"a prompt of {len(tokens)} tokens{wanted} exceeds the context of {self._context_length} tokens: "
                f"shorten the prompt{', lower max_tokens' if reply else ''} or raise model.context_length"
            )

    def _read(self, prompt: str | tuple[Message, ...]) -> Prompt:
        pieces = (Piece(prompt, trusted=False),) if isinstance(prompt, str) else self._template.render(prompt)
        return prompts.read(pieces, self._vocabulary)

    def _takes(self, *turns: Message) -> bool:
        try:
            self._template.render(turns)
        except ModelError:
            return False
        return True

    @functools.cached_property
    def _template(self) -> ChatTemplate:
        vocabulary = self._vocabulary
        source = vocabulary.chat_template
        if not source:
            raise ModelError(f"{self._parts[0].name} has no chat template: use a prompt of plain text, or a chat model")
        date = datetime.date.fromisoformat(self._conf.date)
        return ChatTemplate(source, vocabulary.special_texts(), vocabulary.control_pattern, date)

    def _details(self) -> dict[str, str]:
        vocabulary = self._vocabulary
        template = vocabulary.chat_template
        return {
            "file": self._parts[0].name,
            "architecture": vocabulary.architecture,
            "quantisation": _quantisation(vocabulary.metadata("general.file_type")),
            "context length": str(self._context_length),
            "library": f"llama-cpp-python {importlib.metadata.version('llama-cpp-python')}",
            "chat template": blake2b(template.encode(), digest_size=4).hexdigest() if template else "none",
        }


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
