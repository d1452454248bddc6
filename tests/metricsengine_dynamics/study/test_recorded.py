"""Transitions that were recorded elsewhere."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from simulated import Simulate, inputs

from metricsengine.errors import RecordsError
from metricsengine.recorded import read_records
from metricsengine_dynamics.study.config import OpinionConf
from metricsengine_dynamics.study.study import OpinionStudy
from metricsengine_dynamics.tables import TRANSITIONS

HEAD = "run,step,node,x,reference,opinion"


def study() -> OpinionStudy:
    return OpinionStudy(OpinionConf(), inputs())


def read(tmp_path: Path, text: str, **columns: str) -> pd.DataFrame:
    file = tmp_path / "file.csv"
    file.write_text(text)
    return TRANSITIONS.conform(study().read(read_records(file, columns))["Transitions"])


class TestRead:
    def test_the_fewest_columns(self, tmp_path: Path) -> None:
        table = read(tmp_path, f"{HEAD}\n0,0,1,-0.5,-0.25,-1\n0,0,0,0.5,0.25,\n")
        assert table["node"].tolist() == [0, 1]
        assert table["opinion"].isna().tolist() == [True, False]
        assert table["opinion"][1] == -1
        assert set(table["agent"]) == {"llm"}
        assert set(table["variant"]) == {"recorded"}
        assert set(table["repeat"]) == {0}
        assert not table["isolated"].any()
        assert table["heard"].isna().all()

    def test_more_columns(self, tmp_path: Path) -> None:
        head = f"{HEAD},agent,variant,repeat,heard,reply"
        table = read(tmp_path, f"{head}\n1,0,0,0,0.5,3,zero,,,2,\n1,0,0,0,0.5,3,,loud,1,0,I say so\n")
        by_agent = table.set_index("agent")
        assert by_agent.loc["llm", ["variant", "repeat", "isolated", "reply"]].tolist() == ["loud", 1, True, "I say so"]
        assert by_agent.loc["zero", ["repeat", "isolated", "heard"]].tolist() == [0, False, 2]
        assert pd.isna(by_agent.loc["zero", "variant"])

    def test_mapped_columns(self, tmp_path: Path) -> None:
        table = read(
            tmp_path, "sim,t,i,x,f,h\n0,0,0,0,0,5\n", run="sim", step="t", node="i", reference="f", opinion="h"
        )
        assert table["opinion"].tolist() == [5]

    def test_the_order_of_the_rows_does_not_matter(self, tmp_path: Path) -> None:
        rows = [f"{run},{step},{node},0.1,0.2,1" for run in (0, 10, 2) for step in (1, 0) for node in (1, 0)]
        one, other = (read(tmp_path, "\n".join([HEAD, *lines])) for lines in (rows, rows[::-1]))
        pd.testing.assert_frame_equal(one, other)
        assert one["run"].tolist() == [0] * 4 + [2] * 4 + [10] * 4

    def test_what_a_run_kept_reads_as_it_was(self, simulate: Simulate, tmp_path: Path) -> None:
        ran = simulate(prompts=["base", "loud"], repeats=2, agents=["llm", "zero"])
        ran.table.to_csv(tmp_path / "file.csv", index=False)
        again = TRANSITIONS.conform(study().read(read_records(tmp_path / "file.csv", {}))["Transitions"])
        keys = ["agent", "variant", "repeat", "run", "step", "node"]
        kept = ran.table.sort_values(keys, ignore_index=True)
        pd.testing.assert_frame_equal(again, kept)

    def test_labels_are_the_files(self, tmp_path: Path) -> None:
        recorded = study()
        (tmp_path / "file.csv").write_text(f"{HEAD}\n0,0,0,0,0,0\n0,0,1,0,0,0\n1,0,0,0,0,0\n1,0,1,0,0,0\n")
        recorded.read(read_records(tmp_path / "file.csv", {}))
        assert recorded.labels == {"n_agents": "2"}
        assert recorded.compost({}) == {"context": "recorded updates of opinions"}
        assert recorded.sources == {}
        assert recorded.notices == ["4 rows of the file without a number of agents heard: none counts as isolated"]


def rows(reference: float, *opinions: object) -> str:
    return "\n".join([HEAD, *(f"0,0,{node},0,{reference},{opinion}" for node, opinion in enumerate(opinions))]) + "\n"


class TestScale:
    """Opinions go from -5 to 5, x and reference from -1 to 1."""

    MESSAGE = "opinion is on the scale from -5 to 5, 5 times that of reference; none in the file lies beyond 1"

    def test_opinions_on_the_scale_of_the_reference_are_refused(self, tmp_path: Path) -> None:
        for text in (rows(0.6, 0.5, -0.9, ""), rows(-0.41, 0.2, 1), rows(0.6, 0.5, 0)):
            with pytest.raises(RecordsError, match=f"{self.MESSAGE}: multiply by 5$"):
                read(tmp_path, text)
        with pytest.raises(RecordsError, match=self.MESSAGE):
            read(tmp_path, rows(0.6, 0.5).replace("opinion", "h"), opinion="h")

    def test_others_are_read(self, tmp_path: Path) -> None:
        for text in (rows(0.6, 0.5, -1.1), rows(0.4, 0.5, -0.9), rows(0.6, 2.5)):
            assert not read(tmp_path, text).empty
            assert self._notices(tmp_path, text) == []

    def test_whole_opinions_may_be_on_either(self, tmp_path: Path) -> None:
        [notice] = self._notices(tmp_path, rows(0.6, 1, 0, -1, ""))
        assert "none in the file lies beyond 1: if these are on that of reference, multiply by 5" in notice
        assert self._notices(tmp_path, rows(0.6, 0, 0)) == []
        assert self._notices(tmp_path, rows(0.6, 2, 0)) == []
        assert self._notices(tmp_path, rows(0.6, "")) == []

    def _notices(self, tmp_path: Path, text: str) -> list[str]:
        recorded = study()
        (tmp_path / "file.csv").write_text(text)
        recorded.read(read_records(tmp_path / "file.csv", {}))
        return [notice for notice in recorded.notices if notice.startswith("opinion is")]


class TestRefused:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("run,step,node,x,reference\n0,0,0,0,0\n", "no column opinion; .* records.columns.opinion=NAME"),
            (f"{HEAD}\n0,0,0,1.2,0,0\n", r"row 1 of the file, .*: x is a number from -1 to 1, got '1.2'"),
            (f"{HEAD}\n0,0,0,0,0,0\n0,0,1,0,0,7\n", r"row 2 .*: opinion is a number from -5 to 5, got '7'"),
            (f"{HEAD}\n0,0,0,0,,0\n", "reference is a number from -1 to 1, got nothing"),
            (f"{HEAD}\n0,0,0,0,nan,0\n", "reference is a number from -1 to 1, got 'nan'"),
            (f"{HEAD}\n0,0,0,0,0,yes\n", "opinion .*, got 'yes'; an empty cell is one that could not be read"),
            (f"{HEAD}\n0,0,0,0,0,NA\n", "opinion is a number from -5 to 5, got 'NA'; an empty cell"),
            (f"{HEAD}\n0,0.5,0,0,0,0\n", "step is a whole number from 0, got '0.5'"),
            (f"{HEAD}\n-1,0,0,0,0,0\n", "run is a whole number from 0, got '-1'"),
            (f"{HEAD}\n0,0,0,0,0,0\n0,0,0,0,0,1\n", "row 2 .*: the file holds agent llm, .*, node 0 twice"),
        ],
    )
    def test_the_row_is_named(self, tmp_path: Path, text: str, message: str) -> None:
        with pytest.raises(RecordsError, match=message):
            read(tmp_path, text)
