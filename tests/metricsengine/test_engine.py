"""One job from preflight to its files: what is wrong is found before anything is asked, and nothing is lost after."""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pliable import ALL, Pliable
from rich.console import Console

from metricsengine import engine
from metricsengine.comparison import Comparison, ComparisonSpec, Findings, spelled
from metricsengine.encoder import Encoded, Encoder, EncoderSpec
from metricsengine.engine import Engine
from metricsengine.errors import ConfigError, ModelError
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Exhibit, Figure, Passage
from metricsengine.fallback import FALLBACKS
from metricsengine.metric import Measure, Metric, MetricContext, MetricResult, MetricSpec
from metricsengine.model import (
    Batch,
    Capabilities,
    Message,
    ModelAdapter,
    ModelIdentity,
    ModelSpec,
    Need,
    Outcome,
    Prices,
    Request,
    Response,
)
from metricsengine.records import Column, Tables, TableSpec
from metricsengine.results import Results
from metricsengine.run import Run, RunEnd
from metricsengine.settings import RecordsConf, Settings
from metricsengine.study import Rounds, Study, StudySpec
from metricsengine.terminal import show_results

TABLE = TableSpec(
    "Replies",
    "One reply.",
    (
        Column("prompt", "text", "What was asked", required=True),
        Column("text", "text", "What came back"),
        Column("excluded", "text", "Why it does not count"),
    ),
)


@dataclass
class World:
    """What the plugins of a test do, and what was asked of them."""

    model: ModelAdapter | None = None
    prompts: Sequence[str] = ("a", "b", "a")
    ask: Callable[[str], Request] = Request
    needs: frozenset[Need] = frozenset({"plain"})
    replies: dict[str, object] = field(default_factory=dict)
    tables: Callable[[pd.DataFrame], Tables] = lambda frame: {"Replies": frame}
    exhibits: Callable[[Results], Iterable[Exhibit]] = lambda results: ()
    measured: dict[str, object] = field(default_factory=dict)
    check: Callable[[], None] = lambda: None
    asked: list[str] = field(default_factory=list)
    encoded: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    labels: Mapping[str, str] = field(default_factory=dict)
    gap: object = None
    found: list[Findings] = field(default_factory=list)


@dataclass
class ModelConf:
    pass


@dataclass
class StudyConf:
    pass


@dataclass
class EncoderConf:
    pass


@dataclass
class LengthConf:
    pass


@dataclass
class WidthConf:
    pass


class Model(ModelAdapter):
    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("scripted", "Scripted 1", "w", 1, {"template": "none"})

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities()

    def render(self, request: Request) -> str:
        return str(request.prompt)

    def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
        for i, request in enumerate(requests):
            self._world.asked.append(str(request.prompt))
            said = self._world.replies.get(str(request.prompt), Response(Outcome.ANSWERED, f"re {request.prompt}"))
            if isinstance(said, BaseException):
                raise said
            yield [(i, said)]

    def close(self) -> None:
        self._world.events.append("model closed")


class Asking(Study):
    def __init__(self, world: World) -> None:
        self._world = world
        self.needs = world.needs

    @property
    def labels(self) -> Mapping[str, str]:
        return self._world.labels

    def check(self) -> None:
        self._world.check()

    def run(self) -> Rounds[Tables]:
        replies = yield [self._world.ask(prompt) for prompt in self._world.prompts]
        rows = [
            (prompt, reply.text, pd.NA if reply.ok else str(reply.outcome))
            for prompt, reply in zip(self._world.prompts, replies, strict=True)
        ]
        return self._world.tables(pd.DataFrame(rows, columns=["prompt", "text", "excluded"]))

    def read(self, records: pd.DataFrame) -> Tables:
        return {"Replies": records}

    def compost(self, tables: Tables) -> Mapping[str, str]:
        return {"topic": "letters"}

    def exhibits(self, results: Results) -> Iterable[Exhibit]:
        return self._world.exhibits(results)


class Measuring(Metric):
    """Mean length of the replies to each prompt, or what the world says."""

    def __init__(self, world: World, name: str, *, vectors: bool = False) -> None:
        self._world, self._name, self._vectors = world, name, vectors

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        said = self._world.measured.get(self._name)
        if isinstance(said, BaseException):
            raise said
        if said is not None:
            return said  # a broken metric returns anything
        kept = table[table["excluded"].isna()]
        if self._vectors:
            context.encode(list(kept["text"]))
        return MetricResult(
            [
                Estimate(self._name, float(texts.str.len().mean()), n=len(texts), labels={"prompt": str(prompt)})
                for prompt, texts in kept.groupby("prompt")["text"]
            ]
        )


