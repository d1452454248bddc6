"""Recorded responses as a table of simulations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from metricsengine.errors import RecordsError
from metricsengine.model import Outcome, Response
from metricsengine_caricature import rows
from metricsengine_caricature.config import CaricatureConf
from metricsengine_caricature.sets import Context, Persona, Topic

if TYPE_CHECKING:
    import pandas as pd

LABEL_COLUMNS = ("persona_category", "topic_category", "topic_kind", "topic_origin", "specificity")


def read(
    records: pd.DataFrame,
    conf: CaricatureConf,
    contexts: Mapping[str, Context],
    personas: Sequence[Persona],
    topics: Sequence[Topic],
) -> pd.DataFrame:
    """The table of simulations of a file, in an order that does not depend on the file's.

    Columns: ``persona``, ``topic``, ``text`` (or ``response``); optional ``context``; ``simulation`` and ``turn`` for
    simulations of several rounds; and the label columns of the table.

    Args:
        records: Rows, every cell text or missing.
        conf: The defaults, placeholders, and how parts are scored.
        contexts: The first one's defaults hold where ``conf`` names none ("person" and "comment" where there is no
            context), and its name where there is no column.
        personas: Known personas, for their categories.
        topics: Known topics, for their categories.

    Raises:
        RecordsError: A column is missing; a persona, topic, simulation or turn is empty; a specificity is no level; a
            control does not occur.
    """
    frame = records if "text" in records else records.rename(columns={"response": "text"})
    for column, doc in (("persona", "who is simulated"), ("topic", "what about"), ("text", "what was said")):
        if column not in frame:
            found = ", ".join(map(str, records.columns))
            raise RecordsError(
                f"no column {column!r} ({doc}); the file has {found}; map it: records.columns.{column}=NAME"
            )
        if column != "text":
            _require_values(frame, column)
    context = next(iter(contexts.values()), None)
    defaults = (
        conf.default_persona or (context.default_persona if context else Context.default_persona),
        conf.default_topic or (context.default_topic if context else Context.default_topic),
    )
    for column, default in zip(("persona", "topic"), defaults, strict=True):
        _require_default(frame, column, default)
    frame = _parts(frame.assign(source_row=range(len(frame))), conf)
    known = _known(personas, topics)
    fallback = next(iter(contexts), "recorded")
    told = [_record(row, defaults, fallback, known) for row in _dicts(frame)]
    return rows.table(_numbered(told), conf.placeholders)


def _require_values(frame: pd.DataFrame, column: str) -> None:
    if frame[column].isna().any():
        number = int(frame[column].isna().to_numpy().argmax()) + 1
        control = (
            f"; a control names the default one (study.default_{column})" if column in ("persona", "topic") else ""
        )
        raise RecordsError(f"row {number} of the file, its header not counted, has no {column}{control}")


def _require_default(frame: pd.DataFrame, column: str, default: str) -> None:
    values = sorted(set(frame[column]))
    if default not in values:
        listed = ", ".join(repr(value) for value in values[:8]) + (" ..." if len(values) > 8 else "")
        raise RecordsError(
            f"no row has the default {column} {default!r}; the file has {listed}; say which is the control: "
            f"study.default_{column}=NAME"
        )


def _parts(frame: pd.DataFrame, conf: CaricatureConf) -> pd.DataFrame:
    """Turns of one simulation joined into its whole text, or kept as parts."""
    import pandas as pd

    if "turn" not in frame:
        return frame
    if "simulation" not in frame:
        raise RecordsError("column 'turn' needs a column 'simulation' that says which turns belong together")
    for column in ("simulation", "turn"):
        _require_values(frame, column)
    if conf.parts == "each":
        return frame.assign(part=frame["turn"].map(lambda turn: f"turn {turn}"))
    keys = [key for key in ("context", "persona", "topic", "simulation") if key in frame]
    wholes: dict[tuple[object, ...], list[dict[str, object]]] = {}
    for row in _dicts(frame):
        wholes.setdefault(tuple(row[key] for key in keys), []).append(row)
    return pd.DataFrame([_whole(turns, conf.placeholders) for turns in wholes.values()])


def _whole(turns: list[dict[str, object]], placeholders: Sequence[str]) -> dict[str, object]:
    """The turns as one row; one that says nothing is left out, unless none says more."""
    ordered = sorted(turns, key=lambda row: (_numeric(row["turn"]), str(row["turn"])))
    texts = [_text(row["text"]) for row in ordered]
    said = [text for text in texts if text.strip() and text.strip() not in placeholders]
    return {**ordered[0], "text": "\n\n".join(said) or max(texts)}


def _dicts(frame: pd.DataFrame) -> list[dict[str, object]]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _numeric(text: object) -> float:
    try:
        return float(str(text))
    except ValueError:
        return float("inf")


Known = tuple[Mapping[str, Persona], Mapping[str, Topic]]


def _known(personas: Sequence[Persona], topics: Sequence[Topic]) -> Known:
    return {persona.name: persona for persona in personas}, {topic.name: topic for topic in topics}


def _record(row: Mapping[str, object], defaults: tuple[str, str], fallback: str, known: Known) -> rows.Record:
    text, position = _text(row["text"]), int(str(row["source_row"]))
    persona, topic = str(row["persona"]), str(row["topic"])
    given: dict[str, str | int] = {column: _text(row.get(column)) for column in LABEL_COLUMNS}
    if level := given["specificity"]:
        given["specificity"] = _level(str(level), position)
    cell = rows.CellOf(
        context=_text(row.get("context")) or fallback,
        persona=persona,
        topic=topic,
        default_persona=persona == defaults[0],
        default_topic=topic == defaults[1],
        labels=rows.labels(known[0].get(persona), known[1].get(topic)) | {k: v for k, v in given.items() if v},
    )
    outcome = Outcome.ANSWERED if text.strip() else Outcome.EMPTY
    return rows.Record(cell, 0, _text(row.get("part")), Response(outcome, text), position)


def _level(text: str, position: int) -> int:
    """A specificity; spreadsheets and data frames write it as 2.0 too."""
    level = _numeric(text)
    if level not in range(1, 6):
        raise RecordsError(f"row {position + 1} of the file: specificity is a level from 1 to 5, got {text!r}")
    return int(level)


def _numbered(records: Sequence[rows.Record]) -> list[rows.Record]:
    """Records sorted by cell and text, each cell's replicates counted from 0."""
    counts: dict[tuple[str, ...], int] = {}
    numbered = []
    for record in sorted(
        records, key=lambda r: (r.cell.context, r.cell.persona, r.cell.topic, r.part, r.response.text)
    ):
        where = (record.cell.context, record.cell.persona, record.cell.topic, record.part)
        counts[where] = counts.get(where, -1) + 1
        numbered.append(replace(record, replicate=counts[where]))
    return numbered


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
