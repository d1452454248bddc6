"""Cells that will be undefined whatever agents say: no model is asked, nobody is heard, runs are forced."""

from typing import Any

import pandas as pd
import pytest

from metricsengine.encoder import no_vectors
from metricsengine.estimate import Estimate
from metricsengine.metric import MetricContext
from metricsengine_dynamics.losses import specs
from metricsengine_dynamics.measures.specs import METRICS
from metricsengine_dynamics.tables import TRANSITIONS

LOSSES = {spec.name: spec.build(spec.config()) for spec in specs.LOSSES}


def foreseen(name: str, *tables: pd.DataFrame, **options: Any) -> list[Estimate]:
    spec = next(spec for spec in METRICS if spec.name == name)
    table = TRANSITIONS.conform(pd.concat(tables, ignore_index=True))
    context = MetricContext("paper", 7, no_vectors, "", {"loss": LOSSES})
    return list(spec.build(spec.config(**options)).foresee(table, context))


@pytest.mark.parametrize("name", ["cluster_count", "spread", "bimodality", "consensus_time"])
def test_what_takes_free_runs_says_so_of_forced_ones(name: str, stepped: Any, measured: Any) -> None:
    table = stepped([1.0, 2.0], [1.0, 2.0])
    assert foreseen(name, table) == measured(name, table).estimates
    free = stepped([1.0] * 4, [1.0] * 4, agent="reference"), stepped([1.0] * 4, [0.0] * 4)
    assert not foreseen(name, *free)  # alike as these opinions are, those of a model may vary


def test_three_agents_have_no_bimodality(stepped: Any) -> None:
    free = stepped([1.0] * 3, [1.0] * 3, agent="reference"), stepped([1.0] * 3, [0.0] * 3)
    assert {found.reason.partition(":")[0] for found in foreseen("bimodality", *free)} == {
        "opinions that do not vary, or fewer than 4 agents"
    }


def test_a_difference_takes_both_agents(stepped: Any, measured: Any) -> None:
    alone = stepped([1.0], [1.0], agent="llm")
    found = foreseen("inconsistency_difference", alone)
    assert len(found) == len(LOSSES)
    assert found == measured("inconsistency_difference", alone).estimates
    assert not foreseen("inconsistency_difference", alone, stepped([1.0], [None]))


def test_where_nobody_is_heard_the_mean_of_those_who_hear_somebody_is_undefined(stepped: Any, measured: Any) -> None:
    forced = stepped([1.0, 2.0], [1.0, None], agent="llm", isolated=True)
    found = foreseen("inconsistency", forced)
    assert [estimate.labels["updates"] for estimate in found] == ["heard"] * len(LOSSES)
    undefined = {(e.metric, tuple(e.labels), e.reason) for e in measured("inconsistency", forced).estimates}
    assert {(e.metric, tuple(e.labels), e.reason) for e in found} <= undefined
    assert len(foreseen("undecodable_share", forced)) == 1
    reference = stepped([1.0, 2.0], [1.0, 2.0], agent="reference")
    assert not foreseen("inconsistency", forced, reference)  # in free runs answers decide who is heard
    assert not foreseen("undecodable_share", forced, reference)


def test_replies_that_cannot_be_read_yet_are_not_foreseen(stepped: Any) -> None:
    unread = stepped([1.0, 2.0], [None, None], agent="llm", outcome="answered")
    for name in ("inconsistency", "filtered_polarity", "zero_share", "undecodable_share", "isolated_share"):
        assert not foreseen(name, unread)


def test_no_model_is_asked(stepped: Any) -> None:
    [found] = foreseen("undecodable_share", stepped([1.0], [1.0]))
    assert found.reason == "no model was asked"
