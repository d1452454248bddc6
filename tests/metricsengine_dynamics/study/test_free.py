"""Populations that live on what their own agents think."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from simulated import Drawn, Ran, Scripted, Simulate, edges

from metricsengine import seeds
from metricsengine.model import Outcome, Response
from metricsengine_dynamics.models.deffuant_weisbuch import DeffuantWeisbuch
from metricsengine_dynamics.models.hegselmann_krause import HegselmannKrause
from metricsengine_dynamics.study.runs import Run, trajectory

AGENTS = ["llm", "zero", "random", "rounded"]


def wide(ran: Ran, agent: str, column: str, run: int = 0) -> np.ndarray:
    """A column by step and node."""
    rows = ran.of(agent)
    table = rows[rows["run"] == run].pivot(index="step", columns="node", values=column)
    return table.to_numpy(np.float64, na_value=np.nan)


@pytest.fixture
def free(simulate: Simulate) -> Ran:
    return simulate(mode="free", agents=AGENTS, steps=5, n_agents=9, reference=HegselmannKrause(0.6))


class TestOwnStates:
    def test_everybody_begins_alike(self, free: Ran) -> None:
        starts = {tuple(wide(free, agent, "x")[0]) for agent in (*AGENTS, "reference")}
        assert len(starts) == 1

    def test_an_opinion_is_the_next_state(self, free: Ran) -> None:
        for agent in AGENTS:
            x, opinion, isolated = (wide(free, agent, column) for column in ("x", "opinion", "isolated"))
            kept = (isolated == 1) & (agent in ("llm", "rounded"))
            np.testing.assert_array_equal(x[1:], np.where(kept, x, opinion / 5)[:-1])

    def test_the_reference_runs_freely_beside_them(self, free: Ran) -> None:
        x, reference, opinion = (wide(free, "reference", column) for column in ("x", "reference", "opinion"))
        np.testing.assert_array_equal(x[1:], reference[:-1])
        np.testing.assert_array_equal(opinion, 5 * reference)
        generator = seeds.generator(7, "run", 0, "network")
        run = Run(0, 7, Drawn().draw(9, generator), x[0])
        states = [moment.x for moment, _ in trajectory(run, HegselmannKrause(0.6), 5)]
        np.testing.assert_array_equal(x, states)

    def test_the_reference_column_is_that_of_the_own_state(self, free: Ran) -> None:
        model = HegselmannKrause(0.6)
        graph = Drawn().draw(9, seeds.generator(7, "run", 1, "network"))
        x, reference = wide(free, "llm", "x", 1), wide(free, "llm", "reference", 1)
        world = Run(1, 7, graph, x[0]).world()
        for before, after in zip(x, reference, strict=True):
            np.testing.assert_array_equal(after, model.update(before, model.heard(before, world), world))

    def test_a_perfect_agent_lives_as_the_rounded_one(self, free: Ran) -> None:
        columns = ["run", "step", "node", "x", "reference", "opinion", "heard", "isolated"]
        pd.testing.assert_frame_equal(free.of("llm")[columns], free.of("rounded")[columns])

    def test_all_agents_of_a_step_are_asked_together(self, free: Ran) -> None:
        assert len(free.asked.rounds) <= 5 * 4

    def test_variants_drift_apart(self, simulate: Simulate) -> None:
        model = Scripted(lambda labels: 5, {"READ!": Response(Outcome.ANSWERED, "I am wholly for keeping dogs.")})
        ran = simulate(model, mode="free", prompts=["base", "loud"], steps=2, network=edges(2, (0, 1)), n_agents=2)
        assert ran.of("llm", "base")["x"].tolist()[-4:] == ran.of("llm", "base")["x"].tolist()[-4:]
        last = ran.table[(ran.table["agent"] == "llm") & (ran.table["step"] == 1) & ~ran.table["isolated"]]
        assert set(last.loc[last["variant"] == "loud", "opinion"]) <= {-5.0}


class TestWhatIsNotRead:
    def test_it_leaves_the_state_as_it_was(self, simulate: Simulate) -> None:
        model = Scripted(broken={"SIDE": Response(Outcome.ANSWERED, "Bananas are yellow.")})
        ran = simulate(model, mode="free", reference=HegselmannKrause(2.0), network=edges(3, (0, 1)), n_agents=3)
        x, opinion = wide(ran, "llm", "x"), wide(ran, "llm", "opinion")
        np.testing.assert_array_equal(x, np.tile(x[0], (3, 1)))
        assert np.isnan(opinion[:, :2]).all()
        np.testing.assert_array_equal(opinion[:, 2], np.rint(5 * x[:, 2]))


class TestChance:
    def test_pairs_are_drawn_alike_for_all(self, simulate: Simulate) -> None:
        ran = simulate(mode="free", reference=DeffuantWeisbuch(epsilon=2.0), agents=AGENTS, n_agents=9)
        heard = {agent: wide(ran, agent, "heard").tolist() for agent in (*AGENTS, "reference")}
        assert all(counts == heard["reference"] for counts in heard.values())
