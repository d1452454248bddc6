"""What a job will ask: its study run dry, on stored answers where there are some and on example replies elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from metricsengine.elicit import drive
from metricsengine.fallback import Fallback, read, rewritten
from metricsengine.keys import key
from metricsengine.model import ModelAdapter, OptionScore, Outcome, Request, Response
from metricsengine.preflight import Job
from metricsengine.store import ResponseStore

CHARACTERS = 4
"""Characters of a prompt that make a token, roughly: what is known before a tokenizer has counted."""


@dataclass
class Forecast:
    """What will be asked. Tokens are those of requests that are not in the store, and estimated.

    Attributes:
        requests: Requests of the study.
        stored: Requests whose answer is in the store.
        calls: Requests that a model will be sent; equal ones count once.
        rounds: Rounds of requests.
        exact: Whether ``calls`` is exact. Where later requests depend on answers that are not there yet it is an upper
            bound: examples take the longest branch, and requests that turn out equal are asked once.
        prompt_tokens: Tokens of the prompts, four characters each.
        completion_tokens: Most tokens of the replies, ``max_tokens`` each; scored options have one.
    """

    requests: int = 0
    stored: int = 0
    calls: int = 0
    rounds: int = 0
    exact: bool = True
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Forecast) -> Forecast:
        return Forecast(
            self.requests + other.requests,
            self.stored + other.stored,
            self.calls + other.calls,
            max(self.rounds, other.rounds),
            self.exact and other.exact,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def to_json(self) -> dict[str, Any]:
        """As ``metricsengine plan --json`` prints it."""
        return asdict(self)


def forecast(job: Job) -> Forecast:
    """Run a job's study dry. Nothing is asked; a study that needs no model asks nothing.

    Example:
        A study of 4 prompts of which 1 was asked before: ``Forecast(requests=4, stored=1, calls=3, ...)``.
    """
    if job.adapter is None or job.recorded is not None:
        return Forecast()
    dry = _DryAsker(job.adapter, job.store, job.fit.fallbacks if job.fit else ())
    drive(job.study.run(), dry)
    return dry.forecast


class _DryAsker:
    """Answers from the store or by example, and counts what a model would have been asked."""

    def __init__(self, adapter: ModelAdapter, store: ResponseStore, fallbacks: Sequence[Fallback]) -> None:
        self._adapter = adapter
        self._identity = adapter.identity
        self._store = store
        self._fallbacks = fallbacks
        self._counted: set[bytes] = set()
        self.forecast = Forecast()

    def __call__(self, requests: Sequence[Request]) -> list[Response]:
        if not requests:
            return []
        asked = [rewritten(request, self._fallbacks) for request in requests]
        rendered = {prompt: self._adapter.render(r) for prompt, r in {r.prompt: r for r in asked}.items()}
        keys = [key(self._identity, rendered[request.prompt], request) for request in asked]
        found = self._store.get(keys)
        guessed = bool(self._counted)  # prompts may rest on examples, so that equal ones need not be equal in the end
        self.forecast.requests += len(requests)
        self.forecast.rounds += 1
        self.forecast.exact &= not guessed
        for request, k in zip(asked, keys, strict=True):
            if k in found:
                self.forecast.stored += 1
            elif guessed or k not in self._counted:
                self._count(request, rendered[request.prompt])
                self._counted.add(k)
        return [
            read(original, found.get(k) or _example(request), self._fallbacks)
            for original, request, k in zip(requests, asked, keys, strict=True)
        ]

    def _count(self, request: Request, rendered: str) -> None:
        self.forecast.calls += 1
        self.forecast.prompt_tokens += math.ceil(len(rendered) / CHARACTERS)
        self.forecast.completion_tokens += 1 if request.options else request.sampling.max_tokens


def _example(request: Request) -> Response:
    if not request.options:
        text = request.example or "An example of a reply."
        return Response(Outcome.ANSWERED, text, finish_reason="stop")
    likely = request.example if request.example in request.options else request.options[0]
    share = 0.5 / len(request.options)  # so that no others together are as likely
    scores = tuple(OptionScore(option, 0.5 + share if option == likely else share) for option in request.options)
    return Response(Outcome.ANSWERED, finish_reason="scored", scores=scores)
