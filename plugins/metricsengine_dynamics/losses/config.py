"""Options of the losses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class DistanceConf:
    """The distance has no options (Sense and Sensitivity, Table 5)."""


@dataclass
class PolarityConf:
    """Options of the polarity (Sense and Sensitivity, Table 6).

    Attributes:
        neutral: Up to which size an opinion of the reference model, on -5 to 5, counts as neutral.
    """

    neutral: float = 0.5