@dataclass
class GapConf:
    pass


@dataclass
class Gap(Comparison):
    """Greatest minus smallest of all estimates, or what the world says."""

    world: World

    def compare(self, findings: Findings, seed: int) -> Sequence[Estimate]:
        self.world.found.append(findings)
        if self.world.gap is not None:
            if isinstance(self.world.gap, BaseException):
                raise self.world.gap
            return self.world.gap  # a broken comparison returns anything
        values = [estimate.value for estimate in findings.estimates]
        return [Estimate("gap", max(values) - min(values), len(values), {"seed": str(seed)}, unit="letters")]


class Counting(Encoder):
    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def name(self) -> str:
        return "counting"

    @property
    def fingerprint(self) -> str:
        return "counting 1"

    def encode(self, texts: Sequence[str]) -> Encoded:
        self._world.encoded += texts
        return Encoded(np.array([[len(text), 1] for text in texts], dtype=np.float32), np.zeros(len(texts), bool))


def metric(world: World, name: str, config: type[Any], *, vectors: bool = False, **more: Any) -> MetricSpec:
    measure = Measure(name, units=("prompt",), keep=((),))
    row = {"table": "Replies", "measures": (measure,), "encoder": vectors, **more}
    return MetricSpec(name, config, lambda conf: Measuring(world, name, vectors=vectors), **row)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def install(site: Any, world: World) -> Callable[..., None]:
    """Installs the plugins of the world; more hooks may be given."""

    def install(**hooks: Any) -> None:
        site.add_live(
            "world",
            models=[ModelSpec("scripted", ModelConf, lambda conf: world.model or Model(world))],
            studies=[StudySpec("asking", StudyConf, lambda conf, inputs: Asking(world), tables=(TABLE,))],
            encoders=[EncoderSpec("counting", EncoderConf, lambda conf: Counting(world))],
            metrics=[
                metric(world, "length", LengthConf),
                metric(world, "width", WidthConf, vectors=True),
                metric(world, "other", LengthConf, table="Others"),
                metric(world, "authors", LengthConf, protocols=("released",)),
            ],
            comparisons=[ComparisonSpec("gap", GapConf, lambda conf: Gap(world), (Measure("gap", unit=""),))],
            **hooks,
        )

    return install


def events(world: World) -> dict[str, Callable[..., Any]]:
    return {
        "preflight": lambda run: world.events.append("preflight"),
        "run_started": lambda run: world.events.append("started"),
        "responses_stored": lambda responses: world.events.append(f"stored {len(responses)}"),
        "estimates_computed": lambda estimates: world.events.append(f"computed {len(estimates)}"),
        "run_finished": lambda end, results: world.events.append(f"{end.status}, {type(results).__name__}"),
    }


UNPROVEN = "what the model can do is what it declares: probe=none asked nothing"


def settings(*metrics: str, **changes: Any) -> Settings:
    chosen = {name: WidthConf() if name == "width" else LengthConf() for name in metrics or ("length",)}
    row = {"study": StudyConf(), "model": ModelConf(), "encoder": EncoderConf(), "metric": chosen, "seed": 5}
    row["probe"] = "none"  # what is asked is counted here
    return Settings(**{**row, **changes})


@pytest.fixture
def carry_out(
    site: Any, make_run: Callable[..., Run], quiet: Console
) -> Callable[..., tuple[RunEnd, Results | None, Run]]:
    """Runs one job of the installed plugins."""

    def carry_out(chosen: Settings | None = None, name: str = "run") -> tuple[RunEnd, Results | None, Run]:
        run = make_run(chosen or settings(), name)
        end, results, _ = Engine(site.host(), quiet).run(run)
        status = json.loads((run.folder / "status.json").read_text())
        assert status | {"configuration": False} == status
        assert (status["status"], status["error"], status["failures"]) == (end.status, end.error, list(end.failures))
        return end, results, run

    return carry_out


