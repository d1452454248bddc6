"""The distance from the reference model: means, what they leave out, and the runs as resampling units."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from metricsengine.comparison import spelled
from metricsengine.errors import ConfigError, PluginError
from metricsengine.stats import wilson
from metricsengine_dynamics.losses.loss import Loss
from metricsengine_dynamics.measures import known
from metricsengine_dynamics.measures.inconsistency import inconsistency

ZERO = {"agent": "zero"}
BUILT_IN = {"distance": Loss(lambda f, h: np.abs(f - h))}


def random_table(stepped: Any, runs: int = 6, steps: int = 3, n: int = 4, **columns: Any) -> pd.DataFrame:
    """Agents that say anything, some of which cannot be read, and some of whom hear nobody."""
    rng = np.random.default_rng(5)
    tables = []
    for run in range(runs):
        for t in range(steps):
            said = pd.array(rng.integers(-5, 6, n), dtype="Float64")
            outcome = np.full(n, "answered", dtype=object)
            lost = rng.random(n) < 0.2
            said[lost] = pd.NA
            outcome[lost] = "unparsed"
            alone = rng.random(n) < 0.3
            tables.append(
                stepped(rng.uniform(-5, 5, n), said, run=run, step=t, isolated=alone, outcome=outcome, **columns)
            )
    return pd.concat(tables, ignore_index=True)


def test_a_table_by_hand(stepped: Any, found: Any) -> None:
    table = [
        stepped([2.0, -0.5, 4.0], [1.0, -1.0, None], outcome=["answered", "answered", "unparsed"], run=3),
        stepped([1.0, 0.6, 0.0], [1.0, 0.0, 2.0], isolated=[True, False, False], run=3, step=1),
    ]
    distance = found("inconsistency_distance", *table, labels=ZERO)
    assert distance.value == pytest.approx((1 + 0.5 + 0 + 0.6 + 2) / 5)
    assert (distance.n, distance.excluded) == (5, {"unparsed": 1})
    assert (distance.low, distance.high, distance.interval) == (
        None,
        None,
        "none: 1 run, and a bootstrap takes at least 5",
    )
    assert distance.flags == ("few_units",)
    polarity = found("inconsistency_polarity", *table, labels=ZERO)
    assert polarity.value == pytest.approx(100 * 3 / 5)  # -1 for a neutral -0.5, 0 for 0.6, 2 for 0
    heard = found("inconsistency_distance", *table, labels={**ZERO, "updates": "heard"})
    assert (heard.value, heard.n) == (pytest.approx((1 + 0.5 + 0.6 + 2) / 4), 4)
    first = found("inconsistency_distance", *table, labels={**ZERO, "step": "0"})
    assert (first.value, first.n, first.excluded) == (0.75, 2, {"unparsed": 1})


def test_it_is_the_mean_over_all_updates_by_brute_force(stepped: Any, measured: Any) -> None:
    table = random_table(stepped)
    result = measured("inconsistency", table)
    rows = table.dropna(subset="opinion")
    losses = (rows["opinion"] - 5 * rows["reference"]).abs()
    wanted = {spelled(ZERO): losses.mean(), spelled({**ZERO, "updates": "heard"}): losses[~rows["isolated"]].mean()}
    wanted |= {spelled({**ZERO, "step": str(t)}): losses[rows["step"] == t].mean() for t in range(3)}
    values = {spelled(e.labels): e.value for e in result.estimates if e.metric == "inconsistency_distance"}
    assert values == pytest.approx(wanted)
    units = result.units[
        (result.units["metric"] == "inconsistency_distance") & (result.units["labels"] == spelled(ZERO))
    ]
    by_run = losses.groupby(rows["run"].astype(str))
    assert dict(zip(units["unit"], units["value"], strict=True)) == pytest.approx(by_run.mean().to_dict())
    assert dict(zip(units["unit"], units["weight"], strict=True)) == by_run.size().to_dict()


def test_it_equals_definition_3_where_every_step_has_as_many_updates(stepped: Any, found: Any) -> None:
    table = random_table(stepped, n=5).assign(opinion=2.0)
    losses = (2 - 5 * table["reference"]).abs()
    by_step = losses.groupby(table["step"]).mean()
    assert found("inconsistency_distance", table, labels=ZERO).value == pytest.approx(by_step.mean())


def test_the_interval_resamples_runs(stepped: Any, found: Any) -> None:
    apart = np.random.default_rng(0).uniform(0, 3, 40)
    table = [stepped([0.0] * 30, [loss] * 30, run=run) for run, loss in enumerate(apart)]
    distance = found("inconsistency_distance", *table, labels=ZERO)
    assert distance.interval == "bootstrap over runs, 2000 draws"
    assert distance.flags == ()
    # As wide as 40 independent runs make it, not 1,200 updates.
    assert (distance.high - distance.low) / 2 == pytest.approx(1.96 * np.std(apart) / np.sqrt(40), rel=0.1)


def test_order_of_rows_names_of_runs_and_other_cells_change_nothing(stepped: Any, measured: Any) -> None:
    table = random_table(stepped)
    plain = measured("inconsistency", table).estimates
    assert measured("inconsistency", table.sample(frac=1, random_state=1)).estimates == plain
    renamed = measured("inconsistency", table.assign(run=(7 * table["run"] + 3) % 11)).estimates
    for one, other in zip(plain, renamed, strict=True):
        assert (one.labels, one.n, one.excluded) == (other.labels, other.n, other.excluded)
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), rel=1e-12)
    beside = measured("inconsistency", table, random_table(stepped, agent="llm", variant="base")).estimates
    assert [e for e in beside if e.labels["agent"] == "zero"] == plain


def test_agents_variants_and_repeats_are_cells(stepped: Any, measured: Any) -> None:
    said = [
        stepped([0.0], [1.0], agent="llm", variant="base"),
        stepped([0.0], [2.0], agent="llm", variant="base", repeat=1),
        stepped([0.0], [3.0], agent="llm", variant="newline"),
        stepped([0.0], [4.0], agent="rounded"),
        stepped([0.0], [5.0], agent="reference"),
    ]
    result = measured("inconsistency", *said, losses=BUILT_IN, per_step=False)
    cells = [(e.labels, e.value) for e in result.estimates if "updates" not in e.labels]
    assert cells == [
        ({"agent": "llm", "variant": "base"}, 1.0),
        ({"agent": "llm", "variant": "base", "repeat": "1"}, 2.0),
        ({"agent": "llm", "variant": "newline"}, 3.0),
        ({"agent": "rounded"}, 4.0),
    ]


def test_steps_are_left_out_where_nobody_wants_them(stepped: Any, measured: Any) -> None:
    table = random_table(stepped)
    assert any("step" in e.labels for e in measured("inconsistency", table).estimates)
    assert not any("step" in e.labels for e in measured("inconsistency", table, per_step=False).estimates)


def test_nothing_to_read_is_undefined(stepped: Any, found: Any, measured: Any) -> None:
    silent = stepped([1.0, 2.0], [None, None], agent="llm", variant="base", outcome=["refused", "answered"])
    one = found("inconsistency_distance", silent, labels={"agent": "llm", "variant": "base"})
    assert (one.value, one.n, one.excluded) == (None, 0, {"refused": 1, "undecodable": 1})
    assert one.reason == "no update has an opinion that can be read"
    alone = found("inconsistency_distance", stepped([1.0], [1.0], isolated=True), labels={**ZERO, "updates": "heard"})
    assert (alone.value, alone.n) == (None, 0)
    empty = measured("inconsistency", stepped([], []))
    assert [(e.labels, e.reason) for e in empty.estimates] == [({}, "there are no updates")] * 2
    assert empty.units is None


def test_runs_that_are_all_alike_have_an_interval_with_width(stepped: Any, found: Any) -> None:
    table = [stepped([2.0, -3.0], [2.0, -3.0], run=run) for run in range(8)]
    polarity = found("inconsistency_polarity", *table, labels=ZERO)
    share = wilson(0, 8)
    assert share is not None
    assert (polarity.value, polarity.low) == (0, 0)
    assert polarity.high == pytest.approx(100 * share.high)
    assert polarity.interval == "Wilson over runs, all alike"
    unbounded = {"own": Loss(lambda f, h: np.abs(f - h))}
    own = found("inconsistency_own", *table, labels=ZERO, losses=unbounded)
    assert (own.value, own.low, own.high) == (0, None, None)
    assert own.interval.startswith("none: all runs are alike")


def test_a_stranger_s_loss_says_what_it_means(stepped: Any, measured: Any) -> None:
    squared = Loss(lambda f, h: (f - h) ** 2, unit="points²", bounds=(0, 100), direction="lower", citation="Own")
    result = measured("inconsistency", stepped([1.0], [3.0]), losses={"squared": squared, **BUILT_IN})
    assert [(m.name, m.unit, m.bounds, m.citation) for m in result.measures] == [
        ("inconsistency_squared", "points²", (0, 100), "Own")
    ]
    assert {e.value for e in result.estimates if e.metric == "inconsistency_squared"} == {4}


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (Loss(lambda f, h: np.where(f > 1, np.nan, h)), "the loss 'odd' gives 2 of 4 values that are NaN or infinite"),
        (Loss(lambda f, h: f - 2), "the loss 'odd' gives 2 of 4 values that are negative"),
        (Loss(lambda f, h: np.mean(f)), "the loss 'odd' gives shape () for 4 opinions"),
        (Loss(lambda f, h: [1 // 0]), "the loss 'odd' fails: ZeroDivisionError: integer division or modulo by zero"),
        (None, "the loss 'odd' is a NoneType, not a Loss"),
    ],
)
def test_a_loss_that_fails_says_why_and_leaves_the_others(stepped: Any, measured: Any, odd: Any, reason: str) -> None:
    tables = [stepped([1.0, 2.0], [1.0, 0.0], agent=agent) for agent in ("zero", "random")]
    estimates = measured("inconsistency", *tables, losses={**BUILT_IN, "odd": odd}).estimates
    lost = [(e.labels["agent"], e.value, e.reason) for e in estimates if e.metric == "inconsistency_odd"]
    assert lost == [("random", None, reason), ("zero", None, reason)]
    good = [e for e in estimates if e.metric == "inconsistency_distance"]
    assert good == list(measured("inconsistency", *tables, losses=BUILT_IN).estimates)
    with pytest.raises(PluginError, match="the loss 'loss'"):
        inconsistency(np.array([1.0, 2.0]), np.array([1.0, 0.0]), odd)


def test_without_a_loss_the_way_out_is_told(stepped: Any, measured: Any) -> None:
    with pytest.raises(ConfigError, match="loss="):
        measured("inconsistency", stepped([1.0], [1.0]), losses={})


def test_the_losses_of_the_plugin_are_told_before_anything_runs() -> None:
    told = {measure.name: (measure.unit, measure.bounds) for measure in known.LOSSES.values()}
    assert told == {"inconsistency_distance": ("1", (0, 10)), "inconsistency_polarity": ("%", (0, 100))}


def test_the_pure_function_applies_the_factor() -> None:
    wrong = Loss(lambda f, h: (np.sign(f) != np.sign(h)).astype(float), factor=100)
    assert inconsistency(np.array([1.0, 2.0, -1.0, 3.0]), np.array([1.0, 0.0, -1.0, 2.0]), wrong) == 25


def whole(opinions: np.ndarray) -> np.ndarray:
    return np.rint(5 * opinions)


def bounded_confidence(x: np.ndarray, epsilon: float = 0.4) -> np.ndarray:
    """Hegselmann and Krause on the complete graph, without oneself."""
    near = (np.abs(x[:, np.newaxis] - x) <= epsilon + 1e-12) & ~np.eye(len(x), dtype=bool)
    heard = near.sum(axis=1)
    return np.where(heard > 0, near @ x / np.maximum(heard, 1), x)


def simulated(stepped: Any, says: Any, **columns: Any) -> pd.DataFrame:
    """Teacher-forced runs of agents that say something about a state."""
    tables = []
    for run in range(6):
        x = np.random.default_rng(run).uniform(-1, 1, 12)
        for t in range(5):
            after = bounded_confidence(x)
            tables.append(stepped(5 * after, says(x, after), x=x, run=run, step=t, **columns))
            x = after
    return pd.concat(tables, ignore_index=True)


def perfect(x: np.ndarray, after: np.ndarray) -> np.ndarray:
    return whole(bounded_confidence(whole(x) / 5))


def test_an_agent_that_applies_the_model_has_the_rounding_floor_whatever_the_prompt(
    stepped: Any, measured: Any
) -> None:
    tables = [simulated(stepped, perfect, agent="llm", variant=variant) for variant in ("base", "newline")]
    result = measured("inconsistency", *tables, simulated(stepped, perfect, agent="rounded"))
    values: dict[str, set[tuple[Any, ...]]] = {}
    for e in result.estimates:
        cell = spelled({name: value for name, value in e.labels.items() if name not in ("agent", "variant")})
        values.setdefault(e.metric + cell, set()).add((e.value, e.low, e.high, e.n))
    assert all(len(same) == 1 for same in values.values())
    assert 0 < next(e.value for e in result.estimates) < 1.5


def test_an_agent_that_flips_polarity_errs_on_every_update_that_is_not_neutral(stepped: Any, found: Any) -> None:
    def flipped(x: np.ndarray, after: np.ndarray) -> np.ndarray:
        return -np.sign(after) * np.maximum(1, np.abs(whole(after)))

    table = simulated(stepped, flipped, agent="llm", variant="base")
    cell = {"agent": "llm", "variant": "base"}
    assert found("inconsistency_polarity", table, labels=cell).value == 100
    assert found("filtered_polarity", table, labels=cell).value == 100
    neutral = simulated(stepped, lambda x, after: -np.where(np.abs(after) <= 0.1, 0, whole(after)), agent="llm")
    share = float((5 * neutral["reference"].abs() <= 0.5).mean())
    assert 0 < share < 1
    assert found("inconsistency_polarity", neutral, labels={"agent": "llm"}).value == pytest.approx(100 * (1 - share))
