"""Standard errors, shares, power, correlation, corrected tests: pure functions, None where the data cannot tell."""

from __future__ import annotations

import functools
import math
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from metricsengine.arrays import Floats, aligned, check_share, coded, finite

LEAST_PAIRS = 3
"""Pairs from which on there is a correlation."""


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
        check_share("confidence", self.confidence)


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
    numbers = finite("values", values)
    codes = np.arange(len(numbers)) if clusters is None else coded(aligned("clusters", list(clusters), len(numbers)))
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

    check_share("confidence", confidence)
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

    check_share("alpha", alpha)
    if n < 2 or not math.isfinite(effect):
        raise ValueError(f"power needs a finite effect and at least 2 values per sample, got {effect} and {n}")
    degrees, noncentrality = 2 * n - 2, effect * math.sqrt(n / 2)
    critical = stats.t.isf(alpha / 2, degrees)
    # Both tails of T at once, as T squared is noncentral F: scipy's noncentral t gives NaN far in the lower tail.
    return 1 - float(stats.ncf.cdf(critical**2, 1, degrees, noncentrality**2))


@functools.cache
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
    check_share("power", power)
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

    check_share("confidence", confidence)
    xs, ys = finite("x", x), finite("y", y)
    n = len(aligned("y", ys, len(xs)))
    if n < LEAST_PAIRS:
        return Correlation(None, None, n, f"{n} pairs, at least {LEAST_PAIRS} needed")
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


def holm(ps: Sequence[float]) -> list[float]:
    """p-values corrected for their number (S. Holm, Scandinavian Journal of Statistics 6(2), 1979).

    Where those below alpha are called significant, the probability of calling any that is not so is at most alpha,
    however the tests depend on each other.

    Args:
        ps: p-values of one family of tests, from 0 to 1.

    Returns:
        The corrected ones in the same order, from 0 to 1.

    Example:
        >>> holm([0.04, 0.01, 0.03])
        [0.06, 0.03, 0.06]
    """
    corrected = [0.0] * len(ps)
    largest = 0.0
    for rank, i in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        largest = max(largest, min(1.0, (len(ps) - rank) * ps[i]))
        corrected[i] = largest
    return corrected


def _constant(values: Floats) -> bool:
    """Whether the values do not vary beyond rounding."""
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max())
