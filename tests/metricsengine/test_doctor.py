"""What works here, what does not, and how to fix it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from metricsengine.doctor import Check, checked

CHECKUP = """
from metricsengine import hookimpl
from metricsengine.doctor import Check

@hookimpl
def metricsengine_checkup():
    return [Check("my server", False, "no answer", "start it with `my-server up`")]
"""


def test_all_is_well(metricsengine: Callable[..., Any], outputs: Path) -> None:
    ended = metricsengine("doctor")
    assert (ended.status, ended.err) == (0, "")
    assert "FAIL" not in ended.out
    *_, last = ended.out.splitlines()
    assert re.fullmatch(r"(\d+) of \1 checks passed", last)
    assert f"ok   outputs: {outputs}\n" in ended.out
    assert re.search(r"ok   response store: .*responses=0", ended.out)
    assert re.search(r"ok   configuration: .*, 1 mood sets", ended.out)
    assert not list(outputs.glob(".probe*"))


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (CHECKUP, ["FAIL my server: no answer", "     -> start it with `my-server up`"]),
        (
            "raise RuntimeError('no backend')",
            [
                "FAIL plugin 'twin' of metricsengine-twin 1.0: RuntimeError: no backend",
                "     -> upgrade or uninstall .*",
            ],
        ),
        (
            CHECKUP.replace("return", "raise ValueError('no')\n    return"),
            ["FAIL checkup: plugin 'twin' of .*, metricsengine_checkup: ValueError: .*", "     -> report it .*"],
        ),
    ],
)
def test_what_a_plugin_finds(site: Any, metricsengine: Callable[..., Any], source: str, lines: list[str]) -> None:
    site.add("twin", source)
    ended = metricsengine("doctor")
    assert ended.status == 1
    said = ended.out.splitlines()
    [at] = [i for i, line in enumerate(said) if line.startswith("FAIL")]
    assert [bool(re.fullmatch(a, b)) for a, b in zip(lines, said[at : at + 2], strict=True)] == [True, True]


def test_names_claimed_twice(site: Any, metricsengine: Callable[..., Any]) -> None:
    source = """
    from dataclasses import dataclass
    from metricsengine import hookimpl
    from metricsengine.model import ModelSpec

    @dataclass
    class Conf:
        pass

    @hookimpl
    def metricsengine_models():
        return [ModelSpec("parrot", Conf, None)]
    """
    site.add("twin", source)
    ended = metricsengine("doctor")
    assert ended.status == 1
    assert "FAIL names: two plugins register the model 'parrot'" in ended.out


def test_outputs_and_store_that_cannot_be_used(
    metricsengine: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file")
    monkeypatch.setenv("METRICSENGINE_OUTPUTS", str(taken))
    ended = metricsengine("doctor")
    assert ended.status == 1
    assert "FAIL outputs: " in ended.out
    assert "     -> set METRICSENGINE_OUTPUTS to a folder that can be written" in ended.out
    assert "FAIL response store: " in ended.out
    assert taken.read_text() == "a file"


def test_a_store_that_is_something_else(metricsengine: Callable[..., Any], outputs: Path) -> None:
    outputs.mkdir()
    (outputs / "store.db").write_text("this is no database, and longer than a hundred characters " * 10)
    ended = metricsengine("doctor")
    assert ended.status == 1
    assert "FAIL response store: ConfigError: response store " in ended.out


def test_options_of_one_name(metricsengine: Callable[..., Any], own_conf: Callable[[Mapping[str, str]], None]) -> None:
    own_conf({"model/parrot.yaml": "words: 2\n"})
    ended = metricsengine("doctor")
    assert ended.status == 1
    assert "FAIL configuration: ConfigError: two options are called model=parrot" in ended.out


def test_whatever_raises_is_the_finding() -> None:
    assert checked("x", lambda: "fine", "fix it") == Check("x", True, "fine")
    assert checked("x", lambda: str(1 // 0), "fix it") == Check(
        "x", False, "ZeroDivisionError: integer division or modulo by zero", "fix it"
    )
