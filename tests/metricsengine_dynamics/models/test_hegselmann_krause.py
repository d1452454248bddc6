"""Hegselmann-Krause against a plain reading of eqs. 3 and 4, and what is known of it on the complete graph."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from populations import opinions, random_graph, world_of

from metricsengine.errors import ConfigError
from metricsengine_dynamics.models.hegselmann_krause import HegselmannKrause
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.simulation import trajectory


def plainly(x, known, epsilon, *, strict=False, self_loop=False):
    """Eq. 4 with loops, and exact sums."""
    after = []
    for i, own in enumerate(x):
        near = [
            Fraction(other)
            for j, other in enumerate(x)
            if (known[i][j] or (self_loop and i == j))
            and (abs(own - other) < epsilon - 1e-12 if strict else abs(own - other) <= epsilon + 1e-12)
        ]
        after.append(float(sum(near) / len(near)) if near else own)
    return np.array(after)


def everybody(n):
    return ~np.eye(n, dtype=bool)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.9, 2.0])
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("self_loop", [False, True])
def test_agrees_with_loops_on_random_graphs(epsilon, strict, self_loop):
    rng = np.random.default_rng(5)
    model = HegselmannKrause(epsilon, strict=strict, self_loop=self_loop)
    for n, p in ((2, 0.5), (12, 0.1), (20, 0.3), (30, 0.9)):
        graph = random_graph(n, p, rng, weighted=True)
        x = rng.uniform(-1, 1, n).round(1)
        known = graph.neighbours.toarray() > 0
        expected = plainly(x, known, epsilon, strict=strict, self_loop=self_loop)
        np.testing.assert_allclose(model.step(x, world_of(graph, x)), expected, rtol=0, atol=1e-15)


@settings(max_examples=150, deadline=None)
@given(
    x=st.lists(opinions, min_size=1, max_size=40).map(np.array),
    epsilon=st.sampled_from([0.0, 0.05, 0.1, 0.3, 1.0, 2.0]),
    strict=st.booleans(),
    self_loop=st.booleans(),
)
def test_the_complete_graph_without_edges_gives_what_its_edges_give(x, epsilon, strict, self_loop):
    n = len(x)
    fast = HegselmannKrause(epsilon, strict=strict, self_loop=self_loop).step(x, world_of(Graph(n, complete=True), x))
    expected = plainly(x, everybody(n), epsilon, strict=strict, self_loop=self_loop)
    np.testing.assert_allclose(fast, expected, rtol=0, atol=2e-16)


@pytest.mark.parametrize("n", [2, 50, 300])
@pytest.mark.parametrize("strict", [False, True])
def test_ties_at_the_bound_are_the_same_with_and_without_edges(n, strict):
    x = np.random.default_rng(n).integers(-20, 21, n) / 20
    graph = Graph(n, np.argwhere(everybody(n)))
    for epsilon in (0.05, 0.1, 0.3, 0.35):
        model = HegselmannKrause(epsilon, strict=strict)
        slow = model.step(x, world_of(graph, x))
        np.testing.assert_allclose(model.step(x, world_of(Graph(n, complete=True), x)), slow, rtol=0, atol=1e-15)


def test_with_edges_a_step_and_the_update_agree_to_the_last_bit():
    rng = np.random.default_rng(0)
    graph, x = random_graph(300, 0.1, rng), rng.uniform(-1, 1, 300)
    model, world = HegselmannKrause(0.3), world_of(graph, x)
    assert np.array_equal(model.step(x, world), model.update(x, model.heard(x, world), world))


def test_running_sums_lose_nothing_among_many_agents():
    x = np.sort(np.random.default_rng(1).uniform(-1, 1, 200_000))
    after = HegselmannKrause(1e-5).step(x, world_of(Graph(len(x), complete=True), x))
    for i in (0, 77, 99_999, 150_000, 199_999):
        near = [Fraction(other) for j, other in enumerate(x[max(i - 50, 0) : i + 50], max(i - 50, 0)) if j != i]
        near = [other for other in near if abs(float(other) - x[i]) <= 1e-5 + 1e-12]
        assert after[i] == pytest.approx(float(sum(near) / len(near)) if near else x[i], abs=2e-16)


def test_the_bound_is_met_in_spite_of_rounding():
    x = np.array([0.1, 0.4])
    assert abs(x[0] - x[1]) > 0.3
    for graph in (Graph(2, np.array([[0, 1]])), Graph(2, complete=True)):
        assert HegselmannKrause(0.3).step(x, world_of(graph, x)).tolist() == [0.4, 0.1]
        assert HegselmannKrause(0.3, strict=True).step(x, world_of(graph, x)).tolist() == [0.1, 0.4]


def test_of_a_chain_the_middle_hears_both_and_the_ends_only_the_middle():
    x = np.array([0.0, 0.3, 0.6])
    graph = Graph(3, complete=True)
    heard = HegselmannKrause(0.3).heard(x, world_of(graph, x))
    assert heard.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert HegselmannKrause(0.3).step(x, world_of(graph, x)) == pytest.approx([0.3, 0.3, 0.3])
    classic = HegselmannKrause(0.3, self_loop=True).step(x, world_of(graph, x))
    assert classic == pytest.approx([0.15, 0.3, 0.45])


def test_a_bound_of_nothing_hears_equal_opinions_only():
    x = np.array([0.2, 0.2, 0.2000001])
    heard = HegselmannKrause(0.0).heard(x, world_of(Graph(3, complete=True), x))
    assert heard.toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert HegselmannKrause(0.0, strict=True).heard(x, world_of(Graph(3, complete=True), x)).nnz == 0


def test_nobody_within_the_bound_keeps_every_opinion():
    x = np.array([-0.9, 0.0, 0.9])
    for graph in (Graph(3, complete=True), Graph(3, np.array([[0, 1], [1, 2], [0, 2]]))):
        world = world_of(graph, x)
        assert HegselmannKrause(0.3).heard(x, world).nnz == 0
        assert np.array_equal(HegselmannKrause(0.3).step(x, world), x)


@settings(max_examples=100, deadline=None)
@given(x=st.lists(opinions, min_size=2, max_size=30).map(sorted).map(np.array), epsilon=st.floats(0.01, 2))
def test_where_everybody_is_heard_the_order_of_opinions_is_kept(x, epsilon):
    model = HegselmannKrause(epsilon, self_loop=True)
    for state in trajectory(model, Graph(len(x), complete=True), x, 5, np.random.default_rng(0)):
        assert np.all(np.diff(state) >= -2e-16)


def clusters(x, epsilon):
    """Groups of opinions with gaps of more than epsilon between them."""
    return 1 + int(np.sum(np.diff(np.sort(x)) > epsilon + 1e-9))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("epsilon", [0.1, 0.2, 0.4])
def test_groups_only_ever_split_and_end_further_apart_than_the_bound(seed, epsilon):
    x = np.random.default_rng(seed).uniform(-1, 1, 60)
    model = HegselmannKrause(epsilon, self_loop=True)
    states = trajectory(model, Graph(60, complete=True), x, 60, np.random.default_rng(0))
    counts = [clusters(state, epsilon) for state in states]
    assert counts == sorted(counts)  # a gap wider than the bound never closes
    final = np.unique(states[-1].round(9))
    assert np.array_equal(states[-1], states[-2]) or np.ptp(states[-1] - states[-2]) < 1e-12
    assert len(final) == counts[-1]
    assert np.all(np.diff(final) > epsilon)
    distinct = [len(np.unique(state.round(9))) for state in states]
    assert distinct == sorted(distinct, reverse=True)  # those who agree go on agreeing


@pytest.mark.parametrize(
    ("agents", "epsilon", "count"),
    [(4, 1.0, 1), (2, 0.3, 2), (5, 0.4, 5), (6, 0.4, 2)],
)
def test_clusters_of_evenly_spaced_opinions(agents, epsilon, count):
    # Followed by hand: four in a chain with links of 2/3 close up; those too far apart stay; of six in a chain with
    # links of 0.4 the middle ones are drawn outwards, and their link breaks in the sixth step.
    x = np.linspace(-1, 1, agents)
    model = HegselmannKrause(epsilon, self_loop=True)
    final = trajectory(model, Graph(agents, complete=True), x, 50, np.random.default_rng(0))[-1]
    assert len(np.unique(final.round(9))) == count


def test_refuses_bounds_that_are_none():
    for epsilon in (-0.1, float("inf"), float("nan")):
        with pytest.raises(ConfigError, match=r"reference\.epsilon must be a finite number >= 0, got"):
            HegselmannKrause(epsilon)


def test_labels():
    assert HegselmannKrause(0.3).labels == {"reference": "hegselmann_krause", "epsilon": "0.3"}
    assert HegselmannKrause(1, strict=True, self_loop=True).labels == {
        "reference": "hegselmann_krause",
        "epsilon": "1",
        "strict": "true",
        "self_loop": "true",
    }
