"""Options of the networks. Their ranges are checked where the networks are built."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class CompleteConf:
    """The complete graph has no options."""


@dataclass
class ErdosRenyiConf:
    """Options of the Erdos-Renyi graph.

    Attributes:
        p: Probability that two agents know each other, in [0, 1]; 1 is the complete graph.
    """

    p: float = 0.3


@dataclass
class BarabasiAlbertConf:
    """Options of the Barabasi-Albert graph.

    Attributes:
        m: How many of those before it each further agent gets to know, >= 1 and below the number of agents.
    """

    m: int = 3


@dataclass
class WattsStrogatzConf:
    """Options of the Watts-Strogatz graph.

    Attributes:
        k: How many each agent knows on the ring, half of them on either side: even, below the number of agents.
        p: Probability that an edge is rewired, in [0, 1].
    """

    k: int = 4
    p: float = 0.1


@dataclass
class StochasticBlockConf:
    """Options of the stochastic block model.

    Attributes:
        blocks: Number of blocks, as equal in size as the number of agents allows.
        sizes: The size of each block, which fixes the number of agents; empty for ``blocks`` of equal size.
        p_in: Probability that two agents of one block know each other, in [0, 1].
        p_out: Probability that two agents of different blocks know each other, in [0, 1].
    """

    blocks: int = 2
    sizes: Any = field(default_factory=list)
    p_in: float = 0.5
    p_out: float = 0.05


@dataclass
class FileConf:
    """Options of a network from a file.

    Attributes:
        path: GraphML (``.graphml``, ``.xml``), or a table of edges (``.csv``, ``.tsv``) with columns ``source`` and
            ``target`` and, where edges have weights, ``weight``.
        nodes: Beside a table of edges, a table of all agents with a column ``name`` and further columns, which are
            their attributes; empty for those whom the edges name.
        opinion: Column or attribute with the agents' initial opinions, in [-1, 1].
        undirected: Whether a directed graph is taken for an undirected one, in which two agents know each other where
            at least one names the other; if not, it is refused.
    """

    path: str = ""
    nodes: str = ""
    opinion: str = "opinion"
    undirected: bool = False
