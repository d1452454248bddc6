"""Graphs as matrices."""

import numpy as np
import pytest

from metricsengine_dynamics.networks.graph import Graph

PAIRS = np.array([[1, 0], [2, 2], [0, 1], [1, 2]])
WEIGHTS = np.array([0.5, 3.0, 9.0, 2.0])


def test_adjacency_is_symmetric_counts_an_edge_once_and_has_self_edges_on_the_diagonal():
    graph = Graph(4, PAIRS, weights=WEIGHTS)
    assert graph.adjacency.toarray().tolist() == [[0, 0.5, 0, 0], [0.5, 0, 2, 0], [0, 2, 3, 0], [0, 0, 0, 0]]
    assert graph.neighbours.toarray().tolist() == [[0, 0.5, 0, 0], [0.5, 0, 2, 0], [0, 2, 0, 0], [0, 0, 0, 0]]
    assert graph.with_selves.diagonal().tolist() == [1, 1, 3, 1]
    assert graph.own.tolist() == [0, 0, 3, 0]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]


def test_nothing_is_stored_for_what_is_not_there():
    assert Graph(4, PAIRS).adjacency.nnz == 5
    assert Graph(3).adjacency.nnz == 0
    assert Graph(3).edges.shape == (0, 2)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_the_complete_graph_has_every_edge(n):
    graph = Graph(n, complete=True)
    assert graph.adjacency.toarray().tolist() == (np.ones((n, n)) - np.eye(n)).tolist()
    assert graph.with_selves.toarray().tolist() == np.ones((n, n)).tolist()
    assert len(graph.edges) == n * (n - 1) // 2
    assert not graph.own.any()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"n": 0}, "at least one agent"),
        ({"n": 2, "pairs": PAIRS}, "agents from 0 to 1"),
        ({"n": 3, "pairs": -PAIRS}, "agents from 0 to 2"),
        ({"n": 3, "pairs": PAIRS.astype(float)}, "whole numbers"),
        ({"n": 3, "pairs": PAIRS.ravel()}, r"shape \(edges, 2\)"),
        ({"n": 3, "pairs": PAIRS, "weights": WEIGHTS[:2]}, "one number > 0 for each edge"),
        ({"n": 3, "pairs": PAIRS, "weights": -WEIGHTS}, "one number > 0 for each edge"),
        ({"n": 2, "opinions": np.array([0.0, np.nan])}, r"in \[-1, 1\]"),
        ({"n": 2, "opinions": np.array([0.0])}, "for each agent"),
    ],
)
def test_refuses_what_is_no_graph(parts, message):
    with pytest.raises(ValueError, match=message):
        Graph(**parts)
