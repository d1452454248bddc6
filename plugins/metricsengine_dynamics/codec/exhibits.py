"""What the codec study shows of its results: the card, Fig. 4c, the table behind it, and posts to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

from metricsengine import seeds
from metricsengine.charts.captions import reading
from metricsengine.charts.curves import CurveChart, draw_curves
from metricsengine.charts.forms import styles
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Excerpt, Excerpts, Exhibit, Figure, Listing, Passage
from metricsengine.results import Results
from metricsengine.wording import number, plural, value_text
from metricsengine_dynamics.codec.config import HIGHEST
from metricsengine_dynamics.codec.metrics import BIAS, ERROR, UNDECODABLE
from metricsengine_dynamics.tables import CODEC
from metricsengine_dynamics.trials.card import Told, card
from metricsengine_dynamics.trials.conditions import differing, first, label, named

if TYPE_CHECKING:
    import pandas as pd

MOST = 6
"""Posts shown of a kind."""

LOST = "undecodable, %"

_CONDITIONS = ("variant", "encoding")


def exhibits(results: Results) -> Iterator[Exhibit]:
    """All that the run holds what it needs for."""
    table = results.tables[CODEC.name]
    if table.empty:
        return
    yield _card(results, table)
    if _overall(results):
        yield _decoded(results)
        yield _listing(results)
    yield from _posts(results, first(table))


def _first(results: Results, metric: str) -> list[Estimate]:
    return [e for e in results.estimates if e.metric == metric and "repeat" not in e.labels]


def _decoded(results: Results) -> Figure:
    """Fig. 4c: mean decoded opinion by encoded one, and the line on which a perfect codec lies."""
    cells = [_shifted(e) for e in _first(results, BIAS) if "opinion" in e.labels]
    several = differing([e.labels for e in cells], "variant")
    curves: dict[str, dict[str, list[tuple[float, Estimate]]]] = {}
    for e in cells:
        panel = curves.setdefault(named(e.labels, *several), {})
        panel.setdefault(e.labels["encoding"], []).append((float(e.labels["opinion"]), e))
    opinions = [float(e.labels["opinion"]) for e in cells]
    chart = CurveChart(
        curves,
        styles(list(dict.fromkeys(e.labels["encoding"] for e in cells))),
        "encoded opinion",
        "mean decoded opinion",
        reference=(min(opinions), max(opinions)),
    )
    message = (
        "Mean opinion decoded from posts, by the opinion that was encoded; a perfect codec lies on the dashed line "
        "(Sense and Sensitivity, figure 4c)."
    )
    gaps = "" if all(e.defined for e in cells) else "Gaps: no post could be read. "
    caption = f"{message} {reading([e for e in cells if e.low is not None])} {gaps}Protocol {results.protocol}."
    said = "; ".join(f"{_name(e)}: error {value_text(e)}" for e in _overall(results))
    return Figure("codec", "Encoded and decoded", caption, partial(draw_curves, chart), f"{message} {said}.")


def _shifted(e: Estimate) -> Estimate:
    """The mean decoded opinion from its mean difference to the encoded one."""
    x = float(e.labels["opinion"])
    value, low, high = (None if one is None else one + x for one in (e.value, e.low, e.high))
    return replace(e, value=value, low=low, high=high)


def _listing(results: Results) -> Listing:
    """Every opinion, and all of them, under each condition."""
    import pandas as pd

    found: dict[tuple[str, ...], dict[str, object]] = {}
    columns = {ERROR: "error", BIAS: "bias", UNDECODABLE: LOST}
    for metric, column in columns.items():
        for e in _first(results, metric):
            key = (*(e.labels[name] for name in _CONDITIONS), e.labels.get("opinion", "all"))
            found.setdefault(key, {})[column] = e.value
            if metric == ERROR:
                found[key] |= {"low": e.low, "high": e.high}
    names = (*_CONDITIONS, "opinion")
    rows = [dict(zip(names, key, strict=True)) | values for key, values in found.items()]
    caption = (
        "One row is one opinion under one prompt set and encoding: mean distance of the decoded from the encoded "
        "opinion with its interval, mean signed difference, and percentage of trials that could not be read. "
        f"All: mean over opinions, each with the same weight. Protocol {results.protocol}."
    )
    order = [*names, "error", "low", "high", "bias", LOST]
    return Listing("codec-errors", "Codec error by opinion", caption, pd.DataFrame(rows, columns=order))


def _posts(results: Results, table: pd.DataFrame) -> Iterator[Excerpts]:
    """Posts that were decoded farthest from what they were to say, and posts that could not be decoded."""
    written = table[table["post"].notna()]
    read = written[written["decoded"].notna()]
    away = (read["decoded"] - read["opinion"]).abs()
    ranked = read.assign(away=away).sort_values(
        ["away", *_CONDITIONS, "opinion", "replicate"], ascending=[False, True, True, True, True]
    )
    worst = ranked[ranked["away"] > 0][:MOST]
    if len(worst):
        caption = f"The {len(worst)} posts that were read as something farthest from what they were to say."
        yield Excerpts("codec-misses", "Posts read as something else", caption, [_excerpt(row) for row in _rows(worst)])
    lost = written[written["decoded"].isna()].sort_values([*_CONDITIONS, "opinion", "replicate"])
    if len(lost):
        rng = seeds.generator(results.seed, "codec", "excerpts")
        shown = lost.iloc[sorted(rng.permutation(len(lost))[:MOST])]
        caption = f"{len(shown)} of {len(lost):,} posts that could not be decoded, drawn at random with the run's seed."
        yield Excerpts("codec-unread", "Posts that could not be read", caption, [_excerpt(row) for row in _rows(shown)])


def _rows(table: pd.DataFrame) -> list[pd.Series]:
    return [row for _, row in table.iterrows()]


def _excerpt(row: pd.Series) -> Excerpt:
    import pandas as pd

    known = pd.notna(row["decoded"])
    read = f"read as {label(float(row['decoded']))}" if known else f"not read: {row['reason']}"
    said = "" if pd.isna(row["decoding"]) or known else f"\n\nDecoding: {row['decoding']}"
    heading = f"{row['variant']}, {row['encoding']}: encoded {label(float(row['opinion']))}, {read}"
    return Excerpt(heading, f"{row['post']}{said}")


def _card(results: Results, table: pd.DataFrame) -> Passage:
    opinions = table["opinion"].astype(float).unique().tolist()
    found = [_finding(e, results) for e in _overall(results)]
    zero = number(fmean(map(abs, opinions)))
    chance = number(fmean(abs(x - y) for x in opinions for y in range(-HIGHEST, HIGHEST + 1)))
    found.append(
        f"For comparison: who reads 0 in every post has an error of {zero}, who reads one of the 11 whole numbers at "
        f"random one of {chance}."
    )
    limits = [
        "Whether a post or its reading is at fault: the error is that of both together.",
        "How people would read these posts: the same model writes and reads.",
    ]
    columns = {"variant": "Prompt sets", "encoding": "Encodings", "opinion": "Opinions", "persona": "Personas"}
    return card(results, table, Told("Card of this codec", columns, found, limits))


def _overall(results: Results) -> Sequence[Estimate]:
    return [e for e in _first(results, ERROR) if "opinion" not in e.labels]


def _finding(error: Estimate, results: Results) -> str:
    """Error, bias and what could not be read of one condition."""
    bias, lost = (
        next((e for e in _first(results, metric) if e.labels == error.labels), None) for metric in (BIAS, UNDECODABLE)
    )
    also = [f"bias {value_text(bias)}"] if bias else []
    also += [f"could not be read {value_text(lost)}{' %' if lost.defined else ''}"] if lost else []
    return f"{_name(error)}: error {'; '.join([value_text(error), *also])}{_lacking(error)}."


def _lacking(error: Estimate) -> str:
    """That some opinions are not in the mean, which then is not that of conditions where they are."""
    lacking = error.excluded.get("undefined cells", 0)
    return f"; {plural(lacking, 'opinion')} of {error.n + lacking} could not be read in any post" if lacking else ""


def _name(e: Estimate) -> str:
    return named(e.labels, *_CONDITIONS)
