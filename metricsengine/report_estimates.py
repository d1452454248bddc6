"""The estimates of a report, grouped: averages and cells by metric, what comparisons found by what they compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from metricsengine.comparison import spelled
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure
from metricsengine.report_tables import Cell, Column, Table, corrected_p, estimates_table
from metricsengine.results import Results
from metricsengine.wording import P, broadest_first, p_values

MOST, LEAST = 6_000, 60
"""Rows that all tables of one section have together, and those that any table may have."""


@dataclass(frozen=True)
class Found:
    """What comparisons found about one metric.

    Attributes:
        of: Name of the metric; empty where a comparison names none.
        tables: A table for each thing that they tell, and what it means.
    """

    of: str
    tables: Sequence[tuple[Measure, Table]]

    @property
    def rows(self) -> int:
        """Number of rows of all its tables."""
        return sum(len(table.rows) for _, table in self.tables)


def by_metric(results: Results, *, aggregates: bool) -> list[tuple[Measure, Table]]:
    """The cells of every metric, or its averages, without those of comparisons."""
    caption = "One row is one average of cells; n counts the cells." if aggregates else "One row is one cell."
    groups: dict[str, list[Estimate]] = {}
    for estimate in results.estimates:
        if bool(estimate.over) is aggregates and estimate.metric not in results.compared:
            groups.setdefault(estimate.metric, []).append(estimate)
    most = shares([len(rows) for rows in groups.values()])
    return [
        (measure := _measure(results, name), estimates_table(broadest_first(rows), measure, caption, most=shown))
        for (name, rows), shown in zip(groups.items(), most, strict=True)
    ]


def found_by_comparisons(results: Results) -> list[Found]:
    """What comparisons found, metric by metric; corrected p-values stand beside the differences that they belong to."""
    names, tests = set(results.compared), p_values(results)
    of: dict[str, dict[str, list[Estimate]]] = {}
    ps: dict[str, dict[str, Estimate]] = {}
    for estimate in results.estimates:
        if estimate.metric not in names:
            continue
        if estimate.metric in tests:
            ps.setdefault(estimate.metric, {})[spelled(estimate.labels)] = estimate
        else:
            about = of.setdefault(estimate.labels.get("of", ""), {})
            about.setdefault(estimate.metric, []).append(estimate)
    most = iter(shares([len(rows) for about in of.values() for rows in about.values()]))
    return [
        Found(metric, [_compared(results, rows, ps.get(name + P, {}), next(most)) for name, rows in about.items()])
        for metric, about in of.items()
    ]


def _compared(
    results: Results, estimates: Sequence[Estimate], ps: Mapping[str, Estimate], most: int
) -> tuple[Measure, Table]:
    rows = broadest_first(estimates)
    measure = _measure(results, rows[0].metric)
    over = [", ".join(row.over).replace("_", " ") for row in rows]
    several = len(set(over)) > 1
    further = [corrected_p(rows, ps)] if ps else []
    further += [Column("averaged over", [Cell(text or "nothing") for text in over])] if several else []
    caption = f"One row is one {measure.name.replace('_', ' ').replace('.', ', ')}."
    table = estimates_table([_plain(row) for row in rows], measure, caption, further, most)
    said = [] if several or not over[0] else [f"averaged over: {over[0]}"]
    said += [_corrected(_measure(results, f"{measure.name}{P}"))] if ps else []
    return measure, replace(table, notes=[*table.notes, *said])


def _corrected(p: Measure) -> str:
    how = " by Holm" if "Holm" in f"{p.citation} {p.direction}" else ""
    return f"p is corrected for the number of tests{how}, intervals are not"


def _plain(estimate: Estimate) -> Estimate:
    """The estimate with its flags in plain words, without what the heading and other columns say."""
    labels = {name: value for name, value in estimate.labels.items() if name != "of"}
    flags = tuple(flag.replace("_", " ") for flag in estimate.flags)
    return replace(estimate, labels=labels, flags=flags, over=())


def shares(lengths: Sequence[int]) -> list[int]:
    """How many rows each table may have: short ones leave theirs to the longer.

    Example:
        >>> shares([10, 20_000, 30_000])
        [10, 2995, 2995]
    """
    found = [0] * len(lengths)
    left = MOST
    for place, i in enumerate(sorted(range(len(lengths)), key=lambda i: lengths[i])):
        found[i] = min(lengths[i], max(LEAST, left // (len(lengths) - place)))
        left = max(0, left - found[i])
    return found


def _measure(results: Results, name: str) -> Measure:
    return results.measures.get(name, Measure(name))
