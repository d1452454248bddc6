"""Results: what is written is what is read, and aggregates are found by what they keep."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from metricsengine.errors import ConfigError
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure
from metricsengine.results import Results

MEASURE = Measure(
    "exaggeration",
    bounds=(None, 1.0),
    direction="higher: more",
    units=("persona", "topic"),
    keep=((), ("persona",), ("persona_category",), ("persona", "topic_kind")),
)
CELL = {"persona": "woman", "persona_category": "gender", "topic": "golf", "topic_kind": "general", "encoder": "minilm"}


def kept(*names: str) -> dict[str, str]:
    return {name: CELL[name] for name in names}


def average(*names: str, over: tuple[str, ...] = ("topic",)) -> Estimate:
    return Estimate("exaggeration", 0.5, 2, kept(*names, "encoder"), over=over)


CELLS = [Estimate("exaggeration", 0.5, 2, CELL), Estimate.undefined("exaggeration", "1 response", labels=CELL, n=1)]
ALL = average(over=("persona", "topic"))
PERSONA = average("persona", "persona_category")
CATEGORY = average("persona_category", over=("persona", "topic"))
PERSONA_AND_KIND = average("persona", "persona_category", "topic_kind")


@pytest.fixture
def results() -> Results:
    return Results(
        study="caricature",
        protocol="paper",
        seed=7,
        model={"adapter": "scripted", "name": "Größe", "details": {"template": "${x}"}},
        compost={"context": "forum", "model": "m", "persona": "woman", "topic": "golf"},
        counts={"requests": 3, "answered": 2},
        estimates=[*CELLS, ALL, PERSONA, CATEGORY, PERSONA_AND_KIND],
        measures={"exaggeration": MEASURE},
        tables={"Simulations": pd.DataFrame({"text": pd.array(["NA", pd.NA, "x\n"], dtype="string")})},
        store={"hits": 1},
        notices=("a notice",),
        failures=("metric 'x': ValueError",),
        provenance={"command": "metricsengine", "config": {"seed": 7}},
    )


def test_a_folder_and_back(results: Results, tmp_path: Path) -> None:
    results.save(tmp_path)
    loaded = Results.load(tmp_path)
    pd.testing.assert_frame_equal(loaded.tables["Simulations"], results.tables["Simulations"])
    assert list(loaded.tables) == ["Simulations"]
    assert loaded.notices == ["a notice"]
    assert replace(loaded, tables={}, notices=(), failures=()) == replace(results, tables={}, notices=(), failures=())


def test_the_keys_that_others_script_against(results: Results, tmp_path: Path) -> None:
    results.save(tmp_path)
    row = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert row["schema"] == 1
    assert {"study", "model", "protocol", "compost", "counts", "estimates"} <= row.keys()
    assert row["estimates"][0]["labels"] == CELL
    assert row["estimates"][1] | {"value": None, "status": "undefined", "reason": "1 response"} == row["estimates"][1]
    assert row["estimates"][2]["over"] == ["persona", "topic"]


class TestAggregates:
    def test_cells_are_not_averages(self, results: Results) -> None:
        assert results.cells("exaggeration") == CELLS
        assert results.cells("individuation") == []

    @pytest.mark.parametrize(
        ("keep", "found"),
        [
            ((), [ALL]),
            (("persona",), [PERSONA]),
            (("persona_category",), [CATEGORY]),
            (("persona", "topic_kind"), [PERSONA_AND_KIND]),
            (("topic",), []),
        ],
    )
    def test_are_found_by_what_they_keep(self, results: Results, keep: tuple[str, ...], found: list[Estimate]) -> None:
        assert results.aggregates("exaggeration", *keep) == found


class TestRefused:
    def refused(self, folder: Path) -> str:
        with pytest.raises(ConfigError) as error:
            Results.load(folder)
        assert "\n" not in str(error.value)
        return str(error.value)

    def test_a_folder_without_results(self, tmp_path: Path) -> None:
        assert self.refused(tmp_path) == f"{tmp_path} holds no results.json: is it the folder of a finished run?"

    @pytest.mark.parametrize("content", [b'{"schema": 1,', b"", b"\xff\xfe"])
    def test_what_is_no_json(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "results.json").write_bytes(content)
        assert self.refused(tmp_path).startswith(f"{tmp_path}/results.json is not JSON: ")

    @pytest.mark.parametrize("content", ["[]", "{}", '{"schema": 2}'])
    def test_another_schema(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "results.json").write_text(content)
        assert "was written in another schema than 1" in self.refused(tmp_path)

    @pytest.mark.parametrize(
        "change", [{"estimates": None}, {"estimates": [{"value": 1}]}, {"more": 1}, {"measures": {"x": {}}}]
    )
    def test_a_file_that_was_changed(self, results: Results, tmp_path: Path, change: dict[str, object]) -> None:
        results.save(tmp_path)
        path = tmp_path / "results.json"
        path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change))
        assert re.match(f"{re.escape(str(path))} was changed since it was written: ", self.refused(tmp_path))
