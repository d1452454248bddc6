"""Files that are there whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metricsengine.files import write_json, write_text


def test_text_is_utf8_in_a_folder_that_is_made(tmp_path: Path) -> None:
    write_text(tmp_path / "a" / "b.txt", "größe\r\n日本")
    assert (tmp_path / "a" / "b.txt").read_bytes() == "größe\r\n日本".encode()


def test_a_lone_surrogate_is_escaped(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "x\ud800y")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "x\\ud800y"


def test_replacing_leaves_nothing_beside(tmp_path: Path) -> None:
    for text in ("one", "two"):
        write_text(tmp_path / "a.txt", text)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "two"


@pytest.mark.parametrize("content", [float("nan"), {"a": [float("inf")]}, {1, 2}])
def test_what_json_cannot_hold_leaves_the_old_file(tmp_path: Path, content: object) -> None:
    write_json(tmp_path / "a.json", {"a": 1})
    with pytest.raises((TypeError, ValueError)):
        write_json(tmp_path / "a.json", content)
    assert json.loads((tmp_path / "a.json").read_text()) == {"a": 1}


def test_json_is_readable(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"größe": "日本"})
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == '{\n  "größe": "日本"\n}\n'
