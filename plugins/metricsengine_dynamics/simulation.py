"""Simulating a reference model, and how far any candidate is from it (Sense and Sensitivity, section 3).

Nothing here asks a language model, and nothing expects opinions: states, transitions and losses may be any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import SupportsFloat

import numpy as np

from metricsengine.arrays import Floats
from metricsengine_dynamics.losses.loss import Loss
from metricsengine_dynamics.models.reference import Reference, State, World
from metricsengine_dynamics.networks.graph import Graph
from metricsengine_dynamics.study.scale import FACTOR

Candidate = Callable[[State, World], State]
"""h: the state that follows a state. It changes neither its state nor its world's; chance comes from the world."""

StateLoss = Callable[[State, State], SupportsFloat]
"""L: the loss, >= 0, of a candidate's state beside the reference model's: ``loss(f(x), h(x))``."""


def trajectory(reference: Reference, graph: Graph, start: State, steps: int, rng: np.random.Generator) -> State:
    """The states that the reference model goes through: x(t + 1) = f(x(t)), eq. 1.

    Args:
        reference: f.
        graph: Who knows whom.
        start: x(0), shape (n, ...); the result begins with just this.
        steps: Number of steps, >= 0.
        rng: Chance, for models that need it.

    Returns:
        x(0) to x(steps), shape (steps + 1, n, ...).

    Raises:
        ValueError: ``start`` has not a row for each agent, or the model is one of opinions and one of them is not in
            [-1, 1].

    Example:
        >>> from metricsengine_dynamics.models.degroot import DeGroot
        >>> pair = Graph(2, np.array([[0, 1]]))
        >>> trajectory(DeGroot(), pair, np.array([1.0, 0.5]), 2, np.random.default_rng(0))
        array([[1. , 0.5],
               [0.5, 1. ],
               [1. , 0.5]])
    """
    first = np.array(start, dtype=np.float64)
    if first.shape[:1] != (graph.n,):
        raise ValueError(f"x(0) has a row for each of {graph.n} agents, got shape {first.shape}")
    if reference.scalar and (first.ndim != 1 or not np.all(abs(first) <= 1)):
        raise ValueError("x(0) is an opinion in [-1, 1] for each agent")
    world = World(graph, first, rng)
    states = [first]
    for _ in range(steps):
        states.append(reference.step(states[-1], world))
    return np.array(states)


def simulation_errors(
    reference: Reference, candidate: Candidate, states: State, loss: StateLoss, world: World
) -> Floats:
    """L(f(x), h(x)) for each state x (Definition 3).

    The mean over states of one time is eq. 7, and over all times of a trajectory eq. 6. Where the transitions are
    drawn, f and h get the same chance for a state, so that a candidate that does what the model does has no error.

    Args:
        reference: f.
        candidate: h.
        states: States sampled from the reference model, shape (m, n, ...), such as a trajectory without its last.
        loss: L.
        world: Graph, x(0) and chance; all states belong to it.

    Returns:
        Losses, shape (m,).

    Raises:
        ValueError: A loss is negative, infinite or NaN.
    """
    errors = []
    for state, seed in zip(states, world.rng.integers(2**63, size=len(states)).tolist(), strict=True):
        expected, given = (
            follow(state.copy(), World(world.graph, world.start, np.random.Generator(np.random.PCG64(seed))))
            for follow in (reference.step, candidate)
        )
        errors.append(float(loss(expected, given)))
    if not all(0 <= error < float("inf") for error in errors):
        raise ValueError(f"a loss is a finite number >= 0, got {min(errors)} to {max(errors)}")
    return np.array(errors)


def inconsistency(reference: Reference, candidate: Candidate, states: State, loss: StateLoss, world: World) -> float:
    """C(f, h), the mean of :func:`simulation_errors` over the states (Definition 3, eqs. 6 and 7).

    Raises:
        ValueError: There are no states, or a loss is negative, infinite or NaN.
    """
    if not len(states):
        raise ValueError("inconsistency is a mean over states, and there are none")
    return float(simulation_errors(reference, candidate, states, loss, world).mean())


def of_opinions(loss: Loss) -> StateLoss:
    """A loss of opinions as one of states: its mean over the agents, in its unit."""

    def mean(expected: State, given: State) -> float:
        return loss.factor * float(loss.each(FACTOR * expected, FACTOR * given).mean())

    return mean
