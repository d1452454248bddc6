"""Options of the rating of personas."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from metricsengine.errors import require
from metricsengine.options import listed
from metricsengine_psychometrics.traits import TRAITS


@dataclass
class RateConf:
    """Options of ``rate_personas`` (TRAIT, G.4).

    Attributes:
        personas: File of personas: CSV, JSONL or Parquet with a column ``persona`` or ``text`` (the description) and,
            where there are, ``name`` and ``group``; empty for the chosen sets of the group ``persona``.
        traits: Traits that are rated.
        answer: ``scores`` of the five points, or a written ``text``.
        samples: Ratings of each persona and trait (``text``).
        temperature: Softmax temperature of replies, >= 0.
        top_p: Nucleus mass of replies, in (0, 1].
        max_tokens: Longest reply in tokens.
        format: ``chat`` puts the prompt into a user turn; ``plain`` lets the model continue it.
    """

    personas: str = ""
    traits: Any = field(default_factory=lambda: list(TRAITS))
    answer: str = "scores"
    samples: int = 1
    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 32
    format: str = "chat"

    def __post_init__(self) -> None:
        self.traits = listed("study.traits", self.traits, numbers=True)
        require(bool(self.traits), "study.traits", "[]", "at least one trait")
        require(self.answer in ("scores", "text"), "study.answer", self.answer, "scores or text")
        require(self.samples >= 1, "study.samples", self.samples, "at least 1")
        require(0 <= self.temperature < float("inf"), "study.temperature", self.temperature, "a finite number >= 0")
        require(0 < self.top_p <= 1, "study.top_p", self.top_p, "in (0, 1]")
        require(self.max_tokens >= 1, "study.max_tokens", self.max_tokens, "at least 1")
        require(self.format in ("chat", "plain"), "study.format", self.format, "chat or plain")


@dataclass
class PersonaTraitConf:
    """The traits of personas have no options."""
