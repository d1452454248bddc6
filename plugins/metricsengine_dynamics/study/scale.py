"""The scale of the LLM agents' opinions, -5 to 5, beside that of the reference models, -1 to 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Opinions = NDArray[np.float64]

FACTOR = 5
"""What a reference model's opinion is multiplied by."""

_DECIMALS = 9
"""0.4 and 0.6 have the mean 0.5 and a half stays a half, whatever the last binary digit says."""


def whole(x: Opinions) -> Opinions:
    """The labels that are nearest to opinions in [-1, 1], shape (n,): whole numbers of -5 to 5, halves to even.

    Example:
        >>> whole(np.array([-1.0, -0.05, 0.1, 0.3, 0.5]))
        array([-5.,  0.,  0.,  2.,  2.])
    """
    labels: Opinions = np.rint(np.round(FACTOR * x, _DECIMALS)) + 0.0  # no minus zero
    return labels


def coarse(x: Opinions) -> Opinions:
    """Opinions in [-1, 1] as they are once they were put into labels."""
    return whole(x) / FACTOR
