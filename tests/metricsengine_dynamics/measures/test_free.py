"""What free runs lead to, from tables of trajectories."""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

from metricsengine.estimate import Estimate
from metricsengine_dynamics.measures.updates import ALWAYS_ANSWER
from metricsengine_dynamics.study.baselines import following
from metricsengine_dynamics.study.runs import Moment

REFERENCE, ROUNDED = {"agent": "reference"}, {"agent": "rounded"}
FREE = ("cluster_count", "spread", "bimodality", "consensus_time")


def run(stepped: Any, states: list[list[float]], agent: str = "rounded", run: int = 0, **columns: Any) -> pd.DataFrame:
    """A population that goes through states, each in [-1, 1]."""
    return pd.concat(
        [
            stepped([0.0] * len(after), 5 * np.array(after), x=before, agent=agent, run=run, step=t, **columns)
            for t, (before, after) in enumerate(pairwise(states))
        ],
        ignore_index=True,
    )


APART = [[-1.0, -0.5, 0.5, 1.0], [-0.8, -0.7, 0.7, 0.8], [-0.8, -0.8, 0.8, 0.8]]
AGREE = [[-1.0, -0.5, 0.5, 1.0], [-0.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]


def test_final_states_by_hand(stepped: Any, found: Any) -> None:
    table = [run(stepped, APART), run(stepped, AGREE, agent="reference")]
    assert found("cluster_count", *table, labels=ROUNDED).value == 2
    assert found("cluster_count", *table, labels=REFERENCE).value == 1
    difference = found("cluster_count.difference", *table, labels=ROUNDED)
    assert (difference.value, difference.n) == (1, 1)
    assert difference.interval == "none: 1 run, and a bootstrap takes at least 5"
    assert found("spread", *table, labels=ROUNDED).value == pytest.approx(0.8)
    assert found("spread", *table, labels={**ROUNDED, "step": "2"}).value == pytest.approx(0.8)
    assert found("spread", *table, labels={**ROUNDED, "step": "0"}).value == pytest.approx(np.std(APART[0]))
    assert found("spread.difference", *table, labels=ROUNDED).value == pytest.approx(0.8)
    assert found("consensus_time", *table, labels=REFERENCE).value == 1
    assert found("bimodality", *table, labels=ROUNDED).value == pytest.approx(1 / (-6 + 27 / 2))


def test_runs_without_a_number_are_counted(stepped: Any, found: Any) -> None:
    table = [run(stepped, AGREE, run=r) for r in range(3)] + [run(stepped, APART, run=r) for r in (3, 4)]
    table += [run(stepped, AGREE, agent="reference", run=r) for r in range(5)]
    time = found("consensus_time", *table, labels=ROUNDED)
    assert (time.value, time.n, time.excluded) == (1, 3, {"no agreement within the tolerance": 2})
    assert found("consensus_time.difference", *table, labels=ROUNDED).n == 3
    camps = found("bimodality", *table, labels=REFERENCE)
    assert (camps.value, camps.n) == (None, 0)
    assert camps.reason == "opinions that do not vary, or fewer than 4 agents: 5 runs"
    strict = found("consensus_time", *table, labels=ROUNDED, tolerance=0.0)
    assert strict.value == 2
    assert found("cluster_count", *table, labels=ROUNDED, gap=2.0).value == 1


def test_differences_pair_runs(stepped: Any, found: Any) -> None:
    rng = np.random.default_rng(4)
    table, wanted = [], []
    for r in range(20):
        final = rng.uniform(-1, 1, 6)
        table.append(run(stepped, [final.tolist(), final.tolist()], agent="reference", run=r))
        nearly = 0.9 * final
        table.append(run(stepped, [final.tolist(), nearly.tolist()], run=r))
        wanted.append(np.std(nearly) - np.std(final))
    difference = found("spread.difference", *table, labels=ROUNDED)
    assert difference.value == pytest.approx(np.mean(wanted))
    assert (difference.high - difference.low) / 2 == pytest.approx(1.96 * np.std(wanted) / np.sqrt(20), rel=0.15)


def test_differences_that_are_all_none_have_an_interval_with_width(stepped: Any, found: Any) -> None:
    table = [run(stepped, APART, agent=agent, run=r) for agent in ("rounded", "reference") for r in range(8)]
    same = found("cluster_count.difference", *table, labels=ROUNDED)
    assert same.value == 0
    assert same.low == pytest.approx(-same.high)
    assert same.high > 0


def test_every_agent_variant_and_repeat_meets_the_reference_of_its_run(stepped: Any, measured: Any) -> None:
    table = [run(stepped, AGREE, agent="reference")]
    table += [run(stepped, APART, agent="llm", variant=v, repeat=k) for v in ("base", "newline") for k in (0, 1)]
    result = measured("cluster_count", *table)
    differences = [(e.labels, e.value) for e in result.estimates if e.metric == "cluster_count.difference"]
    assert differences == [
        ({"agent": "llm", "variant": "base"}, 1),
        ({"agent": "llm", "variant": "base", "repeat": "1"}, 1),
        ({"agent": "llm", "variant": "newline"}, 1),
        ({"agent": "llm", "variant": "newline", "repeat": "1"}, 1),
    ]


def test_the_last_opinions_follow_the_rule_of_the_study(stepped: Any, found: Any) -> None:
    x, said, isolated = [0.9, -0.3, 0.35, -0.9], [None, 2.0, 1.0, 5.0], [False, False, True, True]
    for agent in ("llm", "zero", "random", "rounded"):
        opinions = np.array([np.nan if one is None else one for one in said])
        moment = Moment(0, 0, np.array(x), np.zeros(4), 1 - np.array(isolated, dtype=int))
        after = following(agent, moment, opinions)
        assert (agent in ALWAYS_ANSWER) == (after[3] == 1)
        table = [
            stepped([0.0] * 4, said, x=x, isolated=isolated, agent=agent),
            run(stepped, AGREE[:2], agent="reference"),
        ]
        spread = found("spread", *table, labels={"agent": agent})
        assert spread.value == pytest.approx(np.std(after))
        assert "undecodable: 1 update left the opinion as it was" in spread.flags


def numbers(estimate: Estimate) -> list[float]:
    return [number for number in (estimate.value, estimate.low, estimate.high) if number is not None]


@pytest.mark.parametrize("name", FREE)
def test_order_of_rows_and_names_change_nothing(stepped: Any, measured: Any, name: str) -> None:
    rng = np.random.default_rng(8)
    tables = [
        run(stepped, np.cumprod(rng.uniform(-1, 1, (5, 6)), axis=0).tolist(), agent=agent, run=r)
        for agent in ("rounded", "reference")
        for r in range(7)
    ]
    table = pd.concat(tables, ignore_index=True)
    plain = measured(name, table).estimates
    assert measured(name, table.sample(frac=1, random_state=1)).estimates == plain
    renamed = measured(name, table.assign(run=9 - table["run"], node=5 - table["node"])).estimates
    for one, other in zip(plain, renamed, strict=True):
        assert (one.metric, one.labels, one.n, one.excluded) == (other.metric, other.labels, other.n, other.excluded)
        assert numbers(one) == pytest.approx(numbers(other), rel=1e-9)


@pytest.mark.parametrize("name", FREE)
def test_forced_runs_have_none(stepped: Any, measured: Any, name: str) -> None:
    [one] = measured(name, run(stepped, APART)).estimates
    assert (one.metric, one.value, one.labels) == (name, None, {})
    assert "study.mode=free" in one.reason
    [empty] = measured(name, stepped([], [])).estimates
    assert (empty.value, empty.reason) == (None, "there are no updates")


def test_populations_of_different_sizes_are_kept_apart(stepped: Any, found: Any) -> None:
    table = [run(stepped, [[0.0, 1.0], [0.0, 1.0]], run=0), run(stepped, [[0.0] * 3, [-1.0, 0.0, 1.0]], run=1)]
    table += [run(stepped, AGREE[:2], agent="reference", run=r) for r in (0, 1)]
    assert found("cluster_count", *table, labels=ROUNDED).value == 2.5
