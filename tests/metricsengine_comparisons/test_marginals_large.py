"""What keeps large tables cheap: no matrix of contrasts or of all cells, fewer resamples, and the same numbers."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from compared import Told, findings, mean_of, named, of_units, plain

from metricsengine.estimate import Estimate
from metricsengine_comparisons.config import MarginalsConf
from metricsengine_comparisons.marginals import interactions, resampling
from metricsengine_comparisons.marginals.cells import Cell
from metricsengine_comparisons.marginals.comparison import Marginals
from metricsengine_comparisons.marginals.resampling import pools
from metricsengine_comparisons.marginals.significance import Covariance, Part
from metricsengine_comparisons.marginals.sums import Departures, Single

RNG = np.random.default_rng(8)
NOISE = RNG.normal(size=(12, 3, 3))


def marginals(told: Sequence[Told], *swept: str, **options: Any) -> list[Estimate]:
    return list(Marginals(MarginalsConf(**options)).compare(replace(findings(told), swept=swept), 1))


def grid() -> list[Told]:
    return [mean_of(NOISE[:, i, j] + i * j, a=f"a{i}", b=f"b{j}") for i, j in product(range(3), repeat=2)]


class TestCovariance:
    @pytest.mark.parametrize("units", [(3, 2), (3, 40), (1, 1, 1, 1)])
    def test_traces_are_those_of_the_matrix(self, units: tuple[int, ...]) -> None:
        parts = [Part(RNG.normal(size=(n, 7)), 4.0 + i) for i, n in enumerate(units)]
        matrices = [part.factor.T @ part.factor for part in parts]
        whole, found = np.sum(matrices, axis=0), Covariance(parts)
        assert found.trace == pytest.approx(np.trace(whole))
        assert found.square == pytest.approx(np.trace(whole @ whole))
        apart = sum(np.trace(one @ one) / part.degrees for one, part in zip(matrices, parts, strict=True))
        assert found.degrees == pytest.approx(np.trace(whole) ** 2 / apart)


class TestSums:
    def test_departures_are_those_that_the_projection_takes(self) -> None:
        cells = RNG.permutation(24).reshape(3, 4, 2)
        row, column = (np.eye(n) - 1 / n for n in (3, 4))
        weights = np.zeros((12, 24))
        for outer in range(2):
            weights[:, cells[:, :, outer].ravel()] = np.kron(row, column) / 2
        rows, sums = RNG.normal(size=(5, 24)), Departures(cells)
        assert sums.of(rows[:, sums.used]) == pytest.approx(rows @ weights.T)
        assert sums.apart(rows[0, sums.used]).sum(axis=0) == pytest.approx(weights @ rows[0])

    def test_a_single_sum_takes_only_cells_with_a_weight(self) -> None:
        weights, rows = np.array([0.0, 2.0, 0.0, -1.0]), RNG.normal(size=(5, 4))
        sums = Single(weights)
        assert sums.used.tolist() == [1, 3]
        assert sums.of(rows[:, sums.used])[:, 0] == pytest.approx(rows @ weights)
        assert sums.apart(rows[0, sums.used]).sum() == pytest.approx(weights @ rows[0])


class TestPools:
    @staticmethod
    def cell(**units: float) -> Cell:
        return Cell(0.0, len(units), units={"units": {name: (value, 1.0) for name, value in units.items()}})

    def test_cells_are_parted_by_the_units_that_they_share(self) -> None:
        cells = [
            self.cell(q=1.0),
            self.cell(b=2.0, c=4.0),
            Cell(0.0, 9, 0.1),
            self.cell(c=5.0, d=1.0),
            self.cell(a=7.0),
        ]
        found = list(pools(cells))
        assert [pool.cells.tolist() for pool in found] == [[4], [1, 3], [0]]
        assert [pool.stream for pool in found] == [0, 1, 2]
        assert found[1].values.tolist() == [[2.0, 0.0], [4.0, 5.0], [0.0, 1.0]]
        assert found[1].weights.tolist() == [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]

    def test_a_unit_without_weight_joins_nothing(self) -> None:
        one = Cell(0.0, 1, units={"units": {"a": (1.0, 1.0), "b": (3.0, 0.0)}})
        assert [pool.cells.tolist() for pool in pools([one, self.cell(b=2.0)])] == [[0], [1]]

    def test_fewer_rows_have_the_same_products(self) -> None:
        names = [f"u{i}" for i in range(20)]
        [pool] = pools([self.cell(**dict(zip(names, RNG.normal(size=20), strict=True))) for _ in range(3)])
        assert pool.factor.shape == (3, 3)
        assert pool.factor.T @ pool.factor == pytest.approx(pool.influence.T @ pool.influence)


class TestLimits:
    def test_beyond_so_many_cells_an_interaction_has_no_test_and_says_why(self, monkeypatch: Any) -> None:
        before = marginals(grid(), "a", "b")
        monkeypatch.setattr(interactions, "MOST", 8)
        found = marginals(grid(), "a", "b")
        whole = named(found, "interaction")
        why = "3 x 3 levels are too many, an interaction is tested over at most 8"
        assert (whole.value, whole.low, whole.interval) == (named(before, "interaction").value, None, f"none: {why}")
        assert "no_test" in whole.flags
        assert named(found, "interaction.p").reason == f"no test: {why}"
        assert [e for e in found if e.metric == "marginal_mean"] == [e for e in before if e.metric == "marginal_mean"]

    @pytest.mark.parametrize(("limit", "most"), [("_CELLS", 9 * 500), ("_PRODUCTS", 12 * 109 * 500)])
    def test_a_large_table_has_fewer_resamples_and_says_so(self, monkeypatch: Any, limit: str, most: int) -> None:
        before = named(marginals(grid(), "a", "b"), "interaction")
        monkeypatch.setattr(resampling, limit, most)
        found = named(marginals(grid(), "a", "b"), "interaction")
        assert found.interval == "bootstrap over paired units, 500 draws"
        assert found.value == before.value
        assert (found.low, found.high) == pytest.approx((before.low, before.high), rel=0.1)
        assert named(marginals(grid(), "a", "b", draws=300), "interaction").interval.endswith("300 draws")

    def test_what_is_drawn_anew_is_the_same(self, monkeypatch: Any) -> None:
        told = [
            *grid(),
            *[of_units({f"{a}{i}": (v, 1.0) for i, v in enumerate(NOISE[:, 0, 0])}, "d", a=a) for a in "xyz"],
        ]
        before = marginals(told, "a", "b")
        monkeypatch.setattr(resampling, "_KEPT", 0)
        assert marginals(told, "a", "b") == before

    def test_memory_does_not_grow_with_the_square_of_cells_times_their_number(self) -> None:
        """A covariance of all 625 contrasts for each of as many cells would take 2 GB."""
        told = [plain(float(i * j), error=0.1, a=str(i), b=str(j)) for i, j in product(range(25), repeat=2)]
        given = replace(findings(told), swept=("a", "b"))
        tracemalloc.start()
        found = list(Marginals(MarginalsConf()).compare(given, 1))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 100e6
        assert "told_apart" in named(found, "interaction").flags
