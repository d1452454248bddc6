"""Friedkin-Johnsen against the equilibrium in closed form."""

import numpy as np
import pytest
from populations import random_graph, world_of

from metricsengine.errors import ConfigError
from metricsengine_dynamics.models.degroot import DeGroot
from metricsengine_dynamics.models.friedkin_johnsen import FriedkinJohnsen
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.simulation import trajectory


def equilibrium(graph, s, x):
    weights = graph.neighbours.toarray()
    means = weights / weights.sum(axis=1, keepdims=True)
    s = np.diag(np.broadcast_to(s, len(x)))
    return np.linalg.solve(np.eye(len(x)) - s @ means, (np.eye(len(x)) - s) @ x)


@pytest.mark.parametrize("weighted", [False, True])
def test_tends_to_the_equilibrium(weighted):
    rng = np.random.default_rng(0)
    graph, x = random_graph(20, 0.4, rng, weighted=weighted), rng.uniform(-1, 1, 20)
    final = trajectory(FriedkinJohnsen(susceptibility=0.7), graph, x, 120, rng)[-1]
    np.testing.assert_allclose(final, equilibrium(graph, 0.7, x), rtol=0, atol=1e-12)


def test_susceptibility_may_be_each_agents_own():
    rng = np.random.default_rng(1)
    drawn, x = random_graph(12, 0.6, rng), rng.uniform(-1, 1, 12)
    s = rng.uniform(0, 0.9, 12)
    graph = Graph(12, drawn.pairs, attributes={"openness": [str(value) for value in s]})
    final = trajectory(FriedkinJohnsen(attribute="openness"), graph, x, 300, rng)[-1]
    np.testing.assert_allclose(final, equilibrium(graph, s, x), rtol=0, atol=1e-12)


def test_between_the_extremes_lie_stubbornness_and_degroot():
    rng = np.random.default_rng(2)
    graph, x = random_graph(10, 0.5, rng), rng.uniform(-1, 1, 10)
    world = world_of(graph, x)
    later = rng.uniform(-1, 1, 10)
    np.testing.assert_allclose(FriedkinJohnsen(susceptibility=0).step(later, world), x)
    np.testing.assert_array_equal(FriedkinJohnsen(susceptibility=1).step(later, world), DeGroot().step(later, world))


def test_who_hears_nobody_keeps_its_opinion_not_the_first_one():
    world = world_of(Graph(2), np.array([0.9, 0.9]))
    assert FriedkinJohnsen().step(np.array([0.1, -0.2]), world).tolist() == [0.1, -0.2]


@pytest.mark.parametrize("self_loop", [False, True])
def test_the_complete_graph_without_edges_gives_what_its_edges_give(self_loop):
    rng = np.random.default_rng(3)
    model, start, x = FriedkinJohnsen(self_loop=self_loop), rng.uniform(-1, 1, 30), rng.uniform(-1, 1, 30)
    fast = model.step(x, world_of(Graph(30, complete=True), start))
    slow = model.step(x, world_of(Graph(30, np.argwhere(~np.eye(30, dtype=bool))), start))
    np.testing.assert_allclose(fast, slow, rtol=0, atol=1e-15)


@pytest.mark.parametrize("s", [-0.1, 1.1, float("nan")])
def test_refuses_a_susceptibility_out_of_range(s):
    with pytest.raises(ConfigError, match=r"reference\.susceptibility must be in \[0, 1\], got"):
        FriedkinJohnsen(susceptibility=s)


def test_refuses_an_attribute_that_is_none():
    x = np.zeros(2)
    model = FriedkinJohnsen(attribute="openness")
    with pytest.raises(ConfigError, match=r"reference\.attribute=openness: .* no such one, but age"):
        model.step(x, world_of(Graph(2, attributes={"age": ["20", "30"]}), x))
    for text in ("", "high", "1.5", "nan"):
        graph = Graph(2, np.array([[0, 1]]), names=("Ann", "Bo"), attributes={"openness": ["0.5", text]})
        with pytest.raises(ConfigError, match=r"openness of agent Bo must be a number in \[0, 1\], got"):
            model.step(x, world_of(graph, x))


def test_labels():
    assert FriedkinJohnsen().labels == {"reference": "friedkin_johnsen", "susceptibility": "0.8"}
    assert FriedkinJohnsen(attribute="openness").labels["susceptibility"] == "openness"
