"""Options of the framing trials and of their metric."""

from __future__ import annotations

from dataclasses import dataclass

from metricsengine.errors import require
from metricsengine_dynamics.prompting.options import AskingConf

_WHY_TEXT = "several answers of readers begin alike (strong disagree, strong agree), and scores tell no such apart"


@dataclass
class FramingConf(AskingConf):
    """Options of ``opinion_framing`` (Sense and Sensitivity, section 5 and Fig. 4e).

    An author's post is drawn like any other post. A reader answers with a point of a scale, which is drawn like an
    answer to a decoding question, always in writing.

    Attributes:
        n: Trials of each cell: pairs of an author and a reader, who are the same in all cells and variants.
    """

    n: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.decoding == "text", "study.decoding", self.decoding, f"text: {_WHY_TEXT}")
        require(self.n >= 1, "study.n", self.n, "at least 1")


@dataclass
class NegativityBiasConf:
    """The negativity bias has no options."""
