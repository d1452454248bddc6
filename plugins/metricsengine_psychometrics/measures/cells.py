"""Cells of estimates: what was judged under one combination of conditions, with its labels and what was left out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from metricsengine import seeds
from metricsengine.bootstrap import Resampling
from metricsengine.clustered import Sample
from metricsengine_psychometrics.measures.judged import CONDITIONS

if TYPE_CHECKING:
    import pandas as pd

_PLAIN = {"wording": "original", "level": "none"}
_ALWAYS = ("test", "trait", "template", "mode", "facet", "arrangement")
_WHERE_FILLED = ("model", "induced_trait", "technique")


@dataclass(frozen=True)
class Cell:
    """Rows of one combination of conditions.

    Attributes:
        labels: Labels of its estimates.
        rows: Its rows, at least one.
    """

    labels: Mapping[str, str]
    rows: pd.DataFrame

    @property
    def answered(self) -> pd.DataFrame:
        """The rows that were not excluded."""
        return self.rows[self.rows["excluded"] == ""]

    @property
    def excluded(self) -> dict[str, int]:
        """How many rows were excluded, by reason."""
        reasons = self.rows["excluded"]
        return {str(reason): int(n) for reason, n in reasons[reasons != ""].value_counts().sort_index().items()}

    @property
    def nothing(self) -> str:
        """Why nothing is left, where nothing is."""
        return f"no item was answered: {', '.join(f'{n} {reason}' for reason, n in self.excluded.items())}"


def cells(rows: pd.DataFrame, *by: str, over: Collection[str] = ()) -> Iterator[Cell]:
    """The cells of a table, in order of their conditions. Only what was asked first: further repeats are left out.

    Args:
        rows: Has :data:`~metricsengine_psychometrics.measures.judged.CONDITIONS`, ``excluded`` and the columns ``by``.
        by: What cells differ in beside the conditions, such as ``trait``.
        over: Conditions in which the rows of a cell may differ.
    """
    first = rows[rows["repeat"] == 0]
    kept = [name for name in (*CONDITIONS, *by) if name not in ("repeat", *over)]
    mixed = _mixed(first)
    for key, group in first.groupby(kept, sort=True):
        yield Cell(labels(dict(zip(kept, map(str, key), strict=True)), mixed), group)


def labels(found: Mapping[str, str], mixed: Collection[str] = ()) -> dict[str, str]:
    """Labels of what was asked under some conditions; the plain case of a condition has none.

    Args:
        found: Values by condition or column; an absent value is the empty text.
        mixed: Tests that hold more than one family; their estimates name it.

    Example:
        >>> labels({"test": "big5", "template": "1", "wording": "original", "level": "none", "model": ""})
        {'test': 'big5', 'template': '1'}
        >>> labels({"test": "big5", "wording": "paraphrase", "level": "high", "induced_trait": "openness"})
        {'test': 'big5', 'wording': 'paraphrase', 'level': 'high', 'induced_trait': 'openness'}
    """
    named = {name: found[name] for name in _ALWAYS if name in found}
    named |= {name: found[name] for name, plain in _PLAIN.items() if found.get(name, plain) != plain}
    named |= {name: found[name] for name in _WHERE_FILLED if found.get(name)}
    return named | ({"family": found["family"]} if found.get("test") in mixed and "family" in found else {})


def resampled(
    values: ArrayLike,
    clusters: Sequence[str],
    seed: int,
    *,
    unit: str,
    weights: ArrayLike | None = None,
    ends: tuple[float, float] = (0.0, 1.0),
) -> dict[str, Any]:
    """Interval of a mean as fields of an estimate (:meth:`metricsengine.clustered.Sample.interval`).

    Args:
        values: Finite numbers, shape (n,).
        clusters: What is resampled as a whole, shape (n,).
        seed: The run's seed.
        unit: What the clusters are, in the plural.
        weights: Weight of each value in the mean, by default 1.
        ends: The smallest and the largest value that there is.
    """
    return Sample.of(values, clusters, weights).interval(resampling(seed), unit, ends)


def resampling(seed: int) -> Resampling:
    """The same draws for all cells: neither a trait's name nor another cell may move an interval."""
    return Resampling(seeds.derive(seed, "psychometrics"))


def _mixed(rows: pd.DataFrame) -> frozenset[str]:
    families = rows.groupby("test")["family"].nunique()
    return frozenset(map(str, families.index[families > 1]))
