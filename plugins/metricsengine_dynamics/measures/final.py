"""What a population has come to: how many clusters, how far apart, in two camps or not, and when it agreed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from metricsengine.arrays import Floats

BIMODAL = 4
"""Agents from which on there is a bimodality."""

ROUNDING = 1e-12
"""Differences of opinions up to this are rounding."""


def cluster_count(opinions: ArrayLike, gap: float) -> Floats:
    """Number of groups of opinions that a gap separates from all others.

    Args:
        opinions: Populations of n agents, shape (..., n), n >= 1.
        gap: Sorted neighbours further apart than this are in different groups.

    Returns:
        Shape (...).

    Example:
        >>> cluster_count([[0.1, -0.7, 0.15, 0.9], [0.0, 0.1, 0.2, 0.3]], gap=0.1).tolist()
        [3.0, 1.0]
    """
    gaps = np.diff(np.sort(np.asarray(opinions, dtype=np.float64), axis=-1), axis=-1)
    counts: Floats = 1.0 + np.count_nonzero(gaps > gap + ROUNDING, axis=-1)
    return counts


def spread(opinions: ArrayLike) -> Floats:
    """Standard deviation of the opinions of a population (ddof 0), shape (..., n) to (...).

    Example:
        >>> spread([[-1.0, 1.0], [0.4, 0.4]]).tolist()
        [1.0, 0.0]
    """
    deviations: Floats = np.std(np.asarray(opinions, dtype=np.float64), axis=-1)
    return deviations


def bimodality(opinions: ArrayLike) -> Floats:
    """Sarle's bimodality coefficient with its correction for finite samples.

    (g² + 1) / (k + 3 (n - 1)² / ((n - 2) (n - 3))), with g the skewness and k the excess kurtosis of the sample, both
    corrected for bias. A uniform distribution has 5/9, a normal one 1/3, two equal points 1, in the limit of large n.

    Source: R. Pfister et al., "Good things peak in pairs", Frontiers in Psychology 4:700, 2013.

    Args:
        opinions: Populations of n agents, shape (..., n).

    Returns:
        Shape (...); NaN where n < 4 or where opinions do not vary.

    Example:
        >>> bimodality([[-1.0, -1.0, -1.0, 1.0, 1.0, 1.0], [0.2, 0.2, 0.2, 0.2, 0.2, 0.2]]).round(4).tolist()
        [0.3429, nan]
    """
    values = np.asarray(opinions, dtype=np.float64)
    n = values.shape[-1]
    varies = np.ptp(values, axis=-1) > ROUNDING
    if n < BIMODAL:
        return np.full(varies.shape, np.nan)
    from_mean = values - values.mean(axis=-1, keepdims=True)
    second, third, fourth = ((from_mean**power).mean(axis=-1) for power in (2, 3, 4))
    second = np.where(varies, second, np.nan)
    skewness = np.sqrt(n * (n - 1)) / (n - 2) * third / second**1.5
    kurtosis = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (fourth / second**2 - 3) + 6)
    found: Floats = (skewness**2 + 1) / (kurtosis + 3 * (n - 1) ** 2 / ((n - 2) * (n - 3)))
    return found


def consensus_time(ranges: ArrayLike, tolerance: float) -> Floats:
    """The first state whose opinions lie close together.

    Args:
        ranges: Largest less smallest opinion of each state from x(0) on, shape (..., states).
        tolerance: What is close.

    Returns:
        Steps taken until then, shape (...); NaN where no state is.

    Example:
        >>> consensus_time([[1.0, 0.3, 0.1, 0.2], [1.0, 0.9, 0.8, 0.7]], tolerance=0.1).tolist()
        [2.0, nan]
    """
    close = np.asarray(ranges, dtype=np.float64) <= tolerance + ROUNDING
    times: Floats = np.where(close.any(axis=-1), close.argmax(axis=-1), np.nan)
    return times
