"""Asking: equal requests once, what is stored or asked elsewhere never again, errors again, and nothing lost."""

from __future__ import annotations

import contextlib
import io
import re
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from rich.console import Console

from metricsengine.elicit import Asker, drive
from metricsengine.errors import ModelError
from metricsengine.keys import Entry, key
from metricsengine.model import Batch, Capabilities, ModelAdapter, ModelIdentity, Outcome, Request, Response, Sampling
from metricsengine.store import ResponseStore
from metricsengine.study import Rounds
from metricsengine.terminal import EngineProgress
from metricsengine.usage import Usage

ANSWER = Response(Outcome.ANSWERED, "fine")
ERROR = Response(Outcome.ERROR, reason="timeout")


class Scripted(ModelAdapter):
    """Answers by a script: a response, an exception, or None for silence; batches of two, last first."""

    def __init__(self, script: dict[str, object] | None = None) -> None:
        self.script = script or {}
        self.asked: list[str] = []
        self.ended = False

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("scripted", "Scripted 1", "w", 1)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities()

    def render(self, request: Request) -> str:
        return f"<{request.prompt}>"

    def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
        numbered = list(enumerate(requests))[::-1]
        try:
            for start in range(0, len(numbered), 2):
                yield [pair for i, request in numbered[start : start + 2] for pair in self._reply(i, request)]
        finally:
            self.ended = True

    def _reply(self, i: int, request: Request) -> Iterator[tuple[int, Response]]:
        self.asked.append(str(request.prompt))
        said = self.script.get(str(request.prompt), Response(Outcome.ANSWERED, f"re {request.prompt}"))
        if isinstance(said, BaseException):
            raise said
        if isinstance(said, Response):
            yield i, said
        elif isinstance(said, int):
            yield said, ANSWER


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ResponseStore]:
    with ResponseStore(tmp_path / "store.db") as opened:
        yield opened


def asker(adapter: ModelAdapter, store: ResponseStore, stored: list[list[str]] | None = None) -> Asker:
    def note(responses: Sequence[Response]) -> None:
        if stored is not None:
            stored.append([response.text for response in responses])

    return Asker(adapter, store, EngineProgress(Console(quiet=True)), note)


def requests(*prompts: str, replicate: int = 0) -> list[Request]:
    return [Request(prompt, replicate=replicate) for prompt in prompts]


class TestAsking:
    def test_responses_come_in_the_order_of_the_requests(self, store: ResponseStore) -> None:
        model, stored = Scripted(), []
        ask = asker(model, store, stored)
        assert [r.text for r in ask(requests("a", "b", "c"))] == ["re a", "re b", "re c"]
        assert (ask.tally.hits, ask.tally.misses, ask.tally.outcomes) == (0, 3, {"answered": 3})
        assert stored == [["re c", "re b"], ["re a"]]
        assert model.ended

    def test_equal_requests_are_asked_once(self, store: ResponseStore) -> None:
        model = Scripted()
        ask = asker(model, store)
        assert [r.text for r in ask(requests("a", "b", "a", "a"))] == ["re a", "re b", "re a", "re a"]
        assert sorted(model.asked) == ["a", "b"]
        assert ask.tally.outcomes == {"answered": 4}

    def test_replicates_and_sampling_are_other_requests(self, store: ResponseStore) -> None:
        model = Scripted()
        asker(model, store)([*requests("a"), *requests("a", replicate=1), Request("a", Sampling(temperature=0.5))])
        assert model.asked == ["a"] * 3

    def test_answers_are_not_asked_again(self, store: ResponseStore) -> None:
        asker(Scripted(), store)(requests("a", "b"))
        model = Scripted()
        ask = asker(model, store)
        assert [r.text for r in ask(requests("b", "c"))] == ["re b", "re c"]
        assert model.asked == ["c"]
        assert (ask.tally.hits, ask.tally.misses) == (1, 1)

    def test_where_all_is_stored_the_model_is_left_alone(self, store: ResponseStore) -> None:
        asker(Scripted(), store)(requests("a"))
        model = Scripted()
        asker(model, store)(requests("a"))
        assert not model.asked
        assert not model.ended

    @pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.ERROR])
    def test_every_outcome_but_an_error_is_an_answer(self, store: ResponseStore, outcome: Outcome) -> None:
        asker(Scripted({"a": Response(outcome)}), store)(requests("a"))
        model = Scripted()
        assert asker(model, store)(requests("a"))[0].outcome is outcome
        assert not model.asked

    def test_errors_are_counted_and_asked_again(self, store: ResponseStore) -> None:
        failing = asker(Scripted({"a": ERROR}), store)
        assert failing(requests("a", "b"))[0] == ERROR
        assert (failing.tally.outcomes, failing.tally.reasons) == ({"error": 1, "answered": 1}, {"timeout": 1})
        model = Scripted()
        assert [r.text for r in asker(model, store)(requests("a", "b"))] == ["re a", "re b"]
        assert model.asked == ["a"]

    def test_an_error_stays_one_if_it_comes_again(self, store: ResponseStore) -> None:
        for _ in range(2):
            assert asker(Scripted({"a": ERROR}), store)(requests("a")) == [ERROR]

    def test_no_requests(self, store: ResponseStore) -> None:
        assert asker(Scripted(), store)([]) == []


