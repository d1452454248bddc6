"""Tests of contrasts whose covariance is estimated from few units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metricsengine.arrays import Floats


@dataclass(frozen=True)
class Part:
    """What one independent source of chance adds to contrasts.

    Attributes:
        covariance: Estimated covariance that it gives them, shape (contrasts, contrasts).
        degrees: Degrees of freedom of that estimate, above 0.
    """

    covariance: Floats
    degrees: float


def total(parts: Sequence[Part]) -> Floats:
    """The covariance of all of them."""
    return np.asarray(np.sum([part.covariance for part in parts], axis=0), dtype=np.float64)


def degrees(parts: Sequence[Part]) -> float:
    """Degrees of freedom of the trace of their sum (Satterthwaite, 1946): of one difference, those of Student's t.

    Example:
        >>> degrees([Part(np.eye(1), 4)]), degrees([Part(np.eye(1), 4), Part(np.eye(1), 4)])
        (4.0, 8.0)
    """
    whole = np.trace(total(parts)) ** 2
    return float(whole / sum(np.sum(part.covariance**2) / part.degrees for part in parts))


def anova_type(values: Floats, parts: Sequence[Part]) -> float:
    """Two-sided p-value of all contrasts being 0, by their sum of squares.

    That over the trace of the covariance is about F, with degrees of freedom by Box's approximation. Of a single
    contrast of paired units it is the paired t-test; of several in repeated measures, the F test with the correction of
    Greenhouse and Geisser. It needs no inverse, and so also works for more contrasts than there are units, where a
    Wald test calls far too much significant.

    Source: E. Brunner, H. Dette, A. Munk, "Box-type approximations in nonparametric factorial designs", JASA 92(440),
    1997, 1494-1502; G. E. P. Box, Annals of Mathematical Statistics 25(2), 1954.

    Args:
        values: The contrasts, shape (contrasts,).
        parts: Sources of their chance, the trace of their covariance above 0.

    Example:
        >>> round(anova_type(np.array([2.776445]), [Part(np.eye(1), 4)]), 4)
        0.05
    """
    from scipy.special import fdtrc

    covariance = total(parts)
    trace = float(np.trace(covariance))
    numerator = trace**2 / float(np.sum(covariance**2))
    return float(fdtrc(numerator, degrees(parts), float(values @ values) / trace))
