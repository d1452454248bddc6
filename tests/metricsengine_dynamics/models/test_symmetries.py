"""What holds of every reference model, whatever the population."""

import numpy as np
import pytest
from hypothesis import given, settings
from populations import populations, renumbered, world_of

from metricsengine_dynamics.models.deffuant_weisbuch import DeffuantWeisbuch
from metricsengine_dynamics.models.degroot import DeGroot
from metricsengine_dynamics.models.friedkin_johnsen import FriedkinJohnsen
from metricsengine_dynamics.models.hegselmann_krause import HegselmannKrause
from metricsengine_dynamics.networks.graph import Graph

DETERMINISTIC = (
    DeGroot(),
    DeGroot(self_loop=True),
    FriedkinJohnsen(susceptibility=0.6),
    HegselmannKrause(0.3),
    HegselmannKrause(0.3, strict=True),
    HegselmannKrause(0.5, self_loop=True),
)
MODELS = (*DETERMINISTIC, DeffuantWeisbuch(0.4, mu=0.3), DeffuantWeisbuch(0.4, pairs=1))

over_models = pytest.mark.parametrize("model", MODELS, ids=repr)


@over_models
@settings(max_examples=25, deadline=None)
@given(population=populations())
def test_steps_stay_on_the_scale_and_leave_the_state_as_it_is(model, population):
    graph, x = population
    before = x.copy()
    after = model.step(x, world_of(graph, x))
    assert after.shape == x.shape
    assert np.all(abs(after) <= 1)
    assert np.array_equal(x, before)


@over_models
@settings(max_examples=25, deadline=None)
@given(population=populations())
def test_a_step_is_the_update_by_what_is_heard(model, population):
    graph, x = population
    whole = model.step(x, world_of(graph, x))
    world = world_of(graph, x)
    np.testing.assert_allclose(whole, model.update(x, model.heard(x, world), world), rtol=0, atol=1e-15)


@over_models
@settings(max_examples=25, deadline=None)
@given(population=populations())
def test_opposite_opinions_move_oppositely(model, population):
    graph, x = population
    # What is drawn does not depend on opinions, so that equal chance gives equal pairs.
    np.testing.assert_array_equal(model.step(-x, world_of(graph, -x)), -model.step(x, world_of(graph, x)))


@pytest.mark.parametrize("model", DETERMINISTIC, ids=repr)
@settings(max_examples=25, deadline=None)
@given(population=populations())
def test_it_does_not_matter_what_agents_are_called(model, population):
    graph, x = population
    order = np.random.default_rng(graph.n).permutation(graph.n)
    moved = model.step(x[order], world_of(renumbered(graph, order), x[order]))
    np.testing.assert_allclose(moved, model.step(x, world_of(graph, x))[order], rtol=0, atol=1e-15)


@over_models
@settings(max_examples=25, deadline=None)
@given(population=populations())
def test_it_does_not_matter_what_those_are_called_whom_agents_heard(model, population):
    graph, x = population
    world = world_of(graph, x)
    heard = model.heard(x, world)
    order = np.random.default_rng(graph.n).permutation(graph.n)
    moved = model.update(x[order], heard[order][:, order], world_of(graph, world.start[order]))
    np.testing.assert_allclose(moved, model.update(x, heard, world)[order], rtol=0, atol=1e-15)


@over_models
def test_without_edges_everybody_keeps_their_opinion(model):
    x = np.array([-1.0, 0.1, 0.3])
    heard = model.heard(x, world_of(Graph(3), x))
    assert heard.nnz == 3 * getattr(model, "self_loop", False)
    np.testing.assert_array_equal(model.step(x, world_of(Graph(3), x)), x)


@over_models
def test_who_hears_nobody_keeps_its_opinion_among_others_who_do(model):
    x = np.array([0.1, 0.3, 1 / 3])
    graph = Graph(3, np.array([[0, 1]]))
    assert model.step(x, world_of(graph, x))[2] == x[2]


@over_models
def test_one_agent_alone(model):
    for graph in (Graph(1), Graph(1, complete=True), Graph(1, np.array([[0, 0]]))):
        assert model.step(np.array([0.3]), world_of(graph, np.array([0.3]))).tolist() == [0.3]


@pytest.mark.parametrize("model", [m for m in MODELS if not getattr(m, "self_loop", False)], ids=repr)
def test_self_edges_are_not_followed(model):
    x = np.array([0.0, 0.2, 0.4])
    path, looped = Graph(3, np.array([[0, 1], [1, 2]])), Graph(3, np.array([[0, 1], [1, 2], [0, 0], [2, 2]]))
    assert model.heard(x, world_of(looped, x)).diagonal().tolist() == [0, 0, 0]
    np.testing.assert_array_equal(model.step(x, world_of(looped, x)), model.step(x, world_of(path, x)))


def test_with_self_loops_everybody_hears_itself_whether_or_not_there_is_a_self_edge():
    x = np.array([0.0, 0.3])
    graph = Graph(2, np.array([[0, 1], [0, 0]]), weights=np.array([1.0, 3.0]))
    world = world_of(graph, x)
    assert DeGroot(self_loop=True).step(x, world) == pytest.approx([0.3 / 4, 0.15])
    assert DeGroot(self_loop=True, weighted=False).step(x, world) == pytest.approx([0.15, 0.15])
    assert HegselmannKrause(0.3, self_loop=True).step(x, world) == pytest.approx([0.15, 0.15])


def test_an_edge_given_twice_counts_once():
    x = np.array([0.0, 0.3, -0.6])
    once, twice = Graph(3, np.array([[0, 1], [2, 0]])), Graph(3, np.array([[0, 1], [2, 0], [1, 0], [0, 1]]))
    for model in DETERMINISTIC:
        np.testing.assert_array_equal(model.step(x, world_of(twice, x)), model.step(x, world_of(once, x)))
