"""Bootstrap intervals: percentiles over resampled clusters, crossed factors, or any statistic of drawn units."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metricsengine import seeds
from metricsengine.arrays import Floats, Integers, aligned, check_share, coded, finite
from metricsengine.stats import Interval

_BATCH = 200_000
"""Numbers held at once while drawing: bounds memory whatever the number of units."""


@dataclass(frozen=True)
class Resampling:
    """How a bootstrap draws. The same resampling of the same data gives the same interval.

    Attributes:
        seed: Any integer, such as one of :func:`metricsengine.seeds.derive`.
        draws: Number of resamples, at least 2.
        confidence: Nominal coverage of the interval, between 0 and 1.
    """

    seed: int
    draws: int = 2000
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if self.draws < 2:
            raise ValueError(f"a bootstrap needs at least 2 draws, got {self.draws}")
        check_share("confidence", self.confidence)


def bootstrap_mean(
    values: ArrayLike,
    how: Resampling,
    *,
    unit: str,
    clusters: Iterable[Hashable] | None = None,
    weights: ArrayLike | None = None,
) -> Interval | None:
    """Percentile interval of a weighted mean, resampling whole clusters of values (Efron, 1979).

    Neither the order of the values nor the spelling of the labels matters. Values that are all equal give an interval
    of width 0, however few they are; for shares :func:`~metricsengine.stats.wilson` does better.

    Args:
        values: Finite numbers, shape (n,).
        how: Draws, confidence and seed.
        unit: What is resampled, in the plural ("topics"); it is named in the method.
        clusters: The cluster of each value; by default each value is its own.
        weights: Non-negative weight of each value, by default 1; a value of weight 0 counts as absent.

    Returns:
        The interval, or None with fewer than two clusters, or where over ``1 - confidence`` of the draws have no mean.

    Raises:
        ValueError: NaN, infinity, a negative weight, or lengths that differ.

    Example:
        >>> interval = bootstrap_mean([0.1, 0.2, 0.6, 0.7], Resampling(seed=1), unit="topics", clusters="aabb")
        >>> interval.method
        'bootstrap over topics, 2000 draws'
        >>> round(interval.low, 2), round(interval.high, 2)
        (0.15, 0.65)
        >>> bootstrap_mean([0.1, 0.2], Resampling(seed=1), unit="topics", clusters=["health", "health"]) is None
        True
    """
    numbers = finite("values", values)
    labels = range(len(numbers)) if clusters is None else clusters
    return crossed_bootstrap_mean(numbers, {unit: labels}, how, weights=weights)


def crossed_bootstrap_mean(
    values: ArrayLike,
    factors: Mapping[str, Iterable[Hashable]],
    how: Resampling,
    *,
    weights: ArrayLike | None = None,
) -> Interval | None:
    """Percentile interval of a weighted mean over crossed factors, the levels of each being resampled independently.

    A value weighs as often as all of its levels were drawn together. The interval is conservative: for values that
    share nothing but noise the bootstrap variance is up to three times the true one with two factors.
    Names of levels matter only among levels of equal weight and sum, which are drawn in the order of their names.

    Source: A. B. Owen, "The pigeonhole bootstrap", Annals of Applied Statistics 1(2), 2007, 386-411; for more than two
    factors A. B. Owen and D. Eckles, "Bootstrapping data arrays of arbitrary order", ibid. 6(3), 2012, 895-927.

    Args:
        values: Finite numbers, shape (n,); cells may be empty or hold several.
        factors: The level of each value, by factor, such as ``{"personas": [...], "topics": [...]}``.
        how: Draws, confidence and seed.
        weights: Non-negative weight of each value, by default 1; a value of weight 0 counts as absent.

    Returns:
        The interval, over the factors that have at least two levels and naming the others, or None if none has, or
        where over ``1 - confidence`` of the draws have no mean.

    Raises:
        ValueError: No factor, NaN, infinity, a negative weight, or lengths that differ.

    Example:
        >>> personas, topics = ["woman", "woman", "man", "man"], ["health", "golf", "health", "golf"]
        >>> scores, how = [0.1, 0.2, 0.3, 0.4], Resampling(seed=1)
        >>> crossed_bootstrap_mean(scores, {"personas": personas, "topics": topics}, how).method
        'pigeonhole bootstrap over personas x topics, 2000 draws'
        >>> crossed_bootstrap_mean(scores, {"personas": ["woman"] * 4, "topics": topics}, how).method
        'bootstrap over topics (personas: one level only), 2000 draws'
    """
    if not factors:
        raise ValueError("a bootstrap needs at least one factor whose levels it resamples")
    numbers, masses, labels = _canonical_rows(values, weights, factors)
    levels = {name: _levels(column, numbers, masses) for name, column in labels.items()}
    crossed = {name: codes for name, codes in levels.items() if codes.max(initial=0) > 0}
    if not crossed:
        return None
    kind = "bootstrap" if len(crossed) == 1 else "pigeonhole bootstrap"
    single = ", ".join(name for name in levels if name not in crossed)
    method = f"{kind} over {' x '.join(crossed)}" + (f" ({single}: one level only)" if single else "")
    means = _resampled_means(list(crossed.values()), numbers, masses, how)
    return _percentiles(means, how, method)


def bootstrap_statistic(
    statistic: Callable[[Integers], float], clusters: int, how: Resampling, *, unit: str
) -> Interval | None:
    """Percentile interval of any statistic, by resampling cluster numbers (Efron, 1979).

    Args:
        statistic: From the numbers of the drawn clusters, shape (clusters,), each from 0 to ``clusters - 1`` and any of
            them repeated, to the statistic; NaN where that resample has none.
        clusters: Number of clusters.
        how: Draws, confidence and seed.
        unit: What the clusters are, in the plural; it is named in the method.

    Returns:
        The interval, or None with fewer than two clusters, or where over ``1 - confidence`` of the draws are undefined;
        fewer undefined draws are left out and counted in the method.

    Example:
        >>> lengths = np.array([3.0, 4.0, 5.0, 6.0, 20.0])
        >>> bootstrap_statistic(lambda drawn: np.median(lengths[drawn]), 5, Resampling(seed=1), unit="responses")
        Interval(low=3.0, high=20.0, method='bootstrap over responses, 2000 draws', confidence=0.95)
    """
    if clusters < 2:
        return None
    rng = seeds.generator("bootstrap", how.seed)
    results = [float(statistic(drawn)) for batch in _batches(clusters, how) for drawn in _drawn(clusters, batch, rng)]
    return _percentiles(np.array(results), how, f"bootstrap over {unit}")


def paired_means(values: ArrayLike, weights: ArrayLike, how: Resampling) -> Floats:
    """Weighted means of several conditions in each resample of the units that they share (Efron, 1979).

    All conditions see the same draw, so that what the units have in common falls out of their differences. Draws
    depend on the order of the units, and on nothing else than their number.

    Args:
        values: Finite numbers, shape (units, conditions).
        weights: Weight of each value in the mean of its condition, > 0, shape (units, conditions).
        how: Draws and seed.

    Returns:
        Shape (draws, conditions).

    Raises:
        ValueError: The shapes differ, there is no unit, a value is not finite or a weight not positive.

    Example:
        >>> means = paired_means([[1, 2], [3, 4], [8, 9]], np.ones((3, 2)), Resampling(seed=1))
        >>> means.shape, np.allclose(means[:, 1] - means[:, 0], 1)
        ((2000, 2), True)
    """
    numbers, masses = np.asarray(values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if numbers.ndim != 2 or numbers.shape != masses.shape or not numbers.size:
        raise ValueError(f"values and weights have one shape (units, conditions), got {numbers.shape}, {masses.shape}")
    if not (np.isfinite(numbers).all() and np.isfinite(masses).all() and masses.min() > 0):
        raise ValueError("values are finite, weights finite and above 0")
    rng = seeds.generator("bootstrap", how.seed)
    batches = []
    for draws in _batches(len(numbers), how):
        times = _multiplicities(len(numbers), draws, rng).astype(np.float64)
        # Column by column: equal conditions must have equal means to the last digit.
        means = [(times @ (mass * value)) / (times @ mass) for value, mass in zip(numbers.T, masses.T, strict=True)]
        batches.append(np.stack(means, axis=1))
    return np.concatenate(batches).clip(numbers.min(axis=0), numbers.max(axis=0))


def _canonical_rows(
    values: ArrayLike, weights: ArrayLike | None, factors: Mapping[str, Iterable[Hashable]]
) -> tuple[Floats, Floats, dict[str, list[Hashable]]]:
    """Values, weights and labels that count, sorted by content: the order in which they came must not matter."""
    numbers = finite("values", values)
    masses = np.ones_like(numbers) if weights is None else aligned("weights", finite("weights", weights), len(numbers))
    if np.any(masses < 0):
        raise ValueError(f"weights must not be negative, got {masses.min()}")
    order = np.lexsort((masses, numbers))
    order = order[masses[order] > 0]
    columns = {name: aligned(name, list(labels), len(numbers)) for name, labels in factors.items()}
    labels = {name: [column[row] for row in order] for name, column in columns.items()}
    return numbers[order], masses[order], labels


def _levels(labels: Sequence[Hashable], numbers: Floats, masses: Floats) -> Integers:
    """Numbers of the levels, ordered by what they hold, so that other names for them change nothing."""
    codes = coded(labels)
    order = np.lexsort((np.bincount(codes, masses * numbers), np.bincount(codes, masses)))
    return np.argsort(order)[codes]


def _resampled_means(levels: Sequence[Integers], numbers: Floats, masses: Floats, how: Resampling) -> Floats:
    """Weighted mean of each draw, shape (draws,); NaN where a draw holds no value."""
    rng = seeds.generator("bootstrap", how.seed)
    shape = [int(codes.max()) + 1 for codes in levels]
    flat, cell = np.unique(np.ravel_multi_index(tuple(levels), shape), return_inverse=True)
    cells = np.unravel_index(flat, shape)
    sums, totals = np.bincount(cell, masses * numbers), np.bincount(cell, masses)
    means = []
    for draws in _batches(len(flat), how):
        times = np.ones((draws, len(flat)))
        for count, codes in zip(shape, cells, strict=True):
            times *= _multiplicities(count, draws, rng)[:, codes]
        total = times @ totals
        mean: Floats = np.divide(times @ sums, total, out=np.full(draws, np.nan), where=total > 0)
        means.append(mean)
    # A mean of means lies among them; rounding would let a bounded metric leave its bounds.
    return np.concatenate(means).clip(numbers.min(), numbers.max())


def _batches(width: int, how: Resampling) -> Iterator[int]:
    """Sizes of the batches in which the draws are made, for ``width`` numbers a draw."""
    size = max(1, _BATCH // width)
    return (min(size, how.draws - start) for start in range(0, how.draws, size))


def _drawn(count: int, draws: int, rng: np.random.Generator) -> Integers:
    """Numbers drawn with replacement from ``count``, shape (draws, count)."""
    return rng.integers(count, size=(draws, count), dtype=np.intp)


def _multiplicities(count: int, draws: int, rng: np.random.Generator) -> Integers:
    """How often each of ``count`` units was drawn, shape (draws, count)."""
    drawn = _drawn(count, draws, rng) + count * np.arange(draws)[:, np.newaxis]
    return np.bincount(drawn.ravel(), minlength=draws * count).reshape(draws, count)


def _percentiles(results: Floats, how: Resampling, method: str) -> Interval | None:
    defined = results[np.isfinite(results)]
    undefined = how.draws - len(defined)
    tails = 1 - how.confidence
    if undefined > tails * how.draws:
        return None  # the undefined draws alone could fill both tails
    low, high = np.quantile(defined, [tails / 2, 1 - tails / 2])
    note = f", {undefined} undefined" if undefined else ""
    return Interval(float(low), float(high), f"{method}, {how.draws} draws{note}", how.confidence)