class TestBrokenAdapters:
    @pytest.mark.parametrize("silent", [["b"], ["a", "b", "c"]])
    def test_one_that_leaves_requests_unanswered(self, store: ResponseStore, silent: list[str]) -> None:
        ask = asker(Scripted(dict.fromkeys(silent)), store)
        with pytest.raises(ModelError, match=f"model Scripted 1 left {len(silent)} of 3 requests unanswered"):
            ask(requests("a", "b", "c"))
        model = Scripted()
        asker(model, store)(requests("a", "b", "c"))
        assert sorted(model.asked) == silent

    @pytest.mark.parametrize("index", [2, -1])
    def test_one_that_answers_what_was_not_asked(self, store: ResponseStore, index: int) -> None:
        with pytest.raises(ModelError, match=f"model Scripted 1 answered request {index}, of 2 from 0"):
            asker(Scripted({"a": index}), store)(requests("a", "b"))

    @pytest.mark.parametrize("error", [RuntimeError("out of memory"), ModelError("gone"), KeyboardInterrupt()])
    def test_one_that_raises_keeps_what_was_stored(self, store: ResponseStore, error: BaseException) -> None:
        model = Scripted({"b": error})
        with pytest.raises(type(error)):
            asker(model, store)(requests("a", "b", "c", "d"))
        assert model.ended
        again = Scripted()
        asker(again, store)(requests("a", "b", "c", "d"))
        assert sorted(again.asked) == ["a", "b"]

    def test_it_is_stopped_when_nobody_can_take_its_answers(self, store: ResponseStore) -> None:
        def fail(responses: Sequence[Response]) -> None:
            raise KeyboardInterrupt

        model = Scripted()
        with pytest.raises(KeyboardInterrupt):
            Asker(model, store, EngineProgress(Console(quiet=True)), fail)(requests("a", "b", "c"))
        assert model.ended
        assert model.asked == ["c", "b"]
        again = Scripted()
        asker(again, store)(requests("a", "b", "c"))
        assert again.asked == ["a"]


class TestDriving:
    def rounds(self, closed: list[bool]) -> Rounds[str]:
        try:
            [first] = yield requests("a")
            [second] = yield requests(first.text)
            return second.text
        finally:
            closed.append(True)

    def test_every_round_hears_the_one_before(self, store: ResponseStore) -> None:
        closed: list[bool] = []
        assert drive(self.rounds(closed), asker(Scripted(), store)) == "re re a"
        assert closed == [True]

    def test_a_conversation_that_fails_is_closed(self, store: ResponseStore) -> None:
        closed: list[bool] = []
        with pytest.raises(ModelError):
            drive(self.rounds(closed), asker(Scripted({"re a": ModelError("gone")}), store))
        assert closed == [True]


class Flying(Scripted):
    """Keeps three requests in flight, and winds down when it is told to; the interrupts come while it is waited for.

    Args:
        interrupts: After how many batches each comes.
        winds_down: Whether it can.
    """

    def __init__(self, *interrupts: int, winds_down: bool = True) -> None:
        super().__init__()
        self.interrupts, self.winds_down, self.stopping = list(interrupts), winds_down, False

    def stop(self) -> bool:
        self.stopping = self.winds_down
        return self.winds_down

    def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
        waiting, flying = list(enumerate(requests)), []
        try:
            for batch in range(len(requests)):
                while waiting and len(flying) < 3 and not self.stopping:
                    flying.append(waiting.pop(0))
                    self.asked.append(str(flying[-1][1].prompt))
                if batch in self.interrupts:
                    signal.raise_signal(signal.SIGINT)
                if not flying:
                    return
                index, request = flying.pop(0)
                yield [(index, Response(Outcome.ANSWERED, f"re {request.prompt}"))]
        finally:
            self.ended = True


