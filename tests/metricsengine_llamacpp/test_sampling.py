import ctypes
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from metricsengine.model import Sampling
from metricsengine_llamacpp.bindings import lib
from metricsengine_llamacpp.sampling import chain, reply_seed

PROBABILITIES = (0.4, 0.3, 0.2, 0.1)
DRAWS = 4000


def draw(sampling: Sampling, seed: int, logits: Sequence[float]) -> int:
    """One token from given logits."""
    data = (lib.llama_token_data * len(logits))()
    for token, logit in enumerate(logits):
        data[token] = lib.llama_token_data(id=token, logit=logit, p=0)
    tokens = lib.llama_token_data_array(data=data, size=len(logits), selected=-1, sorted=False)
    sampler = chain(sampling, seed)
    lib.llama_sampler_apply(sampler.pointer, ctypes.byref(tokens))
    return int(tokens.data[tokens.selected].id)


def frequencies(sampling: Sampling) -> dict[int, float]:
    logits = np.log(PROBABILITIES).tolist()
    counts = Counter(draw(sampling, reply_seed(1, "prompt", replicate), logits) for replicate in range(DRAWS))
    return {token: count / DRAWS for token, count in sorted(counts.items())}


def tempered(temperature: float, kept: int) -> list[float]:
    """Probabilities of the first tokens, tempered and normalised."""
    weights = np.array(PROBABILITIES) ** (1 / temperature)
    weights = weights[:kept]
    return list(weights / weights.sum())


@pytest.mark.parametrize(
    ("sampling", "temperature", "kept"),
    [
        (Sampling(), 1, 4),
        (Sampling(temperature=2), 2, 4),
        (Sampling(temperature=0.5), 0.5, 4),
        (Sampling(top_k=2), 1, 2),
        (Sampling(top_p=0.6), 1, 2),  # 0.4 + 0.3
        (Sampling(top_p=0.6, temperature=5), 5, 3),  # tempered first: .285 + .269 < .6; untempered two would do
        (Sampling(top_p=0.6, temperature=0.25), 0.25, 1),  # tempered first: .709; untempered one would not do
        (Sampling(top_k=3, top_p=0.6, temperature=5), 5, 2),  # of the three that are kept: .353 + .333
    ],
)
def test_draws_follow_the_tempered_and_then_truncated_distribution(
    sampling: Sampling, temperature: float, kept: int
) -> None:
    expected = tempered(temperature, kept)
    observed = frequencies(sampling)
    assert list(observed) == list(range(kept))
    for token, probability in enumerate(expected):
        assert observed[token] == pytest.approx(probability, abs=4 * np.sqrt(0.25 / DRAWS))


def test_temperature_zero_takes_the_likeliest_whatever_else_is_asked() -> None:
    assert frequencies(Sampling(temperature=0, top_k=3, top_p=0.9)) == {0: 1.0}


def test_a_tiny_temperature_is_no_division_by_zero() -> None:
    assert frequencies(Sampling(temperature=1e-6)) == {0: 1.0}


def test_seeds_have_32_bits_and_leave_out_the_one_that_means_any(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = [reply_seed(seed, "prompt", replicate) for seed in (-1, 0, 1) for replicate in range(1000)]
    assert len(set(seeds)) == 3000
    assert all(0 <= seed < 2**32 for seed in seeds)
    monkeypatch.setattr("metricsengine.seeds.derive", lambda *parts: lib.LLAMA_DEFAULT_SEED)
    assert reply_seed(1, "prompt", 0) != lib.LLAMA_DEFAULT_SEED


def test_a_seed_depends_on_run_prompt_and_replicate() -> None:
    assert len({reply_seed(0, "a", 0), reply_seed(1, "a", 0), reply_seed(0, "b", 0), reply_seed(0, "a", 1)}) == 4
