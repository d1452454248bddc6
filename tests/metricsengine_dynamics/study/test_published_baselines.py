"""The zero and the random agent of Tables 5 and 6, which need no model."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from simulated import inputs

from metricsengine.elicit import drive
from metricsengine_dynamics.models.hegselmann_krause import HegselmannKrause
from metricsengine_dynamics.networks.random_graphs import ErdosRenyi
from metricsengine_dynamics.study.config import OpinionConf
from metricsengine_dynamics.study.study import OpinionStudy

RUNS = 200
AGENTS = ("zero", "random")
ROUNDING = 0.05
"""What the published values, with one digit, may be off by."""


def published(folder: Path, table: str) -> list[dict[str, str]]:
    with (folder / "tables" / f"dynamics_{table}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def side(opinions: np.ndarray) -> np.ndarray:
    return np.where(np.abs(opinions) <= 0.5, 0, np.sign(opinions))


def measured(cell: Mapping[str, str]) -> dict[str, tuple[float, float, float]]:
    """Distance, polarity and filtered polarity, the latter two in percent, by agent."""
    reference = HegselmannKrause(float(cell["epsilon"]))
    given = inputs(ErdosRenyi(float(cell["edge_probability"])), reference, seed=0)
    conf = OpinionConf(n_agents=int(cell["n_agents"]), runs=RUNS, agents=list(AGENTS))

    def nobody(requests: object) -> list[object]:
        raise AssertionError(f"asked {requests}")

    table = drive(OpinionStudy(conf, given).run(), nobody)["Transitions"]
    found = {}
    for agent in AGENTS:
        rows = table[table["agent"] == agent]
        f, h = 5 * rows["reference"].to_numpy(), rows["opinion"].to_numpy(np.float64)
        distance, mismatch = np.abs(f - h).mean(), (side(f) != side(h)).mean()
        filtered = ((h != 0) & (np.sign(h) != np.sign(f))).mean()
        found[agent] = (float(distance), 100 * float(mismatch), 100 * float(filtered))
    return found


@pytest.mark.slow
def test_they_are_those_of_the_paper(shared_data: Path) -> None:
    distances, polarities = published(shared_data, "distance_table5"), published(shared_data, "polarity_table6")
    close = {"distance": 0, "polarity": 0}
    for by_distance, by_polarity in zip(distances, polarities, strict=True):
        found = measured(by_distance)
        for agent in AGENTS:
            for name, cell, value in zip(close, (by_distance, by_polarity), found[agent], strict=False):
                tolerance = float(cell[f"{agent}_halfwidth"]) + ROUNDING
                close[name] += abs(value - float(cell[agent])) <= tolerance
        assert found["random"][2] == pytest.approx(45.5, abs=1)
        assert found["zero"][2] == 0
    assert close["distance"] >= 36
    assert close["polarity"] >= 27
