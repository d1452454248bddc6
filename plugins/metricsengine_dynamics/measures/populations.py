"""The states that populations go through in free runs, from the table of transitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricsengine.arrays import Floats, Integers
from metricsengine.metric import MetricContext
from metricsengine_dynamics.measures import updates
from metricsengine_dynamics.measures.updates import Updates

if TYPE_CHECKING:
    import pandas as pd

FORCED = (
    "there are no free runs of the reference model: study.mode=free lets it and the agents go on from their own states"
)


@dataclass(frozen=True)
class Populations:
    """States of populations, sorted by cell, run and step, the final states among them.

    Attributes:
        source: The updates they were read from.
        cell: Number of the cell of each state, shape (states,).
        run: Number of the run.
        step: Steps taken until then.
        sizes: Number of agents.
        opinions: Opinions of all states, one after the other, in [-1, 1].
        kept: Of each cell, number of updates whose opinion could not be read, so that it stayed, shape (cells,).
    """

    source: Updates
    cell: Integers
    run: Integers
    step: Integers
    sizes: Integers
    opinions: Floats
    kept: Integers

    @property
    def final(self) -> Integers:
        """Numbers of the final states."""
        return np.flatnonzero(_last(self.cell, self.run))

    def each(self, function: Callable[[Floats], Floats]) -> Floats:
        """A function of every state, shape (states,)."""
        return by_segment(function, self.opinions, self.sizes)


def shared(table: pd.DataFrame, context: MetricContext) -> Populations | None:
    """The table's populations; None where runs are forced."""
    # The table is kept beside its arrays: its id stays its own.
    key = ("dynamics.populations", id(table))
    return context.shared(key, lambda: (table, populations(updates.shared(table, context))))[1]


def forced(table: pd.DataFrame, context: MetricContext) -> bool:
    """Whether states are given by the reference model, so that no answer decides who hears somebody."""
    return shared(table, context) is None


def populations(found: Updates) -> Populations | None:
    """States before every step, and what the last step made of them; None where runs are forced.

    In free runs the reference model has a trajectory, and rows, of its own.
    """
    if all(labels["agent"] != updates.REFERENCE for labels in found.cells):
        return None
    end = found.step == _latest(found)
    after = _after(found)
    keys = [np.concatenate([key, key[end] + more]) for key, more in ((found.cell, 0), (found.run, 0), (found.step, 1))]
    opinions = np.concatenate([found.x, after[end]])
    by_place = updates.order(*keys)
    cell, run, step = (key[by_place] for key in keys)
    begins = _first(cell, run, step)
    sizes = np.diff(np.append(np.flatnonzero(begins), len(begins)))
    kept = np.bincount(found.cell[~found.readable], minlength=len(found.cells))
    return Populations(found, cell[begins], run[begins], step[begins], sizes, opinions[by_place], kept)


def by_segment(function: Callable[[Floats], Floats], values: Floats, sizes: Integers) -> Floats:
    """A function of each of several pieces that lie one after the other, pieces of one size all at once.

    Args:
        function: From shape (pieces, size) to shape (pieces,).
        values: The pieces, shape (sum of the sizes,).
        sizes: Sizes of the pieces, shape (pieces,).

    Example:
        >>> by_segment(lambda pieces: pieces.sum(axis=1), np.arange(6.0), np.array([2, 3, 1])).tolist()
        [1.0, 9.0, 5.0]
    """
    starts = np.cumsum(sizes) - sizes
    results = np.empty(len(sizes))
    for size in np.unique(sizes):
        chosen = np.flatnonzero(sizes == size)
        results[chosen] = function(values[starts[chosen, np.newaxis] + np.arange(size)])
    return results


def _after(found: Updates) -> Floats:
    """Opinions after each update, in [-1, 1].

    What cannot be read leaves the opinion as it was, and so does hearing nobody where the agent is asked only then.
    """
    answers_always = np.array([labels["agent"] in updates.ALWAYS_ANSWER for labels in found.cells], dtype=bool)
    keeps = ~found.readable | (found.isolated & ~answers_always[found.cell])
    return np.where(keeps, found.x, found.opinion / 5)


def _latest(found: Updates) -> Integers:
    """The last step of each update's run, shape (updates,)."""
    last = np.flatnonzero(_last(found.cell, found.run))
    lengths = np.diff(np.append(-1, last))
    return np.repeat(found.step[last], lengths)


def _first(*keys: Integers) -> updates.Mask:
    """Where sorted keys begin to be others."""
    changes = np.ones(len(keys[0]), dtype=bool)
    changes[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    return changes


def _last(*keys: Integers) -> updates.Mask:
    """Where sorted keys are the same for the last time."""
    return np.append(_first(*keys)[1:], True)
