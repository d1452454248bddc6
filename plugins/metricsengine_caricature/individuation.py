"""Individuation: whether a simulation can be told from its default persona (CoMPosT, section 4.2, Appendix B)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import numpy.typing as npt

from metricsengine.memory import Ingredient, Remembering, anew
from metricsengine.stats import Interval, wilson
from metricsengine_caricature.corpus import Undefined

Rows = npt.NDArray[np.intp]
Fold = tuple[Rows, Rows]
Matrix = npt.NDArray[np.floating]

RULE = 1
"""Raised whenever forests or clusterings would judge the same vectors otherwise than before: they are remembered."""

TWO_SIDES = 2
"""Fewest responses of either side that can be split or clustered at all."""

HELD_OUT = 0.2
"""Share of the responses on which a single split judges its classifier."""


@dataclass(frozen=True)
class Pair:
    """The responses of a target and of its control, in one order of the rows.

    Attributes:
        texts: The responses.
        labels: 1 for the target, 0 for the control; shape (texts,).
    """

    texts: tuple[str, ...]
    labels: npt.NDArray[np.int8]

    @classmethod
    def by_text(cls, target: Sequence[str], control: Sequence[str]) -> Pair:
        """Rows sorted by text, then label, so that the order of the input has no effect."""
        rows = sorted([(text, 1) for text in target] + [(text, 0) for text in control])
        return cls(tuple(text for text, _ in rows), np.array([label for _, label in rows], dtype=np.int8))

    @classmethod
    def by_position(cls, target: Sequence[str], control: Sequence[str], positions: npt.ArrayLike) -> Pair:
        """Rows in the order of a file.

        Args:
            target: Responses of the target.
            control: Responses of the control.
            positions: Row numbers in the file, first of the target's responses, then of the control's.
        """
        texts, order = [*target, *control], np.argsort(positions, kind="stable")
        labels = np.repeat(np.array([1, 0], dtype=np.int8), [len(target), len(control)])
        return cls(tuple(texts[i] for i in order), labels[order])

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of responses of the target and of the control."""
        ones = int(self.labels.sum())
        return ones, len(self.labels) - ones

    def side(self, label: int) -> list[str]:
        """Responses of the target (1) or of the control (0), in order."""
        return [text for text, own in zip(self.texts, self.labels, strict=True) if own == label]

    @property
    def identical(self) -> bool:
        """Whether target and control hold the same texts."""
        return Counter(self.side(1)) == Counter(self.side(0))


@dataclass(frozen=True)
class Splits:
    """How responses are held out.

    Attributes:
        count: Stratified folds, each held out once; 1 is the single stratified 80/20 split of the paper.
        repeats: How often all of it is done, each time with other random numbers.
        grouped: Whether equal texts stay on one side of a split.
    """

    count: int = 5
    repeats: int = 1
    grouped: bool = False

    @property
    def folds(self) -> int:
        """Number of parts into which the responses are cut."""
        return self.count if self.count > 1 else round(1 / HELD_OUT)


