"""Surfaces: which figures a sweep has, what stands in them, and that their titles and axes say what is seen."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from matplotlib.axes import Axes as Drawn

from metricsengine.charts.forms import SERIES
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Figure
from metricsengine.sweeping.surfaces import COLUMNS, FIGURES, MOST, ROWS, Axes, surfaces


def over(metric: str = "warmth", unit: str = "°C", low: float = 0.0, /, **labels: tuple[str, ...]) -> list[Estimate]:
    """An estimate for every combination of labels, each one more than the last."""
    return [
        Estimate(metric, low + i, 9, dict(zip(labels, values, strict=True)), unit=unit, low=i - 1, high=i + 1)
        for i, values in enumerate(product(*labels.values()))
    ]


def axes(figure: Figure) -> Drawn:
    found: Drawn = figure.draw().axes[0]
    return found


class TestColours:
    def band(self, low: float, /, **labels: tuple[str, ...]) -> tuple[Figure, Drawn, Drawn]:
        [figure] = surfaces(over("warmth", "°C", low, **labels), Axes(list(labels)))
        cells, bar = figure.draw().axes
        return figure, cells, bar

    @pytest.mark.parametrize(("low", "ends"), [(10.0, (10.0, 13.0)), (-13.0, (-13.0, -10.0))])
    def test_a_narrow_band_has_its_own_ends(self, low: float, ends: tuple[float, float]) -> None:
        figure, cells, bar = self.band(low, wind=("0", "9"), place=("here", "there"))
        assert cells.collections[0].get_clim() == ends
        assert [bar.get_yticks()[0], bar.get_yticks()[-1]] == list(ends)
        assert "value, not at 0." in figure.caption
        pale, dark = (cells.texts[0], cells.texts[-1]) if low > 0 else (cells.texts[-1], cells.texts[0])
        assert dark.get_color() == "white" != pale.get_color()

    @pytest.mark.parametrize(("low", "ends"), [(1.0, (0.0, 4.0)), (-1.0, (-2.0, 2.0))])
    def test_others_have_0_among_theirs(self, low: float, ends: tuple[float, float]) -> None:
        figure, cells, _ = self.band(low, wind=("0", "9"), place=("here", "there"))
        assert cells.collections[0].get_clim() == ends
        assert "not at 0" not in figure.caption


class TestOneKey:
    def test_a_row_is_a_value_and_a_series_a_condition(self) -> None:
        [figure] = surfaces(over(wind=("10", "9"), place=("here", "there")), Axes(["wind"]))
        drawn = axes(figure)
        assert figure.title == "Warmth over wind"
        assert [tick.get_text() for tick in drawn.get_yticklabels()] == ["wind", "9", "10"]
        assert [str(one.get_label()) for one in drawn.collections] == ["place here", "place there"]
        assert figure.draw().get_supxlabel() == "warmth, °C"
        assert figure.alt == "4 estimates, from 0 (wind 10, place here) to 3 (wind 9, place there)."

    def test_what_a_comparison_is_of_has_figures_of_its_own(self) -> None:
        of = [*over("gap", "°C", of=("warmth",), wind=("0", "9")), *over("gap", "%", of=("rain",), wind=("0", "9"))]
        found = list(surfaces(of, Axes(["wind"])))
        assert [figure.title for figure in found] == ["Gap of warmth over wind", "Gap of rain over wind"]
        assert [figure.draw().get_supxlabel() for figure in found] == ["gap of warmth, °C", "gap of rain, %"]

    def test_comparisons_stand_before_what_they_compare_without_what_adds_to_their_name(self) -> None:
        given = [
            *over("gap", wind=("0", "9"), of=("rain",)), *over("gap.signed", wind=("0", "9"), of=("rain",)),
            *over("gap", wind=("0", "9"), of=("warmth",)), *over("rain", wind=("0", "9")), *over(wind=("0", "9")),
        ]  # fmt: skip
        titles = [figure.title.removesuffix(" over wind") for figure in surfaces(given, Axes(["wind"]))]
        assert titles == ["Gap of rain", "Rain", "Gap of warmth", "Warmth"]

    def test_figures_beyond_the_most_are_counted(self) -> None:
        given = [e for i in range(FIGURES + 2) for e in over(f"m{i}", wind=("0", "9"))]
        found = list(surfaces(given, Axes(["wind"])))
        assert len(found) == FIGURES
        assert found[-1].caption.endswith("2 further figures are left out; the table has their estimates.")

    def test_parts_of_what_is_told_as_a_whole_are_left_to_the_table(self) -> None:
        parts = over("warmth", "°C", 50.0, wind=("0", "9"), step=("0", "1"))
        [figure] = surfaces([*parts, *over(wind=("0", "9"))], Axes(["wind"]))
        assert figure.alt == "2 estimates, from 0 (wind 0) to 1 (wind 9)."

    def test_more_conditions_than_can_be_told_apart_are_cut_and_said(self) -> None:
        places = tuple(f"place {i}" for i in range(SERIES + 2))
        [figure] = surfaces(over(wind=("0", "9"), place=places), Axes(["wind"]))
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
        assert not list(surfaces(estimates, Axes(["wind"])))

    def test_averages_are_told_as_such(self) -> None:
        cells = over(wind=("0", "9"), place=("here", "there"))
        averages = [Estimate("warmth", 7, 2, {"wind": wind}, over=("place",)) for wind in "09"]
        [figure] = surfaces([*cells, *averages], Axes(["wind"]))
        assert figure.alt == "2 estimates, all 7."


class TestTwoKeys:
    def test_a_grid_names_its_rows_and_columns(self) -> None:
        [figure] = surfaces(over(wind=("10", "9"), height=("low", "high", "top")), Axes(["wind", "height"]))
        drawn = axes(figure)
        assert figure.title == "Warmth over wind and height"
        assert (drawn.get_ylabel(), drawn.get_xlabel()) == ("wind", "height")
        assert [tick.get_text() for tick in drawn.get_yticklabels()] == ["9", "10"]
        assert [tick.get_text() for tick in drawn.get_xticklabels()] == ["low", "high", "top"]
        assert [text.get_text() for text in drawn.texts] == ["0", "1", "2", "3", "4", "5"]
        assert figure.draw().axes[1].get_ylabel() == "warmth, °C"

    def test_each_condition_has_a_grid_that_is_titled_by_what_tells_it_from_the_others(self) -> None:
        found = list(surfaces(over(wind=("0", "9"), height=("1", "2"), place=("here", "there"), mode=("x",)),
                              Axes(["wind", "height"])))  # fmt: skip
        assert [figure.title.partition(" (")[2] for figure in found] == ["place here)", "place there)"]
        assert len({figure.name for figure in found}) == 2

    def test_pairs_that_no_job_has_stay_blank_and_undefined_ones_are_said(self) -> None:
        given = [
            Estimate("warmth", 1.0, 3, {"wind": "0", "height": "1"}),
            Estimate.undefined("warmth", "fog", labels={"wind": "9", "height": "2"}),
        ]
        [figure] = surfaces(given, Axes(["wind", "height"]))
        assert [text.get_text() for text in axes(figure).texts] == ["1", "undefined"]
        assert figure.alt == "1 estimate, 1; 1 undefined."

    def test_what_varies_along_one_of_them_only_has_rows_of_dots(self) -> None:
        [figure] = surfaces(over(wind=("0", "9"), height=("1",)), Axes(["wind", "height"]))
        assert figure.title == "Warmth over wind"

    def test_rows_and_columns_beyond_the_most_are_cut_and_said(self) -> None:
        wind, height = (tuple(map(str, range(n))) for n in (ROWS + 5, COLUMNS + 2))
        [figure] = surfaces(over(wind=wind, height=height), Axes(["wind", "height"]))
        assert figure.caption.endswith(
            f"Only {ROWS} of {ROWS + 5} rows and {COLUMNS} of {COLUMNS + 2} columns are shown."
        )

    def test_averages_come_before_single_conditions(self) -> None:
        cells = over(wind=("0", "9"), height=("1", "2"), place=("here",), mode=("x",))
        averages = [replace(e, labels={k: v for k, v in e.labels.items() if k in ("wind", "height")}, over=("place",))
                    for e in over(wind=("0", "8"), height=("3", "4"))]  # fmt: skip
        found = list(surfaces([*cells, *averages], Axes(["wind", "height"])))
        assert [figure.title.partition(" (")[2] for figure in found] == ["mean over places)", "place here, mode x)"]


class TestSets:
    """What was swept chose sets: ``persona=ages,genders``, whose estimates tell each persona."""

    AXES = Axes(["chosen_persona"], {"chosen_persona": "persona"}, {"warmth": ("persona", "topic")})

    def estimates(self, topics: tuple[str, ...] = ("golf", "tea")) -> list[Estimate]:
        sets = {"genders": ("woman", "man"), "ages": ("old", "young")}
        of = [over(persona=personas, topic=topics, chosen_persona=(name,)) for name, personas in sets.items()]
        means = [Estimate("warmth", 0.5, 4, {"chosen_persona": name}, over=("persona", "topic")) for name in sets]
        return [*of[0], *of[1], *means]

    def test_their_members_of_all_jobs_are_the_rows_of_one_grid(self) -> None:
        grid, sets = surfaces(self.estimates(), self.AXES)
        assert grid.title == "Warmth over persona and topic"
        drawn = axes(grid)
        assert [tick.get_text() for tick in drawn.get_yticklabels()] == ["woman", "man", "old", "young"]
        assert [tick.get_text() for tick in drawn.get_xticklabels()] == ["golf", "tea"]
        assert len(drawn.texts) == 8
        assert sets.title == "Warmth over chosen persona"
        assert sets.alt == "2 estimates, all 0.5."

    def test_without_a_second_unit_they_are_rows_of_dots(self) -> None:
        figure, _ = surfaces(self.estimates(("golf",)), self.AXES)
        assert figure.title == "Warmth over persona"
        assert figure.alt == "4 estimates, from 0 (persona woman) to 1 (persona young)."

    def test_a_member_of_two_sets_has_a_row_for_each(self) -> None:
        both = over(persona=("person",), topic=("golf", "tea"), chosen_persona=("genders", "ages"))
        grid, _ = surfaces([*self.estimates(), *both], self.AXES)
        names = [tick.get_text() for tick in axes(grid).get_yticklabels()]
        assert names[-2:] == ["person (genders)", "person (ages)"]
        assert len(names) == 6


class TestThreeKeys:
    def test_the_two_with_most_values_make_a_grid_for_each_value_of_the_third(self) -> None:
        given = over(p=("0", "1"), wind=("0", "9", "12"), height=("1", "2", "3"))
        found = list(surfaces(given, Axes(["p", "wind", "height"])))
        assert [figure.title for figure in found] == [f"Warmth over wind and height (p {p})" for p in "01"]

    def test_grids_beyond_the_most_are_counted(self) -> None:
        given = over(wind=("0", "9"), height=("1", "2"), place=tuple(map(str, range(MOST + 3))))
        found = list(surfaces(given, Axes(["wind", "height"])))
        assert len(found) == MOST
        assert "3 more such grids are left out" in found[-1].caption


def test_nothing_swept_has_no_figures() -> None:
    assert not list(surfaces(over(wind=("0", "9")), Axes([])))
