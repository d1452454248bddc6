"""Networks from files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metricsengine.errors import ConfigError, require
from metricsengine_dynamics.networks import graphml, tables
from metricsengine_dynamics.networks.agents import Agents, Edge, graph_of
from metricsengine_dynamics.networks.config import FileConf
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.networks.network import Network


@dataclass(frozen=True)
class FileNetwork(Network):
    """A network that is the same in every run.

    Attributes:
        graph: The network.
        files: Files that it comes from, by key; the first holds the edges.
    """

    graph: Graph
    files: Mapping[str, Path]

    @property
    def labels(self) -> Mapping[str, str]:
        """``network``: the name of the file with the edges, without its suffix."""
        return {"network": next(iter(self.files.values())).stem}

    @property
    def size(self) -> int:
        """Number of agents in the file."""
        return self.graph.n

    @property
    def sources(self) -> Mapping[str, Path]:
        """The files, by key."""
        return self.files

    def draw(self, n: int, rng: np.random.Generator) -> Graph:
        """The network of the file.

        Raises:
            ConfigError: Another number of agents is wanted.
        """
        require(
            n == self.size, "study.n_agents", n, f"0 or {self.size}, the agents of network={self.labels['network']}"
        )
        return self.graph


def read_network(conf: FileConf) -> FileNetwork:
    """The network of a GraphML file, or of a table of edges, with or without a table of agents.

    Raises:
        ConfigError: No file is named, or one cannot be read or contradicts itself; names file and line or agent.
    """
    files = {
        f"network.{key}": Path(name).expanduser() for key in ("path", "nodes") if (name := getattr(conf, key)).strip()
    }
    if "network.path" not in files:
        raise ConfigError("network=file needs network.path=FILE: a table of edges (.csv, .tsv), or GraphML")
    for key, path in files.items():
        if not path.is_file():
            raise ConfigError(f"{key}={path}: no such file")
    return FileNetwork(graph_of(*_read(files, undirected=conf.undirected), conf.opinion), files)


def _read(files: Mapping[str, Path], *, undirected: bool) -> tuple[Agents, list[Edge]]:
    path, nodes = files["network.path"], files.get("network.nodes")
    if path.suffix.lower() in graphml.SUFFIXES:
        if nodes:
            raise ConfigError(f"network.nodes={nodes}: GraphML holds its agents itself; leave the key out")
        return graphml.read_graphml(path, undirected=undirected)
    for table in files.values():
        if table.suffix.lower() not in tables.SUFFIXES:
            known = ", ".join((*tables.SUFFIXES, *graphml.SUFFIXES))
            raise ConfigError(f"{table}: cannot read {table.suffix or 'a file without suffix'}; give {known}")
    edges = tables.read_edges(path)
    return tables.read_agents(nodes) if nodes else tables.ends_of(edges, path), edges
