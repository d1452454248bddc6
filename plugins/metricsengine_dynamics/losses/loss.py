"""The contract of a loss (Sense and Sensitivity, Definition 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Opinions = NDArray[np.float64]
"""Opinions on the scale of the LLM agents, in [-5, 5]: the reference model's times 5, unrounded."""


@dataclass(frozen=True)
class Loss:
    """How far two opinions are apart.

    Attributes:
        each: From the reference model's opinions and the agents', shape (m,) each, to the losses, shape (m,), >= 0.
        unit: Unit of the mean loss.
        bounds: Smallest and largest possible mean, in its unit.
        factor: What the mean is multiplied by; 100 for percent.
        direction: How to read it.
        citation: Where it is defined.
    """

    each: Callable[[Opinions, Opinions], Opinions]
    unit: str = "1"
    bounds: tuple[float | None, float | None] = (0.0, None)
    factor: float = 1.0
    direction: str = "lower: closer to the reference model"
    citation: str = ""
