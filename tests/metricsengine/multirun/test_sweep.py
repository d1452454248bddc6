"""Multiruns: every job in a folder of its own, a failing one alone, an interruption for all."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from swept import finished, means

from metricsengine.comparison import UNITS, spelled
from metricsengine.errors import require
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure, Metric, MetricContext, MetricResult, MetricSpec
from metricsengine.multirun.ended import Ended
from metricsengine.records import Column, Tables, TableSpec
from metricsengine.results import Results
from metricsengine.run import INTERRUPTED, RunEnd, SweepEnd
from metricsengine.status import read_status, write_status
from metricsengine.study import Rounds, Study, StudyInputs, StudySpec

WATCHER = """
from metricsengine import hookimpl

@hookimpl
def metricsengine_sweep_started(sweep):
    (sweep.folder / "started.txt").write_text(" ".join(sweep.overrides))

@hookimpl
def metricsengine_sweep_finished(sweep, end, results):
    (sweep.folder / "finished.txt").write_text(end.status)
    return f"Watched: {sorted(end.jobs.items())[0][1].status}"
"""


DAYS = TableSpec("Days", "Days.", (Column("day", "integer", "Day", required=True),
                                   Column("warmth", "number", "Warmth", required=True)))  # fmt: skip


@dataclass
class WeatherConf:
    template: int = 1
    wind: float = 0.0

    def __post_init__(self) -> None:
        require(self.wind >= 0, "study.wind", self.wind, "at least 0")


class Weather(Study):
    """Every day is a bit warmer, wind makes all colder, and a template adds its number on days that are not even."""

    def __init__(self, conf: WeatherConf, inputs: StudyInputs) -> None:
        self._conf = conf

    @property
    def labels(self) -> Mapping[str, str]:
        return {"wind_speed": f"{self._conf.wind:g}"}

    def run(self) -> Rounds[Tables]:
        yield []
        rows = [(day, 20 + day - self._conf.wind + self._conf.template * (day % 2)) for day in range(20)]
        return {"Days": pd.DataFrame(rows, columns=["day", "warmth"])}


@dataclass
class WarmthConf:
    pass


class Warmth(Metric):
    def __init__(self, conf: WarmthConf) -> None:
        pass

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        labels = {"place": "here"}
        units = table.rename(columns={"day": "unit", "warmth": "value"})
        units = units.assign(unit=units["unit"].astype(str), metric="warmth", labels=spelled(labels), weight=1.0)
        return MetricResult(
            [Estimate("warmth", float(table["warmth"].mean()), len(table), labels)], units=UNITS.conform(units)
        )


@pytest.fixture
def weather(site: Any, metricsengine: Callable[..., Any]) -> Callable[..., Any]:
    """Runs the study of the weather, which asks no model, with further words."""
    study = StudySpec("weather", WeatherConf, Weather, tables=(DAYS,), doc="weather",
                      defaults={"metric": ("warmth",), "comparison": ("sensitivity",)})  # fmt: skip
    metric = MetricSpec("warmth", WarmthConf, Warmth, table="Days", measures=(Measure("warmth"),))
    site.add_live("weather", studies=[study], metrics=[metric])
    return lambda *words: metricsengine("study=weather", "tracking=none", *words)


def lengths(folder: Path) -> dict[str, float]:
    rows = json.loads((folder / "results.json").read_text())["estimates"]
    return {row["labels"]["mood"]: row["value"] for row in rows if row["labels"]}


def statuses(folder: Path) -> dict[str, str]:
    return {path.parent.name: json.loads(path.read_text())["status"] for path in sorted(folder.glob("*/status.json"))}


class TestMultirun:
    def test_each_job_has_its_folder_and_its_line(self, site: Any, diary: Callable[..., Any]) -> None:
        site.add("watcher", WATCHER)
        ended = diary("study.days=1,3", "-m", "hydra.sweep.dir=sweep")  # flags may come after the overrides
        folder = Path.cwd() / "sweep"
        assert ended.status == 0
        assert ended.named("Run folder") == [folder / "0", folder / "1"]
        assert ended.named("Sweep folder") == [folder]
        assert "2 of 2 jobs done\n" in ended.out
        assert "Watched: finished\n" in ended.out
        assert statuses(folder) == {"0": "finished", "1": "finished"}
        assert lengths(folder / "0") == {"happy, =and% #well": 5.0, "${sad}": 5.0}
        assert lengths(folder / "1") == {"happy, =and% #well": 10.0, "${sad}": 10.0}
        assert (folder / "started.txt").read_text() == "experiment=diary tracking=none study.days=1,3"
        assert (folder / "finished.txt").read_text() == "finished"
        assert json.loads((folder / "1" / "results.json").read_text())["store"]["hits"] == 2

    def test_it_goes_below_the_outputs_folder(self, diary: Callable[..., Any], outputs: Path) -> None:
        [folder] = diary("-m", "study.days=1").named("Sweep folder")
        assert folder.is_relative_to(outputs / "sweeps")

    @pytest.mark.parametrize(
        ("word", "failed", "line"),
        [
            ("protocol=released,paper", "0", "metric 'page_length' knows protocol=paper, not released"),
            ("records.file='',nowhere.csv", "1", ".*/nowhere.csv: no such file"),
        ],
    )
    def test_one_that_is_refused_leaves_the_others(
        self, diary: Callable[..., Any], word: str, failed: str, line: str
    ) -> None:
        refused = diary("-m", word, "hydra.sweep.dir=sweep")
        assert (refused.status, statuses(Path("sweep"))) == (2, {})
        assert re.fullmatch(
            f"metricsengine: job {failed}: {line}; nothing was run: on_bad_job=skip runs the other jobs\n", refused.err
        )

        ended = diary("-m", word, "on_bad_job=skip", "hydra.sweep.dir=sweep")
        assert ended.status == 2
        assert "1 of 2 jobs done\n" in ended.out
        [said] = [text for text in ended.err.splitlines() if "job" in text]
        assert re.fullmatch(f"metricsengine: job {failed}: {line}", said)
        assert statuses(Path("sweep")) == {"0": "finished", "1": "finished"} | {failed: "failed"}

    def test_a_metric_that_fails_in_one(self, diary: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
        import metricsengine_diary.length as length

        compute = length.PageLength.compute

        def picky(self: Any, table: Any, context: Any) -> Any:
            if len(table) == 2:
                raise ValueError("too few pages")
            return compute(self, table, context)

        monkeypatch.setattr(length.PageLength, "compute", picky)
        ended = diary("-m", "study.days=1,2", "hydra.sweep.dir=sweep")
        assert ended.status == 1
        assert "metricsengine: job 0: metric 'page_length': ValueError: too few pages" in ended.err
        assert statuses(Path("sweep")) == {"0": "failed", "1": "finished"}

    @pytest.mark.parametrize(
        "word", ["study.days=1,x", "mood=two,three", "experiment=diary,nowhere", "seed=1,2 study.dys=3"]
    )
    def test_what_cannot_be_composed_runs_no_job(self, diary: Callable[..., Any], word: str) -> None:
        ended = diary("-m", *word.split(), "hydra.sweep.dir=sweep")
        assert ended.status == 2
        assert not statuses(Path("sweep"))
        assert len(ended.err.splitlines()) == 1

    def test_common_settings_that_are_wrong_stop_it(self, site: Any, diary: Callable[..., Any]) -> None:
        site.add("watcher", WATCHER)
        ended = diary("-m", "seed=1,2", "protocol=papers", "hydra.sweep.dir=sweep")
        assert ended.status == 2
        assert re.fullmatch(
            "metricsengine: jobs 0, 1: unknown protocol 'papers': did you mean 'paper'.*; nothing was run\n",
            ended.err,
        )
        assert not Path("sweep/started.txt").exists()

    def test_a_plugin_that_fails_at_the_end(self, site: Any, diary: Callable[..., Any]) -> None:
        site.add("watcher", WATCHER.replace('return f"Watched', 'raise OSError("disk full")\n    return f"Watched'))
        ended = diary("-m", "study.days=1")
        assert ended.status == 1
        line = "plugin 'watcher' of metricsengine-watcher 1.0, metricsengine_sweep_finished: OSError: disk full"
        assert f"metricsengine: {line}\n" in ended.err
        assert "1 of 1 job done" in ended.out

    def test_an_interruption_ends_the_sweep(
        self, site: Any, diary: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import metricsengine_diary.parrot as parrot

        answer = parrot.Parrot.answer

        def interrupted(self: Any, requests: Any) -> Any:
            if len(requests) > 2:
                os.kill(os.getpid(), signal.SIGTERM)
            yield from answer(self, requests)

        monkeypatch.setattr(parrot.Parrot, "answer", interrupted)
        site.add("watcher", WATCHER)
        ended = diary("-m", "study.days=1,3,1", "hydra.sweep.dir=sweep")
        assert ended.status == 130
        assert statuses(Path("sweep")) == {"0": "finished", "1": "interrupted"}
        assert "1 of 3 jobs done\n" in ended.out
        assert Path("sweep/finished.txt").read_text() == "interrupted"
        assert ended.err.splitlines()[-1] == f"metricsengine: {INTERRUPTED}"

    @pytest.mark.parametrize("word", ["seed=1,x", "seed=1,null", "mood=two,three", "experiment=diary,diery"])
    def test_what_cannot_be_composed_is_named_and_skipped(self, diary: Callable[..., Any], word: str) -> None:
        refused = diary("-m", word, "hydra.sweep.dir=sweep")
        assert (refused.status, statuses(Path("sweep"))) == (2, {})
        assert refused.line.startswith("job 1: ")
        assert refused.line.endswith("on_bad_job=skip runs the other jobs")
        ended = diary("-m", word, "on_bad_job=skip", "hydra.sweep.dir=sweep")
        assert (ended.status, statuses(Path("sweep"))) == (2, {"0": "finished", "1": "failed"})

    def test_a_folder_that_is_used_again_keeps_nothing_that_passes_for_new(self, diary: Callable[..., Any]) -> None:
        diary("-m", "study.days=3,1", "hydra.sweep.dir=sweep")
        assert Path("sweep/estimates.csv").is_file()
        ended = diary("-m", "seed=1,x", "on_bad_job=skip", "objective.metric=page_length", "hydra.sweep.dir=sweep")
        assert ended.status == 2
        left = {path.name for path in Path("sweep/1").iterdir()}
        assert not left & {"results.json", "report.html", "config.yaml", "card.md", "tables", "figures"}
        assert Results.load(Path("sweep")).counts["jobs"] == 1

    def test_a_folder_of_something_else_keeps_its_files(self, diary: Callable[..., Any]) -> None:
        mine = [Path("sweep/config.yaml"), Path("sweep/figures/mine.txt")]
        for path in mine:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("mine")
        refused = diary("-m", "seed=1,x", "on_bad_job=skip", "objective.metric=page_length", "hydra.sweep.dir=sweep")
        assert refused.status == 2
        assert [path.read_text() for path in mine] == ["mine", "mine"]

    def test_interrupted_before_its_first_job_it_promises_nothing(
        self, diary: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("metricsengine.preflight.prepare", lambda *_: signal.raise_signal(signal.SIGINT))
        ended = diary("-m", "seed=1,2", "hydra.sweep.dir=sweep")
        assert (ended.status, ended.err) == (130, "metricsengine: interrupted; nothing was run\n")

    def test_a_job_that_did_not_begin_has_not_ended_like_one_before(
        self, diary: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import metricsengine_diary.parrot as parrot

        words = ("-m", "hydra.sweeper.max_batch_size=1", "hydra.sweep.dir=sweep")
        assert diary(*words, "study.days=1,2,3").status == 0
        monkeypatch.setattr(parrot.Parrot, "answer", lambda *_: signal.raise_signal(signal.SIGTERM))
        ended = diary(*words, "study.days=4,5,6")
        assert (ended.status, statuses(Path("sweep"))) == (130, {"0": "interrupted"})
        assert "0 of 3 jobs done\n" in ended.out
        assert len([line for line in ended.out.splitlines() if line.endswith("did not begin")]) == 2

    @pytest.mark.parametrize("number", ["${hydra:job.num}", "${hydra.job.num}"])
    def test_a_value_may_be_the_number_of_the_job(
        self, metricsengine: Callable[..., Any], diary: Callable[..., Any], number: str
    ) -> None:
        diary("-m", "study.days=1,2,3", f"seed={number}", "hydra.sweeper.max_batch_size=2", "hydra.sweep.dir=sweep")
        assert [Results.load(Path("sweep") / job).seed for job in "012"] == [0, 1, 2]
        assert Results.load(Path("sweep")).provenance["swept"]["seed"] == ["0", "1", "2"]
        Path("sweep/2/results.json").unlink()  # the launcher gets this one alone
        assert metricsengine("resume", "sweep").status == 0
        assert Results.load(Path("sweep/2")).seed == 2

    def test_a_plugin_that_ends_the_process_ends_its_job(
        self, diary: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import metricsengine_diary.parrot as parrot

        def leaves(*_: Any) -> None:
            raise SystemExit(3)

        monkeypatch.setattr(parrot.Parrot, "answer", leaves)
        ended = diary("-m", "study.days=1,2", "hydra.sweep.dir=a sweep")
        assert (ended.status, statuses(Path("a sweep"))) == (1, {"0": "failed", "1": "failed"})
        assert "job 0: SystemExit: 3" in ended.err
        assert f"To go on: metricsengine resume '{Path.cwd() / 'a sweep'}'\n" in ended.out

    def test_no_jobs_at_all(self, diary: Callable[..., Any]) -> None:
        ended = diary("-m", "seed=range(0,0)")
        assert (ended.status, ended.line) == (2, "the sweep has no jobs: a key is given no value")


class TestTogether:
    def test_jobs_are_compared_with_what_they_share_paired(self, weather: Callable[..., Any]) -> None:
        ended = weather("-m", "study.template=1,3", "study.wind=0,2.0", "hydra.sweep.dir=sweep")
        folder = Path.cwd() / "sweep"
        assert (ended.status, ended.err) == (0, "")
        assert ended.named("Sweep report") == [folder / "report.html"]
        results = Results.load(folder)
        found = {e.labels["wind_speed"]: e for e in results.estimates if e.metric == "sensitivity"}
        # Every second of 20 days is 2 warmer; of unpaired days the interval would be wider than 0 to 3.
        assert {wind: (e.value, e.n, e.labels["template"]) for wind, e in found.items()} == {
            "0": (1.0, 20, "3"), "2": (1.0, 20, "3"),
        }  # fmt: skip
        assert all(e.low is not None and e.high is not None and 0.2 < e.low < 1 < e.high < 1.8 for e in found.values())
        compared = ended.out.partition("sweep of 4 jobs · weather · no model · protocol paper")[2]
        assert re.search(r"\nsensitivity +warmth · 3 · \S+ +1 \[0\.\d+, 1\.\d+\] +20\n", compared)
        self.check_table(folder)

    def check_table(self, folder: Path) -> None:
        """All estimates stand in one table, and the report tells what was swept."""
        table = pd.read_parquet(folder / "estimates.parquet")
        of_jobs = table[~table["comparison"]]
        assert set(zip(of_jobs["template"], of_jobs["wind_speed"], of_jobs["value"], strict=True)) == {
            ("1", "0", 30.0), ("1", "2", 28.0), ("3", "0", 31.0), ("3", "2", 29.0),
        }  # fmt: skip
        assert "wind" not in table  # the label wind_speed tells it
        page = (folder / "report.html").read_text()
        assert "study.template" in page
        assert "Warmth over template and wind speed" in page

    def test_one_that_failed_is_left_out_and_named(self, weather: Callable[..., Any]) -> None:
        ended = weather("-m", "study.wind=0,-1,2", "on_bad_job=skip", "hydra.sweep.dir=sweep")
        assert ended.status == 2
        results = Results.load(Path("sweep"))
        assert results.counts["jobs"] == 2
        assert [failure.partition(" must")[0] for failure in results.failures] == ["job 1: study.wind"]
        assert results.provenance["swept"] == {"study.wind": ["0", "2"]}

    def test_one_alone_has_nothing_to_be_compared_with(self, weather: Callable[..., Any]) -> None:
        ended = weather("-m", "study.wind=0", "hydra.sweep.dir=sweep")
        assert ended.status == 0
        assert "Sweep report" not in ended.out
        assert not Path("sweep/results.json").exists()

    def test_a_folder_that_is_used_again_with_fewer_jobs(self, weather: Callable[..., Any]) -> None:
        finished(Path("sweep"), 2, ["study.wind=9"], means([1]), started="2020-01-01T00:00:00+00:00")
        ended = weather("-m", "study.wind=5,6", "hydra.sweep.dir=sweep")
        assert ended.status == 0
        results = Results.load(Path("sweep"))
        assert results.provenance["swept"] == {"study.wind": ["5", "6"]}
        assert [notice for notice in results.notices if "earlier sweep" in notice]
        assert "2 of 2 jobs done\n" in ended.out

    def test_its_report_is_rebuilt_from_its_folder(
        self, weather: Callable[..., Any], metricsengine: Callable[..., Any]
    ) -> None:
        weather("-m", "study.template=1,3", "hydra.sweep.dir=sweep")
        page = Path("sweep/report.html")
        before, recorded = page.read_text(), Path("sweep/results.json").read_text()
        page.unlink()
        finished(Path("sweep"), 2, ["study.wind=9"], means([1]), started="2020-01-01T00:00:00+00:00")
        rebuilt = metricsengine("report", "sweep")
        assert (rebuilt.status, rebuilt.out) == (0, "Report: sweep/report.html\n")
        results = json.loads(Path("sweep/results.json").read_text())
        assert results["provenance"] == json.loads(recorded)["provenance"]
        assert [notice for notice in results["notices"] if "earlier sweep" in notice]
        shutil.rmtree("sweep/2")
        metricsengine("report", "sweep")
        assert (page.read_text(), Path("sweep/results.json").read_text()) == (before, recorded)

    def test_a_sweep_without_results_together_says_so(
        self, weather: Callable[..., Any], metricsengine: Callable[..., Any]
    ) -> None:
        weather("-m", "study.wind=0", "hydra.sweep.dir=sweep")
        ended = metricsengine("report", "sweep")
        assert ended.status == 2
        assert "sweep is the folder of a sweep of which fewer than two jobs have results" in ended.line

    def test_a_label_to_compare_along_may_exist_over_the_jobs_only(self, weather: Callable[..., Any]) -> None:
        ended = weather(
            "-m", "study.wind=0,2", "comparison.sensitivity.along=[wind_speed]", "comparison.sensitivity.base='2'",
            "hydra.sweep.dir=sweep",
        )  # fmt: skip
        assert (ended.status, ended.err) == (0, "")
        assert "Throughout: wind" not in ended.out.partition("sweep of 2 jobs")[2]
        ended = weather("-m", "study.wind=0,2", "comparison.sensitivity.along=[nosuch]", "hydra.sweep.dir=other")
        assert ended.status == 1
        assert re.search(r"sensitivity\.along: unknown label of estimates 'nosuch'\. Known: .*wind_speed", ended.err)
        assert statuses(Path("other")) == {"0": "finished", "1": "finished"}

    def test_what_goes_wrong_with_them_fails_the_sweep_and_keeps_the_jobs(
        self, weather: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*args: Any) -> None:
            raise OSError("disk full")

        monkeypatch.setattr("metricsengine.sweeping.table.save_table", full)
        ended = weather("-m", "study.wind=0,1", "hydra.sweep.dir=sweep")
        assert ended.status == 1
        error = Path.cwd() / "sweep" / "error.txt"
        assert ended.err == f"metricsengine: the results of the sweep: OSError: disk full (in {error})\n"
        assert "disk full" in error.read_text()
        assert "2 of 2 jobs done" in ended.out


class TestEnded:
    @pytest.mark.parametrize(
        ("codes", "jobs", "said", "code"),
        [
            ([0, 130], 4, "1 of 4 jobs done", 130),
            ([0, 1, 2], 3, "1 of 3 jobs done", 2),
            ([0], 2, "1 of 2 jobs done", 1),
            ([0], 1, "1 of 1 job done", 0),
        ],
    )
    def test_tells_how_many_went_through(
        self, tmp_path: Path, codes: list[int], jobs: int, said: str, code: int
    ) -> None:
        ended = Ended(tmp_path, {str(i): (RunEnd("failed"), code) for i, code in enumerate(codes)}, jobs)
        assert (ended.done, ended.code) == (said, code)


class TestStatus:
    def test_of_a_job_that_ended_without_a_word(self, tmp_path: Path) -> None:
        assert read_status(tmp_path) == (RunEnd("failed", "ended without a word (killed?)"), 1)
        for damaged in (
            '{"status": "fin',
            '{"status": "weird"}',
            '{"status": "finished"}',
            "[]",
            '{"status": "running"}',
        ):
            (tmp_path / "status.json").write_text(damaged)
            assert read_status(tmp_path) == (RunEnd("failed", "ended without a word (killed?)"), 1)
        (tmp_path / "status.json").write_bytes(b"\xff\xfe")
        assert read_status(tmp_path)[1] == 1

    @pytest.mark.parametrize(
        ("status", "configuration", "code"),
        [("finished", False, 0), ("failed", False, 1), ("failed", True, 2), ("interrupted", False, 130)],
    )
    def test_becomes_an_exit_status(self, tmp_path: Path, status: Any, configuration: bool, code: int) -> None:
        write_status(tmp_path, RunEnd(status, "why"), configuration=configuration)
        assert read_status(tmp_path) == (RunEnd(status, "why"), code)

    @pytest.mark.parametrize(
        ("jobs", "worst"),
        [
            ([], "failed"),
            (["finished"], "finished"),
            (["finished", "failed"], "failed"),
            (["failed", "interrupted", "finished"], "interrupted"),
        ],
    )
    def test_of_a_sweep_is_the_worst_of_its_jobs(self, jobs: list[Any], worst: str) -> None:
        assert SweepEnd({str(i): RunEnd(status) for i, status in enumerate(jobs)}).status == worst
