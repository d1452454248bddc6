"""The last table of a sweep."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console
from swept import finished, means

from metricsengine.errors import ConfigError
from metricsengine.launched import Launch
from metricsengine.multirun.checked import Checked, refusal
from metricsengine.multirun.ended import Ended
from metricsengine.multirun.manifest import Manifest, Planned
from metricsengine.multirun.told import ROWS, jobs_table
from metricsengine.run import RunEnd


def printed(ended: Ended) -> str:
    console = Console(width=100, record=True, quiet=False)
    with console.capture() as said:
        console.print(jobs_table(ended))
    return said.get()


def test_a_row_tells_what_was_set_how_it_ended_and_where_the_error_lies(tmp_path: Path) -> None:
    finished(tmp_path, 0, ["study.wind=0"], means([1.0, 2.0], place="here"), means([5.0], place="there"))
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "error-warmth.txt").write_text("Traceback ...")
    overrides = {"0": ["study=weather", "study.wind=0"], "1": ["study=weather", "study.wind=1"],
                 "2": ["study=weather", "study.wind=2"]}  # fmt: skip
    ends = {"0": (RunEnd("finished"), 0), "1": (RunEnd("failed", failures=["metric 'warmth': no wind"]), 1)}
    said = " ".join(printed(Ended(tmp_path, ends, 3, overrides)).split())
    assert "job set ended warmth here warmth there" in said
    assert "0 wind=0 finished 1.5 5" in said
    assert "1 wind=1 failed: metric 'warmth': no wind (see" in said
    assert "error-warmth.txt" in said
    assert "2 wind=2 did not begin" in said


def test_many_jobs_are_cut_but_those_that_failed(tmp_path: Path) -> None:
    names = [str(i) for i in range(200)]
    ends = {name: (RunEnd("finished"), 0) for name in names} | {"150": (RunEnd("failed", "broken"), 1)}
    said = printed(Ended(tmp_path, ends, 200, {name: [f"seed={name}"] for name in names}))
    assert "seed=150  failed: broken" in " ".join(said.split()).replace("seed=150 ", "seed=150  ")
    assert f"{200 - ROWS} more jobs in the report" in said


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        (["a"], "job 0: a; nothing was run: on_bad_job=skip runs the other jobs"),
        (["a", "a"], "jobs 0, 1: a; nothing was run: on_bad_job=skip runs the other jobs"),
        (["a", "b", "c"], "job 0: a; 2 others cannot be run either, job 1: b; nothing was run"),
    ],
)
def test_a_refusal_names_the_first_bad_job_and_counts_the_others(errors: list[str], said: str) -> None:
    bad = [Checked(Planned(str(i), ()), error=error) for i, error in enumerate(errors)]
    assert str(refusal(bad, 3)) == said


def test_a_manifest_keeps_its_jobs(tmp_path: Path) -> None:
    manifest = Manifest(Launch.now(["-m", "seed=1,2"]), {"0": ("seed=1",)})
    more = manifest.with_jobs([Planned("0", ("seed=1",)), Planned("1", ("seed=2",))])
    more.save(tmp_path)
    assert Manifest.load(tmp_path) == more
    with pytest.raises(ConfigError, match="job 1 of this sweep was seed=2, and would now be seed=3"):
        more.with_jobs([Planned("1", ("seed=3",))])
    (tmp_path / "sweep.json").write_text("[]")
    with pytest.raises(ConfigError, match=r"sweep\.json is damaged"):
        Manifest.load(tmp_path)
