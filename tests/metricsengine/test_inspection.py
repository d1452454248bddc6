"""What is installed, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def test_every_plugin_is_listed_with_what_it_registers(metricsengine: Callable[..., Any]) -> None:
    ended = metricsengine("plugins")
    assert (ended.status, ended.err) == (0, "")
    lines = ended.out.splitlines()
    start = lines.index("diary  (metricsengine-diary 1.2.3, metricsengine_diary)")
    assert [line.split() for line in lines[start + 1 : start + 6]] == [
        ["metric", "page_length", "mean", "number", "of", "words", "on", "a", "page"],
        ["model", "parrot", "repeats", "the", "end", "of", "the", "prompt"],
        ["sets", "mood", "moods", "of", "a", "diary"],
        ["study", "diary", "a", "page", "for", "each", "mood", "and", "day"],
        ["config", "metricsengine_diary.conf"],
    ]


def test_and_the_same_as_json(site: Any, metricsengine: Callable[..., Any]) -> None:
    site.add("broken", "raise RuntimeError('no backend')", version="0.3")
    ended = metricsengine("plugins", "--json")
    assert ended.status == 1
    content = json.loads(ended.out)
    by_name = {row["name"]: row for row in content["plugins"]}
    assert by_name["diary"]["registered"] == {
        "metric": ["page_length"],
        "model": ["parrot"],
        "sets": ["mood"],
        "study": ["diary"],
    }
    assert by_name["diary"]["docs"]["model parrot"] == "repeats the end of the prompt"
    assert (by_name["diary"]["distribution"], by_name["diary"]["version"]) == ("metricsengine-diary", "1.2.3")
    assert by_name["diary"]["error"] == ""
    assert by_name["broken"]["error"] == "RuntimeError: no backend"
    assert "Traceback" in by_name["broken"]["trace"]
    assert content["collisions"] == []