class TestARunThatGoesThrough:
    def test_its_results_are_in_its_folder(self, world: World, install: Any, carry_out: Any) -> None:
        install(**events(world))
        end, results, run = carry_out()
        assert end == RunEnd("finished")
        assert {e.labels.get("prompt", "all"): (e.value, e.n) for e in results.estimates} == {
            "a": (4.0, 2),
            "b": (4.0, 1),
            "all": (4.0, 2),
        }
        assert results.counts == {"requests": 3, "answered": 3, "rows.Replies": 3}
        assert results.compost == {
            "context": "not stated",
            "model": "Scripted 1",
            "persona": "not stated",
            "topic": "letters",
        }
        assert results.model["details"] == {"template": "none"}
        assert (results.store["hits"], results.store["misses"], results.store["responses"]) == (0, 2, 2)
        assert list(results.tables["Replies"]["text"]) == ["re a", "re b", "re a"]
        assert results.provenance["command"] == "metricsengine study=scripted"
        loaded = Results.load(run.folder)
        assert loaded.estimates == results.estimates
        assert loaded.counts == results.counts
        written = {str(path.relative_to(run.folder)) for path in run.folder.rglob("*") if path.is_file()}
        assert written >= {
            "config.yaml",
            "environment.json",
            "report.html",
            "results.json",
            "status.json",
            "tables/Replies.parquet",
        }

    def test_plugins_hear_of_it_in_order(self, world: World, install: Any, carry_out: Any) -> None:
        install(**events(world))
        carry_out(settings("length", "width"))
        assert world.events == [
            *("preflight", "started", "stored 1", "stored 1", "computed 3", "computed 3"),
            *("finished, Results", "model closed"),
        ]

    def test_run_again_it_asks_and_embeds_nothing(self, world: World, install: Any, carry_out: Any) -> None:
        install()
        _, first, _ = carry_out(settings("length", "width"), "first")
        assert (world.asked, sorted(world.encoded)) == (["a", "b"], ["re a", "re b"])
        _, second, _ = carry_out(settings("length", "width"), "second")
        assert (world.asked, sorted(world.encoded)) == (["a", "b"], ["re a", "re b"])
        assert second.estimates == first.estimates
        assert (second.store["hits"], second.store["misses"], second.store["vector_hits"]) == (3, 0, 2)

    def test_no_vectors_no_encoder(self, world: World, install: Any, carry_out: Any) -> None:
        install()
        end, _, _ = carry_out(settings("length", encoder=None))
        assert end.status == "finished"
        assert not world.encoded

    def test_what_is_undefined_is_no_failure(self, world: World, install: Any, carry_out: Any) -> None:
        install()
        world.measured["length"] = MetricResult(
            [Estimate.undefined("length", "0 replies, 1 needed", labels={"prompt": "a"})]
        )
        end, results, run = carry_out()
        assert end.status == "finished"
        assert [(e.value, e.status) for e in results.estimates] == [(None, "undefined")] * 2
        assert "its only cell is not defined: 0 replies" in results.estimates[1].reason
        rows = json.loads((run.folder / "results.json").read_text())["estimates"]
        assert rows[0]["value"] is None
        assert rows[0]["reason"] == "0 replies, 1 needed"

    def test_a_study_may_ask_nothing(self, world: World, install: Any, carry_out: Any) -> None:
        install()
        world.prompts, world.needs = (), frozenset()
        end, results, _ = carry_out(settings(model=None))
        assert end.status == "finished"
        assert results.model is None
        assert results.counts == {"requests": 0, "rows.Replies": 0}


class TestPreflight:
    @pytest.mark.parametrize(
        ("chosen", "message"),
        [
            (
                settings("other"),
                "metric 'other' reads table Others, which study 'asking' does not return; "
                "choose metric=[length,width,authors]",
            ),
            (settings("authors"), "metric 'authors' knows protocol=released, not paper"),
            (settings("length", protocol="released"), "metric 'length' knows protocol=paper, not released"),
            (settings("width", encoder=None), "metric 'width' needs vectors: add encoder=NAME"),
            (settings(model=None), "this study asks a model: add model=NAME"),
            (settings(study=ModelConf()), "no study has options of type ModelConf"),
            (settings("lenght"), "unknown metric 'lenght': did you mean 'length'?.*"),
            (settings(records=RecordsConf("nowhere.csv")), ".*/nowhere.csv: no such file"),
        ],
    )
    def test_what_does_not_fit_is_refused(
        self, world: World, install: Any, carry_out: Any, chosen: Settings, message: str
    ) -> None:
        install(**events(world))
        with pytest.raises(ConfigError) as error:
            carry_out(chosen)
        assert re.fullmatch(message.replace("[", r"\[").replace("'?", r"'\?"), str(error.value)), str(error.value)
        assert not world.asked
        assert set(world.events) <= {"model closed"}

    def test_a_model_that_cannot_do_what_the_study_needs(self, world: World, install: Any, carry_out: Any) -> None:
        install()
        world.needs = frozenset({"plain", "chat", "option_scores"})
        with pytest.raises(ConfigError) as error:
            carry_out()
        assert str(error.value) == (
            "model Scripted 1 cannot do what the study needs: chat (not offered), option_scores (not offered); "
            "fallback=[answer_by_text] has the model write its answer and reads which option it names, "
            "or choose another model"
        )
        assert not world.asked

    def test_a_study_that_says_no(self, world: World, install: Any, carry_out: Any) -> None:
        def check() -> None:
            raise ConfigError("context=twitter does not fit")

        install(**events(world))
        world.check = check
        with pytest.raises(ConfigError, match="context=twitter does not fit"):
            carry_out()
        assert not world.events

    def test_a_plugin_that_says_no(self, site: Any, world: World, install: Any, carry_out: Any) -> None:
        def refuse(run: Run) -> None:
            raise ConnectionError("no server at http://localhost:1")

        install(**{**events(world), "preflight": refuse})
        with pytest.raises(ConfigError) as error:
            carry_out()
        assert str(error.value) == (
            "plugin 'world' of metricsengine-world 1.0, metricsengine_preflight: "
            "ConnectionError: no server at http://localhost:1"
        )
        assert world.events == ["model closed"]


