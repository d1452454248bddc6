from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metricsengine.errors import ModelError
from metricsengine.model import Sampling
from metricsengine_llamacpp import native
from metricsengine_llamacpp.bindings import lib
from metricsengine_llamacpp.config import LlamaCppConf
from metricsengine_llamacpp.decoder import Decoder, cache_size
from metricsengine_llamacpp.sampling import chain
from metricsengine_llamacpp.vocabulary import Vocabulary

pytestmark = pytest.mark.slow

PROMPT = "My favourite season of the year is"


def counting(last: int) -> str:
    return " ".join(f"{number} comes after {number - 1}." for number in range(1, last + 1))


def drawn(decoder: Decoder, prompt: Sequence[int], sampling: Sampling, lengths: Sequence[int]) -> list[list[int]]:
    """Tokens of continuations that are drawn together, one of each length."""
    kept: list[list[int]] = [[] for _ in lengths]

    def taking(tokens: list[int], length: int) -> Callable[[int], bool]:
        def take(token: int) -> bool:
            tokens.append(token)
            return len(tokens) < length

        return take

    voices = [
        (chain(sampling, seed), taking(tokens, length))
        for seed, (tokens, length) in enumerate(zip(kept, lengths, strict=True))
    ]
    decoder.write(prompt, voices, len(prompt) + sum(lengths))
    return kept


@pytest.mark.parametrize("prompt", [PROMPT, counting(12)])
def test_continuations_that_are_drawn_together_do_not_meet(
    decoder: Decoder, vocabulary: Vocabulary, prompt: str
) -> None:
    tokens = vocabulary.encode(prompt, control=False)
    continuations = drawn(decoder, tokens, Sampling(top_k=4, temperature=5), [3, 6, 9])
    assert [len(continuation) for continuation in continuations] == [3, 6, 9]
    assert len({tuple(continuation[:3]) for continuation in continuations}) > 1
    for continuation in continuations:
        for position, token in enumerate(continuation):
            # The same place, reached by reading everything anew without any neighbour.
            alone = decoder.probabilities([*tokens, *continuation[:position]])
            # One rank of tolerance: batches round differently.
            assert token in np.argsort(alone)[-5:]


def test_a_long_prompt_is_read_in_chunks(decoder: Decoder, vocabulary: Vocabulary) -> None:
    tokens = vocabulary.encode(counting(70), control=False)
    assert len(tokens) > 512
    (greedy,) = drawn(decoder, tokens, Sampling(temperature=0), [6])
    assert b"".join(map(vocabulary.piece, greedy)).decode() == " 71 comes after "


def test_probabilities_are_a_distribution_that_depends_on_the_prompt_alone(
    decoder: Decoder, vocabulary: Vocabulary
) -> None:
    one, other = (vocabulary.encode(text, control=False) for text in (PROMPT, "The capital of France is"))
    first = decoder.probabilities(one)
    assert first.shape == (49152,)
    assert first.sum() == pytest.approx(1, abs=1e-12)
    paris = decoder.probabilities(other).argmax()
    assert vocabulary.piece(int(paris)) == b" Paris"
    assert np.array_equal(decoder.probabilities(one), first)


def test_the_cache_is_coarse() -> None:
    assert [cache_size(tokens) for tokens in (1, 2048, 2049, 10_000)] == [2048, 2048, 4096, 10_240]


def test_weights_that_are_no_numbers_are_an_error(tmp_path: Path, model_file: Path, vocabulary: Vocabulary) -> None:
    content = bytearray(model_file.read_bytes())
    content[2_000_000:40_000_000] = b"\xff" * 38_000_000
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(content)
    decoder = Decoder(damaged, LlamaCppConf(path=str(damaged)))
    tokens = vocabulary.encode(PROMPT, control=False)
    with pytest.raises(ModelError, match="not numbers"):
        decoder.probabilities(tokens)
    with pytest.raises(ModelError, match="not numbers"):
        drawn(decoder, tokens, Sampling(), [2])
    decoder.close()


@pytest.mark.parametrize("length", [100, 3_000_000, -1])
def test_a_cut_file_is_an_error_that_gives_the_librarys_reason(tmp_path: Path, model_file: Path, length: int) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(model_file.read_bytes()[:length])
    with pytest.raises(ModelError, match=r"cut\.gguf: llama\.cpp cannot load it \((?!it gives no reason).+\)"):
        native.load(cut)


def test_weights_are_never_repacked_for_special_processors(model_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used = []
    load = lib.llama_model_load_from_file

    def watched(path: bytes, params: Any) -> Any:
        used.append((params.use_extra_bufts, params.vocab_only, params.n_gpu_layers))
        return load(path, params)

    monkeypatch.setattr(lib, "llama_model_load_from_file", watched)
    Vocabulary(model_file)
    Decoder(model_file, LlamaCppConf(path="unused", n_gpu_layers=3)).close()
    assert used == [(False, True, 0), (False, False, 3)]


def test_a_closed_model_is_not_touched_again(model_file: Path, vocabulary: Vocabulary) -> None:
    decoder = Decoder(model_file, LlamaCppConf(path="unused"))
    decoder.probabilities([1])
    decoder.close()
    decoder.close()
    with pytest.raises(ModelError, match="closed"):
        decoder.probabilities([1])


def test_a_cache_that_does_not_fit_is_an_error_that_passes(
    decoder: Decoder, vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = vocabulary.encode(PROMPT, control=False)
    before = drawn(decoder, tokens, Sampling(), [4])
    with monkeypatch.context() as patched:
        patched.setattr(lib, "llama_init_from_model", lambda model, params: None)
        with pytest.raises(ModelError, match=r"cannot hold a cache of 10240 tokens .*lower model\.cache_tokens"):
            drawn(decoder, tokens, Sampling(), [10_000])
    assert drawn(decoder, tokens, Sampling(), [4]) == before
