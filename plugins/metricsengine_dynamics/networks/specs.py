"""The networks that the plugin registers."""

from __future__ import annotations

from metricsengine.kinds import PartSpec
from metricsengine_dynamics.networks.config import (
    BarabasiAlbertConf,
    CompleteConf,
    ErdosRenyiConf,
    FileConf,
    StochasticBlockConf,
    WattsStrogatzConf,
)
from metricsengine_dynamics.networks.network import Network


def _complete(conf: CompleteConf) -> Network:
    from metricsengine_dynamics.networks.random_graphs import Complete

    return Complete()


def _erdos_renyi(conf: ErdosRenyiConf) -> Network:
    from metricsengine_dynamics.networks.random_graphs import ErdosRenyi

    return ErdosRenyi(conf.p)


def _barabasi_albert(conf: BarabasiAlbertConf) -> Network:
    from metricsengine_dynamics.networks.random_graphs import BarabasiAlbert

    return BarabasiAlbert(conf.m)


def _watts_strogatz(conf: WattsStrogatzConf) -> Network:
    from metricsengine_dynamics.networks.random_graphs import WattsStrogatz

    return WattsStrogatz(conf.k, conf.p)


def _stochastic_block(conf: StochasticBlockConf) -> Network:
    from metricsengine_dynamics.networks.blocks import StochasticBlock

    return StochasticBlock(conf.p_in, conf.p_out, conf.blocks, conf.sizes)


def _file(conf: FileConf) -> Network:
    from metricsengine_dynamics.networks.files import read_network

    return read_network(conf)


NETWORKS = (
    PartSpec("erdos_renyi", ErdosRenyiConf, _erdos_renyi, "any two know each other with one probability"),
    PartSpec("barabasi_albert", BarabasiAlbertConf, _barabasi_albert, "hubs, by preferential attachment"),
    PartSpec("watts_strogatz", WattsStrogatzConf, _watts_strogatz, "a ring with shortcuts: a small world"),
    PartSpec("stochastic_block", StochasticBlockConf, _stochastic_block, "groups with few edges between them"),
    PartSpec("complete", CompleteConf, _complete, "everybody knows everybody"),
    PartSpec("file", FileConf, _file, "from a table of edges or GraphML"),
)
