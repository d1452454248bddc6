"""The plan: what a job will ask is known before it is asked, and nothing is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from metricsengine.errors import ConfigError
from metricsengine.estimate import Estimate
from metricsengine.fallback import FALLBACKS
from metricsengine.forecast import DryRuns, Forecast, forecast
from metricsengine.keys import Entry
from metricsengine.metric import Metric, MetricContext, MetricResult, MetricSpec
from metricsengine.model import (
    Capabilities,
    Finding,
    ModelIdentity,
    Need,
    Outcome,
    Prices,
    Request,
    Response,
    Sampling,
)
from metricsengine.planning.foreseen import NOT_RUN, Foreseen, foresee
from metricsengine.planning.needed import fit_as_known
from metricsengine.planning.planned import Planned, to_json
from metricsengine.planning.shown import show
from metricsengine.preflight import Job
from metricsengine.proof import prove
from metricsengine.records import Column, Tables, TableSpec
from metricsengine.run import Run
from metricsengine.settings import Settings
from metricsengine.store import ResponseStore
from metricsengine.study import Rounds, Study, StudySpec, together

MANY = Forecast(requests=123456789, calls=123456789, rounds=3, exact=False, prompt_tokens=98765432109)
MANY = replace(MANY, completion_tokens=98765432109)

TALKS = StudySpec(
    "talks",
    dict,
    lambda conf, inputs: Talks(conf),
    (TableSpec("Talks", "One talk.", (Column("name", "text", "Who", required=True),)),),
)

IDENTITY = ModelIdentity("scripted", "Scripted 1", "w", 1)


class Silent:
    """A model that must not be asked."""

    identity, prices = IDENTITY, None
    surroundings: dict[str, str] = {}  # noqa: RUF012 - never changed

    def __init__(self, capabilities: Capabilities = Capabilities()) -> None:  # noqa: B008 - frozen
        self.capabilities = capabilities

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
        return {"Talks": pd.DataFrame({"name": self._names})}

    def _talk(self, name: str) -> Rounds[None]:
        [reply] = yield [Request(f"Hello {name}", Sampling(max_tokens=10), example="yes")]
        if reply.text != "no":
            yield [Request(f"You said {reply.text}", options=("A", "B"))]


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with ResponseStore(tmp_path / "store.db") as opened:
        yield opened


def job(store: ResponseStore, names: list[str], model: Silent | None = None) -> Job:
    return Job(
        run=None,  # type: ignore[arg-type] # a forecast does not look at it
        spec=TALKS,
        study=Talks(names),
        metrics=(),
        adapter=model or Silent(),  # type: ignore[arg-type] # all of an adapter that a plan needs
        encoder=None,
        store=store,
    )


@pytest.fixture
def planned_job(store: ResponseStore, make_run: Callable[..., Run]) -> Callable[..., Job]:
    """A job of a plan, of which only the given settings differ from others."""

    def make(*names: str, model: Silent | None = None, **settings: Any) -> Job:
        made = job(store, list(names), model)
        made.run = make_run(Settings(study=list(names), **settings))
        return made

    return make


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


class TestShared:
    def test_what_an_earlier_job_asks_is_no_call(self, planned_job: Any) -> None:
        runs = DryRuns()
        first = runs.of(planned_job("Ann", "Ben")).forecast
        second = runs.of(planned_job("Ben", "Cem", "Ben")).forecast
        assert (first.shared, first.calls) == (0, 4)
        # Ben is greeted twice for nothing; what is said next rests on an example, and may be another prompt.
        assert (second.requests, second.shared, second.calls, second.exact) == (6, 2, 4, False)
        assert second.prompt_tokens == 3 + 3 * 4  # "<Hello Cem>", three times "<You said yes>"
        assert (first + second).shared == 2

    def test_a_prompt_that_rests_on_an_example_is_not_the_request_of_another_job(self, planned_job: Any) -> None:
        runs = DryRuns()
        runs.of(planned_job("Ann"))

        class Guesses(Study):
            """Asks outright what the other job's dry run comes to after an example."""

            def run(self) -> Rounds[Tables]:
                yield [Request("You said yes", options=("A", "B"))]
                return {}

        other = planned_job("Ben")
        other.study = Guesses()
        assert (runs.of(other).forecast.shared, runs.of(other).forecast.exact) == (0, True)

    def test_what_follows_from_shared_requests_is_not_exact(self, planned_job: Any) -> None:
        runs = DryRuns()
        runs.of(planned_job("Ann", "Ben"))
        found = runs.of(planned_job("Ben")).forecast
        assert (found.shared, found.calls, found.exact) == (1, 1, False)

    def test_jobs_that_differ_in_nothing_asked_share_all(self, planned_job: Any) -> None:
        runs = DryRuns()
        runs.of(planned_job("Ann", "Ben"))
        found = runs.of(planned_job("Ann", "Ben", protocol="released", metric={"other": None})).forecast
        assert (found.requests, found.shared, found.calls, found.prompt_tokens) == (4, 4, 0, 0)

    def test_another_seed_may_ask_something_else(self, planned_job: Any) -> None:
        runs = DryRuns()
        runs.of(planned_job("Ann"))
        assert runs.of(planned_job("Ann", seed=1)).forecast.shared == 1  # only what rests on no example

    def test_stored_answers_are_told_apart(self, store: Any, planned_job: Any) -> None:
        put(store, "Hello Ann", "no")
        runs = DryRuns()
        runs.of(planned_job("Ann", "Ben"))
        found = runs.of(planned_job("Ann", "Ben", protocol="released")).forecast
        assert (found.requests, found.stored, found.shared, found.calls) == (3, 1, 2, 0)


