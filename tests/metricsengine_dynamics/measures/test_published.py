"""Baselines against the published ones (Sense and Sensitivity, Tables 5 to 7)."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from metricsengine.study import StudyInputs
from metricsengine_dynamics.models.hegselmann_krause import HegselmannKrause
from metricsengine_dynamics.models.reference import World
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.networks.random_graphs import ErdosRenyi
from metricsengine_dynamics.study.config import OpinionConf
from metricsengine_dynamics.study.runs import draw
from metricsengine_dynamics.study.study import OpinionStudy

STEPS = 20
AGENTS = ["zero", "random"]


def side_by_side(n: int, p: float, epsilon: float, runs: int) -> pd.DataFrame:
    """Transitions of agents that need no model: all runs at once, as one graph without edges between the runs."""
    model, network = HegselmannKrause(epsilon), ErdosRenyi(p)
    drawn = [draw(number, 1, network, model, (n, ())) for number in range(runs)]
    everybody = Graph(n * runs, np.concatenate([n * run.number + edges(run.graph) for run in drawn]))
    states = [np.concatenate([run.start for run in drawn])]
    world = World(everybody, states[0], np.random.default_rng(1))
    for _ in range(STEPS):
        states.append(model.step(states[-1], world))
    size = STEPS * n * runs
    run, step, node = (np.tile(one.ravel(), 2) for one in np.mgrid[:STEPS, :runs, :n][[1, 0, 2]])
    return pd.DataFrame(
        {
            "agent": np.repeat(AGENTS, size),
            "repeat": 0,
            "run": run,
            "step": step,
            "node": node,
            "x": np.tile(np.concatenate(states[:-1]), 2),
            "reference": np.tile(np.concatenate(states[1:]), 2),
            "opinion": np.concatenate([np.zeros(size), np.random.default_rng(2).integers(-5, 6, size)]),
            "heard": 1,
            "isolated": False,
        }
    )


def edges(graph: Graph) -> np.ndarray:
    return np.transpose(np.triu_indices(graph.n, 1)) if graph.complete else graph.pairs


@pytest.mark.parametrize("p", [0.3, 1.0])
def test_runs_side_by_side_are_the_runs_of_the_study(p: float) -> None:
    conf = OpinionConf(n_agents=20, epsilon=0.3, steps=STEPS, runs=5, agents=AGENTS)
    parts = {"reference": {"hk": HegselmannKrause(0.3)}, "network": {"erdos_renyi": ErdosRenyi(p)}}
    with pytest.raises(StopIteration) as end:
        next(OpinionStudy(conf, StudyInputs(seed=1, parts=parts)).run())
    keys = ["agent", "run", "step", "node"]
    one, other = (
        table.set_index(keys).sort_index()[["x", "reference"]].astype(float)
        for table in (end.value.value["Transitions"], side_by_side(20, p, 0.3, runs=5))
    )
    pd.testing.assert_frame_equal(one, other, check_index_type=False)


def published(folder: Path, name: str) -> Iterator[tuple[tuple[int, float, float], str, float, float]]:
    """Settings, agent, value and half-width of every cell of a table that needs no model."""
    with (folder / "tables" / name).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            settings = int(row["n_agents"]), float(row["edge_probability"]), float(row["epsilon"])
            for agent in AGENTS:
                yield settings, agent, float(row[agent]), float(row[f"{agent}_halfwidth"])


@pytest.mark.slow
def test_baselines_are_as_published(shared_data: Path, measured: Any) -> None:
    tables = {
        "inconsistency_distance": list(published(shared_data, "dynamics_distance_table5.csv")),
        "inconsistency_polarity": list(published(shared_data, "dynamics_polarity_table6.csv")),
    }
    values: dict[tuple[Any, ...], float] = {}
    for settings in dict.fromkeys(settings for settings, *_ in tables["inconsistency_distance"]):
        table = side_by_side(*settings, runs=600)
        found = measured("inconsistency", table, per_step=False).estimates
        found = [*found, *measured("filtered_polarity", table).estimates]
        values |= {(e.metric, settings, e.labels["agent"]): e.value for e in found if "updates" not in e.labels}
    within = {
        metric: sum(
            abs(values[metric, settings, agent] - value) <= half + 0.05 for settings, agent, value, half in cells
        )
        for metric, cells in tables.items()
    }
    assert within["inconsistency_distance"] >= 36
    assert within["inconsistency_polarity"] >= 27
    sides = [
        value for (metric, _, agent), value in values.items() if (metric, agent) == ("filtered_polarity", "random")
    ]
    assert len(sides) == 19
    assert sides == pytest.approx([45.5] * 19, abs=1)
