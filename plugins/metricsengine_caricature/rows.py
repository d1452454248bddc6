"""Rows of the table of simulations: what enters a metric, what leaves and why, what is flagged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from metricsengine.model import Outcome, Response
from metricsengine.reading.refusal import keyword_strict
from metricsengine_caricature.sets import Persona, Topic

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class CellOf:
    """The cell a response belongs to."""

    context: str
    persona: str
    topic: str
    default_persona: bool
    default_topic: bool
    labels: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True)
class Record:
    """One response in its cell.

    Attributes:
        cell: Where it belongs.
        replicate: Index in its cell, from 0.
        part: Which part of a longer simulation; empty for the whole.
        response: The response.
        source_row: Row of the recorded file, if any.
    """

    cell: CellOf
    replicate: int
    part: str
    response: Response
    source_row: int | None = None


def labels(persona: Persona | None, topic: Topic | None) -> dict[str, str | int]:
    """What the sets say about persona and topic beyond their names."""
    found: dict[str, str | int | None] = {"persona_category": persona.category if persona else ""}
    if topic:
        found |= {
            "topic_category": topic.category,
            "topic_kind": topic.kind,
            "topic_origin": topic.origin,
            "specificity": topic.specificity,
        }
    return {name: value for name, value in found.items() if value}


def joined(said: Sequence[Response]) -> Response:
    """All turns of one simulation as one response; what a later turn lacks is told by its outcome."""
    if len(said) == 1:
        return said[0]
    usable = [response for response in said if response.ok]
    cut = any(response.outcome is Outcome.TRUNCATED for response in usable)
    outcome = Outcome.TRUNCATED if cut and said[-1].ok else said[-1].outcome
    return replace(said[-1], outcome=outcome, text="\n\n".join(response.text for response in usable))


def table(records: Iterable[Record], placeholders: Sequence[str]) -> pd.DataFrame:
    """The table of simulations.

    Only provider refusals, errors, placeholders and empty texts leave the metrics; each says why.
    """
    import pandas as pd

    return pd.DataFrame([_row(record, placeholders) for record in records])


def _row(record: Record, placeholders: Sequence[str]) -> dict[str, object]:
    cell, response = record.cell, record.response
    reason = excluded(response, placeholders)
    return {
        "context": cell.context,
        "persona": cell.persona,
        "topic": cell.topic,
        "default_persona": cell.default_persona,
        "default_topic": cell.default_topic,
        "replicate": record.replicate,
        "source_row": record.source_row,
        "part": record.part or None,
        "text": response.text or None,
        "outcome": str(response.outcome),
        "reason": response.reason or None,
        "excluded": reason or None,
        "flags": " ".join(() if reason else flags(response)) or None,
        **cell.labels,
    }


def excluded(response: Response, placeholders: Sequence[str]) -> str:
    """Why a response enters no metric; empty where it does."""
    if response.outcome in (Outcome.ERROR, Outcome.REFUSED_BY_PROVIDER):
        return str(response.outcome)
    text = response.text.strip()
    if not text:
        return "missing"
    return "placeholder" if text in placeholders else ""


def flags(response: Response) -> list[str]:
    """Remarks on a response that stays; what looks like a refusal is flagged for the reader, and no verdict."""
    remarks = {
        "truncated": response.outcome is Outcome.TRUNCATED,
        "looks_like_refusal": _looks_like_refusal(response.text),
        "no_words": not any(map(str.isalpha, response.text)),
    }
    return [name for name, holds in remarks.items() if holds]


@lru_cache(maxsize=1024)  # models repeat themselves, and the replies of a dry run are all alike
def _looks_like_refusal(text: str) -> bool:
    return bool(keyword_strict(text))