class Counts(Metric):
    """Has no value of names that occur once, and takes offence at Ann."""

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        raise AssertionError("a plan measures nothing")

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        counts = table["name"].value_counts()
        if "Ann" in counts:
            raise ZeroDivisionError("Ann")
        return [
            Estimate.undefined("count", f"only one {name}", labels={"name": name}) for name in counts[counts < 2].index
        ]


COUNTS = MetricSpec("count", dict, lambda conf: Counts(), "Talks", ())


class TestForeseen:
    def test_metrics_say_what_will_be_undefined(self, planned_job: Any) -> None:
        asked = planned_job("Ben", "Ben", "Cem")
        asked.metrics = [(COUNTS, Counts())]
        found = foresee(asked, DryRuns().of(asked).tables)
        assert found.to_json() == {
            "undefined": [{"metric": "count", "labels": {"name": "Cem"}, "reason": "only one Cem"}],
            "notes": [],
        }

    def test_a_metric_that_fails_is_a_note(self, planned_job: Any) -> None:
        asked = planned_job("Ann")
        asked.metrics = [(COUNTS, Counts())]
        found = foresee(asked, DryRuns().of(asked).tables)
        assert found.notes == ["metric 'count': cannot foresee: ZeroDivisionError: Ann"]

    def test_kinds_of_cells_are_told_with_their_number(self, capsys: Any) -> None:
        cells = [Estimate.undefined("count", f"only one {name!r}", labels={"name": name}) for name in ("Ann", "Ben")]
        alone = Estimate.undefined("mean", "nobody", labels={})
        jobs = [Planned("n=1", Forecast(requests=1), foreseen=Foreseen([*cells, alone], ["metric 'x': cannot"]))]
        show([*jobs, Planned("n=2", Forecast(requests=1), foreseen=Foreseen(cells))])
        out = capsys.readouterr().out
        assert "  count, 4 cells: only one 'Ann' (and 3 alike)\n" in out
        assert "  mean, 1 cell: nobody\n" in out
        assert "metric 'x': cannot (in 1 job)\n" in out
        assert "≥3" in out
        assert "≥5" in out

    def test_a_study_that_asks_no_model_is_not_run(self, planned_job: Any) -> None:
        asked = planned_job("Ben")
        asked.adapter, asked.metrics = None, [(COUNTS, Counts())]
        assert foresee(asked, DryRuns().of(asked).tables).notes == [NOT_RUN]


