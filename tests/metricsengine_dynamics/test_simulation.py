"""Simulating any reference model: trajectories and Definition 3, with Schelling's model as one that has no opinions."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.sparse import csr_array

from metricsengine_dynamics.losses.distance import DISTANCE
from metricsengine_dynamics.losses.polarity import polarity
from metricsengine_dynamics.models.deffuant_weisbuch import DeffuantWeisbuch
from metricsengine_dynamics.models.hegselmann_krause import HegselmannKrause
from metricsengine_dynamics.models.reference import Reference, World
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.simulation import inconsistency, of_opinions, simulation_errors, trajectory


def rng(seed=0):
    return np.random.Generator(np.random.PCG64(seed))


@dataclass(frozen=True)
class Schelling(Reference):
    """Agents of two kinds on a square; who has too few neighbours of its kind moves to a vacant place by chance.

    A state has a row for each agent: kind (-1 or 1), line and column (T. C. Schelling, 1971).
    """

    side: int = 8
    wanted: float = 0.4
    scalar = False

    def initial(self, graph, rng):
        places = rng.permutation(self.side**2)[: graph.n]
        kinds = np.where(np.arange(graph.n) % 2, 1, -1)
        return np.column_stack([kinds, places // self.side, places % self.side]).astype(float)

    def heard(self, state, world):
        apart = abs(state[:, None, 1:] - state[None, :, 1:]).max(axis=2)
        return csr_array((apart == 1).astype(float))

    def unhappy(self, state, heard):
        near = heard @ np.ones(len(state))
        alike = (near + state[:, 0] * (heard @ state[:, 0])) / 2
        return np.flatnonzero(alike < self.wanted * near)

    def update(self, state, heard, world):
        moved = state.copy()
        for agent in world.rng.permutation(self.unhappy(state, heard)):
            taken = moved[:, 1] * self.side + moved[:, 2]
            vacant = np.setdiff1d(np.arange(self.side**2), taken)
            moved[agent, 1:] = np.divmod(world.rng.choice(vacant), self.side)
        return moved


CROWD = Graph(40, complete=True)


def share_elsewhere(expected, given):
    return np.mean((expected != given).any(axis=1))


def test_schelling_segregates_without_two_agents_in_one_place():
    model = Schelling()
    states = trajectory(model, CROWD, model.initial(CROWD, rng(1)), 40, rng(2))
    assert states.shape == (41, 40, 3)
    world = World(CROWD, states[0], rng())
    alike = []
    for state in states:
        assert len(np.unique(state[:, 1:], axis=0)) == 40
        assert np.array_equal(state[:, 0], states[0][:, 0])
        near = model.heard(state, world).toarray()
        same = state[:, 0][:, None] == state[:, 0]
        alike.append((near * same).sum() / near.sum())
    assert alike[-1] > alike[0] + 0.2
    assert not len(model.unhappy(states[-1], model.heard(states[-1], world)))


def test_a_candidate_that_does_what_schelling_does_is_consistent_although_moves_are_drawn():
    model = Schelling()
    states = trajectory(model, CROWD, model.initial(CROWD, rng(1)), 6, rng(2))[:-1]
    world = World(CROWD, states[0], rng(3))
    assert inconsistency(model, model.step, states, share_elsewhere, world) == 0
    errors = simulation_errors(model, lambda state, world: state, states, share_elsewhere, world)
    unhappy = [len(model.unhappy(state, model.heard(state, world))) / 40 for state in states]
    assert errors == pytest.approx(unhappy)  # who stays errs on those who move, and nobody moves to where it is
    assert errors[0] > 0


def test_equal_chance_gives_equal_trajectories():
    model = Schelling()
    start = model.initial(CROWD, rng(1))
    first, again, other = (trajectory(model, CROWD, start, 5, rng(seed)) for seed in (2, 2, 3))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_trajectory_begins_with_just_the_opinions_that_were_given():
    x = np.array([0.1, 0.2, 1 / 3])
    states = trajectory(HegselmannKrause(0.3), Graph(3, np.array([[0, 1], [1, 2]])), x, 3, rng())
    assert states.shape == (4, 3)
    assert states[0].tolist() == x.tolist()
    assert states[1] == pytest.approx([0.2, (0.1 + 1 / 3) / 2, 0.2])
    assert trajectory(HegselmannKrause(0.3), Graph(3), x, 0, rng()).tolist() == [x.tolist()]


@pytest.mark.parametrize("x", [[0.1, 1.1], [0.1, np.nan], [[0.1], [0.2]]])
def test_opinions_that_are_none_are_refused(x):
    with pytest.raises(ValueError, match=r"opinion in \[-1, 1\]"):
        trajectory(HegselmannKrause(0.3), Graph(2), np.array(x), 1, rng())
    with pytest.raises(ValueError, match=r"a row for each of 2 agents, got shape \(3,\)"):
        trajectory(HegselmannKrause(0.3), Graph(2), np.zeros(3), 1, rng())


def test_errors_of_opinions_are_means_over_agents_in_the_losss_unit():
    graph = Graph(3, np.array([[0, 1]]))
    states = np.array([[0.2, 0.4, -1.0], [0.0, 0.0, 1.0]])
    world = World(graph, states[0], rng())
    model = HegselmannKrause(0.3)
    zero = simulation_errors(model, lambda state, world: 0 * state, states, of_opinions(DISTANCE), world)
    assert zero == pytest.approx([5 * (0.4 + 0.2 + 1) / 3, 5 / 3])
    sides = simulation_errors(model, lambda state, world: 0 * state, states, of_opinions(polarity()), world)
    assert sides == pytest.approx([100, 100 / 3])
    assert inconsistency(model, lambda state, world: 0 * state, states, of_opinions(DISTANCE), world) == zero.mean()


def test_model_and_candidate_draw_the_same_pairs():
    x = rng(1).uniform(-1, 1, (5, 20))
    model = DeffuantWeisbuch(0.5)
    world = World(Graph(20, complete=True), x[0], rng(2))
    assert inconsistency(model, model.step, x, of_opinions(DISTANCE), world) == 0


def test_no_states_and_losses_that_are_none_are_refused():
    model, world = HegselmannKrause(0.3), World(Graph(2), np.zeros(2), rng())
    with pytest.raises(ValueError, match="there are none"):
        inconsistency(model, model.step, np.empty((0, 2)), of_opinions(DISTANCE), world)
    for broken in (-1.0, float("nan")):
        with pytest.raises(ValueError, match="a loss is a finite number >= 0"):
            inconsistency(model, model.step, np.zeros((1, 2)), lambda f, h, broken=broken: broken, world)
