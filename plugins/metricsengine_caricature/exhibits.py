"""What the caricature study shows of its results, in reading order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from metricsengine.exhibits import Exhibit, Listing
from metricsengine.results import Results
from metricsengine_caricature import figures
from metricsengine_caricature.card import card
from metricsengine_caricature.config import CaricatureConf
from metricsengine_caricature.examples import examples
from metricsengine_caricature.findings import Where, by_cell
from metricsengine_caricature.sets import Context

if TYPE_CHECKING:
    import pandas as pd

TOP = 15
"""Seed words shown of each pole, as in the tables A2 and A3."""

_EMPTY_WORD = "(the empty string)"


def exhibits(results: Results, conf: CaricatureConf, contexts: Mapping[str, Context]) -> list[Exhibit]:
    """The card, the main figures, seed words, examples, and all other figures.

    Args:
        results: What the run found.
        conf: Options of the study.
        contexts: Contexts by name; may be empty where recorded responses were scored.
    """
    found: list[Exhibit | None] = [
        card(results, conf, contexts),
        figures.individuation(results),
        figures.exaggeration_by_persona(results),
        seed_words(results),
        failed_seed_words(results),
        *examples(results, conf),
        *figures.further(results),
    ]
    return [exhibit for exhibit in found if exhibit is not None]


def seed_words(results: Results) -> Listing | None:
    """The most telling seed words of both poles of every axis (tables A2 and A3)."""
    import pandas as pd

    words = _ordered(results)
    if words is None:
        return None
    poles: dict[Where, dict[str, list[str]]] = {}
    for (cell, pole), word in zip(by_cell(words, "pole"), words["word"], strict=True):
        poles.setdefault(cell, {"persona": [], "topic": []})[pole].append(word or _EMPTY_WORD)
    columns = [
        "context",
        "part",
        "persona",
        "topic",
        "persona's words",
        "persona's seeds",
        "topic's words",
        "topic's seeds",
    ]
    rows = [
        (*cell, *(shown for found in by_pole.values() for shown in (", ".join(found[:TOP]), len(found))))
        for cell, by_pole in sorted(poles.items())
    ]
    caption = (
        f"One row is one persona-topic axis: its {TOP} most telling words on each pole and how many there are "
        "(CoMPosT, tables A2 and A3). All words, with score, counts and sentences, are in the table seed_words. "
        f"Protocol {results.protocol}."
    )
    return Listing("seed-words", "Seed words", caption, _without_part(pd.DataFrame(rows, columns=columns)))


def failed_seed_words(results: Results) -> Listing | None:
    """Seed words that lie closer to the other pole than to the rest of their own (Appendix C), if there are any."""
    words = _ordered(results)
    if words is None or not (words["leave_one_out"] == "failed").any():
        return None
    failed = words.loc[words["leave_one_out"] == "failed"].sort_values(["context", "persona", "topic"], kind="stable")
    tested = int(words["leave_one_out"].isin(["passed", "failed"]).sum())
    shown = failed[["context", "part", "persona", "topic", "pole", "word", "z", "in_persona", "in_topic", "sentences"]]
    caption = (
        f"One row is a seed word that, left out, is not closer to the rest of its pole than to the other pole "
        f"(CoMPosT, Appendix C): {len(failed):,} of {tested:,} tested words. in_persona and in_topic count it in the "
        f"default-topic and the default-persona simulation. Protocol {results.protocol}."
    )
    frame = _without_part(shown).reset_index(drop=True)
    return Listing("failed-seed-words", "Seed words that fail the leave-one-out test", caption, frame)


def _ordered(results: Results) -> pd.DataFrame | None:
    """Seed words, the most telling first."""
    words = results.tables.get("seed_words")
    if words is None or words.empty:
        return None
    return words.assign(_strength=-words["z"].abs()).sort_values(["_strength", "word"], kind="stable")


def _without_part(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame without its column of parts where nothing is cut into parts."""
    empty = (frame["part"].astype(object).fillna("") == "").all()
    return frame.drop(columns="part") if empty else frame
