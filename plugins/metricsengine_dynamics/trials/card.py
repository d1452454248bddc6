"""The card of a run of trials: what was asked, what came back, what was found, and what that cannot say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metricsengine.exhibits import Passage
from metricsengine.markup import escaped
from metricsengine.results import Results
from metricsengine.wording import conclusions, counted, first_few, model_name
from metricsengine_dynamics.trials.conditions import label

if TYPE_CHECKING:
    import pandas as pd

MOST = 12
"""Values of one column, or findings, that are told."""

_LIMITS = (
    "What people think, or how opinions move among them: the numbers describe a model's texts about one debate.",
    "Anything about a later use of the same prompts with longer texts, other debates or other personas.",
)


@dataclass(frozen=True)
class Told:
    """What a study tells on its card.

    Attributes:
        title: Heading of the card.
        asked: What was asked: how each column of the table is called.
        found: What was found, one sentence each.
        limits: What this cannot say, one sentence each, beside what no such study can.
    """

    title: str
    asked: Mapping[str, str]
    found: Sequence[str]
    limits: Sequence[str]


def card(results: Results, table: pd.DataFrame, told: Told) -> Passage:
    """The card, in Markdown."""
    sections = {
        "What was asked": _items({"Model": escaped(model_name(results)), **_asked(table, told), **_sampling(results)}),
        "Who, and why": _people(results),
        "What came back": f"{len(table):,} trials: {escaped(counted(Counter(map(str, table['outcome']))))}.",
        "What was found": _sentences(told.found) or "Nothing: no metric was computed.",
        "What may be concluded": _sentences(conclusions(results)),
        "What this cannot say": _sentences([*told.limits, *_LIMITS]),
    }
    return Passage("card", told.title, "\n\n".join(f"## {title}\n\n{text}" for title, text in sections.items()))


def _asked(table: pd.DataFrame, told: Told) -> dict[str, str]:
    """Values of the columns; of many the first few."""
    return {
        title: escaped(first_few(map(label, table[column].dropna().sort_values().unique()), MOST))
        for column, title in told.asked.items()
    }


def _sampling(results: Results) -> dict[str, str]:
    asked: Mapping[str, Any] = (results.provenance.get("config") or {}).get("study") or {}
    names = ("decoding", "temperature", "top_p", "max_tokens", "decoding_temperature", "decoding_tokens", "format")
    said = [f"{name} {asked[name]}" for name in names if name in asked]
    return {"Sampling": escaped(", ".join([*said, f"seed {results.seed}"]))}


def _people(results: Results) -> str:
    stated: Mapping[str, str] = results.provenance.get("card") or {}
    titles = {"author": "Who ran it", "purpose": "Purpose", "positionality": "Positionality"}
    rows = {
        title: escaped(stated.get(key, ""), 4000) or f"not stated; say it with `card.{key}=...`"
        for key, title in titles.items()
    }
    return _items({**rows, "When": escaped(str(results.provenance.get("started", "unknown")))})


def _items(rows: Mapping[str, str]) -> str:
    return "\n".join(f"- **{name}:** {text}" for name, text in rows.items() if text)


def _sentences(lines: Iterable[str]) -> str:
    return "\n".join(f"- {escaped(line, 1000)}" for line in lines)
