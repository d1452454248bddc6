"""From the table of simulations to the cells that metrics compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from metricsengine.metric import MetricContext, Protocol
from metricsengine_caricature.corpus import Cell, Contrast, Undefined, describe

if TYPE_CHECKING:
    import pandas as pd

PERSONA_LABELS = {"persona_category": "persona_category"}
TOPIC_LABELS = {
    "topic_category": "topic_category",
    "topic_kind": "topic_kind",
    "topic_origin": "topic_origin",
    "specificity": "topic_specificity",
}
"""Columns of the table, and the labels that estimates carry for them."""


@dataclass(frozen=True)
class Group:
    """The simulations that belong together: one context, and one part where parts are scored by themselves.

    Attributes:
        labels: Context and part.
        default_persona: The unmarked persona.
        default_topic: Label of the default topic.
        texts: Responses of each cell, in the order of the table.
        rows: Positions of those responses in the table.
        source_rows: Their rows in the recorded file; the positions where there is no file.
        excluded: What each cell lost, by reason.
        persona_labels: Further labels of each persona.
        topic_labels: Further labels of each topic.
        unreadable: Cells with a missing text, on which the released code crashes; none under ``paper``.
    """

    labels: Mapping[str, str]
    default_persona: str
    default_topic: str
    texts: Mapping[Cell, Sequence[str]]
    rows: Mapping[Cell, Sequence[int]]
    source_rows: Mapping[Cell, Sequence[int]]
    excluded: Mapping[Cell, Counter[str]] = field(default_factory=dict)
    persona_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    topic_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    unreadable: frozenset[Cell] = frozenset()

    @property
    def cells(self) -> list[Cell]:
        """All cells of the table, sorted; one that lost all its responses is among them."""
        return sorted({*self.texts, *self.excluded})

    def label(self, cell: Cell) -> dict[str, str]:
        """Labels of a cell's estimates."""
        persona, topic = cell
        return {
            **self.labels,
            "persona": persona,
            "topic": topic,
            **self.persona_labels.get(persona, {}),
            **self.topic_labels.get(topic, {}),
        }

    def lost(self, cells: Iterable[Cell]) -> dict[str, int]:
        """What the cells lost, by reason."""
        return dict(sum((self.excluded.get(cell, Counter()) for cell in sorted(set(cells))), Counter()))

    def crashes(self, cells: Iterable[Cell]) -> Undefined | None:
        """Why the released code has no value, where it meets a missing text in one of the cells."""
        found = sorted(self.unreadable.intersection(cells))
        return Undefined(f"the released code crashes on a missing text: {describe(found[0])}") if found else None

    def contrast(self, cell: Cell) -> Contrast:
        """A cell beside the group's defaults."""
        return Contrast(*cell, self.default_persona, self.default_topic)


def shared_groups(table: pd.DataFrame, context: MetricContext) -> list[Group]:
    """:func:`groups` of a run's table, found once for all metrics."""
    # The table is kept beside its groups: while it lives, no other one has its id.
    _, found = context.shared(("groups", id(table)), lambda: (table, groups(table, context.protocol)))
    return found


def groups(table: pd.DataFrame, protocol: Protocol) -> list[Group]:
    """The groups of a table of simulations, in order of their labels.

    The released code knows no placeholders: under ``released`` they are texts like any other.
    """
    if protocol == "released":
        table = table.assign(excluded=table["excluded"].mask(table["excluded"] == "placeholder"))
    parts = table["part"].astype(object).where(table["part"].notna(), "")
    found = [
        _group({"context": str(context)} | ({"part": str(part)} if part else {}), rows, table)
        for (context, part), rows in table.groupby([table["context"].astype(object), parts], sort=True)
    ]
    return [_as_released(group) for group in found] if protocol == "released" else found


def _as_released(group: Group) -> Group:
    return replace(group, unreadable=frozenset(cell for cell, lost in group.excluded.items() if lost["missing"]))


def _group(labels: dict[str, str], table: pd.DataFrame, whole: pd.DataFrame) -> Group:
    texts: dict[Cell, list[str]] = {}
    rows: dict[Cell, list[int]] = {}
    source_rows: dict[Cell, list[int]] = {}
    excluded: dict[Cell, Counter[str]] = {}
    source = table["source_row"].fillna(table.index.to_series())
    columns = (table["persona"], table["topic"], table["text"], table["excluded"].fillna(""), source)
    for row, persona, topic, text, reason, source_row in zip(table.index, *columns, strict=True):
        cell = (str(persona), str(topic))
        if reason:
            excluded.setdefault(cell, Counter())[str(reason)] += 1
        else:
            texts.setdefault(cell, []).append(str(text))
            rows.setdefault(cell, []).append(int(row))
            source_rows.setdefault(cell, []).append(int(source_row))
    return Group(
        labels=labels,
        default_persona=_default(table, whole, "persona"),
        default_topic=_default(table, whole, "topic"),
        texts=texts,
        rows=rows,
        source_rows=source_rows,
        excluded=excluded,
        persona_labels=_labels(table, "persona", PERSONA_LABELS),
        topic_labels=_labels(table, "topic", TOPIC_LABELS),
    )


def _default(table: pd.DataFrame, whole: pd.DataFrame, dimension: str) -> str:
    """The default's name; where a recorded context lacks it, that of the file, so that a reason can name it."""
    marked = [str(name) for t in (table, whole) for name in t.loc[t[f"default_{dimension}"], dimension].head(1)]
    return marked[0] if marked else ""


def _labels(table: pd.DataFrame, dimension: str, columns: Mapping[str, str]) -> dict[str, dict[str, str]]:
    distinct = table.drop_duplicates(dimension)
    return {
        str(row[dimension]): {label: str(row[column]) for column, label in columns.items() if row.notna()[column]}
        for _, row in distinct.iterrows()
    }
