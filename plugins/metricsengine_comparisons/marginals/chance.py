"""What chance does to weighted sums of cells: intervals and tests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from metricsengine.aggregate import FEW
from metricsengine.arrays import Floats
from metricsengine_comparisons.marginals.significance import Covariance, anova_type

ROUNDING = 1e-12
"""What is no larger beside the values is nothing."""


@dataclass(frozen=True)
class Chance:
    """What chance does to some weighted sums of cells.

    Attributes:
        method: How it is known, or why it is not.
        covariance: What is known of it; None where nothing is.
        moved: How far each resample moves a single sum; of several, the root mean square of how far it moves them.
            None where nothing is known, or for a single sum where that is normal.
        units: Least number of units, or of what a standard error rests on.
        scale: Size of the values that are summed.
        resampled: Whether units were resampled.
    """

    method: str
    covariance: Covariance | None = None
    moved: Floats | None = None
    units: int = 0
    scale: float = 1.0
    resampled: bool = False

    @property
    def flags(self) -> tuple[str, ...]:
        """A warning where it rests on few units."""
        return ("few_units",) if self.covariance and self.units < FEW else ()

    @cached_property
    def spreads(self) -> bool:
        """Whether anything differs among the units."""
        return self.covariance is not None and math.sqrt(self.covariance.trace) > ROUNDING * self.scale

    @property
    def nothing(self) -> str:
        """Why there is no interval."""
        return self.method if self.covariance is None else "none: all units are alike, and chance would have no width"

    def signed(self, value: float) -> dict[str, Any]:
        """Interval of a single sum as fields of an estimate.

        Of resampled units percentiles, taken as much farther out as Student's t is wider than the bootstrap's normal:
        with few units plain percentiles cover too little (T. C. Hesterberg, The American Statistician 69(4), 2015).
        """
        from scipy.special import ndtr

        if not self.spreads or self.covariance is None:
            return {"interval": self.nothing}
        t, free = self.covariance.t, self.covariance.degrees
        if self.moved is not None:
            tail = float(ndtr(-t * math.sqrt((free + 1) / free)))
            low, high = value + np.quantile(self.moved, [tail, 1 - tail])
        else:
            half = t * math.sqrt(self.covariance.trace)
            low, high = value - half, value + half
        return {"low": min(low, value), "high": max(high, value), "interval": self.method}

    def size(self, value: float) -> dict[str, Any]:
        """Interval of the root mean square of the sums as fields of an estimate.

        Chance alone raises it, and it cannot fall below 0: quantiles of what it is in resamples would lie too high. But
        the sizes of two vectors differ by no more than the size of their difference. So the interval is as wide on
        both sides as the 95 % quantile of the latter, and ends at 0; it covers at least what it says.
        """
        from scipy.special import ndtri

        if not self.spreads or self.covariance is None or self.moved is None:
            return {"interval": self.nothing}
        t, free = self.covariance.t, self.covariance.degrees
        wider = t / float(ndtri(0.975)) * (math.sqrt((free + 1) / free) if self.resampled else 1.0)
        half = wider * float(np.quantile(np.abs(self.moved), 0.95))
        return {"low": max(0.0, value - half), "high": value + half, "interval": self.method}

    def p(self, values: Floats) -> tuple[float | None, str]:
        """p-value of all sums being 0, and by which test; or None, and why there is none."""
        moves = bool(np.abs(values).max() > ROUNDING * self.scale)
        if self.covariance is None:
            return None, self.method.removeprefix("none: ")
        if self.spreads:
            test = "Student's t" if len(values) == 1 else "ANOVA-type F"
            return anova_type(values, self.covariance), f"{test}, {self.covariance.degrees:.3g} degrees of freedom"
        if not moves:
            return None, "alike in every unit: there is nothing to test"
        if not self.resampled:
            return None, "standard errors of 0"
        return 2.0 ** (1 - self.units), f"sign changes of {self.units} units that all differ alike"
