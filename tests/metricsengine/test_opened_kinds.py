"""A stranger opens kinds, another adds to them: from the command line to what studies, metrics and results get."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import pytest
from omegaconf import II
from pluggy import HookspecMarker

from metricsengine.comparison import Comparison, ComparisonSpec, Findings
from metricsengine.errors import ConfigError, ModelError
from metricsengine.estimate import Estimate
from metricsengine.kinds import Kind, PartSpec
from metricsengine.metric import Measure, Metric, MetricContext, MetricResult, MetricSpec
from metricsengine.records import Column, Tables, TableSpec
from metricsengine.run import Run
from metricsengine.study import Rounds, Study, StudyInputs, StudySpec

DAYS = TableSpec("Days", "One day.", (Column("rain", "number", "Rain of the day in mm", required=True),))


@dataclass
class RainConf:
    millimetres: float = 1.5


@dataclass
class SeasonConf:
    length: int = II("study.days")


@dataclass
class GaugeConf:
    scale: float = 1.0


@dataclass
class TripConf:
    days: int = 2
    guide: str = ""


@dataclass
class DampConf:
    pass


@dataclass
class HeightConf:
    pass


@dataclass
class GapConf:
    least: int = 1


@dataclass
class Weather:
    name: str
    conf: Any


@dataclass
class Gauge:
    conf: GaugeConf


class Hooks:
    @staticmethod
    @HookspecMarker("metricsengine")
    def metricsengine_weathers() -> Any:
        """Weathers."""

    @staticmethod
    @HookspecMarker("metricsengine")
    def metricsengine_gauges() -> Any:
        """Gauges."""


class Trip(Study):
    """Two days of rain; asks nothing."""

    def __init__(self, conf: TripConf, inputs: StudyInputs) -> None:
        self._conf = conf
        self.inputs = inputs

    def check(self) -> None:
        if self._conf.guide:
            self.inputs.find("mood", self._conf.guide)

    def run(self) -> Rounds[Tables]:
        yield []
        return {"Days": pd.DataFrame({"rain": [1.0, 2.0]})}


class Damp(Metric):
    """Mean rain by each gauge."""

    def __init__(self, heard: Heard) -> None:
        self._heard = heard

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        self._heard.contexts.append(context)
        mean = float(table["rain"].mean())
        gauges: dict[str, Gauge] = dict(context.parts["gauge"])
        return MetricResult(
            [Estimate("damp", mean * g.conf.scale, n=len(table), labels={"gauge": name}) for name, g in gauges.items()]
        )


class Gap(Comparison):
    """Difference between the largest and the smallest estimate."""

    def __init__(self, conf: GapConf) -> None:
        self._least = conf.least

    def compare(self, findings: Findings, seed: int) -> Sequence[Estimate]:
        values = [estimate.value for estimate in findings.estimates if estimate.value is not None]
        return (
            [Estimate("gap", max(values) - min(values), n=len(values), labels={})] if len(values) >= self._least else []
        )


@dataclass
class Heard:
    """What the plugins of a test were given."""

    built: list[str] = field(default_factory=list)
    studies: list[Trip] = field(default_factory=list)
    contexts: list[MetricContext] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    weather: Callable[[RainConf], object] = lambda conf: Weather("rain", conf)

    def build(self, name: str, make: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def built(conf: Any) -> Any:
            self.built.append(name)
            return make(conf)

        return built

    def study(self, conf: TripConf, inputs: StudyInputs) -> Trip:
        self.studies.append(Trip(conf, inputs))
        return self.studies[-1]


@pytest.fixture
def heard(site: Any) -> Heard:
    """Installs a plugin that opens two kinds, and one that adds to one of them."""
    heard = Heard()
    gauges = [
        PartSpec(name, GaugeConf, heard.build(name, Gauge), doc=f"a gauge of {name}") for name in ("glass", "tin")
    ]
    site.add_live(
        "meteo",
        add_hookspecs=lambda: [Hooks],
        kinds=[
            Kind("weather", "metricsengine_weathers", Weather, doc="what falls from the sky"),
            Kind("gauge", "metricsengine_gauges", Gauge, several=True, doc="what measures it"),
        ],
        gauges=gauges,
        weathers=[PartSpec("rain", RainConf, heard.build("rain", lambda conf: heard.weather(conf)))],
        studies=[
            StudySpec("trip", TripConf, heard.study, (DAYS,), parts=("weather",), defaults=TRIP),
            StudySpec("walk", TripConfOfWalk, heard.study, (DAYS,), parts=("weather",)),
            StudySpec("sail", TripConfOfSail, heard.study, (DAYS,), parts=("tide",)),
        ],
        metrics=[
            MetricSpec("damp", DampConf, lambda conf: Damp(heard), "Days", (Measure("damp"),), parts=("gauge",)),
            MetricSpec("height", HeightConf, lambda conf: Damp(heard), "Days", (), parts=("weather", "gauge")),
        ],
        comparisons=[ComparisonSpec("gap", GapConf, Gap, (Measure("gap"),), doc="largest minus smallest")],
        run_started=lambda run: heard.runs.append(run),
    )
    season = PartSpec("season", SeasonConf, heard.build("season", lambda conf: Weather("season", conf)), doc="a season")
    site.add_live("almanac", weathers=[season])
    return heard


@dataclass
class TripConfOfWalk(TripConf):
    pass


@dataclass
class TripConfOfSail(TripConf):
    pass


TRIP = {"weather": "season", "gauge": ["glass", "tin"], "metric": ["damp"], "comparison": ["gap"]}


@pytest.fixture
def trip(metricsengine: Callable[..., Any], heard: Heard) -> Callable[..., Any]:
    """Runs the study that brings parts."""

    def run(*words: str) -> Any:
        return metricsengine("study=trip", "tracking=none", "~model", "~encoder", *words)

    return run


class TestARun:
    def test_what_a_study_brings_is_built_once_and_given(self, trip: Callable[..., Any], heard: Heard) -> None:
        ended = trip("study.days=3", "metric=[damp,height]")
        assert (ended.status, ended.err) == (0, "")
        [study], [context, second] = heard.studies, heard.contexts
        assert sorted(heard.built) == ["glass", "season", "tin"]
        assert study.inputs.parts == {"weather": {"season": Weather("season", SeasonConf(3))}}
        assert context is second
        assert context.parts["weather"]["season"] is study.inputs.parts["weather"]["season"]
        assert dict(context.parts["gauge"]) == {"glass": Gauge(GaugeConf()), "tin": Gauge(GaugeConf())}

    def test_comparisons_are_given_what_was_found(self, trip: Callable[..., Any]) -> None:
        rows = trip("gauge.tin.scale=3").results["estimates"]
        assert {(row["metric"], row["labels"].get("gauge", "")): row["value"] for row in rows} == {
            ("damp", "glass"): 1.5,
            ("damp", "tin"): 4.5,
            ("gap", ""): 3.0,
        }
        assert "gap" not in {row["metric"] for row in trip("~comparison").results["estimates"]}
        assert "gap" not in {row["metric"] for row in trip("comparison.gap.least=3").results["estimates"]}

    def test_is_told_apart_by_its_parts(self, trip: Callable[..., Any], heard: Heard) -> None:
        ended = trip("weather=rain", "weather.millimetres=0.3", "gauge=tin")
        [run] = heard.runs
        assert run.parameters == {
            "study": "trip",
            "weather": "rain",
            "gauge": "tin",
            "metric": "damp",
            "comparison": "gap",
            "protocol": "paper",
            "seed": "0",
            "study.days": "2",
            "weather.millimetres": "0.3",
            "gauge.tin.scale": "1.0",
        }
        assert ended.results["provenance"]["parts"] == {"weather": ["rain"], "gauge": ["tin"]}
        assert ended.results["provenance"]["config"]["weather"] == {"millimetres": 0.3}

    def test_sweeps_over_parts(self, trip: Callable[..., Any], heard: Heard) -> None:
        ended = trip("-m", "weather=rain,season", "hydra.sweep.dir=sweep")
        assert ended.status == 0, ended.err
        built = [[*study.inputs.parts["weather"]] for study in heard.studies]
        assert built == [["rain"], ["season"]] * 2  # looked at before the first job, and run

    def test_its_configuration_can_be_seen(self, trip: Callable[..., Any]) -> None:
        assert "weather:\n  length: ${study.days}\n" in trip("--cfg", "job").out
        assert "weather:\n  length: 5\n" in trip("study.days=5", "--cfg", "job", "--resolve").out

    def test_its_report_can_be_rebuilt(self, trip: Callable[..., Any], metricsengine: Callable[..., Any]) -> None:
        folder = trip().folder
        assert metricsengine("report", str(folder)).status == 0

    def test_a_study_finds_any_set_by_its_name(self, trip: Callable[..., Any], heard: Heard) -> None:
        assert trip("study.guide=two").status == 0
        assert heard.studies[-1].inputs.find("mood", "two").value.moods
        assert trip("study.guide=tow").line == "unknown mood 'tow': did you mean 'two'? Known: two"


class TestWhatIsMissing:
    @pytest.mark.parametrize(
        ("words", "line"),
        [
            (["study=walk"], "study 'walk' needs a weather: add weather=NAME. Known: rain, season"),
            (["study=trip", "~weather"], "study 'trip' needs a weather: add weather=NAME. Known: rain, season"),
            (["study=trip", "~gauge"], "metric 'damp' needs a gauge: add gauge=[NAME,...]. Known: glass, tin"),
            (["study=sail"], "study 'sail' needs a tide, a kind that no plugin opens"),
            (["study=trip", "weather=raim"], "unknown weather 'raim': did you mean 'rain'? Known: rain, season"),
            (["study=trip", "gauge=[tn]"], "unknown gauge 'tn': did you mean 'tin'? Known: glass, tin"),
            (["study=trip", "comparison=[gab]"], "unknown comparison 'gab': did you mean 'gap'? Known: .*gap.*"),
            (["study=trip", "weather=null"], "weather=null chooses nothing: to do without, write ~weather"),
            (["study=trip", "weather.lenght=1"], "unknown key of weather=season 'lenght': did you mean 'length'.*"),
            (["study=trip", "gauge.tin.scal=1"], "unknown key of gauge.tin 'scal': did you mean 'scale'.*"),
        ],
    )
    def test_is_said_in_one_line(
        self, metricsengine: Callable[..., Any], heard: Heard, words: list[str], line: str
    ) -> None:
        ended = metricsengine(*words, "tracking=none")
        assert (ended.status, ended.out) == (2, "")
        pattern = re.sub(r"[?\[\]()]", lambda found: "\\" + found[0], line)
        assert re.fullmatch(pattern, ended.line), ended.line
        assert not heard.runs

    def test_the_plugin_that_opens_them_may_be_broken(self, site: Any, metricsengine: Callable[..., Any]) -> None:
        site.add("broken", "raise RuntimeError('no sky')")
        site.add_live(
            "trips", studies=[StudySpec("sail", TripConf, Trip, (DAYS,), parts=("tide",), defaults={"tide": "low"})]
        )
        ended = metricsengine("study=sail", "tracking=none")
        assert ended.status == 2
        last = ended.err.splitlines()[-1]
        assert last.startswith("metricsengine: unknown tide 'low'. Known: none (not loaded: broken")


class TestWhatIsBuilt:
    @pytest.mark.parametrize("error", [ConfigError("weather.millimetres is odd"), ModelError("no such sky")])
    def test_what_an_option_refuses_is_the_configuration(
        self, trip: Callable[..., Any], heard: Heard, error: Exception
    ) -> None:
        def refuses(conf: RainConf) -> object:
            raise error

        heard.weather = refuses
        ended = trip("weather=rain")
        assert (ended.status, ended.line) == (2, str(error))

    def test_something_else_is_the_plugins_fault(self, trip: Callable[..., Any], heard: Heard) -> None:
        heard.weather = lambda conf: "drizzle"
        ended = trip("weather=rain")
        assert (ended.status, ended.line) == (
            2,
            "plugin 'meteo' of metricsengine-meteo 1.0 builds 'drizzle' as the weather 'rain', which is no Weather",
        )


class TestListed:
    def test_for_people(self, metricsengine: Callable[..., Any], heard: Heard) -> None:
        lines = [line.split(maxsplit=2) for line in metricsengine("plugins").out.splitlines()]
        for line in (
            ["kind", "weather", "what falls from the sky"],
            ["kind", "gauge", "what measures it"],
            ["gauge", "tin", "a gauge of tin"],
            ["weather", "season", "a season"],
            ["comparison", "gap", "largest minus smallest"],
        ):
            assert line in lines

    def test_for_programs(self, metricsengine: Callable[..., Any], heard: Heard) -> None:
        by_name = {row["name"]: row for row in json.loads(metricsengine("plugins", "--json").out)["plugins"]}
        meteo, almanac = by_name["meteo"], by_name["almanac"]
        assert meteo["kinds"] == ["weather", "gauge"]
        assert meteo["registered"]["gauge"] == ["glass", "tin"]
        assert meteo["registered"]["comparison"] == ["gap"]
        assert meteo["docs"]["kind gauge"] == "what measures it"
        assert (almanac["kinds"], almanac["registered"]) == ([], {"weather": ["season"]})
        assert almanac["docs"] == {"weather season": "a season"}
