"""The table of transitions as arrays, and means over its updates, run by run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metricsengine.arrays import Floats, Integers
from metricsengine.clustered import Sample
from metricsengine.metric import MetricContext
from metricsengine.records import TableSpec
from metricsengine_dynamics.measures.by_run import Slice
from metricsengine_dynamics.tables import TRANSITIONS

if TYPE_CHECKING:
    import pandas as pd

Mask = NDArray[np.bool_]

REFERENCE = "reference"
"""The agent of free runs that is the reference model itself."""

ALWAYS_ANSWER = ("zero", "random")
"""Agents that take the opinion they give also where they hear nobody."""

_CELL = ["agent", "variant", "repeat"]
_READ = {*_CELL, "run", "step", "node", "x", "reference", "opinion", "heard", "isolated", "cut", "outcome"}
_COLUMNS = TableSpec(
    TRANSITIONS.name, TRANSITIONS.doc, tuple(column for column in TRANSITIONS.columns if column.name in _READ)
)


@dataclass(frozen=True)
class Updates:
    """Updates in the order of their cells, runs, steps and nodes, whatever that of the table's rows.

    Attributes:
        cells: Labels of each agent, variant and repeat, by number.
        runs: Names of the runs, by number.
        reasons: Why opinions are absent, by number; the first is for what else was not recorded.
        cell: Number of the cell, shape (updates,), as all that follow.
        run: Number of the run.
        step: Step, from 0.
        node: Agent, from 0.
        x: Opinion before, in [-1, 1].
        reference: Opinion that the reference model gives next, on -5 to 5, unrounded.
        opinion: Opinion that the agent gives next, on -5 to 5; NaN where absent.
        reason: Number of the reason; 0 where there is an opinion.
        isolated: Nobody was heard.
        told: It is known whether anybody was heard.
        cut: Posts left out of the timeline; NaN where that was not recorded.
    """

    cells: tuple[Mapping[str, str], ...]
    runs: tuple[str, ...]
    reasons: tuple[str, ...]
    cell: Integers
    run: Integers
    step: Integers
    node: Integers
    x: Floats
    reference: Floats
    opinion: Floats
    reason: Integers
    isolated: Mask
    told: Mask
    cut: Floats

    def __len__(self) -> int:
        return len(self.cell)

    @property
    def readable(self) -> Mask:
        """Updates with an opinion."""
        return ~np.isnan(self.opinion)

    @property
    def answered(self) -> Updates:
        """The updates as if every opinion could be read, and every timeline were whole."""
        nothing = np.zeros(len(self))
        return replace(self, opinion=nothing, cut=nothing, reason=np.zeros_like(self.reason))

    def of(self, wanted: Callable[[str], bool]) -> Updates:
        """The updates of the agents that are wanted."""
        kept = [number for number, labels in enumerate(self.cells) if wanted(labels["agent"])]
        if len(kept) == len(self.cells):
            return self
        number = np.full(len(self.cells), -1)
        number[kept] = np.arange(len(kept))
        rows = number[self.cell] >= 0
        arrays: dict[str, Any] = {name: getattr(self, name)[rows] for name in _ARRAYS}
        renumbered = arrays | {"cells": tuple(self.cells[old] for old in kept), "cell": number[arrays["cell"]]}
        return replace(self, **renumbered)

    def slices(
        self, values: Floats, meant: Mask | None = None, usable: Mask | None = None, by_step: bool = False
    ) -> Iterator[Slice]:
        """Means of a value over the updates of each cell, or of each cell and step, run by run.

        Args:
            values: The value of each update, shape (updates,).
            meant: Updates that count, by default all.
            usable: Updates that have a value, by default the readable ones; the others that are meant are excluded.
            by_step: Whether each step is an estimate of its own.
        """
        meant = np.ones(len(self), dtype=bool) if meant is None else meant
        usable = self.readable if usable is None else usable
        steps = int(self.step.max(initial=0)) + 1 if by_step else 1
        group = self.cell * steps + self.step if by_step else self.cell
        kept, left, groups = meant & usable, meant & ~usable, len(self.cells) * steps
        place = (groups, len(self.runs))
        counts = _table(place, group[kept], self.run[kept])
        sums = _table(place, group[kept], self.run[kept], values[kept])
        excluded = _table((groups, len(self.reasons)), group[left], self.reason[left])
        for one in np.flatnonzero(np.bincount(group, minlength=groups)):
            cell, step = divmod(int(one), steps)
            labels = {**self.cells[cell], "step": str(step)} if by_step else self.cells[cell]
            sample = Sample.of_sums(self.runs, sums[one], counts[one])
            why = {self.reasons[code]: int(excluded[one, code]) for code in np.flatnonzero(excluded[one])}
            yield Slice(labels, sample, int(counts[one].sum()), why)


_ARRAYS = ("cell", "run", "step", "node", "x", "reference", "opinion", "reason", "isolated", "told", "cut")


def shared(table: pd.DataFrame, context: MetricContext) -> Updates:
    """The table's updates, the reference model's own among them; read once for all metrics."""
    # The table is kept beside its arrays: its id stays its own.
    key = ("dynamics.updates", id(table))
    return context.shared(key, lambda: (table, read(table)))[1]


def agents(table: pd.DataFrame, context: MetricContext) -> Updates:
    """The updates of agents that are compared with the reference model."""
    key = ("dynamics.agents", id(table))
    return context.shared(key, lambda: (table, shared(table, context).of(lambda agent: agent != REFERENCE)))[1]


def read(table: pd.DataFrame) -> Updates:
    """The arrays of a table of transitions."""
    frame = _COLUMNS.conform(table[[name for name in table if name in _READ]])
    frame = frame.assign(variant=frame["variant"].fillna(""))
    grouped = frame.groupby(_CELL, sort=True)
    cell = _whole(grouped.ngroup())
    cells = tuple(_labels(*map(str, key)) for key in grouped.size().index)
    names, run = _coded(frame["run"].to_numpy(np.intp))
    step, node = frame["step"].to_numpy(np.intp), frame["node"].to_numpy(np.intp)
    opinion = frame["opinion"].to_numpy(np.float64, na_value=np.nan)
    reasons, reason = _reasons(frame["outcome"], np.isnan(opinion))
    arrays: dict[str, Any] = {
        "cell": cell,
        "run": run,
        "step": step,
        "node": node,
        "x": frame["x"].to_numpy(np.float64),
        "reference": 5 * frame["reference"].to_numpy(np.float64),
        "opinion": opinion,
        "reason": reason,
        "isolated": frame["isolated"].to_numpy(bool),
        "told": frame["heard"].notna().to_numpy(bool),
        "cut": frame["cut"].to_numpy(np.float64, na_value=np.nan),
    }
    by_place = order(cell, run, step, node)
    return Updates(cells, names, reasons, **{name: value[by_place] for name, value in arrays.items()})


def _whole(values: pd.Series) -> Integers:
    return np.asarray(values, dtype=np.intp)


def _coded(values: Integers) -> tuple[tuple[str, ...], Integers]:
    """The different values as texts, and the number of each."""
    different, codes = np.unique(values, return_inverse=True)
    return tuple(map(str, different)), codes.astype(np.intp)


def _labels(agent: str, variant: str, repeat: str) -> dict[str, str]:
    named = {"agent": agent, "variant": variant, "repeat": repeat}
    return {name: value for name, value in named.items() if value and (name, value) != ("repeat", "0")}


def _reasons(outcome: pd.Series, absent: Mask) -> tuple[tuple[str, ...], Integers]:
    """Why opinions are absent: what became of the request, or that a reply tells none."""
    import pandas as pd

    missing = outcome[absent].fillna("answered").replace({"answered": "undecodable"})
    codes, names = pd.factorize(missing, sort=True)
    reason = np.zeros(len(outcome), dtype=np.intp)
    reason[absent] = codes + 1
    return ("not recorded", *map(str, names)), reason


def order(*keys: Integers) -> Integers:
    """Numbers of the rows, sorted by keys from 0 on, the first key first."""
    place = np.zeros(len(keys[0]), dtype=np.intp)
    for key in keys:
        place = place * (int(key.max(initial=0)) + 1) + key
    return np.argsort(place, kind="stable")


def _table(shape: tuple[int, int], row: Integers, column: Integers, values: Floats | None = None) -> Floats:
    """Sums of the values, or counts, by row and column."""
    found = np.bincount(row * shape[1] + column, values, minlength=shape[0] * shape[1])
    return found.reshape(shape).astype(np.float64)
