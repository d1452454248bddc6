"""Options of the personality study."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from metricsengine.errors import require
from metricsengine.options import listed

ORDERS, WORDINGS = ("normal", "reversed"), ("original", "paraphrase")
LEVELS, MODES = ("none", "high", "low"), ("scores", "text", "open")


@dataclass
class PersonalityConf:
    """Options of the study (TRAIT, sections 2 to 4).

    The keys in the plural, and ``answer``, hold conditions: one value or a list, and every combination is asked.

    Attributes:
        items: File of an item bank (or several); empty for the chosen sets of the group ``items``.
        traits: Only the items of these traits; empty for all.
        n: Most items of a trait, drawn by whole descriptions as far as these fit; 0 for all.
        templates: Prompt templates of the questionnaire, by name; ``NAME+PERTURBATION`` is one with its text perturbed.
        orders: Order of the options: ``normal``, ``reversed``; of multiple-choice items the two arrangements.
        wordings: ``original``, ``paraphrase``.
        induce: Induced level of a trait: ``none``, ``high``, ``low``.
        induced_traits: Traits that are induced; empty for those of the items.
        induced_items: What is asked of an induced personality: items of its ``own`` trait, or ``all``.
        techniques: Prompting techniques of the questionnaire, by name.
        answer: ``scores`` of the options, a written ``text`` that chooses one, or ``open`` advice without options.
        repeats: How often everything is asked, each time under another seed; two or more show the noise floor.
        samples: Replies to each prompt (``text``, ``open``).
        temperature: Softmax temperature of replies, >= 0.
        top_p: Nucleus mass of replies, in (0, 1].
        max_tokens: Longest reply in tokens.
        format: ``chat`` puts the prompt into a user turn and the induced personality into a system turn; ``plain``
            lets the model continue them.
    """

    items: Any = field(default_factory=list)
    traits: Any = field(default_factory=list)
    n: int = 0
    templates: Any = field(default_factory=lambda: ["1"])
    orders: Any = field(default_factory=lambda: list(ORDERS))
    wordings: Any = field(default_factory=lambda: ["original"])
    induce: Any = field(default_factory=lambda: ["none"])
    induced_traits: Any = field(default_factory=list)
    induced_items: str = "own"
    techniques: Any = field(default_factory=lambda: ["1"])
    answer: Any = field(default_factory=lambda: ["scores"])
    repeats: int = 1
    samples: int = 1
    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 64
    format: str = "chat"

    def __post_init__(self) -> None:
        for key in ("items", "traits", "templates", "orders", "wordings", "induce", "induced_traits", "techniques"):
            setattr(self, key, listed(f"study.{key}", getattr(self, key), numbers=True))
        self.answer = listed("study.answer", self.answer, numbers=True)
        for key, known in (("orders", ORDERS), ("wordings", WORDINGS), ("induce", LEVELS), ("answer", MODES)):
            require(bool(chosen := getattr(self, key)), f"study.{key}", chosen, "at least one value")
            for value in chosen:
                require(value in known, f"study.{key}", value, f"of {', '.join(known)}")
        for key in ("templates", "techniques"):
            require(bool(getattr(self, key)), f"study.{key}", "[]", "at least one name")
        require(self.n >= 0, "study.n", self.n, "at least 0")
        require(self.induced_items in ("own", "all"), "study.induced_items", self.induced_items, "own or all")
        require(self.repeats >= 1, "study.repeats", self.repeats, "at least 1")
        require(self.samples >= 1, "study.samples", self.samples, "at least 1")
        require(0 <= self.temperature < float("inf"), "study.temperature", self.temperature, "a finite number >= 0")
        require(0 < self.top_p <= 1, "study.top_p", self.top_p, "in (0, 1]")
        require(self.max_tokens >= 1, "study.max_tokens", self.max_tokens, "at least 1")
        require(self.format in ("chat", "plain"), "study.format", self.format, "chat or plain")
