"""Networks in GraphML, read by networkx."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from metricsengine.errors import ConfigError
from metricsengine_dynamics.networks.agents import Agents, Edge

if TYPE_CHECKING:
    import networkx as nx

SUFFIXES = (".graphml", ".xml")


def read_graphml(path: Path, *, undirected: bool) -> tuple[Agents, list[Edge]]:
    """The agents and edges of a GraphML file; the edges' attribute ``weight`` is their weight.

    Args:
        path: The file.
        undirected: Whether a directed graph is taken for an undirected one.

    Raises:
        ConfigError: The file cannot be read, or is directed although that is not wanted.
    """
    graph = _read(path)
    if graph.is_directed() and not undirected:
        raise ConfigError(
            f"{path}: its edges have a direction; set network.undirected=true to let two agents know each other where "
            "at least one names the other"
        )
    agents = _agents(graph, path)
    default = graph.graph.get("edge_default", {})
    edges = [
        Edge((str(one), str(other)), _text({**default, **data}, "weight"), f"{path}, edge {one!r} to {other!r}")
        for one, other, data in graph.edges(data=True)
    ]
    return agents, edges


def _read(path: Path) -> nx.Graph:
    import networkx as nx

    try:
        _check(ElementTree.parse(path).getroot(), path)  # noqa: S314 - expat itself bounds what entities expand to
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on keys without a type, which are read as text
            return nx.read_graphml(path)
    except (OSError, ElementTree.ParseError, nx.NetworkXError, LookupError, ValueError, AttributeError) as error:
        raise ConfigError(f"{path}: cannot be read as GraphML ({' '.join(str(error).split())[:200]})") from error


def _check(root: ElementTree.Element, path: Path) -> None:
    """Refuse what networkx would pass over: it reads the first graph only, and calls all nodes without a name None."""
    graphs = len(root.findall("{*}graph"))
    if graphs > 1:
        raise ConfigError(f"{path}: holds {graphs} graphs; leave one of them in the file")
    for number, node in enumerate(root.iterfind(".//{*}node"), 1):
        if not node.get("id"):
            raise ConfigError(f"{path}: the {number}. node has no id; give it one")


def _agents(graph: nx.Graph, path: Path) -> Agents:
    default = graph.graph.get("node_default", {})
    data = [{**default, **given} for _, given in graph.nodes(data=True)]
    names = dict.fromkeys(name for given in data for name in given)
    attributes = {name: [_text(given, name) or "" for given in data] for name in names}
    return Agents([str(node) for node in graph.nodes], attributes, str(path))


def _text(data: Mapping[str, Any], name: str) -> str | None:
    return str(data[name]) if name in data else None
