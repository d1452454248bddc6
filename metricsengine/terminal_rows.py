"""Which estimates stand in the terminal's table: what the results are about first, and nobody crowded out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from metricsengine.aggregate import unit_of
from metricsengine.estimate import Estimate
from metricsengine.results import Results
from metricsengine.wording import broadest_first, widest

FEW = 12
"""Up to that many cells are shown one by one; beyond, their averages."""

ROWS = 30
"""Rows of the table; the report has all."""


@dataclass(frozen=True)
class _Kind:
    """Estimates that are told together.

    Attributes:
        metric: Their metric.
        about: The metric that they are about: of comparisons the one that was compared.
        estimates: The estimates.
    """

    metric: str
    about: str
    estimates: Sequence[Estimate]


def chosen(results: Results) -> tuple[Sequence[Estimate], int]:
    """The estimates to show, and how many of their kind are not shown.

    The first metric is what the study is about: it, with what comparisons and names after a dot say of it, may fill
    half of the table. The other metrics share the rest evenly; what is said of these has what is left. Where rows are
    scarce, a metric without any value has none: what it lacks is said below the table.
    """
    kinds = _kinds(results)
    wanted = sum(len(kind.estimates) for kind in kinds)
    if wanted > ROWS:
        cut = [replace(kind, estimates=widest(kind.estimates)) for kind in kinds]
        kinds = [kind for kind in cut if any(e.defined for e in kind.estimates)] or cut
    shares = _shares(kinds, {kind.metric for kind in kinds}, results.compared)
    rows = [estimate for kind, share in zip(kinds, shares, strict=True) for estimate in kind.estimates[:share]]
    return rows, wanted - len(rows)


def _kinds(results: Results) -> list[_Kind]:
    """What is told together: of each metric of the study first what comparisons say of it, then its own estimates."""
    found: dict[tuple[str, str], list[Estimate]] = {}
    for estimate in results.estimates:
        about = estimate.labels.get("of", estimate.metric) if estimate.metric in results.compared else estimate.metric
        found.setdefault((estimate.metric, about), []).append(estimate)
    order = list(dict.fromkeys([*(a for m, a in found if m not in results.compared), *(a for _, a in found)]))
    kinds = [_Kind(metric, about, _kind(group)) for (metric, about), group in found.items()]
    return sorted(kinds, key=lambda kind: (order.index(kind.about), kind.metric not in results.compared))


def _shares(kinds: Sequence[_Kind], metrics: Set[str], compared: Sequence[str]) -> list[int]:
    """Rows that each kind gets."""
    wanted = [len(kind.estimates) for kind in kinds]
    if sum(wanted) <= ROWS:
        return wanted
    ranks = [_rank(kind, kinds[0].about, metrics, compared) for kind in kinds]
    shares = dict.fromkeys(range(len(kinds)), 0)
    for rank, room in enumerate((ROWS // 2, ROWS, ROWS)):
        of_rank = {i: wanted[i] for i in shares if ranks[i] == rank}
        shares |= _evenly(of_rank, room - sum(shares.values()), least=rank < 2)
    return list(shares.values())


def _rank(kind: _Kind, lead: str, metrics: Set[str], compared: Sequence[str]) -> int:
    """0 for what the results are about, 1 for other metrics, 2 for what is said about these."""
    whole = kind.metric.rpartition(".")[0]
    if whole in metrics:
        return 0 if whole == lead else 2
    if kind.about == lead:
        return 0
    return 2 if kind.metric in compared and not metrics <= set(compared) else 1


def _evenly(wanted: Mapping[int, int], room: int, *, least: bool) -> dict[int, int]:
    """Rows for each of several kinds, who share what those with few leave; at least one each where wanted.

    Example:
        >>> _evenly({0: 2, 1: 40, 2: 40}, 17, least=True), _evenly({0: 5, 1: 5}, 1, least=False)
        ({0: 2, 1: 7, 2: 8}, {0: 0, 1: 1})
    """
    shares = {}
    by_size = sorted(wanted, key=lambda i: wanted[i])
    for place, i in enumerate(by_size):
        shares[i] = max(int(least), min(wanted[i], max(0, room) // (len(by_size) - place)))
        room -= shares[i]
    return shares


def _kind(estimates: Sequence[Estimate]) -> Sequence[Estimate]:
    """A metric's cells where they are few; else its averages, those over categories left to the report."""
    cells = [estimate for estimate in estimates if not estimate.over]
    averages = broadest_first(e for e in estimates if e.over and not any(unit_of(name, e.over) for name in e.labels))
    if cells and len(cells) > FEW and not averages:
        return widest(cells)
    return cells if cells and len(cells) <= FEW else averages or estimates
