"""DeGroot against the spectrum of its matrix."""

import numpy as np
import pytest
from populations import random_graph, world_of

from metricsengine_dynamics.models.consensus import consensus
from metricsengine_dynamics.models.degroot import DeGroot
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.simulation import trajectory


def matrix(graph):
    """Rows of the means, dense; an empty row stays where it is."""
    weights = graph.neighbours.toarray()
    totals = weights.sum(axis=1)
    return np.where(totals[:, None] > 0, weights / np.where(totals > 0, totals, 1)[:, None], np.eye(graph.n))


@pytest.mark.parametrize("weighted", [False, True])
def test_a_step_is_the_product_with_the_matrix_of_means(weighted):
    rng = np.random.default_rng(2)
    for n, p in ((2, 1.0), (15, 0.1), (40, 0.4)):
        graph, x = random_graph(n, p, rng, weighted=weighted, loops=True), rng.uniform(-1, 1, n)
        np.testing.assert_allclose(DeGroot().step(x, world_of(graph, x)), matrix(graph) @ x, rtol=0, atol=1e-14)


def test_weights_are_ignored_where_not_wanted():
    rng = np.random.default_rng(3)
    graph, x = random_graph(15, 0.4, rng, weighted=True), rng.uniform(-1, 1, 15)
    plain = Graph(15, graph.pairs)
    assert np.array_equal(DeGroot(weighted=False).step(x, world_of(graph, x)), DeGroot().step(x, world_of(plain, x)))
    assert not np.allclose(DeGroot().step(x, world_of(graph, x)), DeGroot().step(x, world_of(plain, x)))


@pytest.mark.parametrize("self_loop", [False, True])
def test_the_complete_graph_without_edges_gives_what_its_edges_give(self_loop):
    model, x = DeGroot(self_loop=self_loop), np.random.default_rng(4).uniform(-1, 1, 50)
    edges = Graph(50, np.argwhere(~np.eye(50, dtype=bool)))
    fast = model.step(x, world_of(Graph(50, complete=True), x))
    np.testing.assert_allclose(fast, model.step(x, world_of(edges, x)), rtol=0, atol=1e-15)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_limit_is_the_mean_weighted_by_degree_and_the_rate_the_second_eigenvalue(weighted):
    rng = np.random.default_rng(6)
    graph, x = random_graph(25, 0.3, rng, weighted=weighted), rng.uniform(-1, 1, 25)
    [found] = consensus(graph.neighbours, x)
    degrees = graph.neighbours.toarray().sum(axis=1)
    assert found.value == pytest.approx(np.average(x, weights=degrees), abs=1e-12)
    assert abs(found.value - x.mean()) > 1e-3
    values = np.sort(abs(np.linalg.eigvals(matrix(graph))))
    assert found.rate == pytest.approx(values[-2], abs=1e-10)
    states = trajectory(DeGroot(), graph, x, 60, rng)
    np.testing.assert_allclose(states[-1], found.value, atol=3 * found.rate**60 + 1e-12)
    distances = np.linalg.norm((states - found.value) * np.sqrt(degrees), axis=1)
    assert np.all(distances[1:] <= found.rate * distances[:-1] + 1e-12)


def test_each_component_has_its_own_limit():
    rng = np.random.default_rng(7)
    triangle, square_with_diagonal = [[0, 2], [2, 4], [4, 0]], [[1, 3], [3, 5], [5, 6], [6, 1], [1, 5]]
    graph, x = Graph(8, np.array(triangle + square_with_diagonal)), rng.uniform(-1, 1, 8)
    first, second, alone = consensus(graph.neighbours, x)
    assert [part.agents.tolist() for part in (first, second, alone)] == [[0, 2, 4], [1, 3, 5, 6], [7]]
    assert first.value == pytest.approx(x[[0, 2, 4]].mean())
    assert first.rate == pytest.approx(0.5)  # a triangle's eigenvalues are 1, -1/2, -1/2
    assert second.value == pytest.approx((3 * x[1] + 2 * x[3] + 3 * x[5] + 2 * x[6]) / 10)
    assert (alone.value, alone.rate, alone.oscillates) == (x[7], 0.0, False)
    final = trajectory(DeGroot(), graph, x, 200, rng)[-1]
    np.testing.assert_allclose(final[[0, 2, 4]], first.value, atol=1e-12)
    np.testing.assert_allclose(final[[1, 3, 5, 6]], second.value, atol=1e-12)
    assert final[7] == x[7]


def test_two_sides_oscillate_for_ever():
    graph, x = Graph(4, np.array([[0, 1], [0, 2], [0, 3]])), np.array([0.9, -0.6, 0.0, 0.3])
    [star] = consensus(graph.neighbours, x)
    assert star.oscillates
    assert star.value is None
    assert star.rate == 1
    assert star.sides == pytest.approx((0.9, -0.1))
    states = trajectory(DeGroot(), graph, x, 101, np.random.default_rng(0))
    np.testing.assert_allclose(states[100], [0.9, -0.1, -0.1, -0.1], atol=1e-12)
    np.testing.assert_allclose(states[101], [-0.1, 0.9, 0.9, 0.9], atol=1e-12)


def test_who_hears_itself_does_not_oscillate():
    graph, x = Graph(4, np.array([[0, 1], [0, 2], [0, 3]])), np.array([0.9, -0.6, 0.0, 0.3])
    model = DeGroot(self_loop=True)
    [star] = consensus(model.heard(x, world_of(graph, x)), x)
    assert not star.oscillates
    assert star.value == pytest.approx((4 * 0.9 + 2 * (-0.6 + 0 + 0.3)) / 10)
    np.testing.assert_allclose(trajectory(model, graph, x, 200, np.random.default_rng(0))[-1], star.value, atol=1e-12)


def test_a_lone_agent_that_hears_itself_has_settled():
    [alone] = consensus(Graph(1, np.array([[0, 0]])).adjacency, np.array([0.4]))
    assert (alone.value, alone.rate, alone.oscillates) == (0.4, 0.0, False)


def test_the_rate_of_a_large_component_is_found_too():
    # A ring of n, each hearing itself, has eigenvalues (1 + 2 cos(2 pi k / n)) / 3.
    n = 501
    ring = Graph(n, np.column_stack([np.arange(n), np.roll(np.arange(n), -1)]))
    [found] = consensus(ring.with_selves, np.zeros(n))
    assert found.rate == pytest.approx((1 + 2 * np.cos(2 * np.pi / n)) / 3, abs=1e-9)


def test_one_sided_weights_are_refused():
    from scipy.sparse import csr_array

    with pytest.raises(ValueError, match="symmetric"):
        consensus(csr_array(np.array([[0.0, 1.0], [0.0, 1.0]])), np.zeros(2))


def test_labels():
    assert DeGroot().labels == {"reference": "degroot"}
    assert DeGroot(weighted=False, self_loop=True).labels == {
        "reference": "degroot",
        "weighted": "false",
        "self_loop": "true",
    }
