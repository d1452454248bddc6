"""What a finished sweep shows: comparisons over its jobs, one table, results and a report that can be read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from swept import Told, finished, means

from metricsengine.comparison import UNITS, Comparison, ComparisonSpec, Findings
from metricsengine.estimate import Estimate
from metricsengine.host import Host
from metricsengine.inert import read_csv
from metricsengine.launched import Launch
from metricsengine.metric import Measure
from metricsengine.multirun.manifest import Manifest
from metricsengine.results import Results
from metricsengine.run import RunEnd
from metricsengine.status import write_status
from metricsengine.sweeping.finished import write_results
from metricsengine.sweeping.gathered import JobResults
from metricsengine.sweeping.labels import SweptKey
from metricsengine.sweeping.table import swept_columns, tidy


@dataclass
class RangeConf:
    metric: str = "warmth"
    fails: bool = False


@dataclass
class Range(Comparison):
    """Largest less smallest estimate of a metric."""

    conf: RangeConf

    def compare(self, findings: Findings, seed: int) -> Sequence[Estimate]:
        if self.conf.fails:
            raise ValueError("no weather today")
        values = [e.value for e in findings.estimates if e.metric == self.conf.metric and e.value is not None]
        labels = {"of": self.conf.metric, "seed": str(seed)}
        return [Estimate("range", max(values) - min(values), len(values), labels)] if len(values) > 1 else []


@dataclass
class Ranges(Comparison):
    """The same of every metric, by name."""

    conf: RangeConf

    def compare(self, findings: Findings, seed: int) -> Sequence[Estimate]:
        names = sorted({e.metric for e in findings.estimates})
        return [one for name in names for one in Range(RangeConf(name)).compare(findings, seed)]


@pytest.fixture
def host(site: Any) -> Host:
    measure = Measure("range", direction="0: all alike")
    specs = [
        ComparisonSpec("range", RangeConf, Range, (measure, Measure("gap"))),
        ComparisonSpec("ranges", RangeConf, Ranges, ()),
    ]
    site.add_live("range", comparisons=specs)
    host: Host = site.host()
    return host


def written(folder: Path, host: Host) -> Results:
    found = write_results(folder, host, "metricsengine -m study.wind=0,9")
    assert found is not None
    return found[0]


def swept(folder: Path, *told: Sequence[Told], **changes: Any) -> None:
    for job, estimates in enumerate(told):
        finished(folder, job, [f"study.wind={9 * job}"], *estimates, comparison={"range": {}}, **changes)


class TestResults:
    def test_compare_the_jobs_and_can_be_loaded_again(self, tmp_path: Path, host: Host) -> None:
        swept(tmp_path, [means([1, 2], place="here")], [means([5, 6], place="here")])
        results = written(tmp_path, host)
        assert results.counts == {"jobs": 2, "rows.Days": 6}
        assert [(e.metric, e.value) for e in results.estimates] == [("range", 4.0), ("warmth", 1.5), ("warmth", 5.5)]
        assert results.compared == ["range"]
        assert results.provenance["swept"] == {"study.wind": ["0", "9"]}
        assert results.provenance["command"] == "metricsengine -m study.wind=0,9"
        loaded = Results.load(tmp_path)
        assert loaded.estimates == results.estimates
        assert len(loaded.tables[UNITS.name]) == 4
        assert loaded.measures["range"].direction == "0: all alike"
        assert "gap" not in loaded.measures  # which nothing was found of

    def test_what_is_found_about_the_first_metric_comes_first(self, tmp_path: Path, host: Host) -> None:
        for job in (0, 1):
            told = [means([job], metric, place="here") for metric in ("zest", "apple")]
            finished(
                tmp_path, job, [f"study.wind={job}"], *told, comparison={"ranges": {}, "range": {"metric": "zest"}}
            )
        assert [e.labels["of"] for e in written(tmp_path, host).estimates[:3]] == ["zest", "zest", "apple"]

    def test_one_job_alone_is_no_sweep(self, tmp_path: Path, host: Host) -> None:
        swept(tmp_path, [means([1])])
        assert write_results(tmp_path, host, "") is None
        assert not (tmp_path / "results.json").exists()

    def test_jobs_that_all_failed_have_no_results_together(self, tmp_path: Path, host: Host) -> None:
        for job in "01":
            write_status(tmp_path / job, RunEnd("failed", "no wind"))
        assert write_results(tmp_path, host, "") is None

    def test_the_only_job_that_went_through_is_compared_with_none(self, tmp_path: Path, host: Host) -> None:
        swept(tmp_path, [means([1], place="here")])
        write_status(tmp_path / "1", RunEnd("failed", "no such file"))
        results = written(tmp_path, host)
        assert [e.metric for e in results.estimates] == ["warmth"]
        assert results.failures == ["job 1: no such file"]
        page = (tmp_path / "report.html").read_text()
        assert "1 of 2 jobs has results." in page
        assert "There is one job alone: nothing could be compared." in page
        assert "What 1 job without results would have shown (job 1: no such file)." in page
        assert list(pd.read_parquet(tmp_path / "estimates.parquet")["job"]) == ["0"]

    def test_jobs_that_failed_are_left_out_and_named(self, tmp_path: Path, host: Host) -> None:
        swept(tmp_path, [means([1])], [means([2])], failures=["metric 'frost': too warm"])
        write_status(tmp_path / "2", RunEnd("failed", "no <b>wind</b>"))
        results = written(tmp_path, host)
        assert results.failures == [
            "job 0: metric 'frost': too warm", "job 1: metric 'frost': too warm", "job 2: no <b>wind</b>",
        ]  # fmt: skip
        assert "no &lt;b&gt;wind&lt;/b&gt;" in (tmp_path / "report.html").read_text()
        assert "job 2 has no results" in (tmp_path / "card.md").read_text()

    def test_a_comparison_that_fails_costs_nothing_else(self, tmp_path: Path, host: Host) -> None:
        for job in (0, 1):
            comparison = {"range": {"fails": True}, "gone": {}}
            finished(tmp_path, job, [f"seed={job}"], means([job]), comparison=comparison)
        found = write_results(tmp_path, host, "")
        assert found is not None
        results, failures = found
        assert failures[0] == "comparison 'range': ValueError: no weather today"
        assert failures[1].startswith("comparison 'gone': PluginError: ")
        assert results.failures[:2] == failures
        assert len(results.estimates) == 2

    def test_a_comparison_that_only_a_later_job_has_is_made(self, tmp_path: Path, host: Host) -> None:
        finished(tmp_path, 0, ["study=a"], means([1]))
        finished(tmp_path, 1, ["study=b"], means([2]), comparison={"range": None})
        assert written(tmp_path, host).compared == ["range"]

    def test_several_studies_models_and_seeds_are_told(self, tmp_path: Path, host: Host) -> None:
        for job, study in enumerate(("weather", "tides")):
            model = {"name": f"m{job}"}
            changes = {"study": study, "model": model, "compost": {"topic": study}, "seed": job, "notices": ["dry"]}
            finished(tmp_path, job, [f"study={study}", f"seed={job}"], means([job], place="here"), **changes)
        results = written(tmp_path, host)
        assert (results.study, results.model, results.compost) == (
            "weather, tides", {"name": "m0, m1"}, {"topic": "weather, tides"},
        )  # fmt: skip
        assert results.notices == ["dry"]
        assert "<span>seeds 0, 1</span>" in (tmp_path / "report.html").read_text()
        assert {(e.labels["seed"], e.labels["study"]) for e in results.estimates} == {("0", "weather"), ("1", "tides")}

    def test_what_asks_no_model_is_called_so(self, tmp_path: Path, host: Host) -> None:
        swept(tmp_path, [means([1])], [means([2])])
        written(tmp_path, host)
        page = (tmp_path / "report.html").read_text()
        assert "no model" in page
        assert "recorded responses" not in page

    def test_several_protocols_are_noticed(self, tmp_path: Path, host: Host) -> None:
        for job, protocol in enumerate(("paper", "released")):
            finished(tmp_path, job, [f"protocol={protocol}"], means([job]), protocol=protocol)
        notice = "The jobs follow several protocols (paper, released): the heading shows the first."
        assert written(tmp_path, host).notices == [notice]

    def test_folders_of_an_earlier_sweep_are_noticed(self, tmp_path: Path, host: Host) -> None:
        swept(tmp_path, [means([1])], [means([2])])
        finished(tmp_path, 2, [], means([99]), started="2020-01-01T00:00:00+00:00")
        began = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
        launch = Launch("metricsengine -m study.wind=0,9 seed=1", (), "/", "/", began)
        Manifest(launch, {"0": (), "1": ()}).save(tmp_path)
        results = written(tmp_path, host)
        assert results.notices == ["Left out, since an earlier sweep left it in this folder: job 2."]
        assert results.failures == []
        assert results.provenance["started"] == began.isoformat()
        assert results.provenance["command"] == launch.command
        assert max(e.value or 0 for e in results.estimates) == 2


class TestReport:
    def test_mentions_what_was_swept(self, tmp_path: Path, host: Host) -> None:
        swept(tmp_path, [means([1, 2], place="here")], [means([5, 6], place="here")])
        written(tmp_path, host)
        assert "**study.wind:** 0, 9 (estimates tell it by their label wind)" in (tmp_path / "card.md").read_text()
        assert list(pd.read_csv(tmp_path / "listings" / "jobs.csv")["study.wind"]) == [0, 9]
        assert (tmp_path / "figures" / "over-warmth.svg").is_file()
        assert "Warmth over wind" in (tmp_path / "report.html").read_text()

    def test_lists_what_was_set_for_jobs_without_results(self, tmp_path: Path, host: Host) -> None:
        words = [("study.wind=0", "study.place='here, there'"), ("study.wind=9", "study.place=sea")]
        for job, overrides in enumerate(words):
            finished(tmp_path, job, list(overrides), means([job]))
        write_status(tmp_path / "2", RunEnd("failed", "no wind"))
        jobs = dict(zip("012", [*words, ("study.wind=12", "study.place='here, there'")], strict=True))
        began = datetime.fromisoformat("2020-01-01T00:00:00+00:00")
        Manifest(Launch("metricsengine -m", (), "/", "/", began), jobs).save(tmp_path)
        written(tmp_path, host)
        [lacking] = pd.read_csv(tmp_path / "listings" / "jobs.csv").to_dict("records")[2:]
        assert (lacking["study.wind"], lacking["study.place"]) == (12, "here, there")
        assert lacking["why it has no results"] == "no wind"
        card = (tmp_path / "card.md").read_text()
        assert "- **job 2 has no results:** no wind (study.wind=12, study.place=here, there)" in card

    def test_of_jobs_that_differ_in_nothing(self, tmp_path: Path, host: Host) -> None:
        for job in (0, 1):
            finished(tmp_path, job, ["seed=1"], means([1]))
        written(tmp_path, host)
        assert "Nothing that was set differs" in (tmp_path / "card.md").read_text()


class TestTable:
    def test_has_a_column_for_each_field_and_label(self, tmp_path: Path, host: Host) -> None:
        swept(tmp_path, [means([1, 2], place="here")], [means([5, 6], place="here")])
        written(tmp_path, host)
        table = pd.read_parquet(tmp_path / "estimates.parquet")
        assert list(table["metric"]) == ["warmth", "warmth", "range"]
        assert list(table["comparison"]) == [False, False, True]
        assert list(table["wind"].fillna("")) == list(table["study.wind"].fillna("")) == ["0", "9", ""]
        assert list(table["job"].fillna("")) == ["0", "1", ""]
        assert {"value", "low", "high", "standard_error", "unit", "n", "excluded", "over", "interval", "status",
                "reason", "flags", "place", "of", "seed"} <= set(table.columns)  # fmt: skip
        assert table["standard_error"].dtype == "float64"

    def test_spells_out_what_an_estimate_lacks(self) -> None:
        lacking = {"b": 2, "a": 1}
        given = Estimate.undefined("m", "why not", labels={"n": "many"}, excluded=lacking, over=("x", "y"))
        [row] = tidy([given]).to_dict("records")
        assert (row["reason"], row["excluded"], row["over"]) == ("why not", "a: 1; b: 2", "x, y")
        assert (row["n"], row["label_n"]) == (0, "many")

    def test_of_nothing_is_empty(self) -> None:
        assert tidy([]).empty

    def test_is_the_same_in_both_files(self, tmp_path: Path, host: Host) -> None:
        texts = {"place": 'a "quoted", place\nof two lines', "formula": "=1+1", "nothing": "NA", "blank": ""}
        estimate = Estimate("warmth", 0.1 + 0.2, 3, texts, low=-1e-300, high=1e22, flags=("few_units",))
        lacking = Estimate.undefined("warmth", "fog", labels={"place": "é"}, excluded={"refused": 2})
        for job, estimates in enumerate(([estimate, lacking], [estimate])):
            finished(tmp_path, job, [f"study.wind={job}"], estimates=estimates, comparison={"ranges": {}})
        written(tmp_path, host)
        parquet, csv = pd.read_parquet(tmp_path / "estimates.parquet"), read_csv(tmp_path / "estimates.csv")
        assert list(csv.columns) == list(parquet.columns)
        typed = csv.assign(comparison=(csv["comparison"] == "True").astype(bool)).astype(
            {column: dtype for column, dtype in parquet.dtypes.items() if column != "comparison"}
        )
        pd.testing.assert_frame_equal(typed, parquet, check_exact=True, check_column_type=False)
        assert typed["value"][0] == 0.1 + 0.2

    def test_every_row_of_a_job_has_every_swept_key(self, tmp_path: Path, host: Host) -> None:
        """A label that tells a key stands beside it, and one that means something else keeps its name."""
        for job, (variant, wind) in enumerate((("base", "0"), ("base", "9"), ("newline", "0"))):
            told = [means([1, 2], variant=variant, persona=p) for p in ("a", "b")]
            overrides = [f"prompt={variant}", f"study.wind={wind}", f"persona=set{job}"]
            finished(tmp_path, job, overrides, *told, means([3], "rain"), comparison={"ranges": {}})
        written(tmp_path, host)
        table = pd.read_parquet(tmp_path / "estimates.parquet")
        of_jobs = table[~table["comparison"]]
        assert list(of_jobs["prompt"]) == ["base"] * 6 + ["newline"] * 3
        assert list(of_jobs["study.wind"]) == ["0"] * 3 + ["9"] * 3 + ["0"] * 3
        assert list(of_jobs["chosen_persona"]) == ["set0"] * 3 + ["set1"] * 3 + ["set2"] * 3
        assert list(of_jobs["persona"].fillna("")) == ["a", "b", ""] * 3
        assert table[table["comparison"]][["job", "study.wind"]].isna().all(axis=None)

    def test_a_comparison_has_the_keys_that_its_labels_tell(self) -> None:
        keys = [SweptKey("network.p", ("0.30", "0.9"), "p", frozenset({"edge"}), "edge")]
        results = Results("w", "paper", 1, None, {}, {}, [Estimate("m", 1.0, 1, {"edge": "0.3"})])
        jobs = [JobResults("0", {}, results), JobResults("1", {}, replace(results, estimates=[]))]
        compared = [Estimate("gap", 1.0, 1, {"edge": "0.3"}), Estimate("gap", 1.0, 1, {"of": "m"})]
        told = swept_columns(jobs, keys, results.estimates, compared)
        assert told == [{"job": "0", "network.p": "0.30"}, {"network.p": "0.30"}, {}]


class TestComparisons:
    def test_those_made_of_every_sweep_are_made_unless_a_job_chose_them(self, tmp_path: Path, site: Any) -> None:
        def spec(name: str, *, of_sweeps: bool) -> ComparisonSpec:
            return ComparisonSpec(name, RangeConf, lambda conf: Named(name, conf), (Measure(name),), of_sweeps)

        site.add_live("kinds", comparisons=[spec("always", of_sweeps=True), spec("chosen", of_sweeps=False)])
        host = site.host()
        for job in (0, 1):
            finished(tmp_path, job, [f"study.wind={job}"], means([job]))
        assert written(tmp_path, host).compared == ["always"]
        for job in (0, 1):
            options = {"always": {"metric": "frost"}, "chosen": {}}
            finished(tmp_path, job, [f"study.wind={job}"], means([job]), comparison=options)
        results = written(tmp_path, host)
        assert results.compared == ["always", "chosen"]
        assert [e.labels["of"] for e in results.estimates if e.metric == "always"] == ["frost"]


@dataclass
class Named(Comparison):
    """Tells its name and option."""

    name: str
    conf: RangeConf

    def compare(self, findings: Findings, seed: int) -> Sequence[Estimate]:
        return [Estimate(self.name, 1.0, 1, {"of": self.conf.metric})]
