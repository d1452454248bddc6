"""Fightin' Words: the words that statistically distinguish two corpora (Monroe et al., 2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metricsengine_caricature.corpus import Cell, Contrast, Corpus, Counts

SIGNIFICANT = 1.96
"""A word is a seed where its z-score lies beyond this value (CoMPosT, section 4.3)."""


@dataclass(frozen=True)
class SeedWord:
    """A word that defines a persona or a topic.

    Attributes:
        word: The word, as the protocol's tokeniser reads it.
        z: Log-odds z-score, positive for a persona's word.
        in_persona: How often it occurs in S(p, _).
        in_topic: How often it occurs in S(_, t).
    """

    word: str
    z: float
    in_persona: int
    in_topic: int


@dataclass(frozen=True)
class SeedWords:
    """The seed words of both poles, most telling first; equal scores in alphabetical order.

    Attributes:
        persona: Words of S(p, _).
        topic: Words of S(_, t).
        absent_from_prior: Cells that should have entered the prior and hold no response.
    """

    persona: tuple[SeedWord, ...]
    topic: tuple[SeedWord, ...]
    absent_from_prior: tuple[Cell, ...] = ()


def log_odds(first: Counts, second: Counts, prior: Counts) -> npt.NDArray[np.float64]:
    """z-scores of the log-odds ratio with an informative Dirichlet prior.

    A word's pseudo-count is its count in the prior, at least 1. Exchanging the corpora changes exactly the sign.

    Args:
        first: Count of each word in the first corpus; shape (words,).
        second: The same in the second.
        prior: The same in the prior.

    Returns:
        Shape (words,); positive where the first corpus has more. NaN for words of neither corpus, and where a single
        word is all there is.

    Example:
        >>> log_odds(np.array([9, 1]), np.array([1, 9]), np.array([5, 5])).round(3).tolist()
        [3.473, -3.473]
    """
    pseudo = np.maximum(prior, 1).astype(np.float64)
    either = (first > 0) | (second > 0)
    pseudo_total = pseudo[either | (prior > 0)].sum()

    def odds(counts: Counts) -> npt.NDArray[np.float64]:
        mass = counts + pseudo
        logs: npt.NDArray[np.float64] = np.log(mass / (counts.sum() + pseudo_total - mass))
        return logs

    deviation = np.sqrt(1 / (first + pseudo) + 1 / (second + pseudo))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(either, (odds(first) - odds(second)) / deviation, np.nan)


def seed_words(corpus: Corpus, contrast: Contrast) -> SeedWords:
    """Words that distinguish S(p, _) from S(_, t), each way (CoMPosT, section 4.3)."""
    prior = contrast.prior(corpus.protocol)
    in_persona, in_topic = corpus.counts([contrast.without_topic]), corpus.counts([contrast.without_persona])
    z = log_odds(in_persona, in_topic, corpus.counts(prior))

    def seeds(where: npt.NDArray[np.bool_]) -> tuple[SeedWord, ...]:
        found = [
            SeedWord(corpus.words[i], float(z[i]), int(in_persona[i]), int(in_topic[i])) for i in np.flatnonzero(where)
        ]
        return tuple(sorted(found, key=lambda seed: (-abs(seed.z), seed.word)))

    absent = tuple(cell for cell in prior if not corpus.responses(cell))
    return SeedWords(seeds(z > SIGNIFICANT), seeds(z < -SIGNIFICANT), absent)
