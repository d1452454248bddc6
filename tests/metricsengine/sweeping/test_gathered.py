"""What the jobs of a sweep found: who is in, who is not and why, and how estimates and units are labelled."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from swept import STARTED, finished, means

from metricsengine.comparison import spelled
from metricsengine.estimate import Estimate
from metricsengine.launched import Launch
from metricsengine.multirun.manifest import Manifest
from metricsengine.run import RunEnd
from metricsengine.status import write_status
from metricsengine.sweeping.gathered import findings, gather
from metricsengine.sweeping.labels import swept_keys

BEGAN = datetime.fromisoformat(STARTED)


def labelled(folder: Path) -> tuple[list[tuple[float | None, dict[str, str]]], dict[str, list[float]]]:
    """Values and labels of all estimates, and the values of the units by the labels' spelling."""
    jobs = gather(folder).done
    found = findings(jobs, swept_keys([job.overrides for job in jobs], [job.estimates for job in jobs]))
    units = {str(text): list(rows["value"]) for text, rows in found.units.groupby("labels", sort=False)}
    return [(e.value, dict(e.labels)) for e in found.estimates], units


class TestJobs:
    def test_stand_in_their_order_with_what_was_set_for_each(self, tmp_path: Path) -> None:
        for job in (10, 9):
            finished(tmp_path, job, ['+records.file="a, b=c.csv"', f"study.wind={job}.0", "prompt='x'", "~tracking"])
        (tmp_path / "figures").mkdir()
        (tmp_path / "²").mkdir()
        jobs = gather(tmp_path)
        assert [job.name for job in jobs.done] == ["9", "10"]
        assert jobs.done[0].overrides == {
            "records.file": "a, b=c.csv", "study.wind": "9.0", "prompt": "x", "tracking": "",
        }  # fmt: skip

    def test_that_have_no_results_are_named_with_the_reason(self, tmp_path: Path) -> None:
        finished(tmp_path, 0, [])
        for job, end in enumerate((RunEnd("failed", "no such file"), RunEnd("interrupted", "", ("a", "b"))), 1):
            write_status(tmp_path / str(job), end)
        (tmp_path / "3").mkdir()
        finished(tmp_path, 4, [])
        (tmp_path / "4" / "results.json").write_text("{")
        jobs = gather(tmp_path)
        assert [job.name for job in jobs.done] == ["0"]
        assert jobs.failed == {
            "1": "no such file",
            "2": "a; b",
            "3": "ended without a word (killed?)",
            "4": "it has no results that can be read",
        }

    def test_are_those_that_were_planned(self, tmp_path: Path) -> None:
        finished(tmp_path, 0, [])
        for job in (1, 2):
            finished(tmp_path, job, [], started=(BEGAN - timedelta(hours=1)).isoformat())
        write_status(tmp_path / "1", RunEnd("failed", "this time it went wrong"))
        launch = Launch(
            "metricsengine -m", (), "/", "/", BEGAN + timedelta(milliseconds=900)
        )  # a job tells whole seconds
        Manifest(launch, dict.fromkeys("013", ())).save(tmp_path)
        jobs = gather(tmp_path)
        assert [job.name for job in jobs.done] == ["0"]
        assert jobs.failed == {"1": "this time it went wrong", "3": "it did not begin"}
        assert jobs.earlier == ["2"]
        (tmp_path / "sweep.json").unlink()
        assert len(gather(tmp_path).done) == 3

    def test_keep_of_their_tables_the_units_only(self, tmp_path: Path) -> None:
        finished(tmp_path, 0, [], means([1, 2, 3]))
        [job] = gather(tmp_path).done
        assert set(job.results.tables) == {"Units"}


class TestFindings:
    def test_estimates_and_units_tell_what_was_swept(self, tmp_path: Path) -> None:
        for job, (wind, values) in enumerate({"0": [1.0, 2.0], "9": [3.0, 4.0]}.items()):
            finished(tmp_path, job, ["seed=1", f"study.wind={wind}"], means(values, place="here"))
        estimates, units = labelled(tmp_path)
        expected = [{"place": "here", "wind": "0"}, {"place": "here", "wind": "9"}]
        assert estimates == [(1.5, expected[0]), (3.5, expected[1])]
        assert units == {spelled(expected[0]): [1.0, 2.0], spelled(expected[1]): [3.0, 4.0]}

    def test_a_label_that_tells_the_same_is_not_doubled(self, tmp_path: Path) -> None:
        for job, variant in enumerate(("base", "newline")):
            llm, zero = means([job], agent="llm", variant=variant), means([5], agent="zero")
            finished(tmp_path, job, [f"prompt={variant}"], llm, zero)
        estimates, _ = labelled(tmp_path)
        assert [labels for _, labels in estimates] == [
            {"agent": "llm", "variant": "base"}, {"agent": "zero", "prompt": "base"},
            {"agent": "llm", "variant": "newline"}, {"agent": "zero", "prompt": "newline"},
        ]  # fmt: skip

    def test_comparisons_within_a_job_are_left_to_the_job(self, tmp_path: Path) -> None:
        for job in (0, 1):
            finished(tmp_path, job, [f"seed={job}"], means([1]), means([2], "difference"), compared=["difference"])
        estimates, _ = labelled(tmp_path)
        assert estimates == [(1, {"seed": "0"}), (1, {"seed": "1"})]

    def test_jobs_without_units_give_none(self, tmp_path: Path) -> None:
        bare = {"estimates": [Estimate("warmth", 1, 1, {})]}
        for job in (0, 1):
            finished(tmp_path, job, [f"seed={job}"], **bare)
        estimates, units = labelled(tmp_path)
        assert len(estimates) == 2
        assert units == {}

    @pytest.mark.parametrize("strange", [{"overrides": []}, {"overrides": ["study=weather"]}, {}])
    def test_jobs_that_tell_of_nothing_swept_are_taken_as_they_are(self, tmp_path: Path, strange: Any) -> None:
        for job in (0, 1):
            provenance = {"started": datetime.now(UTC).isoformat(), **strange}
            finished(tmp_path, job, [], means([1], place="here"), provenance=provenance)
        assert [labels for _, labels in labelled(tmp_path)[0]] == [{"place": "here"}] * 2
        assert json.loads((tmp_path / "1" / "results.json").read_text())["schema"] == 1
