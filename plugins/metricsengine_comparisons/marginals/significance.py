"""Tests of contrasts whose covariance is estimated from few units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metricsengine.arrays import Floats


@dataclass(frozen=True)
class Part:
    """What one independent source of chance adds to contrasts.

    Attributes:
        factor: How each unit moves each contrast, shape (units, contrasts): the products of its columns are the
            estimated covariance, which is never formed.
        degrees: Degrees of freedom of that estimate, above 0.
    """

    factor: Floats
    degrees: float


@dataclass(frozen=True)
class Covariance:
    """The covariance of contrasts, as the sum of what independent sources of chance add; ``V`` below.

    Attributes:
        parts: The sources.
    """

    parts: Sequence[Part]

    @cached_property
    def trace(self) -> float:
        """The trace of V: of one contrast, its variance."""
        return float(sum(np.vdot(part.factor, part.factor) for part in self.parts))

    @cached_property
    def square(self) -> float:
        """The trace of VV."""
        return _square(np.concatenate([part.factor for part in self.parts]))

    @cached_property
    def degrees(self) -> float:
        """Degrees of freedom of the trace of V (Satterthwaite, 1946): of one difference, those of Student's t.

        Example:
            >>> Covariance([Part(np.eye(1), 4)]).degrees, Covariance([Part(np.eye(1), 4), Part(np.eye(1), 4)]).degrees
            (4.0, 8.0)
        """
        if len(self.parts) == 1:
            return self.trace**2 * self.parts[0].degrees / self.square
        return self.trace**2 / sum(_square(part.factor) / part.degrees for part in self.parts)

    @cached_property
    def t(self) -> float:
        """Quantile of Student's t with these degrees of freedom, for 95 %."""
        from scipy.special import stdtrit

        return float(stdtrit(self.degrees, 0.975))


def _square(factor: Floats) -> float:
    """The trace of the square of the products of columns; that of the products of rows is the same."""
    rows, columns = factor.shape
    products = factor @ factor.T if rows < columns else factor.T @ factor
    return float(np.vdot(products, products))


def anova_type(values: Floats, covariance: Covariance) -> float:
    """Two-sided p-value of all contrasts being 0, by their sum of squares.

    That over the trace of the covariance is about F, with degrees of freedom by Box's approximation. Of a single
    contrast of paired units it is the paired t-test; of several in repeated measures, the F test with the correction of
    Greenhouse and Geisser. It needs no inverse, and so also works for more contrasts than there are units, where a
    Wald test calls far too much significant.

    Source: E. Brunner, H. Dette, A. Munk, "Box-type approximations in nonparametric factorial designs", JASA 92(440),
    1997, 1494-1502; G. E. P. Box, Annals of Mathematical Statistics 25(2), 1954.

    Args:
        values: The contrasts, shape (contrasts,).
        covariance: Their covariance, its trace above 0.

    Example:
        >>> round(anova_type(np.array([2.776445]), Covariance([Part(np.eye(1), 4)])), 4)
        0.05
    """
    from scipy.special import fdtrc

    numerator = covariance.trace**2 / covariance.square
    return float(fdtrc(numerator, covariance.degrees, float(values @ values) / covariance.trace))
