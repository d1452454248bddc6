"""Agents and edges as a file gives them, by name, and the graph that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from metricsengine.errors import ConfigError
from metricsengine_dynamics.networks.graph import Graph

OPINION = "opinion"
"""Attribute of initial opinions that need not be there."""


@dataclass(frozen=True)
class Edge:
    """An edge of a file.

    Attributes:
        ends: Names of the two agents.
        weight: Its weight as the file gives it; None for none.
        where: File and place, for messages.
    """

    ends: tuple[str, str]
    weight: str | None
    where: str


@dataclass(frozen=True)
class Agents:
    """The agents of a file.

    Attributes:
        names: What they are called, each differently.
        attributes: Their attributes by name, each of as many texts; empty where an agent has none.
        where: Which file.
    """

    names: Sequence[str]
    attributes: Mapping[str, Sequence[str]]
    where: str


def graph_of(agents: Agents, edges: Sequence[Edge], opinion: str = OPINION) -> Graph:
    """The graph of named agents, numbered in their order.

    Args:
        agents: All agents.
        edges: Who knows whom; an edge may be given twice, by either direction, with the same weight.
        opinion: Attribute with the initial opinions.

    Raises:
        ConfigError: An edge names nobody, or has no weight > 0 while others have one; edges contradict each other;
            opinions are missing or out of range. Names file and place.
    """
    if not agents.names:
        raise ConfigError(f"{agents.where}: holds no agents")
    number = {name: i for i, name in enumerate(agents.names)}
    weights: dict[tuple[int, int], float] = {}
    weighted = any(edge.weight is not None for edge in edges)
    for edge in edges:
        one, other = sorted(_number(number, end, edge, agents) for end in edge.ends)
        weight = _weight(edge) if weighted else 1.0
        if weights.setdefault((one, other), weight) != weight:
            raise ConfigError(
                f"{edge.where}: the edge was given before with weight {weights[one, other]:g}, here with {weight:g}; "
                "keep one of them, as edges have no direction"
            )
    return Graph(
        n=len(agents.names),
        pairs=np.array(list(weights), dtype=np.intp).reshape(-1, 2),
        weights=np.array(list(weights.values())) if weighted else None,
        names=tuple(agents.names),
        attributes={name: tuple(values) for name, values in agents.attributes.items() if name != opinion},
        opinions=_opinions(agents, opinion),
    )


def _number(number: Mapping[str, int], name: str, edge: Edge, agents: Agents) -> int:
    if name not in number:
        raise ConfigError(f"{edge.where}: {name!r} is no agent of {agents.where}; add it there")
    return number[name]


def _weight(edge: Edge) -> float:
    weight = _float(edge.weight or "")
    if not 0 < weight < inf:
        raise ConfigError(f"{edge.where}: weight must be a number > 0, got {edge.weight or 'none'}")
    return weight


def _opinions(agents: Agents, attribute: str) -> NDArray[np.float64] | None:
    if attribute not in agents.attributes:
        if attribute == OPINION:
            return None
        known = ", ".join(agents.attributes) or "none"
        raise ConfigError(f"network.opinion={attribute}: the agents of {agents.where} have no such one, but {known}")
    values = agents.attributes[attribute]
    if attribute == OPINION and not any(values):
        return None
    return np.array(list(map(_opinion, agents.names, values, repeat(f"{agents.where}: {attribute}"))))


def _opinion(name: str, text: str, what: str) -> float:
    opinion = _float(text)
    if not -1 <= opinion <= 1:
        raise ConfigError(f"{what} of {name!r} must be a number in [-1, 1], got {text or 'none'}")
    return opinion


def _float(text: str) -> float:
    try:
        return nan if "_" in text else float(text)  # Python itself would read 1_0 as 10
    except ValueError:
        return nan
