"""Speed of Hegselmann-Krause: beside NDlib's on an Erdos-Renyi graph, and with many agents on the complete graph.

    python tests/benchmarks/bench_dynamics.py [--n 2000] [--p 0.01] [--rounds 5] [--many 1000000]

NDlib is compared where it can be imported; it is best kept apart from everything else:

    pip install --no-deps --target /tmp/ndlib ndlib netdispatch igraph texttable dynetx future bokeh
    PYTHONPATH=/tmp/ndlib python tests/benchmarks/bench_dynamics.py

What NDlib (6.0.1) calls an iteration computes the new opinion of as many agents as there are, each drawn at random, so
it is compared with one sweep of all agents here; of what it computes it keeps only the last one, which is held against
what is computed here. Both begin with the same graph and opinions, on NDlib's scale from 0 to 1. Contenders take turns;
the best round of each counts. The time of a sweep that meets its graph for the first time is printed too.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from metricsengine_dynamics.models.hegselmann_krause import HegselmannKrause
from metricsengine_dynamics.models.reference import World
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.networks.random_graphs import ErdosRenyi

EPSILON = 0.3


def main() -> None:
    options = arguments()
    rng = np.random.default_rng(0)
    sweeps(options, rng)
    many(options, rng)


def sweeps(options: argparse.Namespace, rng: np.random.Generator) -> None:
    graph = ErdosRenyi(options.p).draw(options.n, rng)
    assert Graph(2, graph.pairs[:0]).adjacency.nnz == 0  # so that no import is in the time
    x = rng.uniform(0, 1, options.n)
    model, world = HegselmannKrause(EPSILON, strict=True), World(graph, x, rng)
    print(f"Erdos-Renyi, {options.n} agents, p = {options.p:g}, {len(graph.edges)} edges, one sweep of all agents:")
    print(f"{'metricsengine, first sweep':34}{seconds(lambda: model.step(x, world)) * 1e3:12.3f} ms")
    contenders: dict[str, Callable[[], Any]] = {"metricsengine": lambda: model.step(x, world)}
    theirs = ndlib_model(graph)
    if theirs is not None:
        contenders["NDlib"] = lambda: reset(theirs, x).iteration()
    best = dict.fromkeys(contenders, np.inf)
    for _ in range(options.rounds):
        best = {name: min(best[name], seconds(sweep)) for name, sweep in contenders.items()}
    for name, took in best.items():
        print(f"{name:34}{took * 1e3:12.3f} ms{took / best['metricsengine']:10.0f} times")
    if theirs is None:
        print("NDlib is not there; the head of this script says how to get it.")
    else:
        compare(reset(theirs, x), x, model.step(x, world))


def ndlib_model(graph: Graph) -> Any:
    """NDlib's model of the same graph; None where NDlib is missing."""
    try:
        from ndlib.models.ModelConfig import Configuration
        from ndlib.models.opinions import HKModel
    except ImportError:
        return None
    import networkx as nx

    known = nx.empty_graph(graph.n)
    known.add_edges_from(graph.edges.tolist())
    model, conf = HKModel(known), Configuration()
    conf.add_model_parameter("epsilon", EPSILON)
    model.set_initial_status(conf)
    return model


def reset(theirs: Any, x: np.ndarray) -> Any:
    """The model with the given opinions, past its iteration 0, which computes nothing."""
    theirs.status = dict(enumerate(x.tolist()))
    theirs.actual_iteration = 1
    return theirs


def compare(theirs: Any, x: np.ndarray, after: np.ndarray) -> None:
    theirs.iteration()
    changed = [agent for agent, opinion in theirs.status.items() if opinion != x[agent]]
    worst = max((abs(theirs.status[agent] - after[agent]) for agent in changed), default=0.0)
    print(f"NDlib kept {len(changed)} new opinion(s), at most {worst:.1e} from those of metricsengine")


def many(options: argparse.Namespace, rng: np.random.Generator) -> None:
    x = rng.uniform(-1, 1, options.many)
    world = World(Graph(options.many, complete=True), x, rng)
    model = HegselmannKrause(EPSILON)
    took = min(seconds(lambda: model.step(x, world)) for _ in range(options.rounds))
    print(f"complete graph, {options.many} agents: {took:.3f} s a step")


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, default=2000, help="agents of the Erdos-Renyi graph")
    parser.add_argument("--p", type=float, default=0.01, help="its probability of an edge")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--many", type=int, default=1_000_000, help="agents of the complete graph")
    return parser.parse_args()


if __name__ == "__main__":
    main()
