"""Worlds in which reference models take a step, and strategies of hypothesis for them."""

import numpy as np
from hypothesis import strategies as st

from metricsengine_dynamics.models.reference import State, World
from metricsengine_dynamics.networks.graph import Graph

GRID = [k / 20 for k in range(-20, 21)]
opinions = st.one_of(st.sampled_from(GRID), st.floats(-1, 1, allow_subnormal=False))


def world_of(graph: Graph, x: State, seed: int = 0) -> World:
    return World(graph, np.array(x), np.random.Generator(np.random.PCG64(seed)))


def random_graph(n: int, p: float, rng: np.random.Generator, *, weighted: bool = False, loops: bool = False) -> Graph:
    low, high = np.triu_indices(n, 0 if loops else 1)
    kept = rng.random(len(low)) < p
    pairs = np.column_stack([low, high])[kept]
    turned = rng.random(len(pairs)) < 0.5
    pairs[turned] = pairs[turned][:, ::-1]
    return Graph(n, pairs, weights=rng.uniform(0.1, 3, len(pairs)) if weighted else None)


@st.composite
def populations(draw: st.DrawFn) -> tuple[Graph, State]:
    """A graph of up to 9 agents, self-edges and repeated edges among them, and their opinions, many of them equal."""
    n = draw(st.integers(1, 9))
    agent = st.integers(0, n - 1)
    pairs = draw(st.lists(st.tuples(agent, agent), max_size=20))
    x = draw(st.lists(opinions, min_size=n, max_size=n))
    return Graph(n, np.array(pairs, dtype=np.intp).reshape(-1, 2)), np.array(x)


def renumbered(graph: Graph, order: np.ndarray) -> Graph:
    """The graph in which agent ``order[i]`` is called i."""
    return Graph(graph.n, np.argsort(order)[graph.pairs], weights=graph.weights, complete=graph.complete)
