"""What the study of paraphrases shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from metricsengine.exhibits import Exhibit, Listing, Passage
from metricsengine.results import Results
from metricsengine.wording import model_name

if TYPE_CHECKING:
    import pandas as pd


def exhibits(results: Results) -> Iterator[Exhibit]:
    """A passage with the file of each new set, the paraphrases, and what became of all replies."""
    for _, made in results.tables["ParaphrasedSets"].iterrows():
        yield _file(made, model_name(results))
    attempts = results.tables["Paraphrases"]
    yield _taken(attempts)
    yield _became(attempts)


def _file(made: pd.Series, model: str) -> Passage:
    path = f"conf/{made['group']}/{made['name']}.toml"
    text = f"# {made['reworded']} of {made['texts']} prompts of {made['group']}={made['of']} reworded by {model}\n"
    text += made["content"]
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
    rest = "" if made["reworded"] == made["texts"] else " The other prompts are those of the original."
    return Passage(
        re.sub(r"[^A-Za-z0-9_-]+", "-", f"{made['group']}-{made['name']}"),
        f"{made['group']}={made['name']}",
        f"{made['reworded']} of {made['texts']} prompts in other words.{rest} Read it, save it as `{path}`, and "
        f"`{made['group']}=[{made['of']},{made['name']}]` compares the two.\n\n{fence}toml\n{text}{fence}\n",
    )


def _taken(attempts: pd.DataFrame) -> Listing:
    rows = attempts[attempts["accepted"]].sort_values(["set", "text", "number"], kind="stable")
    return Listing(
        "paraphrases",
        "Paraphrases",
        "One row is a paraphrase beside its original. Placeholders and quoted labels are the same; whether the meaning "
        "is, a reader has to say.",
        rows[["set", "text", "number", "original", "paraphrase"]].reset_index(drop=True),
    )


def _became(attempts: pd.DataFrame) -> Listing:
    became = attempts["rule"].where(attempts["rule"].notna(), attempts["outcome"])
    became = became.mask(attempts["accepted"].astype(bool), "accepted").rename("what became of it")
    counted = attempts.groupby(["set", became], sort=False)["reason"].agg(["size", "first"]).reset_index()
    return Listing(
        "replies",
        "What became of the replies",
        "One row is a set and an outcome, or the rule that rejected a reply, with the first reason given. The table "
        "Paraphrases holds every reply.",
        counted.rename(columns={"size": "replies", "first": "first reason"}),
    )