class TestWhatTheModelCanDo:
    def test_is_in_the_results_and_found_once(self, world: World, install: Any, carry_out: Any) -> None:
        install(**events(world))
        world.model = model = Pliable(places={"endpoint": "http://user:secret@host"})
        _, results, run = carry_out(settings(probe="cached"), "first")
        row = json.loads((run.folder / "results.json").read_text())["model"]
        assert row["capabilities"] == asdict(ALL)
        assert row["proof"] == {
            "plain": {"holds": True, "detail": "answered"},
            "seed": {
                "holds": True,
                "detail": "2 of 2 replies came back the same when asked again; two replicates differ from each other",
            },
        }
        assert (row["fallbacks"], row["served_by"]) == ([], [])
        assert model.requests == 5 + 2
        assert (results.store["hits"], results.store["misses"], results.store["responses"]) == (0, 2, 2)
        world.model = again = Pliable(places=model.places)
        _, results, _ = carry_out(settings(probe="cached"), "second")
        assert results.model == row
        assert not again.asked
        written = [path for path in run.folder.parent.rglob("*") if path.is_file()]
        assert any(path.name == "store.db" for path in written)
        assert not any(b"secret" in path.read_bytes() for path in written)

    def test_what_is_missing_ends_it_before_the_study_asks(self, world: World, install: Any, carry_out: Any) -> None:
        install(**events(world))
        world.needs = frozenset({"chat", "system_role"})
        world.model = model = Pliable(system="ignored")
        with pytest.raises(ConfigError, match=r"what the study needs: system_role .*fallback=\[system_in_user\]"):
            carry_out(settings(probe="cached"))
        assert world.events == ["preflight"]
        assert "a" not in {turn.content for call in model.asked for request in call for turn in request.prompt}

    def test_nothing_is_tried_where_a_plugin_says_no(self, world: World, install: Any, carry_out: Any) -> None:
        def refuse(run: Run) -> None:
            raise ConnectionError("no server")

        install(preflight=refuse)
        world.model = model = Pliable()
        with pytest.raises(ConfigError, match="no server"):
            carry_out(settings(probe="cached"))
        assert not model.asked

    def test_a_fallback_is_seen_wherever_one_looks(self, world: World, install: Any, carry_out: Any) -> None:
        install()
        world.needs = frozenset({"chat", "system_role", "option_scores"})
        world.ask = lambda prompt: Request(
            (Message("system", "You are Ann."), Message("user", prompt)), options=("A", "B")
        )
        world.model = Pliable(can=replace(ALL, option_scores=False), system="rejected", reply="(B)")
        chosen = settings(probe="cached", fallback=("answer_by_text", "system_in_user"))
        end, results, run = carry_out(chosen)
        assert end == RunEnd("finished")
        assert list(results.tables["Replies"]["text"]) == ["(B)"] * 3
        loaded = Results.load(run.folder)
        assert loaded.model["fallbacks"] == ["answer_by_text", "system_in_user"]
        assert loaded.model["capabilities"]["system_role"] is False
        assert "roles must alternate" in loaded.model["proof"]["system_role"]["detail"]
        notices = [f"3 of 3 responses: {FALLBACKS[name].notice}" for name in chosen.fallback]
        assert loaded.notices == notices
        page = html.unescape((run.folder / "report.html").read_text())
        console = Console(record=True, width=300, file=io.StringIO())
        show_results(results, [], console)
        said = console.export_text()
        for notice in notices:
            assert notice in page
            assert f"Notice: {notice}" in said

    def test_notices_snapshots_tokens_and_cost(self, world: World, install: Any, carry_out: Any) -> None:
        class Dropping(Pliable):
            def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
                for batch in super().answer(requests):
                    yield [
                        (i, replace(response, notices=("no `seed`",), served_by=f"m-{requests[i].prompt}"))
                        for i, response in batch
                    ]

        install()
        world.model = Dropping(cost=Prices(1000, 5000, "EUR"))
        _, results, run = carry_out(name="first")
        assert results.notices == (
            UNPROVEN,
            "3 of 3 responses: no `seed`",
            "2 snapshots of the model have answered: m-a (2), m-b (1)",
        )
        assert results.model["served_by"] == ["m-a", "m-b"]
        tokens = {"prompt_tokens": 2, "completion_tokens": 4, "responses": 2, "responses_without_counts": 0}
        assert results.usage == {
            **tokens,
            "cost": 0.022,
            "currency": "EUR",
            "prices": {"prompt": 1000, "completion": 5000, "currency": "EUR"},
            "new": {**tokens, "cost": 0.022},
        }
        assert Results.load(run.folder).usage == results.usage
        assert "completion_tokens" in (run.folder / "report.html").read_text()
        _, results, _ = carry_out(name="second")
        assert results.notices[:2] == (UNPROVEN, "3 of 3 responses: no `seed`")
        assert (results.usage["cost"], results.usage["new"]["cost"]) == (0.022, 0)

    @pytest.mark.parametrize(
        ("outcome", "said"),
        [
            (Outcome.REFUSED_BY_PROVIDER, "2 of 3 responses (67%) are refusals: the numbers rest on the others"),
            (Outcome.UNPARSED, "2 of 3 responses (67%) could not be read: the numbers rest on the others"),
            (Outcome.EMPTY, "2 of 3 responses (67%) are empty: the numbers rest on the others"),
            (Outcome.ERROR, "2 of 3 responses (67%) are errors: the numbers rest on the others"),
        ],
    )
    def test_many_useless_responses_are_told(
        self, world: World, install: Any, carry_out: Any, outcome: Outcome, said: str
    ) -> None:
        install()
        world.replies["a"] = Response(outcome, reason="why")
        assert carry_out()[1].notices == (UNPROVEN, said)

    def test_few_are_not(self, world: World, install: Any, carry_out: Any) -> None:
        install()
        world.prompts = [str(i) for i in range(10)]
        world.replies["3"] = Response(Outcome.REFUSED, "no")
        assert carry_out()[1].notices == (UNPROVEN,)

    def test_what_the_study_was_given_and_how_replies_were_read_is_told(
        self, world: World, install: Any, carry_out: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        install()
        monkeypatch.setattr(Asking, "notices", property(lambda study: ["an item counts twice"]))
        world.tables = lambda frame: {"Replies": frame.assign(outcome=["answered", "unparsed", "answered"])}
        found = carry_out()[1]
        assert found.notices == (UNPROVEN, "an item counts twice")
        assert (found.counts["answered"], found.counts["rows.Replies.unparsed"]) == (3, 1)


def of_units(values: Mapping[str, Sequence[float]], labels: str = "", **more: Any) -> MetricResult:
    """Estimates of length by prompt that are means of units."""
    estimates = [Estimate("length", float(np.mean(v)), len(v), {"prompt": prompt}) for prompt, v in values.items()]
    rows = [
        {"metric": "length", "labels": labels or json.dumps({"prompt": prompt}), "unit": str(i), "value": value, **more}
        for prompt, v in values.items()
        for i, value in enumerate(v)
    ]
    return MetricResult(estimates, units=pd.DataFrame(rows, columns=["metric", "labels", "unit", "value", *more]))


class TestComparisons:
    compared = settings("length", "width", comparison={"gap": GapConf()})

    def test_they_see_what_all_metrics_found(self, world: World, install: Any, carry_out: Any) -> None:
        install(**events(world))
        world.measured["length"] = of_units({"a": [1, 2], "b": [7]})
        end, results, run = carry_out(self.compared)
        assert end == RunEnd("finished")
        [given] = world.found
        assert [(e.metric, bool(e.over)) for e in given.estimates] == [
            *(("length", False), ("length", False), ("length", True)),
            *(("width", False), ("width", False), ("width", True)),
        ]
        assert list(given.units["value"]) == [1, 2, 7]
        assert results.estimates == [Estimate("gap", 5.5, 6, {"seed": "5"}, unit="letters"), *given.estimates]
        assert world.events[-5:-2] == ["computed 3", "computed 3", "computed 1"]
        loaded = Results.load(run.folder)
        assert (loaded.compared, loaded.measures["gap"]) == (["gap"], Measure("gap", unit=""))
        assert list(loaded.tables["Units"]["labels"]) == [spelled({"prompt": p}) for p in "aab"]

    def test_without_any_nothing_is_new(self, world: World, install: Any, carry_out: Any) -> None:
        install()
        _, results, _ = carry_out()
        assert (results.compared, "Units" in results.tables) == ([], False)

    def test_no_units_are_an_empty_table(self, world: World, install: Any, carry_out: Any) -> None:
        install()
        world.measured["length"] = replace(of_units({"a": [1]}), units=of_units({}).units)
        _, results, _ = carry_out(self.compared)
        [given] = world.found
        assert list(given.units.columns) == ["metric", "labels", "unit", "value", "weight"]
        assert "Units" not in results.tables

    @pytest.mark.parametrize(
        ("gap", "line"),
        [
            (ConfigError("no variant 'x'"), "comparison 'gap': ConfigError: no variant 'x'"),
            (ZeroDivisionError("nothing"), "comparison 'gap': ZeroDivisionError: nothing"),
            ([None], "comparison 'gap': AttributeError: .*"),
            (3, "comparison 'gap': TypeError: .*"),
        ],
    )
    def test_one_that_fails_leaves_the_rest(
        self, world: World, install: Any, carry_out: Any, gap: object, line: str
    ) -> None:
        install()
        world.gap = gap
        end, results, run = carry_out(self.compared)
        [failure] = end.failures
        assert (end.status, bool(re.fullmatch(line, failure))) == ("failed", True), failure
        assert {e.metric for e in Results.load(run.folder).estimates} == {"length", "width"}
        assert "Traceback" in (run.folder / "error-gap.txt").read_text()
        assert (results.compared, "gap" in results.measures) == ([], False)

    def test_a_metric_that_fails_is_not_compared(self, world: World, install: Any, carry_out: Any) -> None:
        install()
        world.measured["length"] = ValueError("broken")
        _, results, _ = carry_out(self.compared)
        assert {e.metric for e in world.found[0].estimates} == {"width"}
        assert results.compared == ["gap"]

    def test_the_labels_of_the_study_are_on_everything(self, world: World, install: Any, carry_out: Any) -> None:
        install()
        world.labels = {"n_agents": "6", "prompt": "ignored", "länge": "ß"}
        world.measured["length"] = of_units({"a": [1, 2], "b": [7]})
        _, results, _ = carry_out(self.compared)
        cells = results.cells("length")
        assert [e.labels for e in cells] == [{"n_agents": "6", "prompt": p, "länge": "ß"} for p in "ab"]
        assert [e.labels for e in results.aggregates("length")] == [{"n_agents": "6", "länge": "ß"}]
        units = results.tables["Units"]
        assert list(units["labels"]) == [spelled(e.labels) for e in (cells[0], cells[0], cells[1])]
        assert units["labels"].str.contains("ß").all()

    @pytest.mark.parametrize(
        ("result", "line"),
        [
            (of_units({"a": [1, 2]}, weight=0.0), "ValueError: a unit has no weight above 0: leave it out"),
            (
                of_units({"a": [1, 2]}, labels='{"prompt": "c"}'),
                'ValueError: units of length {"prompt": "c"} have the mean 1.5, its estimates are []',
            ),
            (
                replace(of_units({"a": [1, 2]}), estimates=[Estimate("length", 150, 2, {"prompt": "a"})]),
                'ValueError: units of length {"prompt": "a"} have the mean 1.5, its estimates are [150.0]',
            ),
            (
                replace(of_units({"a": [1]}), units=pd.DataFrame({"metric": ["length"]})),
                "RecordsError: table Units lacks its column 'labels' (Labels of the estimate, as sorted JSON)",
            ),
        ],
    )
    def test_units_that_are_not_those_of_an_estimate_fail_their_metric(
        self, world: World, install: Any, carry_out: Any, result: MetricResult, line: str
    ) -> None:
        install()
        world.measured["length"] = result
        end, results, _ = carry_out(self.compared)
        assert list(end.failures) == [f"metric 'length': {line}"]
        assert {e.metric for e in results.estimates} == {"gap", "width"}

    def test_measures_that_depend_on_what_was_chosen(self, world: World, install: Any, carry_out: Any) -> None:
        install()
        chosen = Measure("length.words", unit="words", units=("prompt",), keep=((),))
        cell = Estimate("length.words", 3, 1, {"prompt": "a"}, unit="words")
        world.measured["length"] = MetricResult([cell], measures=[chosen])
        _, results, _ = carry_out()
        assert results.measures["length.words"] == chosen
        assert [e.value for e in results.aggregates("length.words")] == [3]

    def test_metrics_are_given_the_parts_of_the_job(
        self, world: World, install: Any, carry_out: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        install()
        parts = {"loss": {"distance": object()}}
        seen = []
        prepare = engine.prepare

        def prepared(*arguments: Any) -> Any:
            return replace(prepare(*arguments), parts=parts)

        def compute(metric: Measuring, table: pd.DataFrame, context: MetricContext) -> MetricResult:
            seen.append(context.parts)
            return MetricResult([])

        monkeypatch.setattr(engine, "prepare", prepared)
        monkeypatch.setattr(Measuring, "compute", compute)
        carry_out()
        assert seen == [parts]


class TestRecordedResponses:
    @pytest.fixture
    def score(self, install: Any, carry_out: Any, tmp_path: Path) -> Callable[[str], Any]:
        def score(content: str) -> Any:
            path = tmp_path / "replies.csv"
            path.write_text(content)
            return carry_out(settings(model=None, records=RecordsConf(str(path), {"prompt": "asked"}, "GPT-4")))

        install()
        return score

    def test_are_scored_without_a_model(self, world: World, score: Any) -> None:
        end, results, _ = score("asked,text\na,NA\na,\nb,long\n")
        assert end.status == "finished"
        assert (results.model, results.compost["model"]) == (None, "GPT-4")
        assert list(results.tables["Replies"]["text"].isna()) == [False, True, False]
        assert not world.asked
        assert (results.usage, results.notices) == ({}, ())

    def test_a_file_that_lacks_a_column_is_refused_before_the_run(self, score: Any) -> None:
        with pytest.raises(ConfigError, match=r"replies\.csv: no column 'asked' for prompt; it has prompt, text"):
            score("prompt,text\na,b\n")

    def test_a_study_that_reads_none(self, score: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr(Asking, "read")
        with pytest.raises(ConfigError, match="study Asking does not read recorded responses"):
            score("asked,text\na,b\n")


class TestFailures:
    @pytest.mark.parametrize(
        ("said", "line"),
        [
            (ZeroDivisionError("nothing there"), "metric 'length': ZeroDivisionError: nothing there"),
            (MetricResult([None]), "metric 'length': AttributeError: .*"),  # broken
            (3, "metric 'length': AttributeError: .*"),
        ],
    )
    def test_a_metric_that_fails_leaves_the_others(
        self, world: World, install: Any, carry_out: Any, said: object, line: str
    ) -> None:
        install(**events(world))
        world.measured["length"] = said
        end, results, run = carry_out(settings("length", "width"))
        assert end.status == "failed"
        [failure] = end.failures
        assert re.fullmatch(line, failure)
        assert list(results.failures) == [failure]
        assert {e.metric for e in Results.load(run.folder).estimates} == {"width"}
        assert "Traceback" in (run.folder / "error-length.txt").read_text()
        assert failure in html.unescape((run.folder / "report.html").read_text())
        assert world.events[-2:] == ["failed, Results", "model closed"]

    def test_numbers_that_json_cannot_hold_take_one_metric_only(
        self, world: World, install: Any, carry_out: Any
    ) -> None:
        install()
        world.measured["length"] = MetricResult([Estimate("length", np.float32(0.5), np.int64(2), {"prompt": "a"})])
        end, results, _ = carry_out(settings("length", "width"))
        assert end.status == "finished"
        assert results.cells("length")[0].value == 0.5

    @pytest.mark.parametrize("hook", ["run_started", "responses_stored", "estimates_computed", "run_finished"])
    def test_a_plugin_that_fails_on_the_way_is_named_once(
        self, world: World, install: Any, carry_out: Any, hook: str
    ) -> None:
        def fail() -> None:
            raise OSError("disk full")

        install(**{hook: fail})
        end, results, run = carry_out()
        assert end.status == "failed"
        line = f"plugin 'world' of metricsengine-world 1.0, metricsengine_{hook}: OSError: disk full"
        assert list(end.failures) == [line]
        assert Results.load(run.folder).estimates == results.estimates

    def test_requests_that_end_in_an_error_are_counted_and_asked_again(
        self, world: World, install: Any, carry_out: Any
    ) -> None:
        install()
        world.replies["a"] = Response(Outcome.ERROR, reason="timeout")
        end, results, _ = carry_out(name="first")
        assert end.status == "failed"
        assert list(end.failures) == ["2 of 3 requests ended in an error (timeout); the same command asks them again"]
        assert results.counts == {"requests": 3, "error": 2, "answered": 1, "rows.Replies": 3, "excluded.error": 2}
        world.replies.clear()
        end, results, _ = carry_out(name="second")
        assert end.status == "finished"
        assert world.asked == ["a", "b", "a"]
        assert results.counts["answered"] == 3

    @pytest.mark.parametrize(
        ("error", "line"),
        [
            (ModelError("the weights are gone"), "the weights are gone"),
            (RuntimeError("out of memory"), r"RuntimeError: out of memory \(traceback in .*/run/error.txt\)"),
        ],
    )
    def test_a_model_that_fails_keeps_what_it_said(
        self, world: World, install: Any, carry_out: Any, error: Exception, line: str
    ) -> None:
        install(**events(world))
        world.replies["b"] = error
        end, results, run = carry_out()
        assert (end.status, results) == ("failed", None)
        assert re.fullmatch(line, end.error)
        assert (run.folder / "error.txt").is_file() is isinstance(error, RuntimeError)
        assert world.events[-2:] == ["failed, NoneType", "model closed"]
        world.replies.clear()
        assert carry_out(name="again")[0].status == "finished"
        assert world.asked == ["a", "b", "b"]

    @pytest.mark.parametrize(
        ("tables", "line"),
        [
            (lambda frame: {}, "study 'asking' did not return its table Replies"),
            (lambda frame: {"Replies": frame.drop(columns="prompt")}, "table Replies lacks its column 'prompt' .*"),
        ],
    )
    def test_a_study_that_breaks_its_promise(
        self, world: World, install: Any, carry_out: Any, tables: Any, line: str
    ) -> None:
        install()
        world.tables = tables
        end, _, _ = carry_out()
        assert end.status == "failed"
        assert re.fullmatch(line, end.error)

    def test_a_study_that_asks_without_saying_so(self, world: World, install: Any, carry_out: Any) -> None:
        install()
        world.needs = frozenset()
        end, _, _ = carry_out()
        assert end.error == "the study asks 3 requests, but declares no need of a model"

    def test_exhibits_that_fail_cost_nothing_else(self, world: World, install: Any, carry_out: Any) -> None:
        def exhibits(results: Results) -> Iterable[Exhibit]:
            raise KeyError("no such cell")

        install()
        world.exhibits = exhibits
        end, results, run = carry_out()
        assert end.status == "failed"
        assert "no such cell" in end.failures[0]
        assert Results.load(run.folder).estimates == results.estimates
        assert Results.load(run.folder).failures == list(end.failures)
        assert (run.folder / "report.html").is_file()

    def test_a_figure_that_fails_leaves_the_other_exhibits(self, world: World, install: Any, carry_out: Any) -> None:
        def draw() -> Any:
            raise RuntimeError("no font")

        install()
        plot, card = Figure("plot", "Plot", "What it shows", draw), Passage("card", "Card", "Hello.")
        world.exhibits = lambda results: [plot, card]
        end, _, run = carry_out()
        assert end.status == "failed"
        assert "no font" in end.failures[0]
        assert (run.folder / "card.md").read_text().strip().endswith("Hello.")


class TestInterruptions:
    @pytest.mark.parametrize("where", ["model", "metric"])
    def test_what_was_stored_is_used_again(self, world: World, install: Any, carry_out: Any, where: str) -> None:
        install(**events(world))
        (world.replies if where == "model" else world.measured)["b" if where == "model" else "length"] = (
            KeyboardInterrupt()
        )
        end, results, run = carry_out(name="first")
        assert (end.status, results) == ("interrupted", None)
        assert "the same command with resume=true goes on from here" in end.error
        assert not (run.folder / "results.json").exists()
        assert world.events[-2:] == ["interrupted, NoneType", "model closed"]
        world.replies.clear()
        world.measured.clear()
        end, results, _ = carry_out(name="second")
        assert end.status == "finished"
        assert world.asked == (["a", "b", "b"] if where == "model" else ["a", "b"])
        assert results.counts["requests"] == 3
