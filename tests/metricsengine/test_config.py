"""From a composed tree to typed settings: what is wrong is one line that names the key."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from hydra.errors import HydraException
from omegaconf import II, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from pluggy import HookspecMarker

from metricsengine.comparison import ComparisonSpec
from metricsengine.config import Configuration, application_conf, describe, outputs_folder
from metricsengine.errors import ConfigError
from metricsengine.host import Host
from metricsengine.kinds import Kind, PartSpec
from metricsengine.metric import MetricSpec
from metricsengine.model import ModelSpec
from metricsengine.records import TableSpec
from metricsengine.sets import SetSpec
from metricsengine.settings import Settings
from metricsengine.stored import kept_sets, typed
from metricsengine.study import StudySpec

COMMAND = re.compile(r"# metricsengine (?P<words>.+)")


@dataclass
class LoudConf:
    words: int = 3
    gain: float = 1.0

    def __post_init__(self) -> None:
        if self.words < 1:
            raise ConfigError(f"model.words must be at least 1, got {self.words}")
        if self.gain < 0:
            raise ValueError(f"model.gain must be at least 0, got {self.gain}")


@dataclass
class TalkConf:
    rounds: int = 2
    names: list[str] = field(default_factory=lambda: ["Ann"])


@dataclass
class CountConf:
    minimum: int = 0


@dataclass(frozen=True)
class Crowd:
    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012 - as pydantic reads it

    people: list[str]


@dataclass(frozen=True)
class Tale:
    text: str


@pytest.fixture
def talk(site: Any, hydra_state: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Settings]:
    """Composes a configuration of one model, two metrics, a study that brings nothing, and a group of sets."""
    monkeypatch.chdir(tmp_path)
    site.add(
        "talk",
        "from metricsengine import hookimpl\n@hookimpl\ndef metricsengine_config():\n    return ['twin_talk.conf']\n",
        files={
            "conf/__init__.py": "",
            "conf/crowd/ann and bob.toml": 'people = ["Ann, =${x} #1", "Bob"]\n',
            "conf/crowd/v1.2.toml": 'people = ["Cid"]\n',
            "conf/model/loud2.5.yaml": "defaults: [loud, _self_]\nwords: 5\n",
        },
    )
    site.add_live(
        "kinds",
        models=[ModelSpec("loud", LoudConf, lambda conf: None)],
        metrics=[
            MetricSpec(name, CountConf, lambda conf: None, table="T", measures=()) for name in ("count", "count-all")
        ],
        studies=[StudySpec("talk", TalkConf, lambda conf, inputs: None, tables=(), sets=("crowd",))],
        sets=[SetSpec("crowd", Crowd)],
    )

    def settings(*words: str) -> Settings:
        configuration = Configuration(site.host())
        base = ["model=loud", "study=talk", "~tracking", "experiment=none"]
        with initialize_config_dir(str(application_conf()), version_base="1.3"):
            return configuration.settings(compose("config", [*base, *words]))

    return settings


class TestSettings:
    def test_options_are_instances_of_their_own_dataclasses(self, talk: Callable[..., Settings]) -> None:
        settings = talk("model.words=7", "study.names=[Ann,Bob]", "seed=4", "protocol=released")
        assert settings.model == LoudConf(words=7)
        assert settings.study == TalkConf(names=["Ann", "Bob"])
        assert type(settings.study.names) is list
        assert (settings.seed, settings.protocol, settings.encoder, settings.tracking) == (4, "released", None, None)

    def test_what_is_proven_and_what_may_stand_in(self, talk: Callable[..., Settings]) -> None:
        assert (talk().probe, talk().fallback) == ("cached", ())
        chosen = talk("probe=none", "fallback=[answer_by_text,system_in_user]")
        assert (chosen.probe, chosen.fallback) == ("none", ("answer_by_text", "system_in_user"))

    def test_a_study_that_brings_no_metric_takes_one(self, talk: Callable[..., Settings]) -> None:
        assert talk().metric == {}
        assert talk("metric=count").metric == {"count": CountConf()}
        chosen = talk("metric=[count,count-all]", "metric.count-all.minimum=3").metric
        assert chosen == {"count": CountConf(), "count-all": CountConf(3)}

    def test_a_study_that_brings_no_set_takes_several_in_their_order(self, talk: Callable[..., Settings]) -> None:
        assert talk().sets == {"crowd": []}
        chosen = talk('crowd=[v1.2,"ann and bob"]').sets["crowd"]
        assert [named.name for named in chosen] == ["v1.2", "ann and bob"]
        assert chosen[1].value.people == ["Ann, =${x} #1", "Bob"]

    def test_a_preset_with_a_dot_in_its_name(self, talk: Callable[..., Settings]) -> None:
        assert talk("model=loud2.5").model == LoudConf(words=5)

    def test_columns_of_recorded_responses_are_mapped_without_a_plus(self, talk: Callable[..., Settings]) -> None:
        settings = talk("records.columns.text=reply", "records.columns.persona='who, exactly?'")
        assert settings.records.columns == {"text": "reply", "persona": "who, exactly?"}
        assert type(settings.records.columns) is dict
        with pytest.raises(HydraException):
            talk("records.colums.text=reply")

    def test_a_literal_that_looks_like_an_interpolation_stays(self, talk: Callable[..., Settings]) -> None:
        assert talk(r"card.author='\${seed}'").card.author == "${seed}"
        assert talk("card.author=${seed}").card.author == "0"

    @pytest.mark.parametrize(
        ("word", "message"),
        [
            ("+study.round=3", "unknown key of study 'round': did you mean 'rounds'? Known: names, rounds"),
            (
                "+loudness=3",
                "unknown key 'loudness'. Known: card, comparison, crowd, encoder, fallback, metric, model, .*",
            ),
            ("+card.autor=Ann", "unknown key of card 'autor': did you mean 'author'.*"),
            ("+metric.count=3", "metric.count: .*"),
            ("+metric.cont={minimum: 1}", "unknown metric 'cont': did you mean 'count'.*"),
            ("model.words=0", "model.words must be at least 1, got 0"),
            ("model.gain=-1", "model.gain must be at least 0, got -1.0"),
            ("protocol=papers", "unknown protocol 'papers': did you mean 'paper'.*"),
            ("probe=cache", "unknown probe 'cache': did you mean 'cached'? Known: cached, fresh, none"),
            ("fallback=[by_text]", "unknown fallback 'by_text'.* Known: answer_by_text, system_in_user"),
            ("seed=${sed}", "seed takes its value from sed, which does not exist: give seed=VALUE"),
            ("seed=???", ".*missing mandatory value: seed"),
            ("~study", "no study was chosen: add study=NAME"),
        ],
    )
    def test_what_is_wrong_is_named(self, talk: Callable[..., Settings], word: str, message: str) -> None:
        with pytest.raises(ConfigError) as error:
            talk(word)
        assert re.fullmatch(message.replace("?", r"\?"), str(error.value)), str(error.value)

    def test_a_preset_that_names_no_adapter(self, talk: Callable[..., Settings], tmp_path: Path) -> None:
        (tmp_path / "conf" / "model").mkdir(parents=True)
        (tmp_path / "conf" / "model" / "mine.yaml").write_text("words: 4\n")
        with pytest.raises(ConfigError, match=r"model was given keys words, .* begin the file .*defaults: \[NAME"):
            talk("model=mine")

    def test_options_of_a_metric_that_was_not_chosen_are_checked(self, talk: Callable[..., Settings]) -> None:
        assert talk("metric=count", "+metric.count-all={minimum: 3}").metric == {"count": CountConf()}
        with pytest.raises(ConfigError, match=r"metric\.count-all: unknown key 'minimal': did you mean 'minimum'"):
            talk("metric=count", "+metric.count-all={minimal: 3}")


@dataclass
class RainConf:
    millimetres: float = 1.0


@dataclass
class SeasonConf:
    """Its length is that of the talk, unless it is given one."""

    rounds: int = II("study.rounds")

    def __post_init__(self) -> None:
        if self.rounds < 1:
            raise ConfigError(f"weather.rounds must be at least 1, got {self.rounds}")


@dataclass
class GaugeConf:
    scale: float = 1.0


@dataclass
class GapConf:
    least: int = 2


@dataclass
class WalkConf:
    steps: int = 9


class WeatherHooks:
    @staticmethod
    @HookspecMarker("metricsengine")
    def metricsengine_weathers() -> Any:
        """Weathers."""

    @staticmethod
    @HookspecMarker("metricsengine")
    def metricsengine_gauges() -> Any:
        """Gauges."""


def study(name: str, config: type[Any], **more: Any) -> StudySpec:
    return StudySpec(name, config, lambda conf, inputs: None, tables=(TableSpec("T", "", ()),), **more)


@pytest.fixture
def outdoors(talk: Callable[..., Settings], site: Any) -> Callable[..., Settings]:
    """The same beside plugins that open kinds, add to them, and have studies that bring parts or leave them open."""
    site.add_live(
        "meteo",
        add_hookspecs=lambda: [WeatherHooks],
        kinds=[
            Kind("weather", "metricsengine_weathers", object),
            Kind("gauge", "metricsengine_gauges", object, several=True),
        ],
        weathers=[PartSpec("rain", RainConf, lambda conf: None)],
        gauges=[PartSpec(name, GaugeConf, lambda conf: None) for name in ("glass", "tin")],
        comparisons=[ComparisonSpec(name, GapConf, lambda conf: None, measures=()) for name in ("gap", "ratio")],
        metrics=[MetricSpec("damp", CountConf, lambda conf: None, table="T", measures=(), parts=("gauge",))],
        studies=[
            study(
                "picnic",
                TalkConf,
                parts=("weather",),
                defaults={"weather": "season", "gauge": ["glass", "tin"], "comparison": ["gap"]},
            ),
            study("walk", WalkConf, parts=("weather",)),
        ],
    )
    site.add_live("almanac", weathers=[PartSpec("season", SeasonConf, lambda conf: None)])
    return talk


class TestOpenedKinds:
    def test_a_study_that_brings_none_takes_what_is_chosen(self, outdoors: Callable[..., Settings]) -> None:
        assert outdoors("study=walk").parts == {}
        assert outdoors("study=walk", "weather=rain").parts == {"weather": {"rain": RainConf()}}
        chosen = outdoors("study=walk", "weather=rain", "weather.millimetres=0.3", "gauge=tin", "gauge.tin.scale=2")
        assert chosen.parts == {"weather": {"rain": RainConf(0.3)}, "gauge": {"tin": GaugeConf(2.0)}}

    def test_a_study_brings_some_along(self, outdoors: Callable[..., Settings]) -> None:
        settings = outdoors("study=picnic")
        assert settings.parts == {
            "weather": {"season": SeasonConf(2)},
            "gauge": {"glass": GaugeConf(), "tin": GaugeConf()},
        }
        assert settings.comparison == {"gap": GapConf()}
        assert outdoors("study=picnic", "~weather", "gauge=[]").parts == {}
        assert outdoors("study=picnic", "comparison=[]").comparison == {}

    def test_options_take_their_default_from_the_study(self, outdoors: Callable[..., Settings]) -> None:
        assert outdoors("study=picnic", "study.rounds=7").parts["weather"] == {"season": SeasonConf(7)}
        assert outdoors("study=walk", "weather=season", "weather.rounds=4").parts == {
            "weather": {"season": SeasonConf(4)}
        }

    def test_a_preset_of_the_users_own(self, outdoors: Callable[..., Settings], tmp_path: Path) -> None:
        (tmp_path / "conf" / "weather").mkdir(parents=True)
        (tmp_path / "conf" / "weather" / "flood.yaml").write_text("defaults: [rain, _self_]\nmillimetres: 99\n")
        assert outdoors("study=walk", "weather=flood").parts == {"weather": {"rain": RainConf(99.0)}}

    def test_comparisons_are_chosen_like_metrics(self, outdoors: Callable[..., Settings]) -> None:
        assert outdoors().comparison == {}
        chosen = outdoors("comparison=[ratio,gap]", "comparison.gap.least=5").comparison
        assert chosen == {"ratio": GapConf(), "gap": GapConf(5)}
        assert outdoors("comparison=gap", "+comparison.ratio={least: 3}").comparison == {"gap": GapConf()}

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["study=walk", "weather=season"], "weather.rounds takes its value from study.rounds, which does not .*"),
            (["study=picnic", "study.rounds=0"], "weather.rounds must be at least 1, got 0"),
            (["study=walk", "+gauge.tn={scale: 1}"], "unknown gauge 'tn': did you mean 'tin'. Known: glass, tin"),
            (["+comparison.gap={most: 1}"], "comparison.gap: unknown key 'most'. Known: least"),
            (
                ["study=walk", "+weather={millimetres: 1}"],
                "weather was given keys millimetres, .*choose weather=NAME.*",
            ),
        ],
    )
    def test_what_is_wrong_is_named(self, outdoors: Callable[..., Settings], words: list[str], message: str) -> None:
        with pytest.raises(ConfigError) as error:
            outdoors(*words)
        assert re.fullmatch(message, str(error.value)), str(error.value)

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["study=walk", "weather=rian"], "Could not find 'weather/rian'"),
            (["study=picnic", "gauge=[tn]"], "Could not load 'gauge/tn'"),
            (["weather=rain"], "Could not override 'weather'"),  # neither the study nor a metric of its table takes one
        ],
    )
    def test_what_hydra_refuses(self, outdoors: Callable[..., Settings], words: list[str], message: str) -> None:
        with pytest.raises(HydraException, match=message):
            outdoors(*words)

    def test_their_options_are_listed(self, outdoors: Callable[..., Settings], site: Any) -> None:
        configuration = Configuration(site.host())
        assert configuration.options("weather") == ["rain", "season"]
        assert configuration.options("gauge") == ["glass", "tin"]
        assert configuration.options("comparison") == ["gap", "ratio"]
        assert [configuration.several(group) for group in ("gauge", "crowd", "metric", "weather", "seed")] == [
            True,
            True,
            True,
            False,
            False,
        ]

    def test_a_study_whose_parts_nobody_opens_composes(self, outdoors: Callable[..., Settings], site: Any) -> None:
        site.add_live("lost", studies=[study("lost", RainConf, parts=("tide",))])
        assert outdoors("study=lost").parts == {}


class TestNamedSets:
    def test_any_set_is_found_by_its_name(self, talk: Callable[..., Settings]) -> None:
        settings = talk("crowd=v1.2")
        assert settings.find("crowd", "ann and bob").value.people == ["Ann, =${x} #1", "Bob"]
        assert settings.find("crowd", "v1.2") == settings.sets["crowd"][0]
        assert settings == talk("crowd=v1.2")

    @pytest.mark.parametrize(
        ("group", "name", "message"),
        [
            ("crowd", "v1.3", "unknown crowd 'v1.3': did you mean 'v1.2'? Known: ann and bob, v1.2"),
            ("croud", "v1.2", "unknown sets 'croud': did you mean 'crowd'? Known: crowd"),
            ("crowd", "v1.2+newlines", "crowd=v1.2+newlines: .*"),
            ("crowd", "v1.3+newlines", "unknown crowd 'v1.3': .*"),
        ],
    )
    def test_an_unknown_one_lists_near_matches(
        self, talk: Callable[..., Settings], group: str, name: str, message: str
    ) -> None:
        with pytest.raises(ConfigError) as error:
            talk().find(group, name)
        assert re.fullmatch(re.escape(message).replace(r"\.\*", ".*"), str(error.value)), str(error.value)

    def test_one_whose_texts_are_perturbed(self, talk: Callable[..., Settings], site: Any, tmp_path: Path) -> None:
        def through(tale: Tale, change: Callable[[str], str]) -> Tale:
            return Tale(change(tale.text))

        (tmp_path / "conf" / "tale").mkdir(parents=True)
        (tmp_path / "conf" / "tale" / "wolf.toml").write_text("text = 'Beware of the wolf'\n")
        site.add_live("tales", sets=[SetSpec("tale", Tale, texts=through)])
        settings = talk()
        assert settings.find("tale", "wolf").value == Tale("Beware of the wolf")
        longer = settings.find("tale", "wolf+trailing_newline")
        assert (longer.name, longer.value) == ("wolf+trailing_newline", Tale("Beware of the wolf\n"))

    def test_without_configuration_there_is_none(self) -> None:
        with pytest.raises(ConfigError, match="crowd=ann cannot be looked up here"):
            Settings(study=None).find("crowd", "ann")


class TestDescribe:
    def test_an_unknown_key_lists_those_beside_it(self) -> None:
        tree = OmegaConf.create({"study": OmegaConf.structured(TalkConf)})
        with pytest.raises(OmegaConfBaseException) as error:
            OmegaConf.update(tree, "study.rouns", 1)
        assert describe(error.value) == "unknown key of study 'rouns': did you mean 'rounds'? Known: names, rounds"

    def test_a_wrong_type_names_the_key(self) -> None:
        tree = OmegaConf.create({"study": OmegaConf.structured(TalkConf)})
        with pytest.raises(OmegaConfBaseException) as error:
            OmegaConf.update(tree, "study.rounds", "many")
        assert (
            describe(error.value) == "Value 'many' of type 'str' could not be converted to Integer (key study.rounds)"
        )


class TestPlaces:
    def test_outputs_lie_in_the_current_directory(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.delenv("METRICSENGINE_OUTPUTS", raising=False)
        assert outputs_folder() == tmp_path / "outputs"

    def test_or_where_the_environment_says(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("METRICSENGINE_OUTPUTS", "my results")
        assert outputs_folder() == tmp_path / "my results"

    def test_two_presets_of_one_name_are_an_error_naming_both(
        self, talk: Callable[..., Settings], tmp_path: Path
    ) -> None:
        own = tmp_path / "conf" / "model" / "loud2.5.yaml"
        own.parent.mkdir(parents=True)
        own.write_text("words: 9\n")
        with pytest.raises(ConfigError) as error:
            talk()
        assert str(error.value) == (
            "two options are called model=loud2.5: plugin 'talk' of metricsengine-talk 1.0, "
            f"{tmp_path}/site/twin_talk/conf/model/loud2.5.yaml; and {own}; rename one"
        )

    def test_a_preset_named_as_a_registered_option(self, talk: Callable[..., Settings], tmp_path: Path) -> None:
        own = tmp_path / "conf" / "model" / "loud.yaml"
        own.parent.mkdir(parents=True)
        own.write_text("words: 9\n")
        with pytest.raises(
            ConfigError, match=r"model=loud: plugin 'kinds' of metricsengine-kinds 1\.0; and .*loud\.yaml"
        ):
            talk()

    def test_a_set_of_the_same_name_and_content_is_the_same_set(
        self, talk: Callable[..., Settings], tmp_path: Path
    ) -> None:
        own = tmp_path / "conf" / "crowd" / "v1.2.toml"
        own.parent.mkdir(parents=True)
        own.write_text('people = ["Cid"]\n')
        assert talk("crowd=v1.2").sets["crowd"][0].value.people == ["Cid"]
        own.write_text('people = ["Dan"]\n')
        with pytest.raises(ConfigError, match=r"two sets are called crowd=v1\.2: .*twin_talk.* and .*conf/crowd"):
            talk("crowd=v1.2")

    def test_every_option_of_a_group_is_listed(self, talk: Callable[..., Settings], site: Any, tmp_path: Path) -> None:
        extra = tmp_path / "more"
        (extra / "model").mkdir(parents=True)
        (extra / "model" / "mine.yaml").write_text("defaults: [loud, _self_]\n")
        configuration = Configuration(site.host(), extra)
        assert configuration.options("model") == ["loud", "loud2.5", "mine"]
        assert configuration.options("crowd") == ["ann and bob", "v1.2"]
        assert "caricature_quick" in configuration.options("experiment")
        assert configuration.options("nothing") == []

    def test_the_file_that_is_not_utf8_is_found(self, talk: Callable[..., Settings], site: Any, tmp_path: Path) -> None:
        assert Configuration(site.host()).undecodable() is None
        own = tmp_path / "conf" / "model" / "latin.yaml"
        own.parent.mkdir(parents=True)
        own.write_bytes(b"name: caf\xe9\n")
        assert Configuration(site.host()).undecodable() == own


class TestStoredRun:
    @pytest.fixture
    def host(self, talk: Callable[..., Settings], site: Any) -> Host:
        found: Host = site.host()
        return found

    def test_sets_are_those_of_the_run_in_its_order(self, host: Host, tmp_path: Path) -> None:
        for name, person in (("b", "Bob"), ("a", "Ann"), ("old", "Old")):
            file = tmp_path / "sets" / "crowd" / f"{name}.toml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f'people = ["{person}"]\n')
        tree = OmegaConf.create("crowd: {b: '1', a: '2', gone: '3'}")
        assert [named.value.people for named in kept_sets(host, tree, tmp_path)["crowd"]] == [["Bob"], ["Ann"]]

    def test_options_are_typed(self, host: Host, tmp_path: Path) -> None:
        tree = OmegaConf.create("study: {rounds: 5}")
        assert typed(TalkConf, tree.study, tmp_path) == TalkConf(rounds=5)

    def test_options_that_do_not_fit_any_more(self, host: Host, tmp_path: Path) -> None:
        tree = OmegaConf.create("study: {turns: 5}")
        with pytest.raises(ConfigError, match=f"{tmp_path}/config.yaml: unknown key 'turns'"):
            typed(TalkConf, tree.study, tmp_path)


def yaml_files(pattern: str) -> list[Path]:
    """Files of the application's and the installed plugins' configuration."""
    folders = [application_conf(), *(folder for folder, _ in Host().config_folders)]
    return sorted(path for folder in folders for path in folder.glob(pattern))


class TestWhatIsInstalled:
    @pytest.fixture
    def installed(self, hydra_state: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Configuration:
        monkeypatch.chdir(tmp_path)
        return Configuration(Host())

    @pytest.mark.parametrize("file", yaml_files("experiment/*.yaml"), ids=lambda file: file.stem)
    def test_every_experiment_composes_and_begins_with_its_command(self, installed: Configuration, file: Path) -> None:
        first, second = file.read_text(encoding="utf-8").splitlines()[:2]
        assert first == "# @package _global_"
        found = COMMAND.fullmatch(second)
        assert found
        words = shlex.split(found["words"])
        assert words[0] == f"experiment={file.stem}"
        with initialize_config_dir(str(application_conf()), version_base="1.3"):
            settings = installed.settings(compose("config", words))
        assert settings.metric
        assert all(settings.sets[group] for group in Host().spec_of("study", settings.study).sets)

    @pytest.mark.parametrize("file", yaml_files("model/*.yaml"), ids=lambda file: file.stem)
    def test_every_preset_of_a_model_composes(self, installed: Configuration, file: Path) -> None:
        found = COMMAND.fullmatch(file.read_text(encoding="utf-8").splitlines()[0])
        assert found
        assert found["words"] == f"model={file.stem}"
        with initialize_config_dir(str(application_conf()), version_base="1.3"):
            assert installed.settings(compose("config", [f"model={file.stem}"])).model is not None

    def test_every_set_can_be_read(self, installed: Configuration) -> None:
        from metricsengine.sets import load_set

        host = Host()
        for group, files in installed.sets.items():
            assert files
            for file in files.values():
                assert load_set(host.spec("sets", group), file).value.title

    def test_without_arguments_it_is_the_quick_start(self, installed: Configuration) -> None:
        with initialize_config_dir(str(application_conf()), version_base="1.3"):
            assert installed.settings(compose("config")) == installed.settings(
                compose("config", ["experiment=caricature_quick"])
            )
