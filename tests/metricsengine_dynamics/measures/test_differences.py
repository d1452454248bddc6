"""Model agents against those that ask no model: at the same updates, run by run, without those that heard nobody."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from metricsengine.comparison import spelled
from metricsengine.errors import ConfigError
from metricsengine_dynamics.losses.loss import Loss

LLM: dict[str, Any] = {"agent": "llm", "variant": "base"}
DISTANCE = "inconsistency_distance.difference"
BUILT_IN = {"distance": Loss(lambda f, h: np.abs(f - h))}


def against(baseline: str, variant: str = "base") -> dict[str, str]:
    return {"agent": "llm", "variant": variant, "against": baseline}


def population(stepped: Any, seed: int, states: int = 5, **columns: Any) -> pd.DataFrame:
    """Agents that say anything at the same states, which another ``states`` makes others."""
    world, own = np.random.default_rng(states), np.random.default_rng(seed)
    tables = []
    for run in range(8):
        for t in range(3):
            said = pd.array(own.integers(-5, 6, 5).astype(np.float64), dtype="Float64")
            outcome = np.full(5, "answered", dtype=object)
            if columns["agent"] == "llm":
                lost = own.random(5) < 0.2
                said[lost] = pd.NA
                outcome[lost] = "unparsed"
            x, f, alone = world.uniform(-1, 1, 5), world.uniform(-5, 5, 5), world.random(5) < 0.3
            tables.append(stepped(f, said, run=run, step=t, x=x, isolated=alone, outcome=outcome, **columns))
    table: pd.DataFrame = pd.concat(tables, ignore_index=True)
    return table


def test_forced_runs_are_paired_update_by_update(stepped: Any, found: Any) -> None:
    unread = ["answered", "unparsed", "answered", "answered"]
    table = [
        # Losses 1, -, 2 and (alone) 0; of the zero agent 2, 4, 1 and 3.
        stepped([2, 4, 1, 3], [1, None, 3, 3], isolated=[False, False, False, True], outcome=unread, run=3, **LLM),
        stepped([2, 4, 1, 3], [0, 0, 0, 0], isolated=[False, False, False, True], run=3),
        # Losses 1 and 0.5; of the zero agent 4 and 0.5. It has a third update that nobody else has.
        stepped([4, 0.5], [3, 1], run=5, **LLM),
        stepped([4, 0.5, 5], [0, 0, 0], run=5),
    ]
    distance = found(DISTANCE, *table, labels=against("zero"))
    assert distance.value == pytest.approx((-1 + 1 - 3 + 0) / 4)
    assert (distance.n, distance.excluded) == (4, {"unparsed": 1})
    assert (distance.low, distance.interval) == (None, "none: 2 runs, and a bootstrap takes at least 5")
    polarity = found("inconsistency_polarity.difference", *table, labels=against("zero"))
    # The zero agent errs on all but the neutral 0.5, and there only do the others.
    assert polarity.value == pytest.approx(100 * (-1 - 1 - 1 + 1) / 4)
    assert polarity.unit == "%"


def test_free_runs_are_paired_run_by_run(stepped: Any, found: Any) -> None:
    table = [
        stepped([2, 4, 1], [1, 1, None], isolated=False, run=0, x=0.1, **LLM),  # losses 1 and 3: mean 2
        stepped([3, 1, 5], [0, 0, 0], isolated=[False, False, True], run=0, x=0.2),  # 3 and 1: mean 2
        stepped([2], [-2], run=1, **LLM),  # 4
        stepped([1], [0], run=1),  # 1
        stepped([2], [-2], isolated=True, run=2, **LLM),
        stepped([1], [0], run=2),
    ]
    distance = found(DISTANCE, *table, labels=against("zero"))
    assert distance.value == pytest.approx(((2 - 2) + (4 - 1)) / 2)
    assert (distance.n, distance.excluded) == (2, {"undecodable": 1})


@pytest.mark.parametrize("states", [5, 6])
def test_by_brute_force(stepped: Any, measured: Any, states: int) -> None:
    ours = population(stepped, 1, **LLM)
    theirs = population(stepped, 2, states, agent="random")
    theirs["opinion"] = theirs["opinion"].fillna(0)
    [one] = measured("inconsistency_difference", ours, theirs, losses=BUILT_IN).estimates
    losses = [
        t[~t["isolated"]].assign(loss=lambda t: (t["opinion"] - 5 * t["reference"]).abs()).dropna(subset="loss")
        for t in (ours, theirs)
    ]
    if states == 5:
        both = losses[0].merge(losses[1], on=["run", "step", "node"], suffixes=("", "_theirs"))
        difference = both["loss"] - both["loss_theirs"]
        assert one.n == len(both)
    else:
        difference = losses[0].groupby("run")["loss"].mean() - losses[1].groupby("run")["loss"].mean()
        assert one.n == 8
    assert one.value == pytest.approx(difference.mean())
    assert one.excluded == {"unparsed": int((ours["opinion"].isna() & ~ours["isolated"]).sum())}
    assert one.interval == "bootstrap over runs, 2000 draws"


def test_units_are_the_runs_own_differences(stepped: Any, measured: Any) -> None:
    ours, theirs = population(stepped, 1, **LLM), population(stepped, 2, agent="zero").assign(opinion=0.0)
    units = measured("inconsistency_difference", ours, theirs, losses=BUILT_IN).units
    both = ours.assign(theirs=theirs["reference"].abs() * 5)[~ours["isolated"]].dropna(subset="opinion")
    by_run = ((both["opinion"] - 5 * both["reference"]).abs() - both["theirs"]).groupby(both["run"].astype(str))
    assert set(units["labels"]) == {spelled(against("zero"))}
    assert dict(zip(units["unit"], units["value"], strict=True)) == pytest.approx(by_run.mean().to_dict())
    assert dict(zip(units["unit"], units["weight"], strict=True)) == by_run.size().to_dict()


def test_pairs_have_narrower_intervals_than_their_two_means(stepped: Any, found: Any) -> None:
    rng = np.random.default_rng(0)
    table: list[pd.DataFrame] = []
    for run, difficulty in enumerate(rng.uniform(0, 4, 30)):
        table += [stepped([difficulty] * 5, [0.0] * 5, run=run), stepped([difficulty] * 5, [0.1] * 5, run=run, **LLM)]
    one = found(DISTANCE, *table, labels=against("zero"))
    alone = found("inconsistency_distance", *table, labels={"agent": "zero"})
    assert one.high < 0
    assert one.high - one.low < 0.1 < alone.high - alone.low


def test_what_isolated_agents_answer_is_nothing_to_hold_against_others(stepped: Any, found: Any) -> None:
    said = {"isolated": [False, True], "run": 1}
    table = [stepped([1, 4], [0, 4], **said, **LLM), stepped([1, 4], [0, 0], **said)]
    assert found(DISTANCE, *table, labels=against("zero")).value == 0


def test_every_prompt_set_against_every_baseline_of_its_first_asking(stepped: Any, measured: Any) -> None:
    table: list[pd.DataFrame] = [
        *(population(stepped, i, agent=agent) for i, agent in enumerate(("rounded", "zero", "random", "reference"))),
        *(population(stepped, 7, agent="llm", variant=variant) for variant in ("base", "newline")),
        population(stepped, 9, repeat=1, **LLM),
    ]
    result = measured("inconsistency_difference", *table, losses=BUILT_IN)
    assert [e.labels for e in result.estimates] == [
        against(baseline, variant) for variant in ("base", "newline") for baseline in ("zero", "random", "rounded")
    ]
    first, second = (result.estimates[i::3] for i in (0, 1))
    assert first[0].value != second[0].value


def test_order_of_rows_and_names_of_runs_change_nothing(stepped: Any, measured: Any) -> None:
    table = pd.concat([population(stepped, 1, **LLM), population(stepped, 2, agent="zero")], ignore_index=True)
    plain = measured("inconsistency_difference", table).estimates
    assert measured("inconsistency_difference", table.sample(frac=1, random_state=1)).estimates == plain
    renamed = measured("inconsistency_difference", table.assign(run=(7 * table["run"] + 3) % 11)).estimates
    for one, other in zip(plain, renamed, strict=True):
        assert (one.labels, one.n, one.excluded) == (other.labels, other.n, other.excluded)
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), rel=1e-12)


def test_nothing_to_compare_is_one_undefined_estimate(stepped: Any, measured: Any) -> None:
    def reasons(*table: pd.DataFrame) -> list[tuple[dict[str, str], str | None]]:
        return [(e.labels, e.reason) for e in measured("inconsistency_difference", *table, losses=BUILT_IN).estimates]

    assert reasons(stepped([], [])) == [({}, "there are no updates")]
    assert reasons(stepped([1], [0]), stepped([1], [0], agent="random")) == [({}, "no model was asked")]
    [(labels, alone)] = reasons(stepped([1], [0], **LLM))
    assert labels == {}
    assert alone is not None
    assert alone.startswith("there is no agent to hold a model's against")
    nobody = "no update that heard somebody has an opinion of both agents that can be read"
    assert reasons(stepped([1], [0], isolated=True, **LLM), stepped([1], [0], isolated=True)) == [
        (against("zero"), nobody)
    ]
    assert reasons(stepped([1], [0], **LLM), stepped([1], [0], run=1)) == [(against("zero"), nobody)]


def test_losses_of_others_keep_their_unit_and_those_that_fail_say_so(stepped: Any, measured: Any) -> None:
    table = [stepped([3.0], [1.0], **LLM), stepped([3.0], [0.0])]
    losses = {
        "broken": Loss(lambda f, h: f[:0]),
        "squared": Loss(lambda f, h: (f - h) ** 2, unit="points²", bounds=(0.0, 100.0)),
    }
    result = measured("inconsistency_difference", *table, losses=losses)
    broken, squared = result.estimates
    assert "the loss 'broken' gives shape (0,)" in broken.reason
    assert (squared.metric, squared.value, squared.unit) == ("inconsistency_squared.difference", 4 - 9, "points²")
    assert {m.name: m.bounds for m in result.measures} == {
        "inconsistency_broken.difference": (None, None),
        "inconsistency_squared.difference": (-100.0, 100.0),
    }
    with pytest.raises(ConfigError, match="no loss is chosen"):
        measured("inconsistency_difference", *table, losses={})
