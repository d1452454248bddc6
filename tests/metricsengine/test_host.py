"""Finding plugins: what is broken is named and undone, and takes nothing else with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest
from pluggy import HookspecMarker

from metricsengine import hookimpl
from metricsengine.errors import PluginError
from metricsengine.host import Host
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
            trackers=[TrackerSpec("r", Conf)],
            sets=[SetSpec("g", Conf)],
        )
        host = site.host()
        [info] = host.plugins
        assert info.registered == {"model": ["m"], "study": ["s"], "metric": ["t"], "tracking": ["r"], "sets": ["g"]}


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


def test_the_built_in_plugins_load() -> None:
    host = Host()
    ours = [info for info in host.plugins if info.distribution == "metricsengine"]
    assert ours
    assert [info.error for info in ours] == [""] * len(ours)
    assert not host.collisions


def test_a_hook_is_marked_by_the_package() -> None:
    assert hookimpl.project_name == "metricsengine"
