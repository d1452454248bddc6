"""Deffuant-Weisbuch: who meets, and what becomes of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from populations import populations, random_graph, world_of

from metricsengine.errors import ConfigError
from metricsengine_dynamics.models.deffuant_weisbuch import DeffuantWeisbuch, disjoint_pairs
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.simulation import trajectory


def one_by_one(edges):
    """The edges that are left when each is taken unless an agent of it is busy."""
    busy, taken = set(), []
    for one, other in edges.tolist():
        if not {one, other} & busy:
            busy |= {one, other}
            taken.append([one, other])
    return taken


@settings(max_examples=100, deadline=None)
@given(population=populations(), seed=st.integers(0, 99))
def test_pairs_are_those_of_a_random_order_of_the_edges(population, seed):
    graph, _ = population
    edges = np.random.default_rng(seed).permutation(graph.edges)
    pairs = disjoint_pairs(graph, 0, np.random.default_rng(seed))
    assert pairs.tolist() == one_by_one(edges)
    assert disjoint_pairs(graph, 2, np.random.default_rng(seed)).tolist() == pairs[:2].tolist()


def test_on_the_complete_graph_all_meet_and_every_pair_is_as_likely():
    rng = np.random.default_rng(0)
    met = np.zeros((5, 5))
    for _ in range(3000):
        pairs = disjoint_pairs(Graph(5, complete=True), 0, rng)
        assert len(pairs) == 2
        assert len(set(pairs.ravel().tolist())) == 4
        met[pairs[:, 0], pairs[:, 1]] += 1
    counts = (met + met.T)[np.triu_indices(5, 1)]
    assert np.all(abs(counts / 3000 - 0.2) < 5 * np.sqrt(0.2 * 0.8 / 3000))


def test_the_classic_model_draws_each_edge_as_often():
    rng = np.random.default_rng(1)
    graph = Graph(4, np.array([[0, 1], [0, 2], [0, 3]]), weights=np.array([1.0, 50.0, 1.0]))
    drawn = [disjoint_pairs(graph, 1, rng)[0].max() for _ in range(3000)]
    assert np.all(abs(np.bincount(drawn)[1:] / 3000 - 1 / 3) < 5 * np.sqrt(2 / 9 / 3000))


@settings(max_examples=100, deadline=None)
@given(population=populations(), mu=st.sampled_from([0.1, 0.3, 0.5]))
def test_pairs_keep_the_mean_and_only_those_within_the_bound_move(population, mu):
    graph, x = population
    model = DeffuantWeisbuch(0.5, mu=mu)
    heard = model.heard(x, world_of(graph, x)).toarray()
    after = model.step(x, world_of(graph, x))
    assert after.sum() == pytest.approx(x.sum(), abs=1e-14)
    assert np.array_equal(heard, heard.T)
    assert heard.sum(axis=1).max(initial=0) <= 1
    for i, row in enumerate(heard):
        if row.any():
            other = x[row.argmax()]
            assert abs(x[i] - other) <= 0.5 + 1e-12
            assert after[i] == pytest.approx(x[i] + mu * (other - x[i]), abs=1e-15)
        else:
            assert after[i] == x[i]


def test_at_a_half_partners_agree_and_beyond_the_bound_they_do_not_listen():
    graph = Graph(2, np.array([[1, 0]]))
    for x, after in (([0.1, 0.4], [0.25, 0.25]), ([0.1, 0.5], [0.1, 0.5])):
        assert DeffuantWeisbuch(0.3).step(np.array(x), world_of(graph, x)) == pytest.approx(after)


def test_equal_chance_draws_equal_pairs_for_what_is_heard_and_for_a_step():
    rng = np.random.default_rng(2)
    graph, x = random_graph(30, 0.2, rng), rng.uniform(-1, 1, 30)
    model = DeffuantWeisbuch(0.4, mu=0.25, pairs=3)
    world = world_of(graph, x, seed=9)
    heard = model.heard(x, world)
    assert heard.nnz <= 6
    assert np.array_equal(model.update(x, heard, world), model.step(x, world_of(graph, x, seed=9)))
    others = [model.heard(x, world_of(graph, x, seed=seed)).toarray() for seed in range(5)]
    assert any(not np.array_equal(heard.toarray(), other) for other in others)


def test_a_wide_bound_ends_in_consensus_on_the_mean():
    x = np.random.default_rng(3).uniform(-1, 1, 21)
    final = trajectory(DeffuantWeisbuch(2.0), Graph(21, complete=True), x, 200, np.random.default_rng(4))[-1]
    np.testing.assert_allclose(final, x.mean(), atol=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": -1}, r"reference\.epsilon must be a finite number >= 0, got -1"),
        ({"epsilon": 0.3, "mu": 0}, r"reference\.mu must be above 0 and at most 0.5, got 0"),
        ({"epsilon": 0.3, "mu": 0.6}, r"reference\.mu must be"),
        ({"epsilon": 0.3, "pairs": -1}, r"reference\.pairs must be at least 1, or 0"),
    ],
)
def test_refuses_parameters_out_of_range(options, message):
    with pytest.raises(ConfigError, match=message):
        DeffuantWeisbuch(**options)


def test_labels():
    assert DeffuantWeisbuch(0.3).labels == {"reference": "deffuant_weisbuch", "epsilon": "0.3", "mu": "0.5"}
    assert DeffuantWeisbuch(0.3, pairs=1).labels["pairs"] == "1"
