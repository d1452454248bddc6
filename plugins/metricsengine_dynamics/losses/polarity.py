"""Whether two opinions are for different sides."""

from __future__ import annotations

from functools import partial

import numpy as np

from metricsengine.errors import require
from metricsengine_dynamics.losses.loss import Loss, Opinions

NEUTRAL = 0.5
_ROUNDING = 1e-12


def mismatch(reference: Opinions, agents: Opinions, neutral: float = NEUTRAL) -> Opinions:
    """1 where signs differ, 0 where they agree, each of -1, 0 and 1 (Sense and Sensitivity, Table 6).

    Args:
        reference: The reference model's opinions times 5, unrounded, shape (m,); those of at most ``neutral`` in size
            (up to 1e-12, as they are computed) count as 0.
        agents: The agents' opinions on -5 to 5, shape (m,), of which only the sign counts.
        neutral: Half the width of the band that counts as neutral, >= 0.

    Returns:
        Zeros and ones, shape (m,).

    Example:
        >>> mismatch(np.array([0.5, 0.6, -3.0]), np.array([0.0, 0.0, -1.0]))
        array([0., 1., 0.])
    """
    sides = np.where(abs(reference) <= neutral + _ROUNDING, 0.0, np.sign(reference))
    differ: Opinions = (sides != np.sign(agents)).astype(np.float64)
    return differ


def polarity(neutral: float = NEUTRAL) -> Loss:
    """The loss whose mean is the share of updates with different signs, in percent.

    Raises:
        ConfigError: The band is wider than the scale, or narrower than nothing.
    """
    require(0 <= neutral <= 5, "loss.polarity.neutral", neutral, "from 0 to 5")
    return Loss(
        partial(mismatch, neutral=neutral),
        unit="%",
        bounds=(0.0, 100.0),
        factor=100.0,
        citation="Sense and Sensitivity, Table 6",
    )
