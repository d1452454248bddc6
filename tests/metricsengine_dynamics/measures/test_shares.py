"""Shares of updates, their denominators and what they leave out."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from metricsengine_dynamics.measures.shares import SHARES, takes_other_side

ZERO = {"agent": "zero"}
BASE = {"agent": "llm", "variant": "base"}


def asked(stepped: Any, opinions: list[float | None], **columns: Any) -> pd.DataFrame:
    return stepped([1.0] * len(opinions), opinions, agent="llm", variant="base", **columns)


def test_filtered_polarity_counts_sides_over_all_updates(stepped: Any, found: Any) -> None:
    table = stepped([0.2, 0.2, -3.0, -3.0, 0.0], [-1.0, 0.0, -2.0, 4.0, 1.0])
    one = found("filtered_polarity", table, labels=ZERO)
    assert (one.value, one.n) == (pytest.approx(100 * 3 / 5), 5)  # also the side taken where the model takes none


def test_sides_by_brute_force() -> None:
    rng = np.random.default_rng(2)
    reference, opinions = rng.uniform(-1, 1, 500), rng.integers(-5, 6, 500)
    wanted = [h != 0 and (f > 0) != (h > 0) for f, h in zip(reference, opinions, strict=True)]
    assert takes_other_side(reference, opinions).tolist() == wanted
    # 10 of 11 answers take a side, half of them the other one.
    many = takes_other_side(rng.uniform(-1, 1, 100_000), rng.integers(-5, 6, 100_000))
    assert many.mean() == pytest.approx(5 / 11, abs=0.005)


def test_an_opinion_that_is_zero_but_for_rounding_takes_no_side() -> None:
    almost = np.array([9.25e-18, -9.25e-18, 1e-12, 2e-12, -2e-12])
    assert takes_other_side(almost, np.ones(5)).tolist() == [True, True, True, False, True]
    assert (takes_other_side(-almost, -np.ones(5)) == takes_other_side(almost, np.ones(5))).all()


def test_zero_share_leaves_out_what_cannot_be_read(stepped: Any, found: Any) -> None:
    table = asked(stepped, [0.0, 0.0, 1.0, None], outcome=["answered", "answered", "answered", "unparsed"])
    one = found("zero_share", table, labels=BASE)
    assert (one.value, one.n, one.excluded) == (pytest.approx(200 / 3), 3, {"unparsed": 1})


def test_isolated_share_is_of_all_updates(stepped: Any, found: Any) -> None:
    table = asked(stepped, [0.0, None, 1.0, None], isolated=[True, False, False, False])
    one = found("isolated_share", table, labels=BASE)
    assert (one.value, one.n, one.excluded) == (25, 4, {})


def test_what_a_file_does_not_tell_is_not_recorded_whatever_became_of_the_opinion(stepped: Any, found: Any) -> None:
    table = asked(stepped, [0.0, None, None], outcome=["answered", "unparsed", None])
    for name in ("isolated_share", "cut_share"):
        one = found(name, table.assign(heard=pd.NA), labels=BASE)
        assert (one.value, one.excluded) == (None, {"not recorded": 3})


def test_undecodable_share_is_of_asked_updates_that_came_back(stepped: Any, found: Any) -> None:
    outcome = ["answered", "unparsed", "refused", "error", None]
    isolated = [False, False, False, False, True]
    table = asked(stepped, [2.0, None, None, None, 0.0], outcome=outcome, isolated=isolated)
    one = found("undecodable_share", table, labels=BASE)
    assert (one.value, one.n, one.excluded) == (pytest.approx(200 / 3), 3, {"error": 1})


def test_cut_share_is_of_asked_updates_of_which_it_is_known(stepped: Any, found: Any) -> None:
    table = asked(
        stepped, [1.0, 1.0, 1.0, 1.0], cut=pd.array([2, 0, None, 0], dtype="Int64"), isolated=[False] * 3 + [True]
    )
    one = found("cut_share", table, labels=BASE)
    assert (one.value, one.n, one.excluded) == (50, 2, {"not recorded": 1})


@pytest.mark.parametrize("name", ["undecodable_share", "cut_share"])
def test_where_no_model_was_asked_there_is_no_share_of_its_updates(stepped: Any, found: Any, name: str) -> None:
    one = found(name, stepped([1.0], [0.0]), labels={})
    assert (one.value, one.reason) == (None, "no model was asked")
    alone = found(name, asked(stepped, [1.0], isolated=True), labels=BASE)
    assert (alone.value, alone.n) == (None, 0)


@pytest.mark.parametrize("name", sorted(SHARES))
def test_order_of_rows_and_names_of_runs_change_nothing(stepped: Any, measured: Any, name: str) -> None:
    rng = np.random.default_rng(1)
    said = [[None if rng.random() < 0.2 else float(rng.integers(-5, 6)) for _ in range(5)] for _ in range(12)]
    tables = [
        asked(stepped, opinions, run=i // 2, step=i % 2, isolated=rng.random(5) < 0.3, cut=rng.integers(0, 2, 5))
        for i, opinions in enumerate(said)
    ]
    table = pd.concat(tables, ignore_index=True)
    [plain] = measured(name, table).estimates
    assert plain.interval == "bootstrap over runs, 2000 draws"
    assert measured(name, table.sample(frac=1, random_state=3)).estimates == [plain]
    [renamed] = measured(name, table.assign(run=40 - table["run"])).estimates
    assert (renamed.value, renamed.low, renamed.high) == pytest.approx((plain.value, plain.low, plain.high), rel=1e-12)


def test_shares_of_nothing_and_of_everything_have_an_interval_with_width(stepped: Any, found: Any) -> None:
    tables = [stepped([1.0, 1.0], [0.0, 0.0], run=run) for run in range(10)]
    everything = found("zero_share", *tables, labels=ZERO)
    assert (everything.value, everything.high) == (100, 100)
    assert everything.low == pytest.approx(72.25, abs=0.01)  # Wilson's of 10 of 10 runs, not of 20 updates
    nothing = found("isolated_share", *tables, labels=ZERO)
    assert (nothing.value, nothing.low) == (0, 0)
    assert nothing.high == pytest.approx(27.75, abs=0.01)