class TestInterrupts:
    LETTERS = "abcdefgh"

    def stored(self, store: ResponseStore) -> list[str]:
        again = Scripted()
        asker(again, store)(requests(*self.LETTERS))
        return sorted(set(self.LETTERS) - set(again.asked))

    def test_what_is_in_flight_is_stored(self, store: ResponseStore) -> None:
        model = Flying(1)
        with pytest.raises(KeyboardInterrupt):
            asker(model, store)(requests(*self.LETTERS))
        assert model.ended
        assert model.asked == ["a", "b", "c", "d"]
        assert self.stored(store) == ["a", "b", "c", "d"]

    def test_the_second_gives_up(self, store: ResponseStore) -> None:
        model = Flying(1, 2)
        with pytest.raises(KeyboardInterrupt):
            asker(model, store)(requests(*self.LETTERS))
        assert model.ended
        assert self.stored(store) == ["a", "b"]

    def test_an_adapter_that_cannot_wind_down_is_closed_at_once(self, store: ResponseStore) -> None:
        model = Flying(1, winds_down=False)
        with pytest.raises(KeyboardInterrupt):
            asker(model, store)(requests(*self.LETTERS))
        assert model.ended
        assert self.stored(store) == ["a"]

    def test_one_that_comes_last_is_not_lost(self, store: ResponseStore) -> None:
        with pytest.raises(KeyboardInterrupt):
            asker(Flying(7), store)(requests(*self.LETTERS))
        assert self.stored(store) == list(self.LETTERS)

    def test_the_user_is_told_what_is_waited_for(self, store: ResponseStore) -> None:
        console = Console(record=True, width=200, file=io.StringIO())
        with pytest.raises(KeyboardInterrupt):
            Asker(Flying(1), store, EngineProgress(console), lambda _: None)(requests(*self.LETTERS))
        assert re.match(
            r"asking \(stopping once what is on its way has come, or at another interrupt\): 4 of 8",
            console.export_text(),
        )

    def test_interrupts_are_what_they_were_before(self, store: ResponseStore) -> None:
        before = signal.getsignal(signal.SIGINT)
        for model in (Scripted(), Flying(1)):
            with contextlib.suppress(KeyboardInterrupt):
                asker(model, store)(requests(*self.LETTERS, str(model)))
            assert signal.getsignal(signal.SIGINT) is before


