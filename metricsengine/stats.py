"""Intervals, standard errors, power and correlation: pure functions that say None where the data cannot tell."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metricsengine import seeds

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Items = TypeVar("Items", bound=Sized)

_BATCH = 200_000
"""Numbers held at once while drawing: bounds memory whatever the number of units."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval.

    Attributes:
        low: Lower end.
        high: Upper end, at least ``low``.
        method: How it was made, with the resampling unit, such as "bootstrap over topics, 2000 draws".
        confidence: Nominal coverage, between 0 and 1.
    """

    low: float
    high: float
    method: str
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not -math.inf < self.low <= self.high < math.inf:
            raise ValueError(f"an interval has finite ends in order, got {self.low} to {self.high}")
        _check_share("confidence", self.confidence)


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
        _check_share("confidence", self.confidence)


@dataclass(frozen=True)
class Correlation:
    """Pearson's correlation of n pairs.

    Attributes:
        value: From -1 to 1; None where undefined.
        interval: By Fisher's z; None where it is undefined.
        n: Number of pairs.
        reason: Why ``value`` or ``interval`` is None; empty if neither is.
    """

    value: float | None
    interval: Interval | None
    n: int
    reason: str = ""

    @property
    def low(self) -> float | None:
        """Lower end of the interval."""
        return self.interval.low if self.interval else None

    @property
    def high(self) -> float | None:
        """Upper end of the interval."""
        return self.interval.high if self.interval else None


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
    of width 0, however few they are; for shares :func:`wilson` does better.

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
    numbers = _finite("values", values)
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


def standard_error(values: ArrayLike, clusters: Iterable[Hashable] | None = None) -> float | None:
    """Standard error of the plain mean, robust to dependence within clusters where these are given.

    With clusters, the sandwich estimate of K.-Y. Liang and S. L. Zeger, Biometrika 73(1), 1986, with the factor
    G / (G - 1) for G clusters; with one value a cluster it equals the usual one (ddof 1).

    Args:
        values: Finite numbers, shape (n,).
        clusters: The cluster of each value; by default each value is its own.

    Returns:
        The standard error in the unit of the values, or None with fewer than two values or clusters.

    Example:
        >>> round(standard_error([1.0, 2.0, 3.0, 4.0]), 4)
        0.6455
        >>> standard_error([1.0, 1.0, 3.0, 3.0], clusters="aabb")
        1.0
        >>> standard_error([1.0]) is None
        True
    """
    numbers = _finite("values", values)
    codes = np.arange(len(numbers)) if clusters is None else _codes(_aligned("clusters", list(clusters), len(numbers)))
    count = int(codes.max(initial=-1)) + 1
    if count < 2:
        return None
    deviations = np.bincount(codes, numbers - numbers.mean())
    return float(np.sqrt(count / (count - 1) * np.sum(deviations**2)) / len(numbers))


def wilson(successes: float, n: int, confidence: float = 0.95) -> Interval | None:
    """Wilson's score interval of a share (E. B. Wilson, JASA 22(158), 1927).

    Args:
        successes: Number of successes from 0 to ``n``; ties may count one half.
        n: Number of independent trials.
        confidence: Nominal coverage, between 0 and 1.

    Returns:
        An interval within 0 and 1, or None without trials.

    Example:
        >>> interval = wilson(8, 10)
        >>> round(interval.low, 4), round(interval.high, 4)
        (0.4902, 0.9433)
    """
    from scipy.special import ndtri

    _check_share("confidence", confidence)
    if not 0 <= successes <= n < math.inf:
        raise ValueError(f"successes lie between 0 and the number of trials, got {successes} of {n}")
    if n == 0:
        return None
    z = float(ndtri((1 + confidence) / 2))

    def lower(k: float) -> float:
        # The smaller root of the score equation, written so that it is exactly 0 at k = 0.
        return 2 * k * k / n / (2 * k + z * z + z * math.sqrt(z * z + 4 * k * (n - k) / n))

    return Interval(lower(successes), 1 - lower(n - successes), "Wilson score", confidence)


def t_test_power(effect: float, n: int, alpha: float = 0.05) -> float:
    """Power of the two-sided t-test of two independent samples of equal size.

    Under the alternative T is noncentral t with 2n - 2 degrees of freedom and noncentrality effect * sqrt(n / 2).
    Source: J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", 2nd ed., 1988, chapter 2.

    Args:
        effect: Standardised difference of the means (Cohen's d), in standard deviations.
        n: Size of each sample, at least 2.
        alpha: Significance level, between 0 and 1.

    Returns:
        Probability of rejecting, between 0 and 1.

    Example:
        >>> round(t_test_power(0.5, 64), 4)
        0.8015
    """
    from scipy import stats

    _check_share("alpha", alpha)
    if n < 2 or not math.isfinite(effect):
        raise ValueError(f"power needs a finite effect and at least 2 values per sample, got {effect} and {n}")
    degrees, noncentrality = 2 * n - 2, effect * math.sqrt(n / 2)
    critical = stats.t.isf(alpha / 2, degrees)
    # Both tails of T at once, as T squared is noncentral F: scipy's noncentral t gives NaN far in the lower tail.
    return 1 - float(stats.ncf.cdf(critical**2, 1, degrees, noncentrality**2))


def t_test_sample_size(effect: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """Smallest size of each of two independent samples at which the two-sided t-test has the power.

    For the effects .75 and .62 CoMPosT (Appendix E) states 28 and 41; the exact test needs one more of each.

    Args:
        effect: Standardised difference of the means (Cohen's d), in standard deviations; at least 1e-6 in size.
        alpha: Significance level, between 0 and 1.
        power: Wanted probability of rejecting, between 0 and 1.

    Returns:
        n per sample, at least 2.

    Example:
        >>> t_test_sample_size(0.75), t_test_sample_size(0.62)
        (29, 42)
    """
    _check_share("power", power)
    if not 1e-6 <= abs(effect) < math.inf:
        raise ValueError(f"no sample is large enough for an effect of {effect}; 1e-6 is the smallest accepted")
    enough = 2
    while t_test_power(effect, enough, alpha) < power:
        enough *= 2
    sizes = range(2, enough + 1)
    return sizes[bisect_left(sizes, power, key=lambda n: t_test_power(effect, n, alpha))]


def pearson(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> Correlation:
    """Pearson's correlation with Fisher's interval (R. A. Fisher, Metron 1, 1921).

    Args:
        x: Finite numbers, shape (n,).
        y: Finite numbers, shape (n,).
        confidence: Nominal coverage, between 0 and 1.

    Returns:
        The correlation. The value is undefined for fewer than three pairs or where a side does not vary; the interval
        also for three pairs and for points on a line.

    Raises:
        ValueError: NaN, infinity, or lengths that differ.

    Example:
        >>> result = pearson([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
        >>> round(result.value, 2), round(result.low, 2), round(result.high, 2), result.n
        (0.8, -0.28, 0.99, 5)
        >>> pearson([1, 1, 1, 1], [1, 2, 3, 4]).reason
        'one side does not vary'
    """
    from scipy import stats

    _check_share("confidence", confidence)
    xs, ys = _finite("x", x), _finite("y", y)
    n = len(_aligned("y", ys, len(xs)))
    if n < 3:
        return Correlation(None, None, n, f"{n} pairs, at least 3 needed")
    if _constant(xs) or _constant(ys):
        return Correlation(None, None, n, "one side does not vary")
    result = stats.pearsonr(xs, ys)
    value = float(result.statistic)
    if n < 4:
        return Correlation(value, None, n, f"{n} pairs, at least 4 needed for an interval")
    if math.isclose(abs(value), 1, rel_tol=1e-12):
        return Correlation(value, None, n, "all pairs lie on a line: Fisher's z is infinite")
    low, high = result.confidence_interval(confidence)
    return Correlation(value, Interval(float(low), float(high), "Fisher's z", confidence), n)


def _check_share(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise ValueError(f"{name} lies between 0 and 1, got {value}")


def _finite(name: str, values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}")
    bad = np.count_nonzero(~np.isfinite(array))
    if bad:
        raise ValueError(f"{name}: {bad} of {array.size} are NaN or infinite; leave them out, counted, before")
    return array


def _aligned(name: str, items: Items, n: int) -> Items:
    if len(items) != n:
        raise ValueError(f"{name}: {len(items)} given for {n} values")
    return items


def _constant(values: Floats) -> bool:
    """Whether the values do not vary beyond rounding."""
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max())


def _codes(labels: Sequence[Hashable]) -> Integers:
    """Numbers of the labels, from 0, whatever the order in which they come."""
    if any(isinstance(label, float) and math.isnan(label) for label in labels):
        raise ValueError("a label is NaN: a value without its cluster or level cannot be resampled")
    number = {label: code for code, label in enumerate(sorted(set(labels), key=repr))}
    return np.array([number[label] for label in labels], dtype=np.intp)


def _canonical_rows(
    values: ArrayLike, weights: ArrayLike | None, factors: Mapping[str, Iterable[Hashable]]
) -> tuple[Floats, Floats, dict[str, list[Hashable]]]:
    """Values, weights and labels that count, sorted by content: the order in which they came must not matter."""
    numbers = _finite("values", values)
    masses = (
        np.ones_like(numbers) if weights is None else _aligned("weights", _finite("weights", weights), len(numbers))
    )
    if np.any(masses < 0):
        raise ValueError(f"weights must not be negative, got {masses.min()}")
    order = np.lexsort((masses, numbers))
    order = order[masses[order] > 0]
    columns = {name: _aligned(name, list(labels), len(numbers)) for name, labels in factors.items()}
    labels = {name: [column[row] for row in order] for name, column in columns.items()}
    return numbers[order], masses[order], labels


def _levels(labels: Sequence[Hashable], numbers: Floats, masses: Floats) -> Integers:
    """Numbers of the levels, ordered by what they hold, so that other names for them change nothing."""
    codes = _codes(labels)
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
