"""Options of the paraphrases of prompts."""

from __future__ import annotations

from dataclasses import dataclass, field

from metricsengine.errors import require


@dataclass
class ParaphraseConf:
    """Options of ``paraphrase_prompts``.

    Attributes:
        group: Group of the sets, such as ``context`` or ``prompt``.
        prompts: Names of the sets; a perturbed one (``NAME+PERTURBATION``) is paraphrased as it is perturbed.
        n: Paraphrases wanted of each text, and so new sets of each set, at least 1.
        attempts: Most rounds of asking for a text; each asks for as many paraphrases as are still wanted.
        temperature: Softmax temperature, >= 0; at 0 all paraphrases of a text are the same.
        top_p: Nucleus mass in (0, 1].
        max_tokens: Longest reply in tokens.
        format: ``chat`` puts the prompt into a user turn; ``plain`` lets the model continue it.
    """

    group: str = "context"
    prompts: list[str] = field(default_factory=lambda: ["online_forum"])
    n: int = 2
    attempts: int = 3
    temperature: float = 0.9
    top_p: float = 1.0
    max_tokens: int = 512
    format: str = "chat"

    def __post_init__(self) -> None:
        require(bool(self.prompts), "study.prompts", "[]", "at least one name of a set")
        for key in ("n", "attempts", "max_tokens"):
            require(getattr(self, key) >= 1, f"study.{key}", getattr(self, key), "at least 1")
        require(0 <= self.temperature < float("inf"), "study.temperature", self.temperature, "a finite number >= 0")
        require(0 < self.top_p <= 1, "study.top_p", self.top_p, "in (0, 1]")
        require(self.format in ("chat", "plain"), "study.format", self.format, "chat or plain")


@dataclass
class YieldConf:
    """The yield has no options."""
