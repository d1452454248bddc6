"""The plan: what a job will ask is known before it is asked, and nothing is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metricsengine.fallback import FALLBACKS
from metricsengine.forecast import Forecast, forecast
from metricsengine.keys import Entry
from metricsengine.model import Capabilities, ModelIdentity, Outcome, Request, Response, Sampling
from metricsengine.plan import Planned, _print
from metricsengine.preflight import Job
from metricsengine.records import Tables
from metricsengine.store import ResponseStore
from metricsengine.study import Rounds, Study, together

MANY = Forecast(123456789, 0, 123456789, 3, False, 98765432109, 98765432109)

IDENTITY = ModelIdentity("scripted", "Scripted 1", "w", 1)


class Silent:
    """A model that must not be asked."""

    identity, capabilities, prices = IDENTITY, Capabilities(), None

    def render(self, request: Request) -> str:
        return f"<{request.prompt}>"

    def answer(self, requests: Any) -> Any:
        raise AssertionError("a plan asks no model")


class Talks(Study):
    """Asks everybody, and those who do not say no a second time."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def run(self) -> Rounds[Tables]:
        yield from together(self._talk(name) for name in self._names)
        return {}

    def _talk(self, name: str) -> Rounds[None]:
        [reply] = yield [Request(f"Hello {name}", Sampling(max_tokens=10), example="yes")]
        if reply.text != "no":
            yield [Request(f"You said {reply.text}", options=("A", "B"))]


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with ResponseStore(tmp_path / "store.db") as opened:
        yield opened


def job(store: ResponseStore, names: list[str]) -> Job:
    return Job(
        run=None,  # type: ignore[arg-type] # a forecast looks at none of these
        spec=None,  # type: ignore[arg-type]
        study=Talks(names),
        metrics=(),
        adapter=Silent(),  # type: ignore[arg-type] # all of an adapter that a forecast needs
        encoder=None,
        store=store,
    )


def put(store: ResponseStore, prompt: str, reply: str, tokens: int = 5) -> None:
    from metricsengine.keys import key

    request = Request(prompt, Sampling(max_tokens=10))
    rendered = f"<{prompt}>"
    response = Response(Outcome.ANSWERED, reply, completion_tokens=tokens)
    store.put([Entry(key(IDENTITY, rendered, request), IDENTITY, rendered, request, response)])


class TestForecast:
    def test_a_round_that_hangs_on_no_answer_is_exact_and_equal_requests_count_once(self, store: Any) -> None:
        first = forecast(job(store, ["Ann", "Ben", "Ann"]))
        assert (first.requests, first.calls, first.stored, first.rounds) == (6, 5, 0, 2)
        assert not first.exact  # 'You said yes' three times over, which may turn out to be three different prompts

    def test_tokens_are_those_of_prompts_and_of_the_longest_replies(self, store: Any) -> None:
        found = forecast(job(store, ["Ann"]))
        assert found.prompt_tokens == 3 + 4  # "<Hello Ann>", "<You said yes>"
        assert found.completion_tokens == 10 + 1

    def test_stored_answers_are_hits_and_decide_what_follows(self, store: Any) -> None:
        put(store, "Hello Ann", "no")
        found = forecast(job(store, ["Ann"]))
        assert (found.requests, found.stored, found.calls, found.exact) == (1, 1, 0, True)

    def test_what_follows_from_stored_answers_is_exact(self, store: Any) -> None:
        put(store, "Hello Ann", "perhaps")
        put(store, "Hello Ben", "perhaps")
        found = forecast(job(store, ["Ann", "Ben"]))
        assert (found.requests, found.stored, found.calls, found.exact) == (4, 2, 1, True)

    @pytest.mark.parametrize(("example", "likeliest"), [("C", "C"), ("A", "A"), ("", "A"), ("Z", "A")])
    def test_of_scored_options_the_example_is_likelier_than_all_others(
        self, store: Any, example: str, likeliest: str
    ) -> None:
        seen: list[Response] = []

        class Scores(Study):
            def run(self) -> Rounds[Tables]:
                seen.extend((yield [Request("Which?", options=("A", "B", "C", "D"), example=example)]))
                return {}

        asked = job(store, [])
        asked.study = Scores()
        forecast(asked)
        [response] = seen
        shares = {score.option: score.probability for score in response.scores}
        assert max(shares, key=shares.__getitem__) == likeliest
        assert shares[likeliest] > sum(shares.values()) / 2
        assert sum(shares.values()) == pytest.approx(1)

    def test_fallbacks_ask_otherwise(self, store: Any) -> None:
        from metricsengine.fit import Fit
        from metricsengine.proof import Proof

        asked = job(store, ["Ann"])
        asked.fit = Fit(Proof(Capabilities()), (FALLBACKS["answer_by_text"],))
        assert forecast(asked).completion_tokens == 10 + Sampling().max_tokens


