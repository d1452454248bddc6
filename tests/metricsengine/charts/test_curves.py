"""Curves and bundles: what is drawn is what was given, and what is missing leaves a gap."""

from __future__ import annotations

import math

import numpy as np
import pytest

from metricsengine.charts.curves import BundleChart, CurveChart, draw_bundles, draw_curves
from metricsengine.charts.forms import styles
from metricsengine.estimate import Estimate


def estimate(value: float | None, half: float = 0.1) -> Estimate:
    if value is None:
        return Estimate.undefined("spread", "no agent", labels={})
    return Estimate("spread", value, 5, {}, low=value - half, high=value + half)


class TestCurves:
    def chart(self, **changes: object) -> CurveChart:
        points = [(2.0, estimate(0.3)), (0.0, estimate(0.9)), (1.0, estimate(None))]
        row = {
            "curves": {"free": {"llm": points, "zero": [(0.0, estimate(0.0))]}},
            "styles": styles(["llm", "zero"]),
            "x_label": "step",
            "y_label": "spread",
        }
        return CurveChart(**{**row, **changes})  # type: ignore[arg-type] # a test's shorthand

    def test_points_stand_in_the_order_of_the_axis_with_a_gap_where_undefined(self) -> None:
        [axes] = draw_curves(self.chart()).axes
        line = axes.lines[0]
        assert list(line.get_xdata()) == [0, 1, 2]
        assert np.allclose(line.get_ydata(), [0.9, math.nan, 0.3], equal_nan=True)

    def test_intervals_are_drawn(self) -> None:
        [axes] = draw_curves(self.chart()).axes
        bars = {tuple(np.round(line.get_ydata(), 2)) for line in axes.lines if len(line.get_xdata()) == 2}
        assert {(0.8, 1.0), (0.2, 0.4)} <= bars

    def test_a_reference_runs_from_the_first_to_the_last_point(self) -> None:
        [axes] = draw_curves(self.chart(reference=(-5, 5))).axes
        assert any(list(line.get_xdata()) == [0, 2] and list(line.get_ydata()) == [-5, 5] for line in axes.lines)

    def test_between_steps_there_are_no_ticks(self) -> None:
        [axes] = draw_curves(self.chart()).axes
        assert all(float(tick).is_integer() for tick in axes.get_xticks())
        points = [(0.0, estimate(0.3)), (0.5, estimate(0.9))]
        [axes] = draw_curves(self.chart(curves={"": {"llm": points}})).axes
        assert not all(float(tick).is_integer() for tick in axes.get_xticks())

    @pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
    def test_every_panel_is_titled(self, count: int) -> None:
        curves = {f"panel {i}": {"llm": [(0.0, estimate(0.1))]} for i in range(count)}
        figure = draw_curves(self.chart(curves=curves))
        assert [axes.get_title(loc="left") for axes in figure.axes if axes.axison] == list(curves)


class TestBundles:
    def test_every_trajectory_is_there_coloured_by_where_it_begins(self) -> None:
        given = {"reference": [([0, 1], [-1.0, 0.0]), ([0, 1], [1.0, 0.0]), ([0, 1], [math.nan, 1.0])]}
        [axes] = draw_bundles(BundleChart(given, "step", "opinion")).axes
        assert [list(line.get_ydata()) for line in axes.lines[:2]] == [[-1.0, 0.0], [1.0, 0.0]]
        low, high, late = (line.get_color() for line in axes.lines)
        assert low != high == late
