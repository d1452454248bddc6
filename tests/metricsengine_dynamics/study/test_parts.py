"""Reference models and networks that break their contract: one line that names them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from simulated import Drawn, Known, Simulate, edges, inputs

from metricsengine.errors import ConfigError, PluginError
from metricsengine_dynamics.models.hegselmann_krause import HegselmannKrause
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.study.config import OpinionConf
from metricsengine_dynamics.study.parts import CheckedNetwork, CheckedReference
from metricsengine_dynamics.study.study import OpinionStudy

ODD = "^reference=hegselmann_krause: "


def reference(**methods: Callable[..., Any]) -> HegselmannKrause:
    """A reference model with some methods of its own."""
    kind: type[HegselmannKrause] = type("Own", (HegselmannKrause,), methods)
    return kind(0.3)


def network(**methods: Any) -> Drawn:
    kind: type[Drawn] = type("Own", (Drawn,), methods)
    return kind()


def in_place(self: object, state: np.ndarray, *given: object) -> np.ndarray:
    state *= 0.5
    return state


def start_in_place(self: object, state: np.ndarray, heard: csr_array, world: Any) -> np.ndarray:
    world.start[0] = 1
    return state


def sized(matrix: csr_array) -> Callable[..., csr_array]:
    return lambda self, state, world: matrix


def heard_by_first(*agents: int, weight: float = 1.0) -> csr_array:
    """The first of six hears these; numbers of agents are taken as they are."""
    matrix = csr_array((np.full(len(agents), weight), (np.zeros(len(agents), int), np.arange(len(agents)))), (6, 6))
    matrix.indices[:] = agents
    return matrix


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ({"update": lambda self, x, heard, world: 3 * x + 3}, r"update gives opinions outside \[-1, 1\]: "),
        (
            {"update": lambda self, x, heard, world: np.append(x[1:], np.nan)},
            "update gives 1 of 6 opinions",
        ),
        ({"update": lambda self, x, heard, world: x[1:]}, r"update gives shape \(5,\), not one opinion for each of 6"),
        ({"update": lambda self, x, heard, world: list(x)}, "update gives list, not an array of numbers"),
        ({"update": lambda self, x, heard, world: x.astype(str)}, "update gives <U32, not an array of numbers"),
        ({"update": lambda self, x, heard, world: 1 / 0}, "update fails: ZeroDivisionError: division by zero"),
        ({"update": in_place}, "update fails: ValueError: .*read-only"),
        ({"heard": in_place}, "heard fails: ValueError: .*read-only"),
        ({"update": start_in_place}, "update fails: ValueError: .*read-only"),
        ({"heard": sized(np.eye(6))}, "heard gives a ndarray, not a csr_array"),
        ({"heard": sized(csr_array((5, 6)))}, r"heard gives shape \(5, 6\), not \(6, 6\)"),
        ({"heard": sized(heard_by_first(6))}, "heard gives agents out of range: 6 to 6, not from 0 to 5"),
        ({"heard": sized(heard_by_first(1, -1))}, "heard gives agents out of range: -1 to 1"),
        ({"heard": sized(heard_by_first(1, weight=0))}, "heard gives weights that are not all numbers > 0"),
        ({"heard": sized(heard_by_first(1, weight=np.nan))}, "heard gives weights that are not all numbers > 0"),
        ({"initial": lambda self, graph, rng: graph.nodes}, "initial fails: AttributeError: 'Graph' object has no"),
        ({"labels": property(lambda self: {"epsilon": 0.3})}, "labels gives 'epsilon': 0.3, not a text under a text"),
        ({"labels": property(lambda self: None)}, "labels fails: TypeError"),
    ],
)
def test_a_reference_that_breaks_its_contract(simulate: Simulate, methods: Mapping[str, Any], message: str) -> None:
    with pytest.raises(PluginError, match=ODD + message):
        simulate(reference=reference(**methods), agents=["rounded"])


def test_one_that_breaks_it_only_later_ends_the_run(simulate: Simulate) -> None:
    def update(self: object, x: np.ndarray, heard: csr_array, world: Any) -> np.ndarray:
        return x + 0.9 if x.max() < 0.5 else x + 0.2

    with pytest.raises(PluginError, match=ODD + "update gives opinions outside"):
        simulate(reference=reference(update=update), agents=["zero"], opinions=[-1.0] * 6, steps=5)


def test_rounding_is_no_breach(simulate: Simulate) -> None:
    ran = simulate(reference=reference(update=lambda self, x, heard, world: np.full(len(x), 1 + 1e-10)))
    assert set(ran.table["reference"]) == {1.0}


def test_an_array_that_is_used_again_changes_no_step_before(simulate: Simulate) -> None:
    kept = np.zeros(6)

    def update(self: object, x: np.ndarray, heard: csr_array, world: Any) -> np.ndarray:
        kept[:] = x / 2
        return kept

    table = simulate(reference=reference(update=update), agents=["zero"], opinions=[1.0] * 6, runs=1).table
    assert table.groupby("step")["reference"].first().tolist() == [0.5, 0.25, 0.125]


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ({"draw": lambda self, n, rng: [(0, 1)]}, "draw gives a list, not a Graph"),
        ({"draw": lambda self, n, rng: Graph(n, np.array([[0, n]]))}, "draw fails: ValueError: an edge is a pair of"),
        (
            {"draw": lambda self, n, rng: Graph(n, np.array([[0, 1]]), np.array([np.inf]))},
            "draw gives weights",
        ),
        ({"size": property(lambda self: "six")}, "size gives 'six', not a number of agents"),
        ({"labels": property(lambda self: {1: "a"})}, "labels gives 1: 'a', not a text"),
        ({"sources": property(lambda self: {"network.path": "a.csv"})}, "sources gives .*, not a path"),
    ],
)
def test_a_network_that_breaks_its_contract(methods: Mapping[str, Any], message: str) -> None:
    study = OpinionStudy(OpinionConf(n_agents=6, agents=["zero"]), inputs(network(**methods)))
    with pytest.raises(PluginError, match=f"^network=some: {message}"):
        _ = study.check(), study.sources


def test_a_clear_line_stays_as_it_is() -> None:
    def draw(self: object, n: int, rng: np.random.Generator) -> Graph:
        raise ConfigError(f"network.m must be below {n}")

    with pytest.raises(ConfigError, match=r"^network\.m must be below 6$"):
        CheckedNetwork("own", network(draw=draw)).draw(6, np.random.default_rng(0))


def test_what_is_no_part_at_all() -> None:
    with pytest.raises(PluginError, match=r"^reference=odd builds a NoneType, not a Reference$"):
        CheckedReference("odd", None)
    with pytest.raises(PluginError, match=r"^network=odd builds a Graph, not a Network$"):
        CheckedNetwork("odd", edges(3).graph)


def test_the_study_s_own_labels_go_before_those_of_parts() -> None:
    claimed = {"n_agents": "7", "mode": "strange", "own": "yes"}
    given = inputs(Known(edges(6).graph), reference(labels=property(lambda self: claimed)))
    labels = OpinionStudy(OpinionConf(n_agents=6, agents=["zero"]), given).labels
    assert labels == {"n_agents": "6", "mode": "forced", "own": "yes", "network": "known"}
