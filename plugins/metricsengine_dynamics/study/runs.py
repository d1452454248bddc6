"""Runs: who knows whom, what they think at first, and what the reference model makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metricsengine import seeds
from metricsengine.errors import ConfigError
from metricsengine.wording import plural
from metricsengine_dynamics.models.reference import Reference, State, World
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.networks.network import Network

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class Run:
    """One run: equal for all agents, prompts and repeats.

    Attributes:
        number: Its number, from 0.
        seed: Seed of the study.
        graph: Who knows whom.
        start: x(0), in [-1, 1], shape (n,).
    """

    number: int
    seed: int
    graph: Graph
    start: State

    def rng(self, *purpose: str | int) -> np.random.Generator:
        """A fresh generator for one purpose of this run."""
        return seeds.generator(self.seed, "run", self.number, *purpose)

    def world(self, *purpose: str | int) -> World:
        """What surrounds its steps; worlds of one purpose draw the same, so populations that differ meet one chance."""
        return World(self.graph, self.start, self.rng("reference", *purpose))


@dataclass(frozen=True)
class Moment:
    """The state of a population before a step, and what the reference model makes of it.

    Attributes:
        run: Number of the run.
        step: Number of the step, from 0.
        x: State x(t) in [-1, 1], shape (n,).
        reference: f(x(t)) in [-1, 1], shape (n,).
        heard: Number of agents that each hears, shape (n,).
    """

    run: int
    step: int
    x: State
    reference: State
    heard: NDArray[np.intp]

    @property
    def isolated(self) -> NDArray[np.bool_]:
        """Who hears nobody, shape (n,)."""
        lonely: NDArray[np.bool_] = self.heard == 0
        return lonely


def size(n_agents: int, opinions: Sequence[float], network: Network) -> int:
    """Number of agents.

    Args:
        n_agents: As configured; 0 for as many as the network or the opinions have.
        opinions: Initial opinions as configured; empty for none.
        network: May fix the number.

    Raises:
        ConfigError: It is not told, or told in two ways.
    """
    told = {"study.n_agents": n_agents, "the network": network.size or 0, "study.opinions": len(opinions)}
    numbers = {where: number for where, number in told.items() if number}
    if not numbers:
        raise ConfigError(
            "study.n_agents=0 takes the number of agents from the network or from study.opinions, but neither has one"
        )
    if len(set(numbers.values())) > 1:
        listed = ", ".join(f"{where} has {number}" for where, number in numbers.items())
        way = "study.n_agents=0 takes it from the others"
        if network.size and opinions and network.size != len(opinions):
            way = f"give study.opinions {plural(network.size, 'number')}, or none"
        raise ConfigError(f"the number of agents differs: {listed}; {way}")
    return next(iter(numbers.values()))


def draw(number: int, seed: int, network: Network, reference: Reference, given: tuple[int, Sequence[float]]) -> Run:
    """The network and the initial opinions of one run.

    Args:
        number: Number of the run.
        seed: Seed of the study.
        network: Draws the graph.
        reference: Draws initial opinions where neither the study nor the network gives them.
        given: Number of agents, and the study's initial opinions, exactly as they are; empty for none.

    Raises:
        ConfigError: There is no such graph, or it has another number of agents.
    """
    n, opinions = given
    graph = network.draw(n, seeds.generator(seed, "run", number, "network"))
    if graph.n != n:
        raise ConfigError(f"study.n_agents is {n}, but the network has {graph.n} agents; study.n_agents=0 takes those")
    if opinions:
        start = np.array(opinions, dtype=np.float64)
    elif graph.opinions is not None:
        start = np.asarray(graph.opinions, dtype=np.float64)
    else:
        start = reference.initial(graph, seeds.generator(seed, "run", number, "opinions"))
    return Run(number, seed, graph, start)


def look(run: Run, step: int, x: State, reference: Reference, world: World) -> tuple[Moment, csr_array]:
    """A state before a step, with whom each agent hears, shape (n, n)."""
    heard = reference.heard(x, world)
    return Moment(run.number, step, x, reference.update(x, heard, world), np.diff(heard.indptr)), heard


def trajectory(run: Run, reference: Reference, steps: int) -> Iterator[tuple[Moment, csr_array]]:
    """The reference model's own way: x(0) to x(steps - 1)."""
    world, x = run.world(), run.start
    for step in range(steps):
        moment, heard = look(run, step, x, reference, world)
        yield moment, heard
        x = moment.reference
