"""Options of the studies that make, reword and annotate items."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from metricsengine.errors import require
from metricsengine.options import listed


@dataclass
class WritingConf:
    """How a model is asked to write.

    Attributes:
        items: File of an item bank (or several); empty for the chosen sets of the group ``items``.
        traits: Only these traits; empty for all.
        attempts: Most tries of one prompt, each another sample.
        temperature: Softmax temperature, >= 0.
        top_p: Nucleus mass in (0, 1].
        max_tokens: Longest reply in tokens.
        format: ``chat`` puts the prompt into a user turn; ``plain`` lets the model continue it.
    """

    items: Any = field(default_factory=list)
    traits: Any = field(default_factory=list)
    attempts: int = 3
    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 1024
    format: str = "chat"

    def __post_init__(self) -> None:
        self.items = listed("study.items", self.items, numbers=True)
        self.traits = listed("study.traits", self.traits, numbers=True)
        require(self.attempts >= 1, "study.attempts", self.attempts, "at least 1")
        require(0 <= self.temperature < float("inf"), "study.temperature", self.temperature, "a finite number >= 0")
        require(0 < self.top_p <= 1, "study.top_p", self.top_p, "in (0, 1]")
        require(self.max_tokens >= 1, "study.max_tokens", self.max_tokens, "at least 1")
        require(self.format in ("chat", "plain"), "study.format", self.format, "chat or plain")


@dataclass
class BuildConf(WritingConf):
    """Options of ``build_items`` (TRAIT, section 3.1 and Appendix K).

    Attributes:
        statements: What descriptions start from: the statements of the ``items``, or the
            questionnaire's ``explanations`` of the traits.
        n: Items wanted of each trait, at least 1.
        levels: Of which level the personality descriptions are: ``high``, ``low``.
        statements_at_once: Statements in one prompt; the paper shows eight.
        descriptions: Descriptions asked for in one prompt; the paper asks for 240.
        situations: File of situation seeds, as ATOMIC10x has them (head, relation, tail); empty for our own.
        candidates: Seeds that the model may pick from for one description.
        picked: Seeds that it is to pick.
        names: What PersonY (and PersonZ) is called, drawn for each scenario; empty leaves the letter.
        max_words: Longest option in words.
        similarity: Two texts whose words overlap more than this (Jaccard) count as the same.
        check_levels: Ask the model of each option whether it is what someone high or low would do, and drop items in
            which one is not what it was written for.
        source: Folder of a run whose items were reviewed; nothing is asked then.
        review: The reviewed sheet: its listing ``review`` with the column ``accept`` filled in.
    """

    statements: str = "items"
    n: int = 1000
    levels: Any = field(default_factory=lambda: ["high"])
    statements_at_once: int = 8
    descriptions: int = 240
    situations: str = ""
    candidates: int = 20
    picked: int = 5
    names: list[str] = field(
        default_factory=lambda: ["Amara", "Boris", "Chen", "Dalia", "Emeka", "Freya", "Ivo", "Noor"]
    )
    max_words: int = 15
    similarity: float = 0.8
    check_levels: bool = False
    source: str = ""
    review: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.levels = listed("study.levels", self.levels, numbers=True)
        require(
            self.statements in ("items", "explanations"), "study.statements", self.statements, "items or explanations"
        )
        require(bool(self.levels) and set(self.levels) <= {"high", "low"}, "study.levels", self.levels, "of high, low")
        for key in ("n", "statements_at_once", "descriptions", "candidates", "picked", "max_words"):
            require(getattr(self, key) >= 1, f"study.{key}", getattr(self, key), "at least 1")
        require(
            self.picked <= self.candidates, "study.picked", self.picked, f"at most study.candidates={self.candidates}"
        )
        require(0 < self.similarity <= 1, "study.similarity", self.similarity, "in (0, 1]")
        require(
            bool(self.source) == bool(self.review),
            "study.review",
            repr(self.review),
            "given together with study.source",
        )


@dataclass
class BankConf(WritingConf):
    """What a study that works through a bank has besides.

    Attributes:
        n: Most items of a trait; 0 for all.
    """

    n: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.n >= 0, "study.n", self.n, "at least 0")


@dataclass
class ParaphraseConf(BankConf):
    """Options of ``paraphrase_items`` (TRAIT, Table 25d)."""

    max_tokens: int = 256


@dataclass
class AnnotateConf(BankConf):
    """Options of ``annotate_facets`` (TRAIT, section 2.3 and Table 1).

    Attributes:
        answer: ``scores`` of the letters, or a written ``text``.
        orders: Order of the facets: ``normal``, ``reversed``; the answers are averaged.
    """

    attempts: int = 1
    answer: str = "scores"
    orders: Any = field(default_factory=lambda: ["normal", "reversed"])
    max_tokens: int = 48

    def __post_init__(self) -> None:
        super().__post_init__()
        self.orders = listed("study.orders", self.orders, numbers=True)
        require(self.answer in ("scores", "text"), "study.answer", self.answer, "scores or text")
        known = {"normal", "reversed"}
        require(bool(self.orders) and set(self.orders) <= known, "study.orders", self.orders, "of normal, reversed")


@dataclass
class YieldConf:
    """The yield has no options."""


@dataclass
class FacetAgreementConf:
    """The agreement of facets has no options."""
