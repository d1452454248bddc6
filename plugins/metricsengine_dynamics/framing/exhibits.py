"""What the framing study shows of its results: the card, Fig. 4e, the table behind it, and posts with replies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from metricsengine import seeds
from metricsengine.charts.drawing import draw_grid
from metricsengine.charts.forms import Grid
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Excerpt, Excerpts, Exhibit, Figure, Listing, Passage
from metricsengine.results import Results
from metricsengine.wording import value_text
from metricsengine_dynamics.framing.framings import ordered
from metricsengine_dynamics.framing.metrics import BIAS, OPINION, SIGNED
from metricsengine_dynamics.tables import FRAMING
from metricsengine_dynamics.trials.card import Told, card
from metricsengine_dynamics.trials.conditions import differing, first, label, named

if TYPE_CHECKING:
    import pandas as pd

MOST = 8
"""Posts shown with their replies."""


def exhibits(results: Results) -> Iterator[Exhibit]:
    """All that the run holds what it needs for."""
    table = results.tables[FRAMING.name]
    if table.empty:
        return
    yield _card(results, table)
    if _first(results, OPINION):
        yield _matrix(results)
        yield _listing(results)
    yield from _posts(results, first(table))


def _first(results: Results, metric: str) -> list[Estimate]:
    return [e for e in results.estimates if e.metric == metric and "repeat" not in e.labels]


def _matrix(results: Results) -> Figure:
    """Fig. 4e: mean opinion of a post by the framing of its author and of its reader."""
    cells = _first(results, OPINION)
    several = differing([e.labels for e in cells], "variant")
    found = {(named(e.labels, *several, "reader"), e.labels["author"]): e for e in cells}
    readers = ordered(e.labels["reader"] for e in cells)
    variants = list(dict.fromkeys(named(e.labels, *several) for e in cells))
    rows = [", ".join(filter(None, (variant, reader))) for variant in variants for reader in readers]
    grid = Grid(found, rows, ordered(e.labels["author"] for e in cells), "mean opinion of the post")
    message = (
        "What readers (rows) think of an author's post (columns), from −2, strong disagreement, to 2, by how both "
        "stances are worded (Sense and Sensitivity, figure 4e). Being for one pole means being against the other: "
        "cells that differ only in the wording should be alike. Blank pairs are not asked."
    )
    said = "; ".join(_finding(e, results) for e in _first(results, BIAS))
    caption = f"{message} Colours saturate at ±1. Protocol {results.protocol}."
    return Figure("framing", "Opinions by framing", caption, partial(draw_grid, grid), f"{message} {said}")


def _listing(results: Results) -> Listing:
    """Every cell, and the differences."""
    import pandas as pd

    rows = []
    for metric in (OPINION, SIGNED, BIAS):
        for e in _first(results, metric):
            about = {"variant": e.labels["variant"], "author": e.labels.get("author"), "reader": e.labels.get("reader")}
            what = {"measure": metric, "value": e.value, "low": e.low, "high": e.high, "n": e.n}
            rows.append({**about, **what, "unread": sum(e.excluded.values())})
    caption = (
        "One row is the mean opinion of the posts of one author framing by one reader framing, or the difference "
        "between cells with a contra framing and the others, with and without its sign, over n trials; unread: replies "
        f"without an opinion. Protocol {results.protocol}."
    )
    return Listing("framing-opinions", "Opinions by framing, in numbers", caption, pd.DataFrame(rows))


def _posts(results: Results, table: pd.DataFrame) -> Iterator[Excerpts]:
    """Posts with what each of their readers answered, drawn at random."""
    keys = ["variant", "replicate", "author"]
    posts = [rows for _, rows in table[table["post"].notna()].groupby(keys, sort=True)]
    if not posts:
        return
    drawn = sorted(seeds.generator(results.seed, "framing", "excerpts").permutation(len(posts))[:MOST])
    caption = f"{len(drawn)} of {len(posts):,} posts and what their readers answered, drawn at random."
    yield Excerpts("framing-posts", "Posts and replies", caption, [_excerpt(posts[i]) for i in drawn])


def _excerpt(rows: pd.DataFrame) -> Excerpt:
    post, by_reader = rows.iloc[0], {str(row["reader"]): row for _, row in rows.iterrows()}
    replies = [f"{reader}: {_said(by_reader[reader])}" for reader in ordered(by_reader)]
    return Excerpt(f"{post['variant']}, author {post['author']}", "\n\n".join([str(post["post"]), *replies]))


def _said(row: pd.Series) -> str:
    import pandas as pd

    if pd.isna(row["reply"]):
        return f"({row['outcome']})"
    return f"{row['reply']} ({'not read' if pd.isna(row['opinion']) else label(float(row['opinion']))})"


def _card(results: Results, table: pd.DataFrame) -> Passage:
    found = [_finding(e, results) for e in _first(results, BIAS)]
    limits = [
        "Why a wording is judged otherwise: the posts differ with it as well as the readers.",
        "How readers with no stance, or people, would judge these posts.",
    ]
    columns = {"variant": "Prompt sets", "author": "Authors", "reader": "Readers", "persona": "Personas of readers"}
    return card(results, table, Told("Card of these framings", columns, found, limits))


def _finding(bias: Estimate, results: Results) -> str:
    name = named(bias.labels, "variant")
    signed = next((e for e in _first(results, SIGNED) if e.labels == bias.labels), None)
    if signed is None or signed.value is None:
        return f"{name}: negativity bias {value_text(bias)}."
    way = "better" if signed.value > 0 else "worse" if signed.value < 0 else "the same"
    return (
        f"{name}: negativity bias {value_text(bias)}; posts are judged {way} on average where a stance is worded as "
        f"being against something (difference {value_text(signed)})."
    )