@dataclass(frozen=True)
class Individuation:
    """Accuracy of a classifier that separates a target from its default persona.

    Attributes:
        correct: Held-out predictions that are right, over all splits and repeats.
        predictions: Held-out predictions, over all splits and repeats.
        repeats: How often the splits were repeated.
        n: Number of responses of the target and of the control.
    """

    correct: int
    predictions: int
    repeats: int
    n: tuple[int, int]

    @property
    def value(self) -> float:
        """Accuracy, 0 to 1."""
        return self.correct / self.predictions

    @property
    def chance(self) -> float:
        """Accuracy of always answering the larger class."""
        return max(self.n) / sum(self.n)

    @property
    def interval(self) -> Interval | None:
        """Wilson's interval on the held-out predictions; a repeat adds none."""
        return wilson(self.correct / self.repeats, self.predictions // self.repeats)

    @property
    def above_chance(self) -> bool:
        """Whether the lower end of the interval exceeds chance: the first half of the caricature verdict."""
        return self.interval is not None and self.interval.low > self.chance

    @property
    def below_chance(self) -> bool:
        """Whether the upper end lies below chance: a sign of too few responses, not of a simulation."""
        return self.interval is not None and self.interval.high < self.chance


@dataclass(frozen=True)
class VMeasure:
    """Agreement of two clusters with target and control.

    Attributes:
        by_seed: V-measure (beta 1) of each clustering, 0 to 1.
        n: Number of responses of the target and of the control.
    """

    by_seed: tuple[float, ...]
    n: tuple[int, int]

    @property
    def value(self) -> float:
        """Mean over the seeds."""
        return fmean(self.by_seed)


@dataclass(frozen=True)
class Duplicates:
    """How many responses say what another has said.

    Attributes:
        n: Number of responses.
        distinct: Number of different texts.
    """

    n: int
    distinct: int

    @property
    def rate(self) -> float:
        """Share of the responses that repeat an earlier one, 0 to 1."""
        return 1 - self.distinct / self.n


def individuation(
    pair: Pair, matrix: Matrix, splits: Splits | None = None, seed: int = 0, remembered: Remembering = anew
) -> Individuation | Undefined:
    """Accuracy of random forests on held-out responses, under ``paper``.

    Args:
        pair: Target and control; sort them with :meth:`Pair.by_text`.
        matrix: Vectors of ``pair.texts``; shape (texts, dimensions).
        splits: How responses are held out; stratified 5-fold by default.
        seed: Seed of splits and forests, at least 0.
        remembered: Knows what forests judged before.
    """
    splits = splits or Splits()
    if reason := _unusable(pair, splits.folds, distinct=splits.grouped):
        return reason
    of = [*_ingredients(pair, matrix), splits.count, splits.repeats, splits.grouped, seed]
    judged = remembered("individuation", of, lambda: _judged(pair, matrix, _all_folds(pair, splits, seed)))
    if judged is None:
        return Undefined("insufficient data: equal texts leave a training split with a single class")
    correct, predictions = judged
    return Individuation(correct, predictions, splits.repeats, pair.sizes)


def released_individuation(pair: Pair, matrix: Matrix, remembered: Remembering = anew) -> Individuation | Undefined:
    """Accuracy of the released code's forest: one unstratified split, with the seeds that are written there.

    Args:
        pair: Target and control in the order of the file (:meth:`Pair.by_position`), on which the value depends.
        matrix: Vectors of ``pair.texts``; shape (texts, dimensions).
        remembered: Knows what the forest judged before.
    """
    if reason := _unusable(pair, TWO_SIDES):
        return reason
    of = _ingredients(pair, matrix)
    judged = remembered("individuation as released", of, lambda: _judged_as_released(pair, matrix))
    if judged is None:
        return Undefined("insufficient data: one part of the unstratified split holds a single class")
    correct, predictions = judged
    return Individuation(correct, predictions, 1, pair.sizes)


def v_measure(
    pair: Pair, matrix: Matrix, seeds: Sequence[int] = tuple(range(10)), remembered: Remembering = anew
) -> VMeasure | Undefined:
    """V-measure of 2-means on all responses (Appendix B), once for each seed.

    Args:
        pair: Target and control; sort them with :meth:`Pair.by_text`.
        matrix: Vectors of ``pair.texts``; shape (texts, dimensions).
        seeds: Seeds of the clusterings.
        remembered: Knows how they came out before.
    """
    if reason := _unusable(pair, TWO_SIDES):
        return reason
    if (matrix == matrix[:1]).all():
        return Undefined("all responses have the same vector, which cannot be cut into two clusters")
    of = [*_ingredients(pair, matrix), *seeds]
    by_seed = remembered("individuation.v_measure", of, lambda: _clustered(pair, matrix, seeds))
    return VMeasure(tuple(by_seed), pair.sizes)


def duplicates(texts: Sequence[str]) -> Duplicates | Undefined:
    """How many of the texts repeat an earlier one.

    Example:
        >>> duplicates(["yes", "no", "yes", "yes"]).rate
        0.5
    """
    return Duplicates(len(texts), len(set(texts))) if texts else Undefined("insufficient data: n=0, minimum 1")


def too_few(target: int, control: int, minimum: int, distinct: bool = False) -> Undefined | None:
    """Why a target cannot be told from its default persona, where either has fewer responses than needed.

    Args:
        target: Number of responses of the target, or of distinct ones.
        control: The same of the default persona.
        minimum: How many each must have.
        distinct: Whether distinct ones are counted.
    """
    for name, n in (("target", target), ("default persona", control)):
        if n < minimum:
            return Undefined(f"insufficient data: the {name} has n={n}{' distinct' * distinct}, minimum {minimum}")
    return None


def _unusable(pair: Pair, minimum: int, distinct: bool = False) -> Undefined | None:
    sides = pair.side(1), pair.side(0)
    target, control = (len(set(texts)) if distinct else len(texts) for texts in sides)
    if reason := too_few(target, control, minimum, distinct):
        return reason
    if pair.identical:
        return Undefined("identical corpora: target and default persona hold the same texts")
    return None


def _ingredients(pair: Pair, matrix: Matrix) -> list[Ingredient]:
    """What decides how the responses are told apart, beside splits and seeds."""
    vectors = (matrix.dtype.str, *matrix.shape, matrix.tobytes())
    return [RULE, *vectors, pair.labels.tobytes(), *pair.texts]


def _all_folds(pair: Pair, splits: Splits, seed: int) -> list[tuple[Fold, int]]:
    """The folds of all repeats, each with the seed of its forest."""
    states = [int(state) for state in np.random.SeedSequence(seed).generate_state(splits.repeats)]
    return [(fold, state) for state in states for fold in _folds(pair, splits, state)]


def _folds(pair: Pair, splits: Splits, state: int) -> list[Fold]:
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, StratifiedShuffleSplit

    rows = np.arange(len(pair.labels))
    if splits.grouped:
        cut = StratifiedGroupKFold(splits.folds, shuffle=True, random_state=state)
        _, groups = np.unique(np.array(pair.texts, dtype=object), return_inverse=True)
        return list(cut.split(rows, pair.labels, groups))[: splits.count]
    if splits.count == 1:
        return list(StratifiedShuffleSplit(1, test_size=HELD_OUT, random_state=state).split(rows, pair.labels))
    return list(StratifiedKFold(splits.folds, shuffle=True, random_state=state).split(rows, pair.labels))


def _judged(pair: Pair, matrix: Matrix, folds: Sequence[tuple[Fold, int]]) -> list[int] | None:
    """Right predictions and all predictions on held-out responses; None where a forest would learn a single class."""
    if not all(_both_classes(pair.labels[train]) for (train, _), _ in folds):
        return None
    correct = sum(_correct(pair.labels, matrix, fold, state) for fold, state in folds)
    return [correct, sum(len(test) for (_, test), _ in folds)]


def _judged_as_released(pair: Pair, matrix: Matrix) -> list[int] | None:
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(np.arange(len(pair.labels)), test_size=HELD_OUT, random_state=42)
    return _judged(pair, matrix, [((train, test), 0)]) if _both_classes(pair.labels[test]) else None


def _correct(labels: npt.NDArray[np.int8], matrix: Matrix, fold: Fold, state: int) -> int:
    from sklearn.ensemble import RandomForestClassifier

    train, test = fold
    forest = RandomForestClassifier(random_state=state).fit(matrix[train], labels[train])
    return int((forest.predict(matrix[test]) == labels[test]).sum())


def _clustered(pair: Pair, matrix: Matrix, seeds: Sequence[int]) -> list[float]:
    """The V-measure of each clustering."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import v_measure_score
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped] # it publishes no types

    rows = matrix.astype(np.float64)
    with threadpool_limits(1):  # threads cost far more than they bring on a few hundred rows
        clusters = [KMeans(2, n_init=10, random_state=seed).fit_predict(rows) for seed in seeds]
    return [float(v_measure_score(pair.labels, found)) for found in clusters]


def _both_classes(labels: npt.NDArray[np.int8]) -> bool:
    return 0 < int(labels.sum()) < len(labels)
