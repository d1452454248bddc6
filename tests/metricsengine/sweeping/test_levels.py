"""Figures of what comparisons found of single levels: which there are, and what stands in them."""

from __future__ import annotations

from dataclasses import replace

from metricsengine.charts.forms import LINES
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure
from metricsengine.report_estimates import found_by_comparisons
from metricsengine.results import Results
from metricsengine.sweeping.levels import FIRST, ROWS, levels


def mean(value: float, level: str, dimension: str = "wind", of: str = "warmth", /, **more: str) -> Estimate:
    labels = {"of": of, "dimension": dimension, "level": level, **more}
    return Estimate("marginal_mean", value, 9, labels, unit="°C", low=value - 1, high=value + 1)


def test_rows_are_the_levels_under_their_dimensions() -> None:
    given = [mean(1, "0"), mean(3, "9"), mean(2, "low", "height"), mean(7, "9", "wind", "rain")]
    difference = Estimate("marginal_difference", 2.0, 9, {**given[1].labels, "base": "0"})
    first, second = levels([*given, difference], ["warmth", "rain", "frost"])
    assert (first.title, second.title) == ("Marginal mean of warmth", "Marginal mean of rain")
    drawn = first.draw().axes[0]
    assert [tick.get_text() for tick in drawn.get_yticklabels()] == ["wind", "0", "9", "height", "low"]
    assert first.draw().get_supxlabel() == "marginal mean of warmth, °C"
    assert first.alt == "3 estimates, from 1 (wind 0) to 3 (wind 9)."


def test_other_labels_are_series() -> None:
    given = [mean(i, str(i), agent=agent) for i in range(3) for agent in ("llm", "zero")]
    [figure] = levels(given, ["warmth"])
    assert "further" not in figure.caption
    assert figure.alt == "6 estimates, from 0 (wind 0, agent llm) to 2 (wind 2, agent zero)."
    assert {str(one.get_label()) for one in figure.draw().axes[0].collections} >= {"agent llm", "agent zero"}


def test_many_rows_have_fewer_series_so_that_a_page_can_hold_them() -> None:
    given = [mean(i, str(i), place=place) for i in range(LINES // 3) for place in "abcde"]
    [figure] = levels(given, ["warmth"])
    assert figure.alt.startswith(f"{LINES} estimates")
    assert figure.caption.endswith(f"{2 * LINES // 3} further estimates are in the tables only.")
    assert figure.draw().get_figheight() < 17


def test_rows_beyond_the_most_are_counted() -> None:
    [figure] = levels([mean(i, str(i)) for i in range(ROWS + 2)], ["warmth"])
    assert figure.alt.startswith(f"{ROWS} estimates")
    assert figure.caption.endswith("2 further estimates are in the tables only.")


def test_the_first_metrics_that_have_any_value_are_shown() -> None:
    lacking = Estimate.undefined("marginal_mean", "fog", labels=mean(1, "0").labels)
    names = [f"m{i}" for i in range(FIRST + 2)]
    found = list(levels([lacking, *(mean(1, "0", "wind", name) for name in names)], ["warmth", *names]))
    assert [figure.title for figure in found] == [f"Marginal mean of m{i}" for i in range(FIRST)]


def test_tables_say_what_n_counts_and_what_is_corrected() -> None:
    usual = [replace(mean(i, str(i)), interval="bootstrap") for i in range(3)]
    bare = replace(mean(3, "3"), low=None, high=None, interval="none: all alike")
    p = Estimate("marginal_mean.p", 0.03, 9, usual[0].labels)
    measures = [Measure("marginal_mean", "", counted="combinations"), Measure("marginal_mean.p", citation="Holm 1979")]
    results = Results(
        "weather", "paper", 1, None, {}, {}, [*usual, bare, p], {measure.name: measure for measure in measures},
        compared=["marginal_mean", "marginal_mean.p"],
    )  # fmt: skip
    [[(_, table)]] = [found.tables for found in found_by_comparisons(results)]
    cells = {column.heading: [cell.text for cell in column.cells] for column in table.columns}
    assert cells["combinations"] == ["9"] * 4
    assert cells["interval"] == ["", "", "", "none: all alike"]
    assert "interval, where a row says nothing else: bootstrap" in table.notes
    assert "p is corrected for the number of tests by Holm, intervals are not" in table.notes
