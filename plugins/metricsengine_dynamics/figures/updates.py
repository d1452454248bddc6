"""Single updates to read: what an agent was shown, what it answered, and what was read from it (Table 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from metricsengine import seeds
from metricsengine.exhibits import Excerpt, Excerpts
from metricsengine.results import Results
from metricsengine_dynamics.figures.findings import transitions
from metricsengine_dynamics.study.scale import FACTOR

if TYPE_CHECKING:
    import pandas as pd

MOST = 6
"""Updates shown of a kind."""


def updates(results: Results) -> Iterator[Excerpts]:
    """Updates at random, those furthest from the reference model, and those that could not be read."""
    table = transitions(results)
    if table is None:
        return
    asked = table[(table["agent"] == "llm") & ~table["isolated"].astype(bool) & table["reply"].notna()]
    asked = asked.sort_values(["variant", "repeat", "run", "step", "node"], kind="stable").reset_index(drop=True)
    read = asked[asked["opinion"].notna()]
    if len(read):
        drawn = seeds.generator(results.seed, "updates").permutation(len(read))[:MOST]
        yield _excerpts(
            "updates-random", "Updates", "drawn at random with the run's seed", read.iloc[sorted(drawn)], read
        )
        error = (FACTOR * read["reference"] - read["opinion"]).abs()
        worst = read.loc[error.sort_values(ascending=False, kind="stable").index[:MOST]]
        yield _excerpts("updates-worst", "Updates furthest from the reference model", "the worst", worst, read)
    lost = asked[asked["opinion"].isna()]
    if len(lost):
        drawn = seeds.generator(results.seed, "undecodable").permutation(len(lost))[:MOST]
        yield _excerpts(
            "updates-undecodable", "Replies without an opinion", "drawn at random", lost.iloc[sorted(drawn)], lost
        )


def _excerpts(name: str, title: str, how: str, shown: pd.DataFrame, among: pd.DataFrame) -> Excerpts:
    caption = (
        f"{len(shown)} of {len(among):,} updates, {how}; opinions on the scale from -5 to 5. Each is what the agent "
        "answered to its timeline, and below the line what the decoding questions were answered."
    )
    return Excerpts(name, title, caption, [_excerpt(row) for _, row in shown.iterrows()])


def _excerpt(row: pd.Series) -> Excerpt:
    known = {str(name): value for name, value in row.dropna().items()}
    asked_again = f" (repeat {known['repeat']})" if known.get("repeat") else ""
    said = [
        f"{known.get('variant', 'no prompt set')}{asked_again}, run {known['run']}, step {known['step']}",
        str(known["handle"]) if "handle" in known else f"agent {known['node']}",
    ]
    opinions = [
        f"had {FACTOR * float(known['x']):+.1f}",
        *([f"heard {known['heard']}"] if "heard" in known else []),
        f"reference {FACTOR * float(known['reference']):+.1f}",
        f"read as {float(known['opinion']):+g}" if "opinion" in known else "not read",
    ]
    below = known.get("decoding", known.get("reason", ""))
    return Excerpt(f"{', '.join(said)}: {', '.join(opinions)}", f"{known['reply']}\n\n—\n{below}")
