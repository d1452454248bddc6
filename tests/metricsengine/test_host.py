"""Finding plugins: what is broken is named and undone, and takes nothing else with it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from pluggy import HookspecMarker

from metricsengine import hookimpl
from metricsengine.comparison import ComparisonSpec
from metricsengine.errors import PluginError
from metricsengine.host import Host, installed
from metricsengine.kinds import Kind, PartSpec
from metricsengine.loading import PluginInfo
from metricsengine.metric import MetricSpec
from metricsengine.model import ModelSpec
from metricsengine.run import TrackerSpec
from metricsengine.sets import SetSpec
from metricsengine.study import StudySpec

PREAMBLE = """
from dataclasses import dataclass
from metricsengine import hookimpl
from metricsengine.model import ModelSpec
from metricsengine.sets import SetSpec

@dataclass
class Conf:
    words: int = 3

@hookimpl
def metricsengine_sets():
    return [SetSpec("shade", Conf)]

@hookimpl
def metricsengine_run_started(run):
    raise AssertionError("a plugin that was not loaded is called all the same")

@hookimpl
def metricsengine_models():
    return [ModelSpec("half", Conf, None)]
"""
"""A plugin that is fine so far."""

BROKEN = {
    "raises when imported": (
        "raise RuntimeError('no backend\\nhere')",
        "RuntimeError: no backend here",
    ),
    "leaves when imported": ("raise SystemExit('goodbye')", "SystemExit: goodbye"),
    "is no Python": ("def metricsengine_models(:", "SyntaxError: .*"),
    "imports what is not there": (
        "import a_library_that_is_missing",
        "ModuleNotFoundError: .*a_library_that_is_missing.*",
    ),
    "raises half-way through registering": (
        "@hookimpl\ndef metricsengine_trackers():\n    raise OSError('no license')",
        "OSError: no license",
    ),
    "misspells a hook": (
        "@hookimpl\ndef metricsengine_modles():\n    return []",
        "unknown hook 'metricsengine_modles': did you mean 'metricsengine_models'.*",
    ),
    "takes arguments that a hook has not": (
        "@hookimpl\ndef metricsengine_run_finished(run, outcome):\n    pass",
        ".*metricsengine_run_finished.*outcome.*",
    ),
    "registers another kind": (
        "@hookimpl\ndef metricsengine_encoders():\n    return [ModelSpec('m', Conf, None)]",
        "registers ModelSpec.* as a encoder, which is no EncoderSpec",
    ),
    "registers nothing": (
        "@hookimpl\ndef metricsengine_encoders():\n    pass",
        "metricsengine_encoders returns None, which is no sequence",
    ),
    "registers a text": (
        "@hookimpl\ndef metricsengine_config():\n    return 'some.conf'",
        "metricsengine_config returns 'some.conf', which is no sequence",
    ),
    "names what cannot be typed": (
        "@hookimpl\ndef metricsengine_trackers():\n    from metricsengine.run import TrackerSpec\n"
        "    return [TrackerSpec('my tracker', Conf)]",
        "registers the tracking 'my tracker': a name .*",
    ),
    "takes a key of the configuration": (
        "@hookimpl(specname='metricsengine_sets')\ndef more():\n    return [SetSpec('seed', Conf)]",
        "registers the sets 'seed', which is another key of the configuration",
    ),
    "has options that are no dataclass": (
        "@hookimpl\ndef metricsengine_trackers():\n    from metricsengine.run import TrackerSpec\n"
        "    return [TrackerSpec('log', dict)]",
        "the options of its tracking 'log' are no dataclass that Hydra knows: .*",
    ),
    "has options that Hydra cannot hold": (
        "@dataclass\nclass Odd:\n    names: frozenset[str] = frozenset()\n\n"
        "@hookimpl\ndef metricsengine_trackers():\n    from metricsengine.run import TrackerSpec\n"
        "    return [TrackerSpec('log', Odd)]",
        "the options of its tracking 'log' are no dataclass that Hydra knows: .*",
    ),
    "has no such configuration": (
        "@hookimpl\ndef metricsengine_config():\n    return ['twin_broken.conf']",
        "its configuration package 'twin_broken.conf' does not exist",
    ),
    "has its configuration nowhere": (
        "@hookimpl\ndef metricsengine_config():\n    return ['nowhere.at.all']",
        "its configuration package 'nowhere.at.all' cannot be found: .*nowhere.*",
    ),
    "has its configuration in a module": (
        "@hookimpl\ndef metricsengine_config():\n    return ['json.decoder']",
        "its configuration package 'json.decoder' does not exist",
    ),
    "opens kinds that are none": (
        "def metricsengine_add_hookspecs():\n    return [Conf]",
        "ValueError: did not find any 'metricsengine' hooks in .*",
    ),
}


@dataclass
class Conf:
    words: int = 3


@dataclass
class OtherConf:
    words: int = 3


def model(name: str) -> ModelSpec:
    return ModelSpec(name, Conf, lambda conf: None)  # never built


class TestBroken:
    @pytest.mark.parametrize("fault", BROKEN)
    def test_is_named_and_undone_and_the_rest_works(self, site: Any, fault: str) -> None:
        source, message = BROKEN[fault]
        started = []
        site.add("broken", PREAMBLE + source, distribution="metricsengine-twin", version="0.3")
        site.add_live("fine", models=[model("fine")], run_started=lambda run: started.append(run))
        host = site.host()
        [info] = host.broken
        assert info.origin == "plugin 'broken' of metricsengine-twin 0.3"
        with pytest.raises(PluginError, match="not loaded: broken; see"):
            host.spec("model", "half")
        assert not info.registered
        assert not info.config
        assert dict(host.specs("model")).keys() == {"fine"}
        assert not host.specs("sets")
        assert not host.config_folders
        assert host.call("metricsengine_run_started", run="a run") == ([], [])
        assert started == ["a run"]
        assert "\n" not in info.error
        assert re.fullmatch(message, info.error), info.error
        assert "Traceback" in info.trace

    def test_an_entry_point_that_names_nothing(self, site: Any) -> None:
        site.add("broken", "", module="twin_broken:missing")
        [info] = site.host().broken
        assert "no attribute 'missing'" in info.error

    def test_the_same_module_twice_leaves_the_first(self, site: Any) -> None:
        site.add_live("one", models=[model("parrot")])
        site.declare("two", "live_one", "metricsengine-two", "1.0")
        host = site.host()
        assert [info.name for info in host.broken] == ["two"]
        assert "parrot" in host.specs("model")

    def test_hooks_that_may_be_unknown(self, site: Any) -> None:
        source = (
            "from metricsengine import hookimpl\n@hookimpl(optionalhook=True)\ndef metricsengine_later():\n    pass\n"
        )
        site.add("early", source)
        assert not site.host().broken


class TestCollisions:
    def test_a_name_taken_is_an_error_naming_both(self, site: Any) -> None:
        site.add_live("one", models=[model("parrot"), model("owl")])
        site.add_live("two", models=[model("parrot")])
        host = site.host()
        [line] = host.collisions
        assert line == (
            "two plugins register the model 'parrot': plugin 'one' of metricsengine-one 1.0 and "
            "plugin 'two' of metricsengine-two 1.0; uninstall one"
        )
        assert list(host.specs("model")) == ["owl"]
        with pytest.raises(PluginError, match="two plugins register"):
            host.spec("model", "parrot")
        assert not host.broken

    def test_a_name_of_another_kind_is_free(self, site: Any) -> None:
        site.add_live("one", models=[model("parrot")], trackers=[TrackerSpec("parrot", OtherConf)])
        assert not site.host().collisions

    def test_options_of_a_claimed_name(self, site: Any) -> None:
        site.add_live("one", models=[model("parrot")])
        site.add_live("two", models=[model("parrot")])
        with pytest.raises(PluginError, match=r"metricsengine-one 1\.0 and .*metricsengine-two 1\.0"):
            site.host().spec_of("model", Conf())

    def test_two_plugins_of_one_name(self, site: Any) -> None:
        site.add("parrot", PREAMBLE, distribution="bird-one", version="1.0")
        site.declare("parrot", "another_module", "bird-two", "2.0")
        host = site.host()
        assert {info.distribution for info in host.broken} == {"bird-one", "bird-two"}
        [line] = {info.error for info in host.broken}
        assert re.fullmatch("two plugins are called 'parrot': bird-... [12].0 and bird-... [12].0; uninstall one", line)
        assert "bird-one 1.0" in line
        assert "bird-two 2.0" in line
        assert not host.specs("model")

    def test_an_entry_point_listed_twice_is_one_plugin(self, site: Any) -> None:
        site.add_live("one", models=[model("parrot")])
        host = Host([*site.entries(), *site.entries()])
        assert [info.name for info in host.plugins] == ["one"]


class TestLookingUp:
    def test_unknown_names_list_near_matches(self, site: Any) -> None:
        site.add_live("one", models=[model("parrot"), model("owl")])
        with pytest.raises(PluginError) as error:
            site.host().spec("model", "parot")
        assert str(error.value) == "unknown model 'parot': did you mean 'parrot'? Known: owl, parrot"

    def test_specification_of_options(self, site: Any) -> None:
        site.add_live("one", models=[model("parrot")])
        host = site.host()
        assert host.spec_of("model", Conf()) is host.spec("model", "parrot")
        assert host.owner("model", "parrot").name == "one"
        with pytest.raises(PluginError, match="no model has options of type OtherConf"):
            host.spec_of("model", OtherConf())

    def test_every_kind(self, site: Any) -> None:
        site.add_live(
            "all",
            models=[model("m")],
            studies=[StudySpec("s", Conf, lambda conf, inputs: None, tables=())],  # never built
            metrics=[MetricSpec("t", Conf, lambda conf: None, table="T", measures=())],  # never built
            comparisons=[ComparisonSpec("c", Conf, lambda conf: None, measures=())],  # never built
            trackers=[TrackerSpec("r", Conf)],
            sets=[SetSpec("g", Conf)],
        )
        host = site.host()
        [info] = host.plugins
        assert info.registered == {
            "model": ["m"],
            "study": ["s"],
            "metric": ["t"],
            "comparison": ["c"],
            "tracking": ["r"],
            "sets": ["g"],
        }


class TestLifeCycle:
    def test_one_that_raises_is_named_and_the_others_are_called(self, site: Any) -> None:
        def fails(run: Any) -> None:
            raise ValueError("disk\nfull")

        site.add_live("a", run_finished=lambda run, results: f"a saw {run} and {results}")
        site.add_live("b", run_finished=fails)
        site.add_live("c", run_finished=lambda end: f"c saw {end}")
        site.add_live("d", run_finished=lambda: None)
        said, failures = site.host().call("metricsengine_run_finished", run="run", end="end", results="results")
        assert sorted(said) == ["a saw run and results", "c saw end"]
        assert failures == ["plugin 'b' of metricsengine-b 1.0, metricsengine_run_finished: ValueError: disk full"]

    def test_nobody_listens(self, site: Any) -> None:
        assert site.host().call("metricsengine_run_started", run=None) == ([], [])


class TestKindsOfItsOwn:
    def test_a_plugin_opens_hooks_that_others_answer(self, site: Any) -> None:
        class Specs:
            @staticmethod
            @HookspecMarker("metricsengine")
            def metricsengine_networks(n: int) -> Any:
                """Networks of n agents."""

        # The plugin that opens the hook is loaded last.
        site.add_live("a", networks=lambda n: [f"ring of {n}"])
        site.add_live("b", networks=lambda: ["star"])
        site.add_live("z", add_hookspecs=lambda: [Specs])
        host = site.host()
        assert not host.broken
        answers, failures = host.call("metricsengine_networks", n=5)
        assert sorted(answers) == [["ring of 5"], ["star"]]
        assert not failures

    def test_without_it_they_are_unknown(self, site: Any) -> None:
        site.add_live("a", networks=lambda n: [])
        site.add_live("b", models=[model("parrot")])
        host = site.host()
        assert [info.name for info in host.broken] == ["a"]
        assert "unknown hook 'metricsengine_networks'" in host.broken[0].error
        assert "parrot" in host.specs("model")


class Weather:
    pass


@dataclass
class Rain:
    millimetres: float = 1.0


@dataclass
class Snow:
    height: float = 1.0


class WeatherHooks:
    @staticmethod
    @HookspecMarker("metricsengine")
    def metricsengine_weathers() -> Any:
        """Weathers."""


WEATHER = Kind("weather", "metricsengine_weathers", Weather, doc="what falls from the sky")


def part(name: str, config: type[Any]) -> PartSpec:
    return PartSpec(name, config, lambda conf: Weather())  # never built


@pytest.fixture
def meteo(site: Any) -> Callable[..., None]:
    """Installs a plugin that opens the kind ``weather``, under a name of its own."""

    def install(name: str = "meteo", **hooks: Any) -> None:
        site.add_live(name, **{"add_hookspecs": lambda: [WeatherHooks], "kinds": [WEATHER], **hooks})

    return install


class TestOpenedKinds:
    def test_any_plugin_adds_to_them(self, site: Any, meteo: Callable[..., None]) -> None:
        site.add_live("alps", weathers=[part("snow", Snow)])  # read before the plugin that opens the kind
        meteo(weathers=[part("rain", Rain)])
        host = site.host()
        assert not host.broken
        assert host.kinds == {"weather": WEATHER}
        assert sorted(host.specs("weather")) == ["rain", "snow"]
        assert host.spec("weather", "snow").config is Snow
        assert host.spec_of("weather", Snow()).name == "snow"
        assert host.owner("weather", "snow").name == "alps"
        by_name = {info.name: info for info in host.plugins}
        assert (by_name["meteo"].kinds, by_name["alps"].kinds) == (["weather"], [])
        assert by_name["alps"].registered == {"weather": ["snow"]}
        with pytest.raises(PluginError, match="unknown weather 'snwo': did you mean 'snow'"):
            host.spec("weather", "snwo")

    def test_a_name_taken_is_an_error_naming_both(self, site: Any, meteo: Callable[..., None]) -> None:
        meteo(weathers=[part("rain", Rain), part("snow", Snow)])
        site.add_live("alps", weathers=[part("snow", Snow)])
        host = site.host()
        [line] = host.collisions
        assert line == (
            "two plugins register the weather 'snow': plugin 'alps' of metricsengine-alps 1.0 and "
            "plugin 'meteo' of metricsengine-meteo 1.0; uninstall one"
        )
        assert not host.broken

    def test_options_by_which_two_could_not_be_told_apart(self, site: Any, meteo: Callable[..., None]) -> None:
        meteo(weathers=[part("rain", Rain), part("drizzle", Rain)])
        host = site.host()
        assert list(host.specs("weather")) == ["rain"]
        with pytest.raises(PluginError, match=r"gives its weather 'drizzle' the options of 'rain' \(Rain\)"):
            host.spec("weather", "drizzle")

    def test_where_several_are_chosen_their_names_tell_them_apart(self, site: Any, meteo: Callable[..., None]) -> None:
        meteo(kinds=[replace(WEATHER, several=True)], weathers=[part("rain", Rain), part("drizzle", Rain)])
        assert sorted(site.host().specs("weather")) == ["drizzle", "rain"]

    @pytest.mark.parametrize(
        ("kind", "line"),
        [
            (replace(WEATHER, name="seed"), "opens the kind 'seed', which is another key of the configuration"),
            (replace(WEATHER, name="metric"), "opens the kind 'metric', which is another key of the configuration"),
            (
                replace(WEATHER, name="mood"),
                "opens the kind 'mood', which is a group of sets of plugin 'tempers' of metricsengine-tempers 1.0",
            ),
            (
                replace(WEATHER, hook="metricsengine_wethers"),
                "opens the kind 'weather' by the hook metricsengine_wethers, which it must specify itself by "
                "metricsengine_add_hookspecs",
            ),
            (
                replace(WEATHER, hook="metricsengine_models"),
                "opens the kind 'weather' by the hook metricsengine_models, which it must specify itself by "
                "metricsengine_add_hookspecs",
            ),
            ("weather", "opens 'weather', which is no Kind"),
        ],
    )
    def test_one_that_cannot_be_is_named_and_undone(
        self, site: Any, meteo: Callable[..., None], kind: Any, line: str
    ) -> None:
        meteo(kinds=[kind], models=[model("half")])
        site.add_live("alps", weathers=[part("snow", Snow)], models=[model("parrot")])
        site.add_live("tempers", sets=[SetSpec("mood", Conf)])
        host = site.host()
        [info] = host.broken
        assert (info.name, info.error, info.registered) == ("meteo", line, {})
        assert not host.kinds
        assert list(host.specs("model")) == ["parrot"]
        assert list(host.specs("sets")) == ["mood"]

    def test_one_that_is_open_already(self, site: Any, meteo: Callable[..., None]) -> None:
        class Others:
            @staticmethod
            @HookspecMarker("metricsengine")
            def metricsengine_skies() -> Any:
                """Weathers of another plugin."""

        meteo("meteo", weathers=[part("rain", Rain)])
        meteo("rival", add_hookspecs=lambda: [Others], kinds=[replace(WEATHER, hook="metricsengine_skies")])
        meteo("thief", add_hookspecs=[], kinds=[replace(WEATHER, name="sky")])
        host = site.host()
        assert {info.name: info.error for info in host.broken} == {
            "rival": "opens the kind 'weather', which plugin 'meteo' of metricsengine-meteo 1.0 has opened already",
            "thief": "opens the kind 'sky' by the hook metricsengine_weathers of plugin 'meteo' of metricsengine-meteo "
            "1.0",
        }
        assert list(host.specs("weather")) == ["rain"]

    def test_a_hook_that_is_specified_already(self, site: Any, meteo: Callable[..., None]) -> None:
        meteo("meteo")
        meteo("rival")
        [info] = site.host().broken
        assert (info.name, info.error) == (
            "rival",
            "specifies the hook metricsengine_weathers, which the host or another plugin has specified already",
        )

    def test_the_same_kind_twice(self, site: Any, meteo: Callable[..., None]) -> None:
        meteo(kinds=[WEATHER, WEATHER])
        [info] = site.host().broken
        assert "has opened already" in info.error

    @pytest.mark.parametrize(
        "fault",
        [
            {"add_hookspecs": lambda: 1 / 0},
            {"kinds": lambda: 1 / 0},
            {"models": lambda: 1 / 0},
            {"weathers": lambda: 1 / 0},
            {"weathers": [part("rain", dict)]},
        ],
        ids=["its hooks", "its kinds", "its models", "its parts", "the options of a part"],
    )
    def test_what_breaks_the_one_that_opens_them_breaks_no_other(
        self, site: Any, meteo: Callable[..., None], fault: dict[str, Any]
    ) -> None:
        meteo(**fault)
        optional = hookimpl(optionalhook=True)(lambda: [part("snow", Snow)])
        site.add_live("alps", models=[model("parrot")])
        setattr(sys.modules["live_alps"], "metricsengine_weathers", optional)  # noqa: B010 - a module takes any name
        host = site.host()
        assert [info.name for info in host.broken] == ["meteo"]
        assert not host.kinds
        assert list(host.specs("model")) == ["parrot"]
        assert {info.name: info.registered for info in host.plugins} == {"alps": {"model": ["parrot"]}, "meteo": {}}

    def test_nor_does_one_that_cannot_even_be_imported(self, site: Any) -> None:
        site.add("meteo", "import a_library_that_is_missing")
        site.add_live("alps", weathers=[part("snow", Snow)], models=[model("parrot")])
        host = site.host()
        assert [info.name for info in host.broken] == ["meteo"]
        assert list(host.specs("model")) == ["parrot"]

    def test_one_that_adds_a_broken_part_breaks_alone(self, site: Any, meteo: Callable[..., None]) -> None:
        meteo(weathers=[part("rain", Rain)])
        site.add_live("alps", weathers=["snow"], models=[model("parrot")])
        host = site.host()
        [info] = host.broken
        assert (info.name, info.error) == ("alps", "registers 'snow' as a weather, which is no PartSpec")
        assert not host.specs("model")
        assert list(host.specs("weather")) == ["rain"]


def test_the_built_in_plugins_load() -> None:
    host = Host()
    ours = [info for info in host.plugins if info.distribution == "metricsengine"]
    assert ours
    assert [info.error for info in ours] == [""] * len(ours)
    assert not host.collisions


def test_a_hook_is_marked_by_the_package() -> None:
    assert hookimpl.project_name == "metricsengine"


class TestInstalled:
    def test_plugins_are_read_again_only_when_others_are_installed(
        self, site: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        read: list[str] = []

        def info(name: str, *more: str) -> PluginInfo:
            read.append(name)
            return PluginInfo(name, *more)

        monkeypatch.setattr("metricsengine.loading.PluginInfo", info)
        before = installed()
        assert installed() is before
        site.add_live("late", models=[model("late")])
        after = installed()
        assert installed() is after
        assert "late" not in before.specs("model")
        assert after.spec("model", "late").name == "late"
        assert read.count("late") == 1
