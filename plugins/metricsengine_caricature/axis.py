"""The persona-topic semantic axis and its internal validation (CoMPosT, equation 1 and Appendix C).

Two phases, so that texts are embedded once and only where they matter: :func:`plan_axis` finds the seed words and
their sentences, :func:`build_axis` turns them into vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt
from scipy import sparse

from metricsengine.errors import MetricsEngineError
from metricsengine_caricature.corpus import Cell, Contrast, Corpus, Undefined, describe
from metricsengine_caricature.fightin_words import SeedWord, SeedWords, seed_words

MINIMUM_RESPONSES = 2
"""Fewest responses of each control from which an axis is built."""

Array = npt.NDArray[np.float64]


class Vectors:
    """Vectors of texts, looked up by text.

    Args:
        texts: Distinct texts.
        matrix: Their vectors; shape (texts, dimensions).

    Raises:
        MetricsEngineError: A vector is zero or not finite, so that it has no cosine with anything.
    """

    def __init__(self, texts: Sequence[str], matrix: npt.NDArray[np.floating]) -> None:
        if matrix.ndim != 2 or len(matrix) != len(texts):
            raise ValueError(f"expected one vector for each of {len(texts)} texts, got shape {matrix.shape}")
        lengths = np.linalg.norm(matrix, axis=1)
        if len(useless := np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))):
            raise MetricsEngineError(
                f"the encoder gives no direction (length {lengths[useless[0]]}) for {texts[useless[0]]!r}"
            )
        self._row = {text: i for i, text in enumerate(texts)}
        self._matrix = matrix

    def __getitem__(self, texts: Sequence[str]) -> Array:
        """Vectors of the texts, in their order; shape (texts, dimensions)."""
        return self._matrix[[self._row[text] for text in texts]].astype(np.float64)


@dataclass(frozen=True)
class Pole:
    """One end of an axis: seed words and the sentences that hold them.

    Attributes:
        seeds: Seed words with at least one sentence.
        silent: Seed words that no sentence holds; possible under ``released`` only.
        sentences: Distinct sentences with a seed word.
        hits: How often each sentence stands for each seed; shape (seeds, sentences).
        pooled: Whether all hits weigh the same (``released``) or all seeds do (``paper``).
    """

    seeds: tuple[SeedWord, ...]
    silent: tuple[SeedWord, ...]
    sentences: tuple[str, ...]
    hits: sparse.csr_array
    pooled: bool

    @cached_property
    def sentence_counts(self) -> npt.NDArray[np.int64]:
        """Number of sentences of each seed, repeats included; shape (seeds,)."""
        counts: npt.NDArray[np.int64] = np.asarray(self.hits.sum(axis=1)).ravel()
        return counts

    @property
    def shares(self) -> Array:
        """Weight of each seed in the pole, summing to 1; shape (seeds,)."""
        weights = self.sentence_counts if self.pooled else np.ones(len(self.seeds))
        shares: Array = weights / weights.sum()
        return shares

    def word_vectors(self, vectors: Vectors) -> Array:
        """Mean vector of each seed's sentences; shape (seeds, dimensions)."""
        sums: Array = self.hits @ vectors[self.sentences]
        return sums / self.sentence_counts[:, None]


@dataclass(frozen=True)
class AxisPlan:
    """What an axis is made of.

    Attributes:
        contrast: The target and its controls.
        persona: The persona's pole.
        topic: The topic's pole.
        flags: What a reader must know.
    """

    contrast: Contrast
    persona: Pole
    topic: Pole
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Validity:
    """Outcome of the leave-one-out test, as words of both poles in order.

    Attributes:
        passed: Seeds closer to the rest of their pole than to the other pole.
        failed: Seeds that are not.
        untested: Seeds that are alone on their pole.
    """

    passed: tuple[str, ...]
    failed: tuple[str, ...]
    untested: tuple[str, ...]

    @property
    def share(self) -> float | None:
        """Share of the tested seeds that pass, 0 to 1; None where none could be tested."""
        tested = len(self.passed) + len(self.failed)
        return len(self.passed) / tested if tested else None


