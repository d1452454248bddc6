"""Requests of agents: what they write, and the questions by which it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from metricsengine import seeds
from metricsengine.model import Message, Need, Request, Sampling
from metricsengine_dynamics.prompting.options import DECODINGS, AskingConf

EXAMPLE = (
    "I have read all of this, and from what I have seen in my own life I would say that it is not that simple. There "
    "is something to learn from both sides, but in the end I know where I stand. #JustMyTwoCents"
)
"""What is written in a dry run."""


@dataclass(frozen=True)
class Asking:
    """Makes requests of texts.

    Attributes:
        conf: How agents are asked.
        seed: The run's seed.
        repeat: Which time everything is asked, from 0; each time has a seed of its own.
    """

    conf: AskingConf
    seed: int
    repeat: int = 0

    def writing(self, text: str, replicate: int = 0, example: str = "") -> Request:
        """Asks for a post, a reply or a summary.

        Args:
            text: The prompt.
            replicate: Index among the samples of this prompt, from 0.
            example: A plausible answer, for dry runs.
        """
        conf = self.conf
        return self._request(
            text, Sampling(conf.temperature, conf.top_p, max_tokens=conf.max_tokens), replicate, example
        )

    def question(self, text: str, replicate: int = 0, example: str = "") -> Request:
        """Asks a decoding question; the arguments are those of :meth:`writing`."""
        conf = self.conf
        sampling = Sampling(conf.decoding_temperature, conf.top_p, max_tokens=conf.decoding_tokens)
        return self._request(text, sampling, replicate, example)

    def scoring(self, text: str, options: tuple[str, ...], example: str = "") -> Request:
        """Asks a decoding question by the scores of its options.

        Scores know no seed, and equal texts the same ones: only a repeat measures them again.

        Args:
            text: The prompt.
            options: What may follow it.
            example: The option that a dry run takes.
        """
        return replace(self.question(text, self.repeat, example), options=options)

    def _request(self, text: str, sampling: Sampling, replicate: int, example: str) -> Request:
        prompt = (Message("user", text),) if self.conf.format == "chat" else text
        return Request(prompt, sampling, self._seed, replicate, example=example or EXAMPLE)

    @cached_property
    def _seed(self) -> int:
        return seeds.derive(self.seed, "repeat", self.repeat) if self.repeat else self.seed


def needs(conf: AskingConf) -> frozenset[Need]:
    """What a model must be able to do to be asked so."""
    asked: Need = "chat" if conf.format == "chat" else "plain"
    return frozenset({asked, "option_scores"} if conf.decoding == "scores" else {asked})


def labels(conf: AskingConf) -> Mapping[str, str]:
    """Labels of what is found where opinions are read otherwise than in the paper."""
    return {"decoding": conf.decoding} if conf.decoding != DECODINGS[0] else {}
