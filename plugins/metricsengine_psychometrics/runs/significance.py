"""Whether a mean of paired differences is more than chance, and what remains of that where many are tested."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from metricsengine import seeds
from metricsengine.arrays import Floats, aligned, coded, finite

_BATCH = 1_000
"""Draws that are held at once."""

_ROUNDING = 1e-9
"""Sums that differ by less, relative to the largest, are equal."""


def sign_flips(values: ArrayLike, clusters: Sequence[Hashable], seed: int, draws: int = 10_000) -> tuple[float, bool]:
    """Two-sided p-value of a mean of differences, by changing the signs of whole clusters (R. A. Fisher, 1935).

    If the two sides of each pair are exchangeable, so are the signs; the differences of a cluster change theirs
    together. All ways to change them are gone through where there are at most ``draws``; otherwise that many are drawn,
    and the observed one counts among them.

    Args:
        values: Finite differences, shape (n,).
        clusters: The cluster of each, shape (n,).
        seed: Seed of the draws.
        draws: How many, at least 1.

    Returns:
        The share of ways whose mean is at least as far from 0 as the observed one, and whether all were gone through.

    Example:
        >>> sign_flips([2.0, 1.0, 1.0, 0.0], "abcd", seed=1)
        (0.25, True)
    """
    numbers = finite("values", values)
    sums = np.bincount(coded(aligned("clusters", list(clusters), len(numbers))), numbers)
    # Their own signs are as good as any; without them neither the order of the sides nor of the clusters matters.
    sizes = np.sort(np.abs(sums))
    sizes = sizes[sizes > _ROUNDING * sizes.max(initial=0)]
    least = abs(float(sums.sum())) - _ROUNDING * float(sizes.sum())
    if 2 ** len(sizes) <= draws:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(sizes)))).reshape(2 ** len(sizes), len(sizes))
        return float(np.mean(np.abs(signs @ sizes) >= least)), True
    rng = seeds.generator("sign flips", seed)
    beyond = sum(_beyond(sizes, least, min(_BATCH, draws - start), rng) for start in range(0, draws, _BATCH))
    return (1 + beyond) / (1 + draws), False


def _beyond(sizes: Floats, least: float, draws: int, rng: np.random.Generator) -> int:
    signs = 2.0 * rng.integers(2, size=(draws, len(sizes)), dtype=np.int8) - 1
    return int(np.count_nonzero(np.abs(signs @ sizes) >= least))
