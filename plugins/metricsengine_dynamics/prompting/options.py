"""Options that all studies of agents share: which prompts, which personas, how replies are drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from metricsengine.errors import require
from metricsengine.options import listed

DECODINGS = ("text", "scores")


@dataclass
class AskingConf:
    """How agents are asked.

    Attributes:
        prompts: Prompt sets that one job compares, by name (``base``, ``newline``, ``base+case``); empty for the
            chosen set, ``prompt=NAME``.
        persona_file: File of personas in the format of PersonaChat; empty for the chosen set, ``agent_persona=NAME``.
        repeats: How often everything is asked, each time under another seed; two or more show the noise floor.
        temperature: Softmax temperature of posts, replies and summaries, >= 0.
        top_p: Nucleus mass, in (0, 1].
        max_tokens: Longest post, reply or summary in tokens.
        decoding: How decoding questions are answered: ``text``, in writing, as in the paper; or ``scores``, by the
            answer to which the model gives the highest probability, so that there is one however the model rambles.
            How little that probability may be, no reading shows; ``study=opinion_codec`` shows what it is worth.
            Answers are told by how they begin. A question whose labels begin alike, such as the eleven of
            ``prompt=logic`` ("a bit against", "a bit in favor of"), is answered in writing all the same.
        decoding_temperature: Softmax temperature of written answers to decoding questions, >= 0.
        decoding_tokens: Longest written answer to a decoding question in tokens.
        format: ``chat`` puts each prompt into a user turn, ``plain`` lets the model continue it.
    """

    prompts: Any = field(default_factory=list)
    persona_file: str = ""
    repeats: int = 1
    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 256
    decoding: str = "text"
    decoding_temperature: float = 0.0
    decoding_tokens: int = 32
    format: str = "chat"

    def __post_init__(self) -> None:
        self.prompts = listed("study.prompts", self.prompts)
        require(self.repeats >= 1, "study.repeats", self.repeats, "at least 1")
        for key in ("temperature", "decoding_temperature"):
            value = getattr(self, key)
            require(0 <= value < float("inf"), f"study.{key}", value, "a finite number >= 0")
        require(0 < self.top_p <= 1, "study.top_p", self.top_p, "in (0, 1]")
        for key in ("max_tokens", "decoding_tokens"):
            require(getattr(self, key) >= 1, f"study.{key}", getattr(self, key), "at least 1")
        require(self.decoding in DECODINGS, "study.decoding", self.decoding, f"one of {', '.join(DECODINGS)}")
        require(self.format in ("chat", "plain"), "study.format", self.format, "chat or plain")
