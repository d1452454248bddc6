"""Two sweeps or runs set against each other: what is matched, how it is tested, and what the page says first."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from scipy import stats
from swept import finished, means

from metricsengine.errors import ConfigError
from metricsengine.estimate import Estimate
from metricsengine.rebuild import rebuild
from metricsengine.results import Results

FIRST, SECOND = [1.0, 2.0, 4.0, 3.0, 5.0, 2.5], [2.0, 2.5, 5.5, 3.0, 7.0, 4.0]


def sweep(folder: Path, values: list[float], **changes: Any) -> Path:
    """Two jobs, of which one metric is shared by both sweeps."""
    for job, wind in enumerate(("0", "9")):
        told = means([value + 3 * job for value in values], place="here")
        finished(folder, job, [f"study.wind={wind}"], told, **changes)
    return folder


def against(folder: Path, other: Path) -> Results:
    assert rebuild([str(folder), "--against", str(other)]) == 0
    [target] = folder.glob("against-*")
    return Results.load(target)


@pytest.fixture
def both(tmp_path: Path) -> tuple[Path, Path]:
    return sweep(tmp_path / "base", FIRST), sweep(tmp_path / "aligned", SECOND)


class TestSweeps:
    def test_p_values_are_corrected_metric_by_metric(self, both: tuple[Path, Path]) -> None:
        results = against(*both)
        found = [e for e in results.estimates if e.metric == "difference"]
        assert [e.labels for e in found] == [{"of": "warmth", "place": "here", "wind": wind} for wind in "09"]
        # No digest tells that the data are the same, so that units are not paired.
        assert {e.interval for e in found} == {"independent, Welch's t over units"}
        ps = [e.value for e in results.estimates if e.metric == "difference.p"]
        alone = stats.ttest_ind(FIRST, SECOND, equal_var=False).pvalue
        assert ps == pytest.approx([min(1.0, 2 * alone)] * 2)

    def test_the_table_has_both_values(self, both: tuple[Path, Path]) -> None:
        against(*both)
        table = pd.read_parquet(both[0] / "against-aligned" / "estimates.parquet")
        rows = table[table["metric"] == "difference"]
        assert list(rows["value_here"] - rows["value_there"]) == pytest.approx(list(rows["value"]))
        assert table[table["metric"] == "difference.p"]["value_here"].isna().all()
        assert (both[0] / "against-aligned" / "estimates.csv").is_file()

    def test_what_one_of_them_lacks_is_counted_and_named(self, tmp_path: Path) -> None:
        first = sweep(tmp_path / "first", FIRST)
        finished(first, 2, ["study.wind=5"], means([1, 2], "rain", place="here"))
        page = self.page(first, sweep(tmp_path / "second", SECOND))
        assert "How 1 estimate of first alone compare: rain (1)." in page
        assert "What could not be matched" in page

    def test_what_differs_stands_on_top(self, tmp_path: Path) -> None:
        first = sweep(tmp_path / "first", FIRST, model={"name": "small"})
        page = self.page(first, sweep(tmp_path / "second", SECOND, model={"name": "large"}, seed=2))
        top = page.partition('id="measured"')[0]
        assert "They differ in 2 settings: seed, model › name." in top
        assert "Which of the 2 settings that differ makes a difference." in top
        assert "The two were taken for independent, since their seeds differ." in top
        assert "seeds 1, 2" in page

    def test_a_label_that_differs_as_a_whole_is_what_is_compared(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folders = [self.of(tmp_path / name, (place,)) for name, place in (("first", "hill"), ("second", "sea"))]
        page = self.page(*folders)
        assert "2 of 2 estimates matched; 0 of 2 tested differ" in capsys.readouterr().out
        assert "What is compared: first has place hill, second has place sea;" in page.partition('id="measured"')[0]
        labels = [e.labels for e in Results.load(folders[0] / "against-second").estimates if e.metric == "difference"]
        assert labels == [{"of": "warmth", "place": "hill against sea", "wind": wind} for wind in "09"]

    def test_what_prevents_all_matches_is_named(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        first = self.of(tmp_path / "first", ("hill", "dale"))
        page = self.page(first, self.of(tmp_path / "second", ("sea",), metric="warmth", hour="6"))
        why = "place is hill, dale in first and sea in second; hour is not told in first and 6 in second."
        assert f"0 of 4 estimates matched. No estimate could be matched: {why}" in capsys.readouterr().out
        assert why in page.partition('id="measured"')[0]

    def test_without_a_common_metric_nothing_is_matched(self, tmp_path: Path) -> None:
        second = self.of(tmp_path / "second", ("hill",), metric="rain")
        assert "have no metric in common" in self.page(self.of(tmp_path / "first", ("hill",)), second)

    def test_settings_that_change_no_number_do_not_differ(self, tmp_path: Path) -> None:
        folders = [self.of(tmp_path / name, ("hill",)) for name in ("first", "second")]
        for i, folder in enumerate(folders):
            for job in "01":
                told = Results.load(folder / job)
                no_matter = {"objective": {"metric": str(i)}, "tracking": {"n": i}, "card": {"n": i}, "hydra": {"n": i}}
                config = {**no_matter, "seed": i, "study": {"storms": i}}
                replace(told, seed=i, provenance={**told.provenance, "config": config}).save(folder / job)
        assert "They differ in 2 settings: seed, settings › study › storms." in self.page(*folders)

    def test_few_units_of_either_carry_over(self, tmp_path: Path) -> None:
        for name, flags in (("first", ()), ("second", ("few_units",))):
            told = [Estimate("warmth", v, 40, {}, standard_error=0.1, flags=flags) for v in (1.0, 2.0)]
            for job, one in enumerate(told):
                finished(tmp_path / name, job, [f"study.wind={job}"], (one, means([1.0], "warmth")[1].iloc[:0]))
        results = against(tmp_path / "first", tmp_path / "second")
        found = [e.flags for e in results.estimates if e.metric == "difference"]
        assert found == [("not_told_apart", "few_units")] * 2

    def test_a_reason_of_both_is_said_once(self, tmp_path: Path) -> None:
        reasons = {"first": ("fog", "fog"), "second": ("fog", "snow")}
        for name, (calm, storm) in reasons.items():
            for job, (wind, why) in enumerate((("0", calm), ("9", storm))):
                told = (Estimate.undefined("warmth", why, labels={}), means([1.0], "warmth")[1])
                finished(tmp_path / name, job, [f"study.wind={wind}"], told)
        results = against(tmp_path / "first", tmp_path / "second")
        assert [e.reason for e in results.estimates if e.metric == "difference"] == [
            "undefined in both: fog",
            "undefined in first: fog; undefined in second: snow",
        ]

    def of(self, folder: Path, places: tuple[str, ...], metric: str = "warmth", **labels: str) -> Path:
        for job, wind in enumerate(("0", "9")):
            told = [means([value + job for value in FIRST], metric, place=place, **labels) for place in places]
            finished(folder, job, [f"study.wind={wind}"], *told)
        return folder

    def page(self, first: Path, second: Path) -> str:
        against(first, second)
        return (first / f"against-{second.name}" / "report.html").read_text()


class TestRuns:
    def run(self, folder: Path, values: list[float], digest: str = "d1", **changes: Any) -> Path:
        finished(folder.parent, int(folder.name), [], means(values, place="here"), **changes)
        told = Results.load(folder)
        told.provenance["dataset"]["digest"] = digest
        told.save(folder)
        return folder

    def test_units_of_the_same_data_and_seed_are_paired(self, tmp_path: Path) -> None:
        results = against(self.run(tmp_path / "a" / "0", FIRST), self.run(tmp_path / "b" / "0", SECOND))
        [found] = [e for e in results.estimates if e.metric == "difference"]
        known = stats.ttest_rel(FIRST, SECOND)
        assert found.interval == "paired t over units"
        assert (found.low, found.high) == pytest.approx(tuple(known.confidence_interval()))
        assert found.flags == (("told_apart" if known.pvalue < 0.05 else "not_told_apart"), "few_units")
        assert results.study == "weather: a/0 against b/0"

    def test_of_other_seeds_or_data_are_not(self, tmp_path: Path) -> None:
        first = self.run(tmp_path / "a" / "0", FIRST)
        others: list[tuple[dict[str, Any], str]] = [
            ({"seed": 2}, "their seeds differ"),
            ({"digest": "d2"}, "their data differ"),
            ({"digest": ""}, "it is not recorded that their data agree"),
        ]
        for i, (changes, why) in enumerate(others):
            results = against(first, self.run(tmp_path / f"b{i}" / "0", SECOND, **changes))
            [target] = first.glob("against-*")
            assert f"The two were taken for independent, since {why}." in (target / "report.html").read_text()
            assert {e.interval for e in results.estimates if e.metric == "difference"} == {
                "independent, Welch's t over units"
            }
            for target in first.glob("against-*"):
                shutil.rmtree(target)

    def test_the_same_twice_differs_in_nothing(self, tmp_path: Path) -> None:
        first, second = self.run(tmp_path / "a" / "0", FIRST), self.run(tmp_path / "b" / "0", FIRST)
        results = against(first, second)
        assert [(e.value, e.flags) for e in results.estimates] == [(0.0, ("no_test", "few_units")), (None, ())]
        assert "Nothing that was recorded differs between them" in (first / "against-b-0" / "report.html").read_text()


@pytest.mark.parametrize(
    "words",
    [
        [], ["a", "b"], ["a", "--against"], ["--against", "b"], ["a", "--against", "b", "c"], ["a", "--versus", "b"],
        ["a", "--figures=gif"], ["a", "--figures="],
    ],
)  # fmt: skip
def test_other_words_are_refused(words: list[str]) -> None:
    with pytest.raises(ConfigError, match="usage: metricsengine report RUN_OR_SWEEP_DIR"):
        rebuild(words)


def test_a_folder_against_itself_or_nothing_is_refused(both: tuple[Path, Path], tmp_path: Path) -> None:
    for other, why in ((both[0], "is the folder itself"), (tmp_path / "nowhere", "nowhere holds no results.json")):
        with pytest.raises(ConfigError, match=why):
            rebuild([str(both[0]), f"--against={other}"])
