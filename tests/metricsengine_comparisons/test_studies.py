"""The comparison in whole runs: contexts of the caricature study, templates of the personality study."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from metricsengine import hookimpl
from metricsengine.comparison import spelled
from metricsengine.encoder import Encoded, Encoder, EncoderSpec
from metricsengine.engine import Engine
from metricsengine.host import Host
from metricsengine.model import (
    Batch,
    Capabilities,
    ModelAdapter,
    ModelIdentity,
    ModelSpec,
    OptionScore,
    Outcome,
    Request,
    Response,
)
from metricsengine.results import Results
from metricsengine.run import Run
from metricsengine.sets import NamedSet, find_sets, load_set
from metricsengine.settings import Settings
from metricsengine.terminal import show_results
from metricsengine_caricature.config import CaricatureConf, DuplicateRateConf, ExaggerationConf
from metricsengine_comparisons.config import SensitivityConf
from metricsengine_psychometrics.measures.config import TraitScoreConf
from metricsengine_psychometrics.study.config import PersonalityConf

CONF = Path(__file__).resolve().parents[2] / "conf"

Say = Callable[[Request], Response]


def number(*parts: object) -> float:
    """From 0 to 1, by what it is of."""
    return int.from_bytes(blake2b(repr(parts).encode(), digest_size=4).digest(), "big") / 2**32


def said(request: Request) -> str:
    return request.prompt if isinstance(request.prompt, str) else "\n".join(turn.content for turn in request.prompt)


@dataclass
class ScriptedConf:
    pass


@dataclass
class Scripted(ModelAdapter):
    """Answers as it is told."""

    say: Say

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("scripted", "Scripted", "w", 1)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(chat=True, system_role=True, option_scores=True)

    def render(self, request: Request) -> str:
        return said(request)

    def answer(self, requests: Sequence[Request]) -> Iterator[Batch]:
        yield [(i, self.say(request)) for i, request in enumerate(requests)]


@dataclass
class WordsConf:
    pass


class Words(Encoder):
    """Vectors that tell texts apart and mean nothing."""

    name = "words"
    fingerprint = "words 1"

    def encode(self, texts: Sequence[str]) -> Encoded:
        vectors = [[number(text, i) for i in range(4)] for text in texts]
        return Encoded(np.array(vectors, dtype=np.float32).reshape(len(texts), 4), np.zeros(len(texts), bool))


@pytest.fixture(scope="module")
def patch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, patch: pytest.MonkeyPatch) -> Callable[..., Results]:
    """Runs one job with the built-in studies and a model that answers as it is told."""

    def run(say: Say, **chosen: Any) -> Results:
        folder = tmp_path_factory.mktemp("run")
        patch.setenv("METRICSENGINE_OUTPUTS", str(folder / "outputs"))
        module = ModuleType("scripted_for_sensitivity")
        models = [ModelSpec("scripted", ScriptedConf, lambda conf: Scripted(say))]
        module.metricsengine_models = hookimpl(lambda: models)
        module.metricsengine_encoders = hookimpl(lambda: [EncoderSpec("words", WordsConf, lambda conf: Words())])
        patch.setattr("metricsengine.engine.exhibits_of", lambda study, results: ())  # drawing takes seconds
        patch.setitem(sys.modules, module.__name__, module)
        plugins = {"caricature", "psychometrics", "comparisons"}
        built_in = [entry for entry in entry_points(group="metricsengine") if entry.name in plugins]
        host = Host([*built_in, EntryPoint("scripted", module.__name__, "metricsengine")])
        sets = {group: [named(host, group, name) for name in names] for group, names in chosen.pop("sets").items()}
        comparison = {"sensitivity": SensitivityConf(**chosen.pop("options", {}))}
        settings = Settings(
            model=ScriptedConf(), encoder=WordsConf(), sets=sets, comparison=comparison, probe="none", **chosen
        )
        started = datetime(2026, 1, 2, tzinfo=UTC)
        of = Run(folder, "run", settings, {"seed": 0}, started=started, command="metricsengine")
        end, results, _ = Engine(host, Console(quiet=True)).run(of)
        assert (end.status, end.error, end.failures) == ("finished", "", ())
        assert results is not None
        assert "sensitivity" in (of.folder / "report.html").read_text(encoding="utf-8")
        return results

    return run


def named(host: Host, group: str, name: str) -> NamedSet:
    return load_set(host.spec("sets", group), find_sets([group], [CONF])[group][name])


def shown(results: Results) -> list[str]:
    """The table on the terminal, line by line."""
    page = io.StringIO()
    show_results(results, [], Console(file=page, width=160))
    return page.getvalue().splitlines()


@pytest.fixture(scope="module")
def caricature(run: Callable[..., Results]) -> Results:
    def talk(request: Request) -> Response:
        sample = request.replicate if "forum" in said(request) else 0
        return Response(Outcome.ANSWERED, f"Answer {sample}, {sample} words. {said(request)} {said(request)}")

    return run(
        talk,
        study=CaricatureConf(n=8),
        metric={"exaggeration": ExaggerationConf(), "duplicate_rate": DuplicateRateConf()},
        sets={"context": ["online_forum", "interview"], "persona": ["quick"], "topic": ["quick"]},
    )


class TestContextsOfCaricature:
    def test_every_metric_is_compared_cell_by_cell_and_on_average(self, caricature: Results) -> None:
        found = [e for e in caricature.estimates if e.metric == "sensitivity"]
        assert {(e.labels["of"], bool(e.over)) for e in found} == {
            *(("exaggeration", False), ("exaggeration", True), ("duplicate_rate", False), ("duplicate_rate", True))
        }
        assert {e.labels["context"] for e in found} == {"online_forum"}
        values = {(e.metric, spelled(e.labels), e.over): e.value for e in caricature.estimates}
        for estimate in found:
            labels = {k: v for k, v in estimate.labels.items() if k != "of"}
            one = values[estimate.labels["of"], spelled(labels), estimate.over]
            other = values[estimate.labels["of"], spelled({**labels, "context": "interview"}), estimate.over]
            assert estimate.value == (None if None in (one, other) else pytest.approx(abs(one - other)))

    def test_what_was_scripted_is_found(self, caricature: Results) -> None:
        rates = [e for e in caricature.cells("sensitivity") if e.labels["of"] == "duplicate_rate"]
        assert len(rates) == 9
        assert all(e.value == pytest.approx(7 / 8) for e in rates)

    def test_averages_over_a_few_personas_and_topics_have_no_intervals(self, caricature: Results) -> None:
        [mean] = [
            e
            for e in caricature.estimates
            if e.metric == "sensitivity" and e.labels == {"context": "online_forum", "of": "duplicate_rate"}
        ]
        assert mean.over == ("persona", "topic")
        assert mean.interval == "none: neither units that could be paired nor standard errors or intervals"

    def test_it_stands_first(self, caricature: Results) -> None:
        assert caricature.estimates[0].metric == "sensitivity"
        metrics = [line.split()[0] for line in shown(caricature) if line[:1].isalpha()]
        assert metrics.index("sensitivity") < metrics.index("exaggeration")


class TestTemplatesOfPersonality:
    @pytest.fixture
    def results(self, run: Callable[..., Results], tmp_path: Path) -> Callable[[Say], Results]:
        bank = tmp_path / "own.csv"
        rows = [
            f"{trait} {i},{trait},Scene {i}.,What now?,Do {i},Make {i},Rest {i},Leave {i}"
            for trait, items in (("openness", 8), ("narcissism", 3))
            for i in range(items)
        ]
        bank.write_text("\n".join(["id,trait,situation,question,high1,high2,low1,low2", *rows]), encoding="utf-8")

        def results(say: Say) -> Results:
            return run(
                say,
                study=PersonalityConf(items=[str(bank)], templates=[1, 2], wordings=["original"], answer=["scores"]),
                metric={"trait_score": TraitScoreConf()},
                sets={"items": [], "questionnaire": ["trait"]},
            )

        return results

    def test_a_model_that_heeds_templates(self, results: Callable[[Say], Results]) -> None:
        found = results(lambda r: scores(r, [number(said(r), option) for option in r.options]))
        cells = {(e.labels["trait"], e.labels["template"]): e for e in found.cells("trait_score")}
        sizes = found.cells("sensitivity")
        assert {(e.labels["trait"], e.labels["template"]) for e in sizes} == {pair for pair in cells if pair[1] == "2"}
        for estimate in sizes:
            one, two = (cells[estimate.labels["trait"], template] for template in "12")
            assert estimate.value == pytest.approx(abs(two.value - one.value))
        assert {e.labels["trait"]: (e.n, e.interval) for e in sizes} == {
            "openness": (8, "bootstrap over paired units, 2000 draws"),
            "narcissism": (3, "none: 3 shared units, and a bootstrap takes at least 5"),
        }
        assert {spelled(e.labels) for e in found.estimates if e.metric == "trait_score"} == set(
            found.tables["Units"]["labels"]
        )

    def test_one_that_heeds_only_the_place_of_an_option(self, results: Callable[[Say], Results]) -> None:
        found = results(lambda r: scores(r, [0.4, 0.3, 0.2, 0.1]))
        sizes = found.cells("sensitivity")
        assert {e.labels["trait"]: (e.value, e.low, e.high) for e in sizes} == {
            "openness": (0, 0, 0),
            "narcissism": (0, None, None),
        }


def scores(request: Request, weights: Sequence[float]) -> Response:
    total = sum(weights)
    return Response(
        Outcome.ANSWERED,
        scores=tuple(OptionScore(option, w / total) for option, w in zip(request.options, weights, strict=True)),
    )
