"""Surfaces: which figures a sweep has, what stands in them, and that their titles and axes say what is seen."""

from __future__ import annotations

from itertools import product

import pytest
from matplotlib.axes import Axes

from metricsengine.estimate import Estimate
from metricsengine.exhibits import Figure
from metricsengine.sweeping.surfaces import FIGURES, MOST, SERIES, surfaces


def over(metric: str = "warmth", unit: str = "°C", low: float = 0.0, /, **labels: tuple[str, ...]) -> list[Estimate]:
    """An estimate for every combination of labels, each one more than the last."""
    return [
        Estimate(metric, low + i, 9, dict(zip(labels, values, strict=True)), unit=unit, low=i - 1, high=i + 1)
        for i, values in enumerate(product(*labels.values()))
    ]


def axes(figure: Figure) -> Axes:
    found: Axes = figure.draw().axes[0]
    return found


class TestOneKey:
    def test_a_row_is_a_value_and_a_series_a_condition(self) -> None:
        [figure] = surfaces(over(wind=("10", "9"), place=("here", "there")), ["wind"])
        drawn = axes(figure)
        assert figure.title == "Warmth over wind"
        assert [tick.get_text() for tick in drawn.get_yticklabels()] == ["wind", "9", "10"]
        assert [str(one.get_label()) for one in drawn.collections] == ["place here", "place there"]
        assert figure.draw().get_supxlabel() == "warmth, °C"
        assert figure.alt == "4 estimates from 0 to 3."

    def test_what_a_comparison_is_of_has_figures_of_its_own(self) -> None:
        of = [*over("gap", "°C", of=("warmth",), wind=("0", "9")), *over("gap", "%", of=("rain",), wind=("0", "9"))]
        found = list(surfaces(of, ["wind"]))
        assert [figure.title for figure in found] == ["Gap of warmth over wind", "Gap of rain over wind"]
        assert [figure.draw().get_supxlabel() for figure in found] == ["gap of warmth, °C", "gap of rain, %"]

    def test_comparisons_stand_before_what_they_compare_without_what_adds_to_their_name(self) -> None:
        given = [
            *over("gap", wind=("0", "9"), of=("rain",)), *over("gap.signed", wind=("0", "9"), of=("rain",)),
            *over("gap", wind=("0", "9"), of=("warmth",)), *over("rain", wind=("0", "9")), *over(wind=("0", "9")),
        ]  # fmt: skip
        titles = [figure.title.removesuffix(" over wind") for figure in surfaces(given, ["wind"])]
        assert titles == ["Gap of rain", "Rain", "Gap of warmth", "Warmth"]

    def test_figures_beyond_the_most_are_counted(self) -> None:
        given = [e for i in range(FIGURES + 2) for e in over(f"m{i}", wind=("0", "9"))]
        found = list(surfaces(given, ["wind"]))
        assert len(found) == FIGURES
        assert found[-1].caption.endswith("2 further figures are left out; the table has their estimates.")

    def test_parts_of_what_is_told_as_a_whole_are_left_to_the_table(self) -> None:
        parts = over("warmth", "°C", 50.0, wind=("0", "9"), step=("0", "1"))
        [figure] = surfaces([*parts, *over(wind=("0", "9"))], ["wind"])
        assert figure.alt == "2 estimates from 0 to 1."

    def test_more_conditions_than_can_be_told_apart_are_cut_and_said(self) -> None:
        places = tuple(f"place {i}" for i in range(SERIES + 2))
        [figure] = surfaces(over(wind=("0", "9"), place=places), ["wind"])
        assert figure.caption.endswith(f"Only the first {SERIES} of {SERIES + 2} conditions are shown.")
        assert len(axes(figure).collections) == SERIES

    @pytest.mark.parametrize(
        "estimates",
        [
            over(wind=("0",), place=("here", "there")),
            over(place=("here", "there")),
            [Estimate.undefined("warmth", "fog", labels={"wind": wind}) for wind in "09"],
            [],
        ],
    )
    def test_what_has_nothing_to_compare_has_no_figure(self, estimates: list[Estimate]) -> None:
        assert not list(surfaces(estimates, ["wind"]))

    def test_averages_are_told_as_such(self) -> None:
        cells = over(wind=("0", "9"), place=("here", "there"))
        averages = [Estimate("warmth", 7, 2, {"wind": wind}, over=("place",)) for wind in "09"]
        [figure] = surfaces([*cells, *averages], ["wind"])
        assert figure.alt == "2 estimates from 7 to 7."


class TestTwoKeys:
    def test_a_grid_names_its_rows_and_columns(self) -> None:
        [figure] = surfaces(over(wind=("10", "9"), height=("low", "high", "top")), ["wind", "height"])
        drawn = axes(figure)
        assert figure.title == "Warmth over wind and height"
        assert (drawn.get_ylabel(), drawn.get_xlabel()) == ("wind", "height")
        assert [tick.get_text() for tick in drawn.get_yticklabels()] == ["9", "10"]
        assert [tick.get_text() for tick in drawn.get_xticklabels()] == ["low", "high", "top"]
        assert [text.get_text() for text in drawn.texts] == ["0", "1", "2", "3", "4", "5"]
        assert figure.draw().axes[1].get_ylabel() == "warmth, °C"

    def test_each_condition_has_a_grid_that_is_titled_by_what_tells_it_from_the_others(self) -> None:
        found = list(surfaces(over(wind=("0", "9"), height=("1", "2"), place=("here", "there"), mode=("x",)),
                              ["wind", "height"]))  # fmt: skip
        assert [figure.title.partition(" (")[2] for figure in found] == ["place here)", "place there)"]
        assert len({figure.name for figure in found}) == 2

    def test_pairs_that_no_job_has_stay_blank_and_undefined_ones_are_said(self) -> None:
        given = [
            Estimate("warmth", 1.0, 3, {"wind": "0", "height": "1"}),
            Estimate.undefined("warmth", "fog", labels={"wind": "9", "height": "2"}),
        ]
        [figure] = surfaces(given, ["wind", "height"])
        assert [text.get_text() for text in axes(figure).texts] == ["1", "undefined"]
        assert figure.alt == "1 estimate from 1 to 1; 1 undefined."

    def test_what_varies_along_one_of_them_only_has_no_grid(self) -> None:
        assert not list(surfaces(over(wind=("0", "9"), height=("1",)), ["wind", "height"]))


class TestThreeKeys:
    def test_the_two_with_most_values_make_a_grid_for_each_value_of_the_third(self) -> None:
        given = over(p=("0", "1"), wind=("0", "9", "12"), height=("1", "2", "3"))
        found = list(surfaces(given, ["p", "wind", "height"]))
        assert [figure.title for figure in found] == [f"Warmth over wind and height (p {p})" for p in "01"]

    def test_grids_beyond_the_most_are_counted(self) -> None:
        given = over(wind=("0", "9"), height=("1", "2"), place=tuple(map(str, range(MOST + 3))))
        found = list(surfaces(given, ["wind", "height"]))
        assert len(found) == MOST
        assert "3 more such grids are left out" in found[-1].caption


def test_nothing_swept_has_no_figures() -> None:
    assert not list(surfaces(over(wind=("0", "9")), []))
