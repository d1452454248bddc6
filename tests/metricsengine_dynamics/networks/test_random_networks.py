"""Networks drawn by chance: what is known of their edges, and what is refused."""

import numpy as np
import pytest

from metricsengine.errors import ConfigError
from metricsengine_dynamics.networks.blocks import StochasticBlock
from metricsengine_dynamics.networks.network import Network
from metricsengine_dynamics.networks.random_graphs import BarabasiAlbert, Complete, ErdosRenyi, WattsStrogatz
from metricsengine_dynamics.networks.specs import NETWORKS

DRAWN = (ErdosRenyi(0.3), BarabasiAlbert(2), WattsStrogatz(4, 0.2), StochasticBlock(0.8, 0.1), Complete())


def rng(seed=0):
    return np.random.Generator(np.random.PCG64(seed))


@pytest.mark.parametrize("network", DRAWN, ids=repr)
def test_equal_chance_draws_equal_graphs(network):
    first, again, other = (network.draw(30, rng(seed)).adjacency.toarray() for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert np.array_equal(first, other) == isinstance(network, Complete)


@pytest.mark.parametrize("network", DRAWN, ids=repr)
def test_graphs_are_simple_and_do_not_touch_global_chance(network):
    state = np.random.get_state()[1].tolist()
    graph = network.draw(30, rng())
    assert graph.n == 30
    assert not graph.own.any()
    assert network.size is None
    assert np.random.get_state()[1].tolist() == state


@pytest.mark.parametrize("p", [0.05, 0.3, 0.9])
def test_erdos_renyi_has_the_share_of_edges_that_its_probability_says(p):
    chance = rng(3)
    edges = [len(ErdosRenyi(p).draw(40, chance).edges) for _ in range(50)]
    expected, deviation = 780 * p, np.sqrt(780 * p * (1 - p) / 50)
    assert abs(np.mean(edges) - expected) < 4 * deviation


def test_erdos_renyi_at_its_ends():
    assert ErdosRenyi(1.0).draw(20, rng()).complete
    assert len(ErdosRenyi(0.0).draw(20, rng()).edges) == 0
    assert ErdosRenyi(0.5).draw(1, rng()).edges.shape == (0, 2)


def test_barabasi_albert_has_m_edges_for_each_further_agent():
    graph = BarabasiAlbert(3).draw(200, rng())
    assert len(graph.edges) == 3 * (200 - 3)
    degrees = graph.neighbours.toarray().sum(axis=1)
    assert degrees.max() > 4 * np.median(degrees)


def test_watts_strogatz_is_a_ring_until_it_is_rewired():
    ring = WattsStrogatz(4, 0.0).draw(12, rng())
    expected = {tuple(sorted((i, (i + step) % 12))) for i in range(12) for step in (1, 2)}
    assert set(map(tuple, ring.edges.tolist())) == expected
    rewired = set(map(tuple, WattsStrogatz(4, 0.5).draw(12, rng()).edges.tolist()))
    assert len(rewired) == 24
    assert rewired != expected


def test_blocks_have_their_own_shares_of_edges():
    graph = StochasticBlock(1.0, 0.0, blocks=3).draw(11, rng())
    assert graph.attributes["block"] == list("00001111222")
    blocks = np.array(graph.attributes["block"])
    same = blocks[:, None] == blocks
    assert np.array_equal(graph.adjacency.toarray(), same & ~np.eye(11, dtype=bool))
    across = StochasticBlock(0.0, 1.0, sizes=[2, 5]).draw(7, rng())
    assert len(across.edges) == 10


def test_sizes_of_blocks_fix_the_number_of_agents():
    network = StochasticBlock(0.5, 0.1, sizes=[2, 5])
    assert network.size == 7
    with pytest.raises(ConfigError, match=r"study\.n_agents must be 0 or 7, to which network\.sizes add up, got 20"):
        network.draw(20, rng())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ErdosRenyi(1.2), r"network\.p must be in \[0, 1\], got 1\.2"),
        (lambda: ErdosRenyi(float("nan")), r"network\.p must be in"),
        (lambda: BarabasiAlbert(0), r"network\.m must be at least 1, got 0"),
        (lambda: BarabasiAlbert(5).draw(5, rng()), r"network\.m must be below the number of agents, 5, got 5"),
        (lambda: WattsStrogatz(3, 0.1), r"network\.k must be even"),
        (lambda: WattsStrogatz(0, 0.1), r"network\.k must be even and at least 2"),
        (lambda: WattsStrogatz(4, -0.1), r"network\.p must be in"),
        (lambda: WattsStrogatz(4, 0.1).draw(4, rng()), r"network\.k must be below the number of agents, 4"),
        (lambda: StochasticBlock(2, 0.1), r"network\.p_in must be in"),
        (lambda: StochasticBlock(0.2, -0.1), r"network\.p_out must be in"),
        (lambda: StochasticBlock(0.2, 0.1, blocks=0), r"network\.blocks must be at least 1"),
        (lambda: StochasticBlock(0.2, 0.1, blocks=5).draw(4, rng()), r"network\.blocks must be at most .* 4, got 5"),
        (lambda: StochasticBlock(0.2, 0.1, sizes=[3, 0]), r"network\.sizes must be a list of whole numbers"),
        (lambda: StochasticBlock(0.2, 0.1, sizes=[3, 1.5]), r"network\.sizes must be a list of whole numbers"),
        (lambda: StochasticBlock(0.2, 0.1, sizes="3,4"), r"network\.sizes must be a list of whole numbers, got '3,4'"),
    ],
)
def test_refuses_what_cannot_be_drawn(make, message):
    with pytest.raises(ConfigError, match=message):
        make()


def test_labels():
    assert [dict(network.labels) for network in (*DRAWN, StochasticBlock(0.8, 0.1, sizes=[2, 5]))] == [
        {"network": "erdos_renyi", "edge_probability": "0.3"},
        {"network": "barabasi_albert", "attachments": "2"},
        {"network": "watts_strogatz", "degree": "4", "rewiring": "0.2"},
        {
            "network": "stochastic_block",
            "blocks": "2",
            "probability_within": "0.8",
            "probability_between": "0.1",
        },
        {"network": "complete"},
        {
            "network": "stochastic_block",
            "blocks": "2",
            "sizes": "2+5",
            "probability_within": "0.8",
            "probability_between": "0.1",
        },
    ]


@pytest.mark.parametrize("spec", [spec for spec in NETWORKS if spec.name != "file"], ids=lambda spec: spec.name)
def test_options_build_the_network(spec):
    network = spec.build(spec.config())
    assert isinstance(network, Network)
    assert network.labels["network"] == spec.name
    assert network.draw(20, rng()).n == 20
