"""Packages with one fault each: reported by name, and whatever does not need them works."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from metricsengine.errors import PluginError
from metricsengine.host import Host

METRIC = """
from dataclasses import dataclass
from metricsengine import hookimpl
from metricsengine.metric import Measure, Metric, MetricResult, MetricSpec

@dataclass
class Conf:
    pass

class Twin(Metric):
    def compute(self, table, context):
        raise LookupError("no such page")

@hookimpl
def metricsengine_metrics():
    return [MetricSpec("NAME", Conf, lambda conf: Twin(), table="Entries", measures=(Measure("NAME"),))]
"""
CONFIG = "from metricsengine import hookimpl\n@hookimpl\ndef metricsengine_config():\n    return ['PACKAGE']\n"
HOOK = "from metricsengine import hookimpl\n@hookimpl\ndef metricsengine_HOOK():\n    raise OSError('disk full')\n"


def test_one_that_cannot_be_imported(site: Any, diary: Callable[..., Any], metricsengine: Callable[..., Any]) -> None:
    site.add("twin", "raise RuntimeError('no backend')", distribution="metricsengine-twin", version="0.3")
    listed = metricsengine("plugins")
    assert listed.status == 1
    assert "twin  (metricsengine-twin 0.3, twin_twin)\n  NOT LOADED: RuntimeError: no backend\n" in listed.out
    assert "Traceback" in listed.out
    ended = diary()
    assert ended.status == 0
    line = "metricsengine: plugin 'twin' of metricsengine-twin 0.3 was not loaded: RuntimeError: no backend"
    assert ended.err.splitlines()[0] == line
    missed = diary("model=twin_model")
    assert missed.status == 2
    assert "unknown model 'twin_model'" in missed.err


def test_a_metric_that_raises(site: Any, diary: Callable[..., Any]) -> None:
    site.add("twin", METRIC.replace("NAME", "page_mood"))
    ended = diary("metric=[page_mood,page_length]")
    assert ended.status == 1
    assert "\nFailed: metric 'page_mood': LookupError: no such page\n" in ended.out
    assert ended.results["failures"] == ["metric 'page_mood': LookupError: no such page"]
    assert {e["metric"] for e in ended.results["estimates"]} == {"page_length"}
    status = json.loads((ended.folder / "status.json").read_text())
    assert status["status"] == "failed"


@pytest.mark.parametrize("hook", ["responses_stored", "run_finished"])
def test_a_hook_that_raises(site: Any, diary: Callable[..., Any], hook: str) -> None:
    site.add("twin", HOOK.replace("HOOK", hook))
    ended = diary()
    assert ended.status == 1
    assert f"plugin 'twin' of metricsengine-twin 1.0, metricsengine_{hook}: OSError: disk full" in ended.err + ended.out
    assert len(ended.results["estimates"]) == 3
    events = [json.loads(line)["event"] for line in (ended.folder / "events.jsonl").read_text().splitlines()]
    assert events[0] == "run_started"
    assert events[-1] == "run_finished"


def test_a_preflight_that_raises(site: Any, diary: Callable[..., Any]) -> None:
    site.add("twin", HOOK.replace("HOOK", "preflight"))
    ended = diary()
    assert ended.status == 2
    assert ended.line == "plugin 'twin' of metricsengine-twin 1.0, metricsengine_preflight: OSError: disk full"


def test_a_metric_name_that_is_taken(site: Any, diary: Callable[..., Any], metricsengine: Callable[..., Any]) -> None:
    site.add("twin", METRIC.replace("NAME", "exaggeration"))
    both = "the metric 'exaggeration': plugin 'caricature' of .* and plugin 'twin' of metricsengine-twin"
    with pytest.raises(PluginError, match=both):
        Host().spec("metric", "exaggeration")
    listed = metricsengine("plugins")
    assert listed.status == 1
    assert "COLLISION two plugins register the metric 'exaggeration': plugin 'caricature' of " in listed.out
    ended = diary()
    assert ended.status == 0
    assert "two plugins register the metric 'exaggeration'" in ended.err
    assert metricsengine("experiment=caricature_quick", "model=parrot", "tracking=none").status == 2


def test_an_entry_point_that_is_taken(site: Any, diary: Callable[..., Any]) -> None:
    site.add("caricature", METRIC.replace("NAME", "page_mood"), distribution="twin", version="0.3")
    ended = diary()
    assert ended.status == 0
    lines = [line for line in ended.err.splitlines() if line.startswith("metricsengine: ")]
    assert len(lines) == 2
    assert all("two plugins are called 'caricature'" in line and "twin 0.3" in line for line in lines)
    assert {info.distribution for info in Host().broken} == {"metricsengine", "twin"}


@pytest.mark.parametrize("words", [[], ["study=caricature", "model=parrot"], ["study=diary", "tracking=none"]])
def test_what_needs_a_plugin_that_was_not_loaded_says_so(
    site: Any, metricsengine: Callable[..., Any], words: list[str]
) -> None:
    for name in ("caricature", "llamacpp"):
        site.add(name, distribution=f"twin-{name}")
    ended = metricsengine(*words)
    assert ended.status == 2
    assert "(not loaded: caricature, llamacpp; see `metricsengine plugins`)" in ended.err.splitlines()[-1]


def test_a_set_that_is_taken(site: Any, diary: Callable[..., Any], metricsengine: Callable[..., Any]) -> None:
    files = {"conf/__init__.py": "", "conf/persona/quick.toml": "title = 'Other'\n"}
    site.add("twin", CONFIG.replace("PACKAGE", "twin_twin.conf"), files=files)
    ended = diary()
    assert ended.status == 2
    assert re.fullmatch(
        r"two sets are called persona=quick: .*conf/persona/quick\.toml and .*twin_twin/conf/persona/quick\.toml; "
        "rename one",
        ended.line,
    )
    assert metricsengine("plugins").status == 0


def test_a_preset_that_is_taken(site: Any, diary: Callable[..., Any]) -> None:
    files = {"conf/__init__.py": "", "conf/model/smollm2.yaml": "words: 2\n"}
    site.add("twin", CONFIG.replace("PACKAGE", "twin_twin.conf"), files=files)
    ended = diary()
    assert ended.status == 2
    assert re.fullmatch(
        r"two options are called model=smollm2: plugin 'llamacpp' of metricsengine .*; "
        r"and plugin 'twin' of metricsengine-twin 1\.0, .*; rename one",
        ended.line,
    )


def test_a_configuration_that_does_not_exist(site: Any, diary: Callable[..., Any]) -> None:
    site.add("twin", CONFIG.replace("PACKAGE", "nowhere.conf"))
    ended = diary()
    assert ended.status == 0
    assert (
        "plugin 'twin' of metricsengine-twin 1.0 was not loaded: its configuration package 'nowhere.conf'" in ended.err
    )


def test_kinds_of_its_own_are_heard(site: Any, diary: Callable[..., Any], metricsengine: Callable[..., Any]) -> None:
    site.add(
        "opener",
        """
        from pluggy import HookspecMarker
        from metricsengine import hookimpl

        class Specs:
            @HookspecMarker("metricsengine")
            def metricsengine_toys():
                pass

        def metricsengine_add_hookspecs():
            return [Specs]

        @hookimpl
        def metricsengine_run_finished(run):
            from metricsengine.host import Host
            toys, failures = Host().call("metricsengine_toys")
            return f"Toys: {toys} {failures}"
        """,
    )
    site.add("a-toy", "from metricsengine import hookimpl\n@hookimpl\ndef metricsengine_toys():\n    return 'ball'\n")
    assert metricsengine("plugins").status == 0
    assert "Toys: ['ball'] []" in diary().out
