"""Units of estimates: how they are written, labelled, checked, resampled in pairs, and shown."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metricsengine.bootstrap import Resampling, paired_means
from metricsengine.comparison import UNITS, check_units, spelled, units_with_labels, with_labels
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure
from metricsengine.report_tables import estimates_table, measures_table


def units(*rows: tuple[str, str, str, float, float | None]) -> pd.DataFrame:
    return UNITS.conform(pd.DataFrame(rows, columns=[column.name for column in UNITS.columns]))


class TestLabels:
    @given(st.dictionaries(st.text(), st.text()))
    def test_equal_labels_are_spelled_alike(self, labels: dict[str, str]) -> None:
        assert spelled(labels) == spelled(dict(reversed(labels.items())))

    def test_those_of_estimates_and_units_stay_equal(self) -> None:
        labels, more = {"variant": "base", "länge": "ß"}, {"n_agents": "6", "variant": "of the study"}
        [estimate] = with_labels([Estimate("c", 1, 1, labels)], more)
        assert estimate.labels == {"n_agents": "6", "variant": "base", "länge": "ß"}
        frame = units(("c", '{"variant": "base", "l\\u00e4nge": "\\u00df"}', "0", 1, None))
        assert list(units_with_labels(frame, more)["labels"]) == [spelled(estimate.labels)]
        assert units_with_labels(frame, {})["labels"][0] == spelled(labels)


class TestUnits:
    estimates = (Estimate("c", 2.5, 4, {"a": "1"}), Estimate.undefined("c", "nothing", labels={"a": "2"}))

    def test_weights_count(self) -> None:
        check_units(units(("c", '{"a": "1"}', "x", 1, 1), ("c", '{"a": "1"}', "y", 3, 3)), self.estimates)
        check_units(units(("c", '{"a": "1"}', "x", 1, None), ("c", '{"a": "1"}', "y", 4, None)), self.estimates)

    @pytest.mark.parametrize(
        ("row", "said"),
        [
            (("c", '{"a": "1"}', "x", 2.4, None), "have the mean 2.4, its estimates are"),
            (("c", '{"a": "2"}', "x", 2.5, None), "have the mean 2.5, its estimates are"),
            (("d", '{"a": "1"}', "x", 2.5, None), "have the mean 2.5, its estimates are"),
            (("c", '{"a": "1"}', "x", 2.5, 0), "no weight above 0"),
        ],
    )
    def test_those_of_no_estimate_are_refused(self, row: tuple[str, str, str, float, float | None], said: str) -> None:
        with pytest.raises(ValueError, match=said):
            check_units(units(row), self.estimates)


class TestPairedMeans:
    def test_against_every_possible_resample(self) -> None:
        values = np.array([[1.0, 5.0], [2.0, 1.0], [6.0, 4.0], [3.0, 3.0]])
        weights = np.array([[1.0, 1.0], [2.0, 1.0], [1.0, 3.0], [0.5, 1.0]])
        drawn = np.array(list(product(range(4), repeat=4)))
        exact = (values * weights)[drawn].sum(axis=1) / weights[drawn].sum(axis=1)
        found = paired_means(values, weights, Resampling(3, draws=60_000))
        assert found.mean(axis=0) == pytest.approx(exact.mean(axis=0), abs=0.02)
        assert np.cov(found.T) == pytest.approx(np.cov(exact.T, bias=True), abs=0.03)

    def test_equal_conditions_have_equal_means(self) -> None:
        column, weight = np.random.default_rng(1).uniform(0.1, 1, size=(2, 500, 1))
        means = paired_means(np.repeat(column, 3, axis=1), np.repeat(weight, 3, axis=1), Resampling(1, draws=500))
        assert means.shape == (500, 3)
        assert (means == means[:, :1]).all()

    @pytest.mark.parametrize(
        ("values", "weights"),
        [([[1.0]], [[0.0]]), ([[np.nan]], [[1.0]]), ([1.0], [1.0]), ([[1.0]], [[1.0, 1.0]]), ([[]], [[]])],
    )
    def test_what_has_no_mean_is_refused(self, values: object, weights: object) -> None:
        with pytest.raises(ValueError, match="values"):
            paired_means(values, weights, Resampling(1))


class TestReport:
    points = Estimate("s", 1.5, 4, {"of": "c"}, unit="points")

    def test_a_unit_that_all_share_stands_in_the_heading(self) -> None:
        table = estimates_table([self.points, self.points], Measure("s", unit=""), "")
        assert [column.heading for column in table.columns][:2] == ["value in points [95 % interval]", "n"]

    def test_units_that_differ_stand_by_row(self) -> None:
        share = Estimate("s", 0.5, 4, {"of": "d"})
        table = estimates_table([self.points, share], Measure("s", unit=""), "")
        assert [column.heading for column in table.columns] == ["of", "value [95 % interval]", "unit", "n"]
        assert [cell.text for cell in table.columns[2].cells] == ["points", ""]

    def test_the_unit_of_what_is_compared_is_said_in_words(self) -> None:
        table = measures_table([Measure("s", unit=""), Measure("c"), Measure("d", unit="points")])
        assert [cell.text for cell in table.columns[1].cells] == ["that of what is compared", "pure number", "points"]
