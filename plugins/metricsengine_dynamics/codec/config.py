"""Options of the codec trials and of their metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from metricsengine.errors import ConfigError, require
from metricsengine.options import listed
from metricsengine_dynamics.prompting.options import AskingConf
from metricsengine_dynamics.study.config import ENCODINGS

HIGHEST = 5
"""The strongest opinion for the positive pole; its negative is the strongest for the other."""


@dataclass
class CodecConf(AskingConf):
    """Options of ``opinion_codec`` (Sense and Sensitivity, Definition 4 and Fig. 4c).

    Attributes:
        encodings: ``discrete`` words an opinion by the scale's phrases, ``scalar`` leaves the number to the model.
        opinions: Opinions that are encoded, each on -5 to 5; all count alike. ``discrete`` has phrases for whole
            numbers only.
        n: Posts of each opinion: one each of ``n`` personas, who are the same for every opinion, encoding and variant.
    """

    encodings: Any = field(default_factory=lambda: list(ENCODINGS))
    opinions: Any = field(default_factory=lambda: list(range(-HIGHEST, HIGHEST + 1)))
    n: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        self.encodings = listed("study.encodings", self.encodings)
        require(bool(self.encodings), "study.encodings", "[]", f"at least one of {', '.join(ENCODINGS)}")
        for encoding in self.encodings:
            require(encoding in ENCODINGS, "study.encodings", encoding, f"one of {', '.join(ENCODINGS)}")
        self.opinions = _opinions(self.opinions)
        whole = all(opinion.is_integer() for opinion in self.opinions)
        require(
            whole or "discrete" not in self.encodings,
            "study.opinions",
            self.opinions,
            "whole numbers, unless study.encodings=scalar",
        )
        require(self.n >= 1, "study.n", self.n, "at least 1")


def _opinions(given: object) -> list[float]:
    """One number or a list of them, each once, in ascending order."""
    values = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    found = {_opinion(value) for value in values}
    require(bool(found), "study.opinions", "[]", "at least one number")
    return sorted(found)


def _opinion(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError(f"study.opinions must be a number or a list of numbers, got {value!r}")
    require(-HIGHEST <= value <= HIGHEST, "study.opinions", value, f"from -{HIGHEST} to {HIGHEST}")
    return float(value) + 0.0  # no negative zero


@dataclass
class CodecErrorConf:
    """The codec error has no options."""
