"""Asking: a study's rounds, answered from the store where it can and by the model where it must."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from metricsengine.errors import ModelError
from metricsengine.keys import Entry, key
from metricsengine.model import ModelAdapter, Outcome, Request, Response
from metricsengine.store import ResponseStore
from metricsengine.study import Rounds
from metricsengine.terminal import EngineProgress

T = TypeVar("T")


def drive(rounds: Rounds[T], ask: Callable[[Sequence[Request]], Sequence[Response]]) -> T:
    """Carry a conversation to its end.

    Example:
        >>> def study():
        ...     [reply] = yield [Request("How are you?")]
        ...     return reply.text
        >>> drive(study(), lambda requests: [Response(Outcome.ANSWERED, "Fine.") for _ in requests])
        'Fine.'
    """
    try:
        requests = next(rounds)
        while True:
            requests = rounds.send(ask(requests))
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        rounds.close()


class Asker:
    """Answers rounds of requests and keeps count.

    Args:
        adapter: Answers what the store does not hold.
        store: Where every response is kept, as soon as it is there.
        progress: Shows how far it is.
        on_stored: Called with each batch of new responses, after it was stored.

    Attributes:
        outcomes: Requests by outcome.
        hits: Requests answered from the store.
        misses: Requests that were sent to the model.
        reasons: Why requests ended in an error, with how many did.
    """

    def __init__(
        self,
        adapter: ModelAdapter,
        store: ResponseStore,
        progress: EngineProgress,
        on_stored: Callable[[Sequence[Response]], None],
    ) -> None:
        self._adapter = adapter
        self._store = store
        self._progress = progress
        self._on_stored = on_stored
        self.outcomes: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.hits = 0
        self.misses = 0

    def __call__(self, requests: Sequence[Request]) -> list[Response]:
        """Responses in the order of the requests; equal requests are asked once.

        Raises:
            ModelError: The model cannot go on, or left a request without an answer.
        """
        keys = self._keys(requests)
        found = self._store.get(keys)
        self.hits += sum(k in found for k in keys)
        missing = {k: request for k, request in zip(keys, requests, strict=True) if k not in found}
        self.misses += len(missing)
        if missing:
            found |= self._ask(missing)
        responses = [found[k] for k in keys]
        self.outcomes.update(str(response.outcome) for response in responses)
        self.reasons.update(response.reason for response in responses if response.outcome is Outcome.ERROR)
        return responses

    def _ask(self, missing: dict[bytes, Request]) -> dict[bytes, Response]:
        keys, requests = list(missing), list(missing.values())
        answered: dict[bytes, Response] = {}
        self._progress.start(len(requests))
        batches = self._adapter.answer(requests)
        try:
            for batch in batches:
                if strange := [i for i, _ in batch if not 0 <= i < len(requests)]:
                    raise ModelError(f"model {self._name} answered request {strange[0]}, of {len(requests)} from 0")
                entries = [self._entry(keys[i], requests[i], response) for i, response in batch]
                stored = self._store.put(entries)
                answered |= {entry.key: response for entry, response in zip(entries, stored, strict=True)}
                self._progress.advance(len(batch))
                self._on_stored(stored)
        finally:
            if close := getattr(batches, "close", None):
                close()
            self._progress.stop()
        if len(answered) < len(requests):
            silent = len(requests) - len(answered)
            raise ModelError(f"model {self._name} left {silent} of {len(requests)} requests unanswered")
        return answered

    @property
    def _name(self) -> str:
        return self._adapter.identity.name

    def _keys(self, requests: Sequence[Request]) -> list[bytes]:
        self._rendered = {r.prompt: self._adapter.render(r) for r in {r.prompt: r for r in requests}.values()}
        return [key(self._adapter.identity, self._rendered[request.prompt], request) for request in requests]

    def _entry(self, key_: bytes, request: Request, response: Response) -> Entry:
        return Entry(key_, self._adapter.identity, self._rendered[request.prompt], request, response)
