"""What a job will ask: its study run dry, on stored answers where there are some and on example replies elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import asdict, dataclass, field
from typing import Any

from metricsengine.elicit import drive
from metricsengine.fallback import Fallback, read, rewritten
from metricsengine.keys import key
from metricsengine.model import ModelAdapter, OptionScore, Outcome, Request, Response
from metricsengine.preflight import Job
from metricsengine.records import Tables
from metricsengine.store import ResponseStore

CHARACTERS = 4
"""Characters of a prompt that make a token, roughly: what is known before a tokenizer has counted."""


@dataclass
class Forecast:
    """What will be asked. Tokens are those of the calls, and estimated.

    Attributes:
        requests: Requests of the study.
        stored: Requests whose answer is in the store.
        shared: Further requests that an earlier job of the plan asks, so that their answers will be in the store.
        calls: Requests that a model will be sent; equal ones count once.
        rounds: Rounds of requests.
        exact: Whether ``requests`` and ``calls`` are exact. Where later requests depend on answers that are not there
            yet they are estimates, as good as the study's examples. Mostly fewer are asked: examples should take the
            longest branch, and requests that turn out equal, in this job or in an earlier one, are asked once.
        prompt_tokens: Tokens of the prompts, four characters each.
        completion_tokens: Most tokens of the replies, ``max_tokens`` each; scored options have one.
    """

    requests: int = 0
    stored: int = 0
    shared: int = 0
    calls: int = 0
    rounds: int = 0
    exact: bool = True
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Forecast) -> Forecast:
        return Forecast(
            self.requests + other.requests,
            self.stored + other.stored,
            self.shared + other.shared,
            self.calls + other.calls,
            max(self.rounds, other.rounds),
            self.exact and other.exact,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def to_json(self) -> dict[str, Any]:
        """As ``metricsengine plan --json`` prints it."""
        return asdict(self)


@dataclass(frozen=True)
class Dry:
    """A study that was run dry.

    Attributes:
        forecast: What it will ask.
        tables: Its record tables, as they would be if every request were answered; none where nothing was run.
    """

    forecast: Forecast = field(default_factory=Forecast)
    tables: Tables = field(default_factory=dict)


class DryRuns:
    """Dry runs of the jobs of one plan, one after the other: what one asks, later ones will find in the store.

    That two jobs share a request is certain where its prompt rests on no example, or where the jobs differ in nothing
    that decides what is asked, such as in their metrics: then they share all requests, whatever is answered. Prompts
    that rest on examples may be equal now and differ when asked; they are never taken for shared.
    """

    def __init__(self) -> None:
        self._asked: set[bytes] = set()
        self._studies: list[object] = []

    def of(self, job: Job) -> Dry:
        """Run a job's study dry. Nothing is asked; a study that needs no model is not run."""
        if job.recorded is not None:
            return Dry(tables=job.recorded)
        if job.adapter is None:
            return Dry()
        study = _decisive(job)
        dry = _dry(job, job.adapter, self._asked, again=study in self._studies)
        tables = drive(job.study.run(), dry)
        self._studies.append(study)
        self._asked |= dry.certain
        return Dry(dry.forecast, tables)


def forecast(job: Job) -> Forecast:
    """What a job by itself will ask. Nothing is asked; a study that needs no model asks nothing.

    Example:
        A study of 4 prompts of which 1 was asked before: ``Forecast(requests=4, stored=1, calls=3, ...)``.
    """
    if job.adapter is None or job.recorded is not None:
        return Forecast()
    dry = _dry(job, job.adapter, frozenset())
    drive(job.study.run(), dry)
    return dry.forecast


def _decisive(job: Job) -> object:
    """All that decides what a job's study asks, whatever is answered."""
    settings = job.run.settings
    return (
        job.spec.name,
        settings.study,
        settings.seed,
        {group: [chosen.file for chosen in sets] for group, sets in settings.sets.items()},
        {kind: settings.parts.get(kind) for kind in job.spec.parts},
        settings.encoder if job.spec.encoder else None,
        settings.model,
        job.adapter and job.adapter.identity,
        job.fit,
    )


def _dry(job: Job, adapter: ModelAdapter, asked: Set[bytes], *, again: bool = False) -> _DryAsker:
    return _DryAsker(adapter, job.store, job.fit.fallbacks if job.fit else (), _Before(asked, again))


@dataclass(frozen=True)
class _Before:
    """What earlier jobs of a plan ask.

    Attributes:
        keys: Of requests whose prompts rest on no example.
        all: Whether one of them asks all that this job does.
    """

    keys: Set[bytes]
    all: bool


class _DryAsker:
    """Answers from the store or by example, and counts what a model would have been asked.

    Attributes:
        forecast: What was counted.
        certain: Keys of all requests so far whose prompts rest on no example.
    """

    def __init__(
        self, adapter: ModelAdapter, store: ResponseStore, fallbacks: Sequence[Fallback], before: _Before
    ) -> None:
        self._adapter = adapter
        self._identity = adapter.identity
        self._store = store
        self._fallbacks = fallbacks
        self._before = before
        self._guessing = False  # once it does, equal prompts need not be equal in the end
        self.forecast = Forecast()
        self.certain: set[bytes] = set()

    def __call__(self, requests: Sequence[Request]) -> list[Response]:
        if not requests:
            return []
        asked = [rewritten(request, self._fallbacks) for request in requests]
        rendered = {prompt: self._adapter.render(r) for prompt, r in {r.prompt: r for r in asked}.items()}
        keys = [key(self._identity, rendered[request.prompt], request) for request in asked]
        found = self._store.get(keys)
        self.forecast.requests += len(requests)
        self.forecast.rounds += 1
        self.forecast.exact &= not self._guessing
        for request, k in zip(asked, keys, strict=True):
            if k in found:
                self.forecast.stored += 1
            elif self._before.all or (not self._guessing and k in self._before.keys):
                self.forecast.shared += 1
            elif self._guessing or k not in self.certain:
                self._count(request, rendered[request.prompt])
            if not self._guessing:
                self.certain.add(k)
        self._guessing = self._guessing or len(found) < len(set(keys))
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