class TestTotal:
    CALLS = Forecast(requests=2, calls=2, prompt_tokens=1_000_000, completion_tokens=2_000_000)

    def test_costs_and_times_of_different_models_are_summed(self) -> None:
        dear, cheap = (
            Planned("a", self.CALLS, "m", 100.0, Prices(3, 1)),
            Planned("b", self.CALLS, "n", 50.0, Prices(1, 0)),
        )
        none = Planned("c", Forecast(requests=2, stored=2), "o")
        found = to_json([dear, cheap, none])["total"]
        assert (found["cost"], found["currency"]) == (5 + 1, "USD")
        assert found["hours"] == pytest.approx((20_000 + 40_000) / 3600)
        assert found["tokens_per_second"] is None

    @pytest.mark.parametrize("prices", [None, Prices(1, 1, "EUR")])
    def test_a_sum_that_lacks_a_part_is_not_known(self, prices: Prices | None) -> None:
        jobs = [Planned("a", self.CALLS, "m", 100.0, Prices(3, 1)), Planned("b", self.CALLS, "n", None, prices)]
        found = to_json(jobs)["total"]
        assert (found["cost"], found["currency"], found["hours"]) == (None, None, None)

    def test_what_answers_decide_is_estimated(self, capsys: Any) -> None:
        show([Planned("a", replace(self.CALLS, exact=False), "m", 100.0, Prices(1, 1))])
        out = capsys.readouterr().out
        assert "≤" not in out
        assert "calls          ~ 2\n" in out
        assert "cost           ~ 3.00 USD\n" in out

    def test_what_is_not_asked_costs_nothing_and_a_bound_is_not_rounded_down(self, capsys: Any) -> None:
        few = Forecast(requests=2, calls=2, prompt_tokens=1000)
        show([Planned("a", few, "m", 100.0, Prices(1.1, 1))])
        assert "cost           ≤ 0.01 USD\n" in capsys.readouterr().out
        show([Planned("a", Forecast(requests=2, stored=2), "m")])
        assert "cost           0\n" in capsys.readouterr().out


