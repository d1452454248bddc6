"""How far the agents are from the reference model: against baselines (Fig. 4a, b), step by step, and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from metricsengine.charts.captions import reading
from metricsengine.charts.curves import CurveChart, draw_curves
from metricsengine.charts.drawing import draw_dots
from metricsengine.charts.forms import Dot, DotChart, styles
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Figure, Listing
from metricsengine.results import Results
from metricsengine.wording import number, value_text
from metricsengine_dynamics.figures.findings import (
    FILTERED,
    FREE,
    SHARES,
    ZERO,
    axis,
    by_step,
    losses,
    overall,
    said,
    title,
    variants,
    who,
    with_unit,
)

MOST_CURVES = 10
"""Curves in one figure; the table of cells has all."""


def consistency(results: Results) -> Iterator[Figure]:
    """Inconsistency of the agents beside that of the baselines, one figure a loss (Fig. 4a and 4b)."""
    for metric in losses(results):
        caption = (
            f"One row is one kind of agent: the mean loss over all agents, steps and runs, {_states(results)} "
            "(Definition 3; Fig. 4a and 4b of Sense and Sensitivity). The reference model on rounded opinions tells "
            "what the eleven steps of the scale cost; a zero and a random agent hear nobody."
        )
        title_text = f"{title(said(metric))}: agents and baselines"
        yield from _dots(results, metric, metric.replace("_", "-"), title_text, caption)


def over_steps(results: Results) -> Iterator[Figure]:
    """Inconsistency step by step."""
    remark = f"Losses are taken {_states(results)}: as these change, so does the distance to any answer."
    for metric in losses(results):
        yield from _curves(results, metric, remark)


def free_runs(results: Results) -> Iterator[Figure]:
    """What free runs lead to, beside the reference model that began at the same opinions."""
    for metric in FREE:
        yield from _curves(results, metric, "Every kind of agent runs freely from the same initial opinions.")
        name, title_text = f"end-{metric.replace('_', '-')}", f"{title(said(metric))} of free runs"
        caption = "One row is one kind of agent: the mean over runs, all from the same initial opinions."
        yield from _dots(results, metric, name, title_text, caption)


def _states(results: Results) -> str:
    """Where the reference model and the agents are compared."""
    free = any(e.labels.get("mode") == "free" for e in results.estimates)
    return "at the states to which each kind of agent itself has come" if free else "at the reference model's states"


def _dots(results: Results, metric: str, name: str, title_text: str, caption: str) -> Iterator[Figure]:
    found = overall(results, metric)
    names = variants(found)
    rows = list(dict.fromkeys(who(e, names) for e in found))
    if len(rows) < 2 or not any(e.defined for e in found):
        return
    dots = [Dot(("", who(e, names)), e) for e in found]
    chart = DotChart(dots, [("", row) for row in rows], styles([""]), axis(results, metric))
    alt = "; ".join(f"{who(e, names)}: {value_text(e)}" for e in found)
    yield Figure(name, title_text, f"{caption} {reading(found)}", partial(draw_dots, chart), alt)


def _curves(results: Results, metric: str, remark: str) -> Iterator[Figure]:
    found = [e for e in by_step(results, metric) if e.defined]
    names = variants(found)
    series: dict[str, list[tuple[float, Estimate]]] = {}
    for estimate in found:
        series.setdefault(who(estimate, names), []).append((float(estimate.labels["step"]), estimate))
    if len({e.labels["step"] for e in found}) < 2:
        return
    shown = dict(list(series.items())[:MOST_CURVES])
    cut = f" Only the first {MOST_CURVES} of {len(series)} are shown." if len(series) > MOST_CURVES else ""
    chart = CurveChart({"": shown}, styles(list(shown)), "step", axis(results, metric))
    yield Figure(
        name=f"{metric.replace('_', '-')}-by-step",
        title=f"{title(said(metric))} step by step",
        caption=f"One curve is one kind of agent, one point the mean over agents and runs at a step. {remark} "
        f"{reading(found)}{cut}",
        draw=partial(draw_curves, chart),
        alt="; ".join(f"{name}: {_ends(points)}" for name, points in shown.items()),
    )


def _ends(points: Sequence[tuple[float, Estimate]]) -> str:
    ordered = sorted(points, key=lambda point: point[0])
    first, last = (estimate.value or 0.0 for _, estimate in (ordered[0], ordered[-1]))
    return f"from {number(first)} to {number(last)}"


def table(results: Results) -> Listing | None:
    """Tables 5 to 7: every kind of agent with all its measures."""
    import pandas as pd

    metrics = [*losses(results), FILTERED, ZERO, *SHARES]
    found = {metric: overall(results, metric) for metric in metrics}
    names = variants(e for estimates in found.values() for e in estimates)
    rows: dict[str, dict[str, object]] = {}
    for metric, estimates in found.items():
        for estimate in estimates:
            row = rows.setdefault(who(estimate, names), {"agent": who(estimate, names)})
            row[with_unit(said(metric), estimate.unit)] = value_text(estimate)
    if not rows:
        return None
    caption = (
        "One row is one kind of agent, over all its updates: distance in points of the scale from -5 to 5, the others "
        "in percent, with 95 % intervals over runs where there are enough (Tables 5 to 7 of Sense and Sensitivity; "
        "filtered polarity counts no neutral opinion as another side)."
    )
    return Listing("consistency", "Consistency with the reference model", caption, pd.DataFrame(list(rows.values())))