class Meanwhile(EngineProgress):
    """Lets another job go one step further at each look, while this one waits for it."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        super().__init__(Console(quiet=True))
        self.steps, self.started = list(steps), list[tuple[int, str]]()

    def start(self, total: int, doing: str = "") -> None:
        self.started.append((total, doing))

    def advance(self, n: int = 1) -> None:
        if self.started[-1][1] and self.steps:
            self.steps.pop(0)()


class Another:
    """Another job with the same store, which has claimed some requests of the scripted model."""

    def __init__(self, store: ResponseStore, *prompts: str) -> None:
        self.store = ResponseStore(store.path)
        self._entries = [self._entry(prompt) for prompt in prompts]
        self._held = contextlib.ExitStack()
        self.claimed = self._held.enter_context(self.store.claims.held([entry.key for entry in self._entries]))

    def stores(self, prompt: str, response: Response = ANSWER) -> Callable[[], object]:
        return lambda: self.store.put([self._entry(prompt, response)])

    def ends(self) -> None:
        self._held.close()

    def close(self) -> None:
        self.ends()
        self.store.close()

    @staticmethod
    def _entry(prompt: str, response: Response = ANSWER) -> Entry:
        model, [request] = Scripted(), requests(prompt)
        rendered = model.render(request)
        return Entry(key(model.identity, rendered, request), model.identity, rendered, request, response)


class TestWhatAnotherAsks:
    @pytest.fixture
    def another(self, store: ResponseStore) -> Iterator[Another]:
        with contextlib.closing(Another(store, "a", "b", "c")) as other:
            yield other

    @pytest.fixture(autouse=True)
    def _often(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("metricsengine.claims._POLL", 0.0)

    def ask(self, store: ResponseStore, model: Scripted, *steps: Callable[[], object]) -> tuple[Asker, Meanwhile]:
        progress = Meanwhile(*steps)
        return Asker(model, store, progress, lambda _: None), progress

    def test_is_waited_for_after_ones_own_and_is_a_hit(self, store: ResponseStore, another: Another) -> None:
        model = Scripted()
        ask, progress = self.ask(store, model, another.stores("b"), another.stores("c"), another.stores("a"))
        assert [r.text for r in ask(requests("a", "d", "b", "a", "c"))] == ["fine", "re d", "fine", "fine", "fine"]
        assert model.asked == ["d"]
        assert (ask.tally.hits, ask.tally.misses, ask.tally.spent.responses) == (4, 1, 1)
        assert progress.started == [(1, ""), (3, "waiting for answers that another job asks for")]
        assert not progress.steps

    def test_is_asked_when_the_other_ends_without_an_answer(self, store: ResponseStore, another: Another) -> None:
        model = Scripted()
        ask, _ = self.ask(store, model, another.stores("b"), another.ends)
        assert [r.text for r in ask(requests("a", "b", "c"))] == ["re a", "fine", "re c"]
        assert model.asked == ["c", "a"]  # in one round; the model answers the last first
        assert (ask.tally.hits, ask.tally.misses) == (1, 2)

    def test_is_asked_when_the_other_gets_an_error(self, store: ResponseStore, another: Another) -> None:
        model = Scripted()
        ask, _ = self.ask(store, model, another.stores("b", ERROR), another.stores("a"), another.stores("c"))
        assert [r.text for r in ask(requests("a", "b", "c"))] == ["fine", "re b", "fine"]
        assert model.asked == ["b"]

    def test_an_error_of_ones_own_is_not_asked_again_for_it(self, store: ResponseStore, another: Another) -> None:
        model = Scripted({"d": ERROR})
        ask, _ = self.ask(store, model, another.stores("a"))
        assert ask(requests("a", "d")) == [ANSWER, ERROR]
        assert model.asked == ["d"]

    def test_is_not_waited_for_after_an_interrupt(self, store: ResponseStore, another: Another) -> None:
        ask, progress = self.ask(store, Scripted(), lambda: signal.raise_signal(signal.SIGINT), another.ends)
        with pytest.raises(KeyboardInterrupt):
            ask(requests("a", "d"))
        assert len(progress.steps) == 1
        assert store.claims.free(another.claimed) == set()
        with contextlib.closing(Another(store, "d", "e")) as third:
            assert len(third.claimed) == 1  # of what is answered and what was never asked

    def test_a_job_that_fails_leaves_nothing_claimed(self, store: ResponseStore) -> None:
        with pytest.raises(ModelError):
            asker(Scripted({"b": ModelError("gone")}), store)(requests("a", "b", "c", "d"))
        model = Scripted()
        with ResponseStore(store.path) as other:
            asker(model, other)(requests("a", "b", "c", "d"))
        assert sorted(model.asked) == ["a", "b"]

    def test_the_user_is_told(self, store: ResponseStore, another: Another) -> None:
        console = Console(record=True, width=200, file=io.StringIO())
        progress = EngineProgress(console, interval=0)
        model = Scripted({"d": ANSWER})
        timer = threading.Timer(0.05, lambda: [another.stores(prompt)() for prompt in "abc"])
        timer.start()
        Asker(model, store, progress, lambda _: None)(requests("a", "b", "c", "d"))
        timer.join()
        said = console.export_text()
        assert "asking: 1 of 1" in said
        assert "waiting for answers that another job asks for: 0 of 3\n" in said
        assert "waiting for answers that another job asks for: 3 of 3" in said


class TestCounting:
    def answers(self, **responses: Response) -> Scripted:
        return Scripted(dict(responses))

    def test_notices_and_snapshots_count_responses(self, store: ResponseStore) -> None:
        model = self.answers(
            a=Response(Outcome.ANSWERED, "x", notices=("no seed", "no seed", "no top_k"), served_by="m-1"),
            b=Response(Outcome.ANSWERED, "y", notices=("no seed",), served_by="m-2"),
        )
        for again in range(2):
            ask = asker(model, store)
            ask(requests("a", "b", "a", "c"))
            assert ask.tally.notices == {"no seed": 3, "no top_k": 2}
            assert ask.tally.snapshots == {"m-1": 2, "m-2": 1}
            assert (ask.tally.requests, ask.tally.hits) == (4, 4 * again)

    def test_tokens_count_once_whatever_asks_for_them(self, store: ResponseStore) -> None:
        model = self.answers(
            a=Response(Outcome.ANSWERED, "x", prompt_tokens=10, completion_tokens=3),
            b=Response(Outcome.ANSWERED, "y", prompt_tokens=20),
            c=Response(Outcome.ERROR, reason="timeout"),
        )
        ask = asker(model, store)
        ask(requests("a", "a", "c"))
        ask(requests("a", "b"))
        whole = Usage(responses=2, uncounted=1, prompt=30, completion=3)
        assert (ask.tally.used, ask.tally.spent) == (whole, whole)
        ask = asker(model, store)
        ask(requests("a", "b"))
        assert (ask.tally.used, ask.tally.spent) == (whole, Usage())


def test_half_a_character_does_not_spoil_what_is_stored(tmp_path: Path) -> None:
    said = Response(Outcome.ANSWERED, "half \ud83d, whole \U0001f600")
    adapter = Scripted({"a": said})
    with ResponseStore(tmp_path / "store.db") as store:
        for _ in range(2):  # from the model, and from the store
            progress = EngineProgress(Console(file=io.StringIO()), "asking")
            [response] = Asker(adapter, store, progress, lambda _: None)([Request("a")])
            assert response.text == "half \ufffd, whole \U0001f600"
    assert adapter.asked == ["a"]