class TestNeeds:
    SCORES = frozenset[Need]({"plain", "option_scores"})

    def asked(self, planned_job: Any, **settings: Any) -> Job:
        made: Job = planned_job("Ann", model=Silent(Capabilities(option_scores=True)), **settings)
        made.study.needs = self.SCORES
        return made

    def remember(self, asked: Job, monkeypatch: pytest.MonkeyPatch, **holds: bool) -> None:
        monkeypatch.setattr(
            "metricsengine.probes.probe", lambda subject, name: Finding(name, holds.get(name, True), f"{name} seen")
        )
        assert asked.adapter
        prove(asked.adapter, self.SCORES, asked.store, "cached")

    def test_what_is_claimed_and_what_was_proven(self, planned_job: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = self.asked(planned_job)
        found = fit_as_known(asked, "cached")
        assert [need.state for need in found.each] == ["claimed", "claimed"]
        assert set(found.unproven) == {"plain", "option_scores", "invariant_scores", "seed"}
        self.remember(asked, monkeypatch)
        found = fit_as_known(asked, "cached")
        assert found.to_json()["needs"][0] == {
            "need": "option_scores",
            "words": "option scores",
            "state": "proven",
            "detail": "option_scores seen",
        }
        assert not found.unproven
        assert fit_as_known(asked, "fresh").unproven
        assert not fit_as_known(asked, "none").unproven

    def test_what_was_found_lacking_is_no_longer_planned(
        self, planned_job: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = self.asked(planned_job)
        self.remember(asked, monkeypatch, option_scores=False)
        with pytest.raises(ConfigError, match="option_scores seen"):
            fit_as_known(asked, "cached")

    def test_a_fallback_stands_in_and_asks_otherwise(self, planned_job: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = self.asked(planned_job, fallback=["answer_by_text"])
        self.remember(asked, monkeypatch, option_scores=False)
        [scores, plain] = fit_as_known(asked, "cached").each
        assert (scores.state, plain.state) == ("replaced", "proven")
        assert "answer_by_text" in scores.detail
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

    def test_what_jobs_share_is_asked_once(self, metricsengine: Callable[..., Any], outputs: Path) -> None:
        words = ("-m", "experiment=diary", "study.days=3,2,4", "seed=1,2", "protocol=paper", "tracking=none")
        planned = json.loads(metricsengine("plan", "--json", *words).out)
        assert [job["shared"] for job in planned["jobs"]] == [0, 0, 4, 4, 6, 6]
        ended = metricsengine(*words)
        assert ended.status == 0, ended.err
        folders = [path.parent for path in outputs.glob("sweeps/**/results.json") if path.parent.name.isdigit()]
        jobs = [json.loads((folder / "results.json").read_text()) for folder in folders]
        assert len(jobs) == 6
        assert planned["total"]["exact"]
        assert planned["total"]["calls"] == sum(job["store"]["misses"] for job in jobs) == 2 * 2 * 4
        assert planned["total"]["requests"] == sum(job["counts"]["requests"] for job in jobs)
        again = json.loads(metricsengine("plan", "--json", *words).out)
        assert [(job["calls"], job["shared"]) for job in again["jobs"]] == [(0, 0)] * 6

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
        show([Planned("study.n=" + "9" * 60, MANY, "m", 100.0)])
        lines = capsys.readouterr().out.splitlines()
        assert lines[:3] == [f"job            study.n={'9' * 60}", "requests       ~ 123,456,789", "stored         0"]
        assert "prompt tokens  ~ 98,765,432,109" in lines

    @pytest.mark.parametrize("columns", ["40", "80", "200"])
    def test_of_several_what_they_share_is_said_once_and_no_number_is_cut(
        self, capsys: Any, monkeypatch: pytest.MonkeyPatch, columns: str
    ) -> None:
        monkeypatch.setenv("COLUMNS", columns)
        words = ["study=diary study.prompts=[base,wording,logic,newline]", "study=diary study.prompts=[base] ~x"]
        show([Planned(word, MANY, "m", 100.0) for word in words])
        out = capsys.readouterr().out
        assert out.count("study=diary") == 1
        assert "All jobs: study=diary\n" in out
        assert out.count("~123,456,789 ") == 4
        assert out.count("~98.8B ") == 4
        assert "~198B " in out
        assert "…" not in out
        rows = out.partition("─\n")[2].splitlines()
        names = "".join(line.split("  ")[0].strip() for line in rows)
        assert columns == "200" or names.startswith("prompts=[base,wording,logic,newline]prompts=[base]")

    def test_a_table_of_usual_jobs_fits_a_usual_terminal(self, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        few = Forecast(22122, 10, 2110, 20002, 3, False, 463437, 285632)
        lacking = Foreseen([Estimate.undefined("m", "few", labels={})])
        jobs = [Planned(f"study.n_agents={n} network.p=0.3", few, "m", 100.0, foreseen=lacking) for n in (500, 600)]
        show(jobs)
        table = capsys.readouterr().out.partition("All jobs")[0]
        assert max(map(len, table.splitlines())) <= 80
        assert "n_agents=500" in table
        assert "cost" not in table  # which nobody knows

    def test_a_total_that_cannot_be_asked_is_zero_and_nothing_is_at_most_zero(self, capsys: Any) -> None:
        none = Forecast(4, shared=4, exact=False)
        show([Planned("a=1", none), Planned("a=2", none)])
        assert "~0" not in capsys.readouterr().out
        assert to_json([Planned("a=1", none)])["total"]["calls"] == 0

    def test_a_job_that_cannot_be_run_is_named(self, metricsengine: Callable[..., Any]) -> None:
        ended = metricsengine("plan", "-m", "experiment=diary", "seed=1", "protocol=paper,released")
        assert ended.status == 2
        assert "protocol=released" in ended.line

    def test_a_study_that_raises_does_not_take_the_other_jobs(
        self, metricsengine: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def raising(study: Any) -> Rounds[Tables]:
            yield [Request("Dear diary")]
            if study._days == 2:
                raise KeyError("day")
            return {}

        monkeypatch.setattr("metricsengine_diary.study.DiaryStudy.run", raising)
        ended = metricsengine("plan", "--json", "-m", "experiment=diary", "study.days=1,2")
        assert ended.status == 2
        one, two = json.loads(ended.out)["jobs"]
        assert "error" not in one
        assert two["error"] == "KeyError: 'day'"

    def test_a_search_is_planned_as_all_that_it_can_choose_from(self, metricsengine: Callable[..., Any]) -> None:
        search = ("hydra/sweeper=optuna", "hydra/sweeper/sampler=random", "hydra.sweeper.n_trials=2")
        ended = metricsengine("plan", "--json", "-m", "experiment=diary", "study.days=choice(1,2,3)", *search)
        assert ended.status == 0, ended.err
        assert len(json.loads(ended.out)["jobs"]) == 3
        assert "a search runs some of these jobs" in ended.line

    @pytest.mark.parametrize("words", [("--tokens-per-second", "0"), ("--tokens-per-second", "many"), ("stduy=diary",)])
    def test_what_is_wrong_is_one_line(self, metricsengine: Callable[..., Any], words: tuple[str, ...]) -> None:
        ended = metricsengine("plan", *words)
        assert ended.status == 2
        assert ended.line
