"""Asking: a study's rounds, answered from the store where it can and by the model where it must."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from metricsengine.claims import looks
from metricsengine.errors import ModelError
from metricsengine.fallback import Fallback, read, rewritten
from metricsengine.interrupts import winding_down
from metricsengine.keys import Entry, key
from metricsengine.model import ModelAdapter, ModelIdentity, Outcome, Request, Response
from metricsengine.store import ResponseStore
from metricsengine.study import Rounds
from metricsengine.terminal import EngineProgress
from metricsengine.usage import Usage

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


@dataclass
class Tally:
    """What came of some requests.

    Attributes:
        hits: Requests answered from the store, also where another process had them answered meanwhile.
        misses: Requests that were sent to the model.
        outcomes: Requests by outcome.
        reasons: Why requests ended in an error, with how many did.
        notices: What was done otherwise than asked, with how many responses say so.
        snapshots: Which snapshots of the model have answered, with how many responses say so.
        used: Tokens of all answers, each counted once.
        spent: Tokens of the answers that were not in the store.
    """

    hits: int = 0
    misses: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    notices: Counter[str] = field(default_factory=Counter)
    snapshots: Counter[str] = field(default_factory=Counter)
    used: Usage = field(default_factory=Usage)
    spent: Usage = field(default_factory=Usage)

    @property
    def requests(self) -> int:
        """Number of requests."""
        return self.outcomes.total()

    def count(self, response: Response) -> None:
        """Count the response to one more request."""
        self.outcomes[str(response.outcome)] += 1
        self.notices.update(dict.fromkeys(response.notices, 1))
        if response.outcome is Outcome.ERROR:
            self.reasons[response.reason] += 1
        if response.served_by:
            self.snapshots[response.served_by] += 1


def _writable(response: Response) -> Response:
    """A response whose text any file can hold: half a surrogate pair, which JSON lets through, is no character."""
    text = response.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return response if text == response.text else replace(response, text=text)


class Asker:
    """Answers rounds of requests and keeps count.

    What another process is asking at the same time is not asked again: its answers are taken from the store, as they
    come. So the adapter gets the requests of a round that are neither answered nor asked elsewhere, in their order.
    What the other process leaves without an answer is asked afterwards.

    Args:
        adapter: Answers what the store does not hold.
        store: Where every response is kept, as soon as it is there.
        progress: Shows how far it is.
        on_stored: Called with each batch of new responses, after it was stored.
        fallbacks: What stands in for what the model cannot do.

    Attributes:
        tally: What came of the requests so far.
    """

    def __init__(
        self,
        adapter: ModelAdapter,
        store: ResponseStore,
        progress: EngineProgress,
        on_stored: Callable[[Sequence[Response]], None],
        fallbacks: Sequence[Fallback] = (),
    ) -> None:
        self._adapter = adapter
        self._store = store
        self._progress = progress
        self._on_stored = on_stored
        self._fallbacks = fallbacks
        self._counted: set[bytes] = set()
        self.tally = Tally()

    def __call__(self, requests: Sequence[Request]) -> list[Response]:
        """Responses in the order of the requests; equal requests are asked once.

        Raises:
            KeyboardInterrupt: It was interrupted, also while it waited for another process.
            ModelError: The model cannot go on, or left a request without an answer.
        """
        asked = [rewritten(request, self._fallbacks) for request in requests]
        keys = self._keys(asked)
        found = self._store.get(keys)
        missing = {k: request for k, request in zip(keys, asked, strict=True) if k not in found}
        new = self._new(missing)
        self.tally.hits += sum(k not in new for k in keys)
        self.tally.misses += len(new)
        found |= self._store.get(missing.keys() - new.keys()) | new
        found = {k: _writable(response) for k, response in found.items()}
        self._count_tokens(found)
        responses = [read(request, found[k], self._fallbacks) for request, k in zip(requests, keys, strict=True)]
        for response in responses:
            self.tally.count(response)
        return responses

    def _count_tokens(self, found: Mapping[bytes, Response]) -> None:
        for key_, response in found.items():
            if key_ not in self._counted:
                self._counted.add(key_)
                self.tally.used.add(response)

    def _new(self, missing: Mapping[bytes, Request]) -> dict[bytes, Response]:
        """What the model answers now; whatever else was missing is in the store afterwards."""
        new: dict[bytes, Response] = {}
        left = dict(missing)
        while left:
            with self._store.claims.held(left) as mine:
                if mine:
                    new |= self._ask({k: left.pop(k) for k in mine})
            if left:
                left = self._unanswered(left)
        return new

    def _unanswered(self, left: Mapping[bytes, Request]) -> dict[bytes, Request]:
        """What remains when others have answered all that they ask for, or some of it is nobody's any more."""
        waiting = dict(left)
        self._progress.start(len(waiting), "waiting for answers that another job asks for")
        try:
            for _ in looks():
                free = self._store.claims.free(waiting)  # first, for whoever lets go has stored the answers
                answered = self._store.get(waiting)
                waiting = {k: request for k, request in waiting.items() if k not in answered}
                self._progress.advance(len(answered))
                if not waiting or free & waiting.keys():
                    break
        finally:
            self._progress.stop()
        return waiting

    def _ask(self, missing: Mapping[bytes, Request]) -> dict[bytes, Response]:
        keys, requests = list(missing), list(missing.values())
        answered: dict[bytes, Response] = {}
        self._progress.start(len(requests))
        batches = self._adapter.answer(requests)
        try:
            with winding_down(self._stop):
                for batch in batches:
                    if strange := [i for i, _ in batch if not 0 <= i < len(requests)]:
                        raise ModelError(f"model {self._name} answered request {strange[0]}, of {len(requests)} from 0")
                    answered |= self._keep([self._entry(keys[i], requests[i], response) for i, response in batch])
        finally:
            if close := getattr(batches, "close", None):
                close()
            self._progress.stop()
        if len(answered) < len(requests):
            silent = len(requests) - len(answered)
            raise ModelError(f"model {self._name} left {silent} of {len(requests)} requests unanswered")
        return answered

    def _keep(self, entries: Sequence[Entry]) -> dict[bytes, Response]:
        """Store what came back; by key, what the store holds of it afterwards."""
        stored = self._store.put(entries)
        for entry in entries:
            self.tally.spent.add(entry.response)
        self._progress.advance(len(entries))
        self._on_stored(stored)
        return {entry.key: response for entry, response in zip(entries, stored, strict=True)}

    def _stop(self) -> bool:
        stops = self._adapter.stop()
        if stops:
            self._progress.remark("stopping once what is on its way has come, or at another interrupt")
        return stops

    @cached_property
    def _identity(self) -> ModelIdentity:
        """Who answers: the same throughout, and an adapter may have to look it up."""
        return self._adapter.identity

    @property
    def _name(self) -> str:
        return self._identity.name

    def _keys(self, requests: Sequence[Request]) -> list[bytes]:
        self._rendered = {r.prompt: self._adapter.render(r) for r in {r.prompt: r for r in requests}.values()}
        return [key(self._identity, self._rendered[request.prompt], request) for request in requests]

    def _entry(self, key_: bytes, request: Request, response: Response) -> Entry:
        return Entry(key_, self._identity, self._rendered[request.prompt], request, response)