@dataclass(frozen=True)
class Axis:
    """A semantic axis from a topic to a persona.

    Attributes:
        plan: What it is made of.
        persona: Vector of each persona seed; shape (seeds, dimensions).
        topic: Vector of each topic seed; shape (seeds, dimensions).
    """

    plan: AxisPlan
    persona: Array
    topic: Array

    @cached_property
    def vector(self) -> Array:
        """Equation 1: the persona's pole minus the topic's; shape (dimensions,)."""
        pole: Array = self.plan.persona.shares @ self.persona - self.plan.topic.shares @ self.topic
        return pole

    def leave_one_out(self) -> Validity:
        """Whether each seed is strictly closer to the rest of its pole than to the whole other pole (Appendix C)."""
        plan = self.plan
        sides = (
            (plan.persona, self.persona, plan.topic.shares @ self.topic),
            (plan.topic, self.topic, plan.persona.shares @ self.persona),
        )
        outcomes: dict[str, list[str]] = {"passed": [], "failed": [], "untested": []}
        for pole, words, other in sides:
            closer = _closer_to_own(words, pole.shares, other) if len(words) > 1 else [None]
            for seed, passes in zip(pole.seeds, closer, strict=True):
                outcome = "untested" if passes is None else "passed" if passes else "failed"
                outcomes[outcome].append(seed.word)
        return Validity(**{outcome: tuple(words) for outcome, words in outcomes.items()})


def cosines(vectors: Array, direction: Array) -> Array:
    """Cosine of each vector with a direction or with its own row of directions; shape (vectors,).

    NaN where either has length 0.

    Example:
        >>> cosines(np.array([[2.0, 0.0], [3.0, 3.0]]), np.array([1.0, 0.0])).round(3).tolist()
        [1.0, 0.707]
    """
    lengths = np.linalg.norm(vectors, axis=-1) * np.linalg.norm(direction, axis=-1)
    with np.errstate(invalid="ignore"):
        ratio: Array = (vectors * direction).sum(axis=-1) / lengths
    return ratio


def plan_axis(corpus: Corpus, contrast: Contrast, seeds: SeedWords | None = None) -> AxisPlan | Undefined:
    """Seed words and sentences of an axis; needs no vectors.

    Args:
        corpus: The simulations.
        contrast: The target and its controls.
        seeds: Its seed words, where they have been found before.
    """
    controls = contrast.without_topic, contrast.without_persona
    if corpus.protocol == "paper" and contrast.target in controls:
        return Undefined(f"a control is never scored: {describe(contrast.target)}")
    if reason := controls_too_few(corpus, contrast):
        return reason
    if corpus.responses(controls[0]) == corpus.responses(controls[1]):
        return Undefined(f"identical corpora: {' and '.join(map(describe, controls))} hold the same texts")
    seeds = seeds or seed_words(corpus, contrast)
    persona = _pole(corpus, controls, seeds.persona)
    topic = _pole(corpus, controls[::-1], seeds.topic)
    empty = [name for name, pole in (("persona", persona), ("topic", topic)) if not pole.seeds]
    if empty:
        return Undefined(f"no seed word on the {' and the '.join(empty)} pole: {describe(contrast.target)}")
    return AxisPlan(contrast, persona, topic, ("prior_incomplete",) if seeds.absent_from_prior else ())


def controls_too_few(corpus: Corpus, contrast: Contrast) -> Undefined | None:
    """Why there is no axis, where a control has fewer responses than needed."""
    controls = contrast.without_topic, contrast.without_persona
    return next(filter(None, (corpus.too_few(control, MINIMUM_RESPONSES) for control in controls)), None)


def build_axis(plan: AxisPlan, vectors: Vectors) -> Axis:
    """The axis in the space of the vectors, which must hold every sentence of the plan."""
    return Axis(plan, plan.persona.word_vectors(vectors), plan.topic.word_vectors(vectors))


def _pole(corpus: Corpus, controls: Sequence[Cell], seeds: Sequence[SeedWord]) -> Pole:
    """Under ``paper`` sentences of both controls count, under ``released`` those of the first, the pole's own."""
    released = corpus.protocol == "released"
    cells = [corpus.sentences(cell) for cell in (controls[:1] if released else controls)]
    words = [seed.word for seed in seeds]
    hits = sparse.hstack([cell.hits(words) for cell in cells], format="csr")
    heard = np.asarray(hits.sum(axis=1)).ravel() > 0
    used = np.asarray(hits.sum(axis=0)).ravel() > 0
    texts = list(chain.from_iterable(cell.texts for cell in cells))
    return Pole(
        seeds=tuple(seed for seed, kept in zip(seeds, heard, strict=True) if kept),
        silent=tuple(seed for seed, kept in zip(seeds, heard, strict=True) if not kept),
        sentences=tuple(texts[i] for i in np.flatnonzero(used)),
        hits=hits[heard][:, used],
        pooled=released,
    )


def _closer_to_own(words: Array, shares: Array, other: Array) -> list[bool]:
    rest = (shares * (1 - np.eye(len(words)))) @ words
    closer: list[bool] = (cosines(words, rest) > cosines(words, other)).tolist()
    return closer
