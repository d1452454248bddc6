"""What the estimates of a metric have swept, and which of their other labels are conditions that are never mixed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from metricsengine.estimate import Estimate
from metricsengine.wording import own_labels, widest
from metricsengine_comparisons.groups import REPEAT


@dataclass(frozen=True)
class Row:
    """An estimate, its labels parted into what was swept and what was not.

    Attributes:
        estimate: The estimate.
        levels: Its level of each swept dimension, in the order of the dimensions.
        conditions: Its other labels, without attributes of any.
        flags: What a reader must know of how it was placed.
    """

    estimate: Estimate
    levels: Mapping[str, str]
    conditions: Mapping[str, str]
    flags: tuple[str, ...] = ()


def rows(estimates: Iterable[Estimate], dimensions: Sequence[str]) -> list[Row]:
    """The widest estimates of one metric that tell the most of the dimensions; none where they tell no dimension.

    Estimates of repeated requests are left out. A label that takes another value at each level of a dimension says no
    more than the level does, such as ``level`` of ``study.induce``: it is no condition but a flag. A condition that is
    not there at a level, such as a trait that was not induced, holds there for all its values.
    """
    own = [estimate for estimate in estimates if REPEAT not in estimate.labels]
    told = [sum(name in estimate.labels for name in dimensions) for estimate in own]
    most = max(told, default=0)
    kept = widest([estimate for estimate, number in zip(own, told, strict=True) if number == most > 0])
    placed = [_placed(estimate, dimensions) for estimate in kept]
    for dimension in dimensions:
        placed = list(_without_tellers(placed, dimension))
    return list(_everywhere(placed))


def is_replicate(dimension: str) -> bool:
    """Whether a dimension varies chance alone.

    Example:
        >>> is_replicate("seed"), is_replicate("study.seed"), is_replicate("sampling_seed"), is_replicate("seeds")
        (True, True, True, False)
    """
    return dimension.replace("_", ".").rpartition(".")[2] == "seed"


def _placed(estimate: Estimate, dimensions: Sequence[str]) -> Row:
    levels = {name: estimate.labels[name] for name in dimensions if name in estimate.labels}
    conditions = {name: value for name, value in own_labels(estimate).items() if name not in levels}
    return Row(estimate, levels, conditions)


def _without_tellers(placed: Sequence[Row], dimension: str) -> Iterator[Row]:
    """The rows without conditions that tell levels of the dimension apart one by one."""
    names = {name for row in placed for name in row.conditions}
    tellers = sorted(name for name in names if _tells(placed, dimension, name))
    flags = (f"varies with {dimension}: {', '.join(_said(placed, name) for name in tellers)}",) if tellers else ()
    for row in placed:
        kept = {name: value for name, value in row.conditions.items() if name not in tellers}
        yield replace(row, conditions=kept, flags=row.flags + flags)


def _said(placed: Sequence[Row], name: str) -> str:
    """A condition's name, with its values where some rows have none: these are what the others are not."""
    values = {row.conditions.get(name, "") for row in placed}
    return f"{name} ({', '.join(sorted(values - {''}))})" if "" in values else name


def _tells(placed: Sequence[Row], dimension: str, name: str) -> bool:
    found: dict[str, set[str | None]] = {}
    for row in placed:
        if dimension in row.levels:
            found.setdefault(row.levels[dimension], set()).add(row.conditions.get(name))
    values = {value for of_level in found.values() for value in of_level}
    return 1 < len(found) == len(values) and all(len(of_level) == 1 for of_level in found.values())


def _everywhere(placed: Sequence[Row]) -> Iterator[Row]:
    """The rows, those that lack conditions at some level once for each value that these have elsewhere."""
    every = {name for row in placed for name in row.conditions}
    there = _there(placed)
    elsewhere: dict[tuple[str, ...], dict[frozenset[tuple[str, str]], set[tuple[str, ...]]]] = {}
    for row in placed:
        absent = tuple(sorted(every - row.conditions.keys()))
        values: Iterable[tuple[str, ...]] = ()
        if absent and any(there[place].isdisjoint(absent) for place in row.levels.items()):
            if absent not in elsewhere:
                elsewhere[absent] = _elsewhere((one for one in placed if one.conditions.keys() == every), absent)
            values = elsewhere[absent].get(frozenset(row.conditions.items()), ())
        for found in sorted(values) or [()]:
            more = dict(zip(absent, found, strict=False))
            flags = (f"the same for every {', '.join(more)}",) if more else ()
            yield replace(row, conditions={**row.conditions, **more}, flags=row.flags + flags)


def _there(placed: Sequence[Row]) -> dict[tuple[str, str], set[str]]:
    """The conditions that any row has at each level of each dimension."""
    found: dict[tuple[str, str], set[str]] = {}
    for row in placed:
        for place in row.levels.items():
            found.setdefault(place, set()).update(row.conditions)
    return found


def _elsewhere(whole: Iterable[Row], absent: Sequence[str]) -> dict[frozenset[tuple[str, str]], set[tuple[str, ...]]]:
    """The values of the absent conditions by all others, of rows that have every condition."""
    found: dict[frozenset[tuple[str, str]], set[tuple[str, ...]]] = {}
    for row in whole:
        rest = frozenset(pair for pair in row.conditions.items() if pair[0] not in absent)
        found.setdefault(rest, set()).add(tuple(row.conditions[name] for name in absent))
    return found