class TestSpeed:
    def test_it_needs_answers(self, store: Any) -> None:
        put(store, "Hello Ann", "no")
        assert store.speed(IDENTITY) is None

    def test_it_is_that_of_the_latest_answers_pauses_left_out(
        self, store: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clock = [1000.0 + 2 * i + (3600 if i >= 20 else 0) for i in range(40)]
        for i, now in enumerate(clock):
            monkeypatch.setattr("metricsengine.keys.time.time", lambda now=now: now)
            put(store, f"Hello {i}", "no", tokens=30)
        assert store.speed(IDENTITY) == pytest.approx(15.0)
        assert store.speed(ModelIdentity("scripted", "Scripted 1", "other weights", 1)) is None


class TestCommand:
    def test_what_is_planned_is_what_is_asked(self, metricsengine: Callable[..., Any], outputs: Path) -> None:
        words = ("experiment=diary", "tracking=none")
        ended = metricsengine("plan", "--json", *words)
        assert ended.status == 0, ended.err
        total = json.loads(ended.out)["total"]
        assert total["exact"]
        assert not (outputs / "runs").exists()
        asked = metricsengine(*words).results
        assert total["requests"] == asked["counts"]["requests"]
        assert total["calls"] == asked["store"]["misses"]
        again = json.loads(metricsengine("plan", "--json", *words).out)["total"]
        assert (again["calls"], again["stored"]) == (0, asked["counts"]["requests"])

    def test_every_job_of_a_sweep_and_all_together(self, metricsengine: Callable[..., Any], outputs: Path) -> None:
        ended = metricsengine("plan", "--json", "-m", "experiment=diary", "seed=1,2", "hydra/launcher=nonsense")
        assert ended.status == 0, ended.err
        found = json.loads(ended.out)
        assert [job["job"] for job in found["jobs"]] == ["experiment=diary seed=1", "experiment=diary seed=2"]
        assert found["total"]["calls"] == sum(job["calls"] for job in found["jobs"]) > 0
        assert not (outputs / "sweeps").exists()

    def test_it_reads_well(self, metricsengine: Callable[..., Any]) -> None:
        ended = metricsengine("plan", "--tokens-per-second", "10", "experiment=diary")
        assert ended.status == 0
        assert "calls" in ended.out
        assert "at 10 reply tokens a second" in ended.out

    def test_one_job_is_a_list_and_no_number_is_cut(self, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "40")
        _print([Planned("study.n=" + "9" * 60, MANY, "m", 100.0)])
        lines = capsys.readouterr().out.splitlines()
        assert lines[:3] == [f"job            study.n={'9' * 60}", "requests       ≤ 123,456,789", "stored         0"]
        assert "prompt tokens  ~ 98,765,432,109" in lines

    @pytest.mark.parametrize("columns", ["40", "80", "200"])
    def test_of_several_what_they_share_is_said_once_and_no_number_is_cut(
        self, capsys: Any, monkeypatch: pytest.MonkeyPatch, columns: str
    ) -> None:
        monkeypatch.setenv("COLUMNS", columns)
        words = ["study=diary study.prompts=[base,wording,logic,newline]", "study=diary study.prompts=[base] ~x"]
        _print([Planned(word, MANY, "m", 100.0) for word in words])
        out = capsys.readouterr().out
        assert out.count("study=diary") == 1
        assert "All jobs: study=diary\n" in out
        assert out.count("~ 98,765,432,109 ") == 2
        assert "~ 197,530,864,218 " in out
        assert "…" not in out
        names = "".join(line[:13].strip() for line in out.splitlines()[3:])
        assert columns == "200" or names.startswith("prompts=[base,wording,logic,newline]prompts=[base]")

    def test_a_table_of_usual_jobs_fits_a_usual_terminal(self, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        few = Forecast(2122, 0, 2122, 3, False, 463437, 285632)
        _print([Planned(f"study.n_agents={n} network.p=0.3", few, "m", 100.0) for n in (500, 600)])
        table = capsys.readouterr().out.partition("All jobs")[0]
        assert max(map(len, table.splitlines())) <= 80
        assert "n_agents=500" in table

    def test_a_job_that_cannot_be_run_is_named(self, metricsengine: Callable[..., Any]) -> None:
        ended = metricsengine("plan", "-m", "experiment=diary", "seed=1", "protocol=paper,released")
        assert ended.status == 2
        assert "protocol=released" in ended.line

    @pytest.mark.parametrize("words", [("--tokens-per-second", "0"), ("--tokens-per-second", "many"), ("stduy=diary",)])
    def test_what_is_wrong_is_one_line(self, metricsengine: Callable[..., Any], words: tuple[str, ...]) -> None:
        ended = metricsengine("plan", *words)
        assert ended.status == 2
        assert ended.line
