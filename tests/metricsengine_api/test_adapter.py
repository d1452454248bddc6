"""The adapter and a server with every fault on order."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from asking import HELLO, KEY, answer, answers, asked, gather
from servers import Answer, Call, FaultServer, Script, chat, plain, problem, turn

import metricsengine_api
from metricsengine.errors import ModelError
from metricsengine.model import Message, Outcome, Prices, Request, Sampling
from metricsengine_api import checkup
from metricsengine_api.adapter import Api
from metricsengine_api.config import ApiConf, PricesConf

Serve = Callable[[Script], FaultServer]
Adapt = Callable[..., Api]


def echo(call: Call) -> Answer:
    return chat(call.body["messages"][-1]["content"]) if "messages" in call.body else plain(call.body["prompt"])


def for_a_while(times: int, fault: Answer) -> Script:
    """A reply, then a fault for some requests, then replies."""
    return lambda call: fault if 0 < call.number <= times else echo(call)


def rejecting(*names: str, wording: str = "Unsupported parameter: '{}' is not supported with this model.") -> Script:
    """A server that does not take some parameters."""

    def script(call: Call) -> Answer:
        found = next((name for name in names if name in call.body), None)
        return problem(400, wording.format(found), param=found) if found else echo(call)

    return script


class TestAnswers:
    def test_every_request_is_answered_once(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(echo)
        responses = answers(adapt(server), [*asked(200), Request("plain text")])
        assert [response.text for response in responses] == [f"Hello {i}." for i in range(200)] + ["plain text"]
        assert Counter(call.path for call in server.calls) == {"/v1/chat/completions": 200, "/v1/completions": 1}

    def test_many_are_under_way_but_no_more_than_allowed(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(lambda call: Answer(echo(call).body, delay=0.05))
        answers(adapt(server, max_in_flight=20), asked(100))
        assert server.most_in_flight == 20

    def test_nothing_asked_is_nothing_answered(self, adapt: Adapt) -> None:
        assert list(adapt("http://127.0.0.1:1/v1").answer([])) == []

    def test_what_cannot_be_asked_is_an_error_of_its_own(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(echo)
        bad = [Request(()), Request("\ud800"), Request(HELLO, options=("A", " "))]
        *refused, good = answers(adapt(server), [*bad, Request(HELLO)])
        assert {response.outcome for response in refused} == {Outcome.ERROR}
        assert all(response.reason for response in refused)
        assert good.ok
        assert len(server.calls) == 1

    def test_threads_share_it(self, serve: Serve, adapt: Adapt) -> None:
        adapter = adapt(serve(echo))
        found: dict[int, int] = {}
        threads = [
            threading.Thread(target=lambda i=i: found.update({i: len(answers(adapter, asked(50)))}))  # type: ignore[misc] # a bound loop variable
            for i in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == dict.fromkeys(range(4), 50)

    def test_it_can_be_closed_and_used_again(self, serve: Serve, adapt: Adapt) -> None:
        adapter = adapt(serve(echo))
        adapter.close()
        assert answer(adapter, Request(HELLO)).ok
        adapter.close()
        adapter.close()
        assert answer(adapter, Request(HELLO)).ok

    def test_a_query_and_the_key_are_sent(self, serve: Serve, adapt: Adapt, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OTHER_KEY", KEY)
        server = serve(echo)
        answer(adapt(f"{server.url}/?api-version=1", key_env="OTHER_KEY"), Request(HELLO))
        assert server.calls[0].path == "/v1/chat/completions?api-version=1"
        assert server.calls[0].headers["authorization"] == f"Bearer {KEY}"


class TestWaiting:
    @pytest.mark.parametrize("unit", ["seconds", "date", "ms", "none"])
    def test_rate_limits_are_waited_out(self, serve: Serve, adapt: Adapt, unit: str) -> None:
        until = datetime.now(UTC) + timedelta(seconds=1)
        headers = {
            "seconds": {"Retry-After": "0.2"},
            "date": {"Retry-After": format_datetime(until, usegmt=True)},
            "ms": {"retry-after-ms": "200"},
            "none": {},
        }[unit]
        server = serve(for_a_while(12, problem(429, "Rate limit reached", headers)))
        responses = answers(adapt(server, max_in_flight=10, attempts=1, patience=60.0), asked(40))
        assert all(response.ok for response in responses)

    def test_a_burst_of_rate_limits_lowers_what_is_under_way(self, serve: Serve, adapt: Adapt) -> None:
        def script(call: Call) -> Answer:
            busy = problem(429, "slow down", {"Retry-After": "0.1"})
            return busy if server.in_flight > 4 else Answer(echo(call).body, delay=0.02)

        server = FaultServer(script)
        with server:
            responses = answers(adapt(server, max_in_flight=32), asked(120))
        assert all(response.ok for response in responses)
        rejected = len(server.calls) - 120
        assert 0 < rejected < 120

    def test_after_the_burst_as_many_are_under_way_as_before(self, serve: Serve, adapt: Adapt) -> None:
        def script(call: Call) -> Answer:
            busy = 10 < call.number < 20
            return problem(429, "slow down", {"Retry-After": "0"}) if busy else Answer(echo(call).body, delay=0.01)

        server = serve(script)
        adapter = adapt(server, max_in_flight=8)
        assert all(response.ok for response in answers(adapter, asked(200)))
        server.most_in_flight = 0
        assert all(response.ok for response in answers(adapter, asked(50)))
        assert server.most_in_flight == 8

    def test_a_wait_beyond_the_patience_ends_the_run_at_once(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(lambda _: problem(429, "slow down", {"Retry-After": "3600"}))
        start = time.monotonic()
        with pytest.raises(ModelError, match=r"asked too much \(429: slow down\).*model\.patience=5 seconds"):
            answers(adapt(server), asked(3))
        assert time.monotonic() - start < 3

    @pytest.mark.parametrize(
        "fault",
        [
            problem(500, "oops"),
            problem(503, "overloaded"),
            problem(502, "bad gateway"),
            problem(408, "timeout"),
            problem(409, "conflict"),
            Answer(b'{"choices": [{"mess'),
            Answer(b"<html>", headers={"Content-Type": "text/html"}),
            Answer({"choices": []}),
            Answer({"error": {"message": "upstream failed", "code": 502}}),
            Answer(chat("Hi.").body, fault="half"),
            Answer(fault="drop"),
        ],
        ids=["500", "503", "502", "408", "409", "cut JSON", "HTML", "no choice", "error as 200", "half", "drop"],
    )
    def test_what_passes_is_tried_again(self, serve: Serve, adapt: Adapt, fault: Answer) -> None:
        server = serve(for_a_while(8, fault))
        responses = answers(adapt(server, max_in_flight=8, attempts=20, patience=30.0), asked(20))
        assert [response.text for response in responses] == [f"Hello {i}." for i in range(20)]
        assert len(server.calls) == 28

    @pytest.mark.parametrize(
        ("fault", "reason"),
        [
            (problem(500, "oops"), "the endpoint failed (500: oops)"),
            (Answer(b"{"), "the answer is no JSON"),
            (Answer({"x": 1}), "the answer holds no reply"),
            (Answer(fault="drop"), "the connection broke before the answer was complete"),
        ],
    )
    def test_what_does_not_pass_is_an_error_of_that_request(
        self, serve: Serve, adapt: Adapt, fault: Answer, reason: str
    ) -> None:
        server = serve(lambda call: fault if call.body["messages"][0]["content"] == "Hello 3." else echo(call))
        responses = answers(adapt(server, attempts=3), asked(10))
        assert [i for i, response in enumerate(responses) if not response.ok] == [3]
        assert responses[3].outcome is Outcome.ERROR
        assert responses[3].reason == reason
        assert len(server.calls) == 12

    def test_a_socket_that_never_answers(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(for_a_while(2, Answer(fault="hang")))
        responses = answers(adapt(server, timeout=0.5, max_in_flight=2), asked(4))
        assert all(response.ok for response in responses)
        hanging = serve(lambda _: Answer(fault="hang"))
        response = answer(adapt(hanging, timeout=0.2, attempts=2), Request(HELLO))
        assert (response.outcome, response.reason) == (Outcome.ERROR, "no answer within 0.2 s")


class TestEnds:
    """What no further request would change."""

    @pytest.mark.parametrize(
        ("fault", "message"),
        [
            (problem(401, "Incorrect API key provided"), "refuses the key (401: Incorrect API key provided)"),
            (problem(403, "No access"), "refuses the key (403: No access)"),
            (problem(429, "You exceeded your current quota", code="insufficient_quota"), "the quota is used up (429"),
            (problem(404, "The model `m` does not exist", code="model_not_found"), "does not know the model (404"),
            (Answer({"detail": "Not Found"}, 404), "has no /chat/completions (404: Not Found): give model.base_url"),
        ],
    )
    def test_the_run_ends_with_one_line(self, serve: Serve, adapt: Adapt, fault: Answer, message: str) -> None:
        server = serve(lambda _: fault)
        with pytest.raises(ModelError) as caught:
            answers(adapt(server), asked(100))
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)
        assert len(server.calls) == 1

    def test_what_was_under_way_is_handed_out_before(self, serve: Serve, adapt: Adapt) -> None:
        def script(call: Call) -> Answer:
            return Answer(echo(call).body, delay=0.3) if call.number < 8 else problem(401, "revoked")

        found: list[int] = []
        with pytest.raises(ModelError, match="revoked"):
            gather(adapt(serve(script), max_in_flight=9), asked(50), found)
        assert len(found) == len(set(found)) == 8

    def test_all_endpoints_dead_beyond_the_patience(self, adapt: Adapt) -> None:
        with pytest.raises(ModelError, match=r"no answer from 127\.0\.0\.1:1: the endpoint cannot be reached"):
            answers(adapt("http://127.0.0.1:1/v1", patience=0.3), asked(5))

    def test_an_address_where_nobody_has_ever_answered(self, adapt: Adapt, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("metricsengine_api.pool.FIRST_CONTACT", 0.3)
        with pytest.raises(ModelError, match=r"cannot be reached; start the server, or check model\.base_url"):
            answers(adapt("http://127.0.0.1:1/v1", patience=600.0), asked(5))

    def test_no_key_for_a_public_endpoint(self, adapt: Adapt) -> None:
        with pytest.raises(ModelError, match=r"api\.openai\.com wants a key.*OPENAI_API_KEY is not set"):
            answers(adapt("https://api.openai.com/v1"), asked(1))

    def test_a_further_parameter_that_the_endpoint_rejects(self, serve: Serve, adapt: Adapt) -> None:
        adapter = adapt(serve(rejecting("reasoning_effort")), extra={"reasoning_effort": "low"})
        with pytest.raises(ModelError, match=r"rejects `reasoning_effort` .*: take it out of model\.extra"):
            answers(adapter, asked(2))


class TestRefusals:
    @pytest.mark.parametrize(
        ("fault", "outcome", "finish"),
        [
            (problem(400, "filtered", code="content_filter"), Outcome.REFUSED_BY_PROVIDER, "content_filter"),
            (chat("So", "content_filter"), Outcome.REFUSED_BY_PROVIDER, "content_filter"),
            (chat(None, refusal="I can't help with that."), Outcome.REFUSED, "stop"),
            (problem(400, "bad request"), Outcome.ERROR, ""),
            (problem(400, "System role not supported"), Outcome.ERROR, ""),
            (problem(500, "Only user and assistant roles are supported!"), Outcome.ERROR, ""),
        ],
    )
    def test_they_concern_one_request_and_are_not_tried_again(
        self, serve: Serve, adapt: Adapt, fault: Answer, outcome: Outcome, finish: str
    ) -> None:
        server = serve(lambda call: fault if call.number == 1 else echo(call))
        responses = answers(adapt(server, max_in_flight=1), asked(4))
        assert [response.outcome for response in responses] == [Outcome.ANSWERED, outcome, *[Outcome.ANSWERED] * 2]
        assert responses[1].reason
        assert responses[1].finish_reason == finish
        assert len(server.calls) == 4

    def test_a_rejected_system_turn_is_not_folded_in_silence(self, serve: Serve, adapt: Adapt) -> None:
        def script(call: Call) -> Answer:
            system = call.body["messages"][0]["role"] == "system"
            return problem(400, "System role not supported") if system else echo(call)

        server = serve(script)
        request = Request((Message("system", "You are a nurse."), *HELLO))
        response = answer(adapt(server), request)
        assert response.reason == "the model's chat template rejects the turns (400: System role not supported)"
        assert len(server.calls) == 1

    def test_many_content_filters_do_not_look_like_an_outage(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(lambda _: problem(400, "filtered", code="content_filter"))
        responses = answers(adapt(server, patience=0.0), asked(50))
        assert {response.outcome for response in responses} == {Outcome.REFUSED_BY_PROVIDER}


class TestParameters:
    SAMPLING = Sampling(0.7, 0.9, 5, 20, ("###",))

    @pytest.mark.parametrize("name", ["seed", "temperature", "top_p", "top_k", "stop"])
    def test_a_rejected_one_is_left_out_and_every_response_says_so(self, serve: Serve, adapt: Adapt, name: str) -> None:
        server = serve(rejecting(name))
        responses = answers(adapt(server), asked(20, self.SAMPLING))
        assert {response.notices for response in responses} == {(f"the endpoint rejects `{name}`, which was left out",)}
        assert len(server.calls) == 21

    def test_several_are_left_out_one_after_the_other(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(rejecting("seed", "temperature", "min_p", "repeat_penalty", "repetition_penalty"))
        response = answer(adapt(server), Request(HELLO, self.SAMPLING))
        assert response.ok
        assert len(response.notices) == 2
        assert len(server.calls) == 6

    def test_neutral_ones_are_left_out_without_a_word(self, serve: Serve, adapt: Adapt) -> None:
        wording = "Unrecognized request argument supplied: {}"
        server = serve(rejecting("min_p", "top_k", "repeat_penalty", "repetition_penalty", wording=wording))
        response = answer(adapt(server), Request(HELLO))
        assert response.ok
        assert response.notices == ()

    def test_a_value_that_is_rejected(self, serve: Serve, adapt: Adapt) -> None:
        def script(call: Call) -> Answer:
            if (value := call.body.get("temperature", 1)) != 1:
                message = f"Unsupported value: 'temperature' does not support {value} with this model."
                return problem(400, message, code="unsupported_value", param="temperature")
            return echo(call)

        adapter = adapt(serve(script))
        (cool,) = answers(adapter, asked(1, Sampling(0.7)))
        (warm,) = answers(adapter, asked(1, Sampling(1.0)))
        assert cool.notices == ("the endpoint rejects `temperature` = 0.7, which was left out",)
        assert warm.notices == ()

    def test_the_longest_reply_by_its_other_name(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(rejecting("max_tokens"))
        response = answer(adapt(server), Request(HELLO, self.SAMPLING))
        assert response.notices == ()
        assert server.calls[-1].body["max_completion_tokens"] == 20

    def test_stop_strings_that_are_not_honoured(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(lambda _: chat("One.### Two.", "length"))
        response = answer(adapt(server), Request(HELLO, self.SAMPLING))
        assert (response.text, response.finish_reason, response.outcome) == ("One.", "stop", Outcome.ANSWERED)


class TestScores:
    REQUEST = Request(HELLO, Sampling(0.2, 0.3, 4, 50, ("x",)), options=("A", "B", "C", "D"))
    FOUR = {"A": 0.4, " B": 0.2, "C": 0.1, "D": 0.05, "x": 0.02}  # noqa: RUF012 - read only

    def test_options_are_read_off_one_token(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(lambda _: chat("A", "length", logprobs=turn(self.FOUR)))
        response = answer(adapt(server), self.REQUEST)
        assert (response.outcome, response.finish_reason, response.text) == (Outcome.ANSWERED, "scored", "")
        assert [score.probability for score in response.scores] == pytest.approx([0.4, 0.2, 0.1, 0.05])
        assert response.prompt_tokens == 11
        body = server.calls[0].body
        assert (body["temperature"], body["top_p"], body["max_tokens"], body["top_k"]) == (1.0, 1.0, 1, 0)

    def test_two_options_may_be_a_tie(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(lambda _: chat("A", "length", logprobs=turn({"Yes": 0.45, "No": 0.45, "x": 0.05})))
        response = answer(adapt(server), Request(HELLO, options=("Yes", "No")))
        assert [score.probability for score in response.scores] == pytest.approx([0.45, 0.45])

    @pytest.mark.parametrize(
        ("logprobs", "outcome", "reason"),
        [
            (None, Outcome.ERROR, "the endpoint returns no logprobs"),
            ({"content": None}, Outcome.ERROR, "the endpoint returns no logprobs"),
            ({"strange": 1}, Outcome.ERROR, "the endpoint returns logprobs of an unknown shape, with keys strange"),
            (turn({"x": 0.5, "y": 0.2}), Outcome.UNPARSED, "none of the options is among the 2 likeliest"),
            (turn(dict.fromkeys("ABCD", 0.25)), Outcome.ERROR, "all options have the very same score (0.25)"),
            (turn({"<think>": 0.9, "A": 0.05}), Outcome.ERROR, "the model thinks first"),
            (turn({"A": 0.0, "B": 0.0, "C": 0.0, "D": 0.0}), Outcome.UNPARSED, "all options have probability 0"),
            ({"content": 5}, Outcome.ERROR, "the endpoint returns logprobs of an unknown shape"),
            ({"tokens": ["A"], "token_logprobs": 7}, Outcome.ERROR, "the answer makes no sense"),
            ({"tokens": ["A"], "token_logprobs": {}}, Outcome.ERROR, "the"),
        ],
    )
    def test_what_is_no_score(self, serve: Serve, adapt: Adapt, logprobs: Any, outcome: Outcome, reason: str) -> None:
        server = serve(lambda _: chat("A", "length", logprobs=logprobs))
        response = answer(adapt(server, attempts=1), self.REQUEST)
        assert response.outcome is outcome
        assert response.reason.startswith(reason)
        assert response.scores == ()
        assert len(server.calls) == 1

    def test_two_of_four_options(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(lambda _: chat("A", "length", logprobs=turn({"A": 0.5, "B": 0.2, "x": 0.05})))
        scores = answer(adapt(server, score_depth=3), self.REQUEST).scores
        assert [score.censored for score in scores] == [False, False, True, True]
        assert [score.probability for score in scores] == pytest.approx([0.5, 0.2, 0.05, 0.05])

    def test_thoughts_apart_are_no_option(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(lambda _: chat("", "length", logprobs=turn(self.FOUR), reasoning_content="Hm"))
        assert answer(adapt(server), self.REQUEST).reason.startswith("the model thinks first")

    def test_fewer_alternatives_than_asked_for(self, serve: Serve, adapt: Adapt) -> None:
        def script(call: Call) -> Answer:
            if call.body["top_logprobs"] > 5:
                return problem(400, "Invalid value for 'top_logprobs': must be less than or equal to 5.")
            return chat("A", "length", logprobs=turn(self.FOUR))

        server = serve(script)
        response = answer(adapt(server), self.REQUEST)
        assert response.notices == ("the endpoint returns 5 alternatives of a token instead of 20",)
        assert [call.body["top_logprobs"] for call in server.calls] == [20, 5]

    def test_a_reply_without_a_token_is_drawn_again_with_another_seed(self, serve: Serve, adapt: Adapt) -> None:
        def script(call: Call) -> Answer:
            return chat("A", "length", logprobs=turn(self.FOUR) if "seed" in call.body else {"content": []})

        server = serve(script)
        assert answer(adapt(server), self.REQUEST).scores
        assert len(server.calls) == 2

    def test_plain_text_in_the_shape_of_completions(self, serve: Serve, adapt: Adapt) -> None:
        lists = {"tokens": [" A"], "token_logprobs": [-1.0], "top_logprobs": [{" A": -1.0, " B": -2.0, "C": -3.0}]}
        server = serve(lambda _: plain(" A", "length", logprobs=lists))
        response = answer(adapt(server), Request("Answer: ", options=("A", "B", "D")))
        assert [score.censored for score in response.scores] == [False, False, True]
        assert server.calls[0].body["prompt"] == "Answer:"


class TestInterruption:
    def test_after_a_stop_what_is_under_way_is_still_handed_out(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(lambda call: Answer(echo(call).body, delay=0.05))
        adapter = adapt(server, max_in_flight=10)
        found: list[int] = []
        for batch in adapter.answer(asked(1000)):
            found += [index for index, _ in batch]
            if len(found) >= 20:
                assert adapter.stop()
        assert len(found) == len(set(found)) == len(server.calls)
        assert len(found) < 100
        assert answer(adapter, Request(HELLO)).ok

    def test_a_stop_ends_waiting_too(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(lambda _: problem(429, "slow down", {"Retry-After": "60"}))
        adapter = adapt(server, patience=1000.0)
        threading.Timer(0.5, adapter.stop).start()
        start = time.monotonic()
        assert list(adapter.answer(asked(20))) == []
        assert time.monotonic() - start < 10

    def test_nothing_is_stopped_where_nothing_goes_on(self, adapt: Adapt) -> None:
        assert not adapt("http://127.0.0.1:1/v1").stop()

    def test_a_closed_iterator_sends_nothing_more(self, serve: Serve, adapt: Adapt) -> None:
        server = serve(lambda call: Answer(echo(call).body, delay=0.05 if call.number < 5 else 60))
        adapter = adapt(server, max_in_flight=4)
        run = adapter.answer(asked(1000))
        next(iter(run))
        start = time.monotonic()
        run.close()  # type: ignore[attr-defined] # a generator
        assert time.monotonic() - start < 3
        time.sleep(0.2)  # what was on its way arrives
        sent = len(server.calls)
        time.sleep(0.2)
        assert len(server.calls) == sent
        assert not adapter.stop()

    def test_an_interrupt_while_waiting_leaves_the_adapter_usable(
        self, serve: Serve, adapt: Adapt, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        adapter = adapt(serve(echo))

        def interrupted(_self: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr("metricsengine_api.rounds.Round._collect", interrupted)
            with pytest.raises(KeyboardInterrupt):
                answers(adapter, asked(10))
        assert len(answers(adapter, asked(10))) == 10


class TestIdentity:
    def test_of_a_model_behind_two_endpoints(self, adapt: Adapt) -> None:
        adapter = adapt("http://a:1/v1", "http://b:2/v1")
        identity = adapter.identity
        assert (identity.adapter, identity.name, identity.weights, identity.format) == ("api", "m", "m", 1)
        assert identity.details["endpoints"] == adapter.surroundings["endpoints"] == "http://a:1/v1, http://b:2/v1"
        assert adapter.surroundings["client"].startswith("openai ")
        json.dumps(dict(adapter.surroundings))

    def test_whatever_changes_the_answers_is_a_part_of_it(self) -> None:
        options: list[dict[str, Any]] = [
            {},
            {"revision": "2"},
            {"neutralise": False},
            {"extra": {"neutralise": False}},
            {"score_depth": 5},
            {"extra": {"reasoning_effort": "low"}},
            {"extra": {"reasoning_effort": "high"}},
        ]
        found = [Api(ApiConf(name="m", **option)).identity.weights for option in options]
        assert len(set(found)) == len(options)
        assert found == [Api(ApiConf(name="m", **option)).identity.weights for option in options]

    def test_how_it_is_asked_is_none(self) -> None:
        one = Api(ApiConf(name="m", base_url="http://a/v1", max_in_flight=3, timeout=9, attempts=2))
        assert one.identity == Api(ApiConf(name="m")).identity

    def test_capabilities_and_prices(self) -> None:
        conf = ApiConf(name="m", score_depth=5, context_length=99, prices=PricesConf(1.0, 2.0, "EUR"))
        can = Api(conf).capabilities
        assert (can.plain, can.chat, can.system_role, can.option_scores, can.seed) == (True,) * 5
        assert (can.score_depth, can.context_length, can.thread_safe, can.exact_replay) == (5, 99, True, False)
        assert can.batch_noise
        assert Api(conf).prices == Prices(1.0, 2.0, "EUR")
        assert Api(ApiConf(name="m")).prices is None


class TestPlugin:
    def test_it_registers_the_adapter(self) -> None:
        (spec,) = metricsengine_api.metricsengine_models()
        assert (spec.name, spec.config) == ("api", ApiConf)
        assert isinstance(spec.build(ApiConf(name="m")), Api)

    def test_a_missing_client_names_the_way_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
        (spec,) = metricsengine_api.metricsengine_models()
        with pytest.raises(ModelError, match=r"pip install 'metricsengine\[api\]'"):
            spec.build(ApiConf(name="m"))

    def test_the_doctor_says_whether_there_is_a_key_and_not_which(self, monkeypatch: pytest.MonkeyPatch) -> None:
        library, key = metricsengine_api.metricsengine_checkup()
        assert library.ok
        assert library.message.startswith("openai ")
        assert "is not set" in key.message
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        *_, key = metricsengine_api.metricsengine_checkup()
        assert key.message == "OPENAI_API_KEY is set"

    def test_the_doctor_without_the_client(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(checkup, "find_spec", lambda _name: None)
        (library,) = checkup.checks()
        assert "pip install 'metricsengine[api]'" in library.message
