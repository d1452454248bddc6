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
    by_step,
    losses,
    overall,
    variants,
    who,
)


def consistency(results: Results) -> Iterator[Figure]:
    """Inconsistency of the agents beside that of the baselines, one figure a loss (Fig. 4a and 4b)."""
    for metric in losses(results):
        found = overall(results, metric)
        names = variants(found)
        rows = list(dict.fromkeys(who(e, names) for e in found))
        if not any(e.defined for e in found) or len(rows) < 2:
            continue
        dots = [Dot(("", who(e, names)), e, "") for e in found]
        chart = DotChart(dots, [("", row) for row in rows], styles([""]), _axis(results, metric))
        yield Figure(
            name=metric.replace("_", "-"),
            title=f"{_said(metric)}: agents and baselines",
            caption="One row is one kind of agent: the mean loss over all agents, steps and runs (Definition 3; Fig. "
            "4a and 4b of Sense and Sensitivity). Below the reference model on rounded opinions nobody who answers in "
            f"eleven steps can get; a zero and a random agent know nothing. {reading(found)}",
            draw=partial(draw_dots, chart),
            alt="; ".join(f"{who(e, names)}: {value_text(e)}" for e in found),
        )


def over_steps(results: Results) -> Iterator[Figure]:
    """Inconsistency step by step."""
    for metric in losses(results):
        if figure := _curves(
            results, metric, "As opinions come closer to each other, their distance to any answer changes."
        ):
            yield figure


def free_runs(results: Results) -> Iterator[Figure]:
    """What free runs lead to, beside the reference model that began at the same opinions."""
    for metric in FREE:
        if figure := _curves(results, metric, "Every kind of agent runs freely from the same initial opinions."):
            yield figure
        found = [e for e in overall(results, metric) if e.defined]
        names = variants(found)
        rows = list(dict.fromkeys(who(e, names) for e in found))
        if len(rows) > 1:
            dots = [Dot(("", who(e, names)), e, "") for e in found]
            chart = DotChart(dots, [("", row) for row in rows], styles([""]), _axis(results, metric))
            yield Figure(
                name=f"end-{metric.replace('_', '-')}",
                title=f"{_said(metric)} at the end",
                caption=f"One row is one kind of agent, mean over runs. {reading(found)}",
                draw=partial(draw_dots, chart),
                alt="; ".join(f"{who(e, names)}: {value_text(e)}" for e in found),
            )


def _curves(results: Results, metric: str, remark: str) -> Figure | None:
    found = [e for e in by_step(results, metric) if e.defined]
    names = variants(found)
    series: dict[str, list[tuple[float, Estimate]]] = {}
    for estimate in found:
        series.setdefault(who(estimate, names), []).append((float(estimate.labels["step"]), estimate))
    if len({e.labels["step"] for e in found}) < 2 or len(series) > 7:
        return None
    chart = CurveChart({"": series}, styles(list(series)), "step", _axis(results, metric))
    ends = "; ".join(f"{name}: {_ends(points)}" for name, points in series.items())
    return Figure(
        name=f"{metric.replace('_', '-')}-by-step",
        title=f"{_said(metric)} step by step",
        caption=f"One curve is one kind of agent, one point the mean over agents and runs at a step. {remark} "
        f"{reading(found)}",
        draw=partial(draw_curves, chart),
        alt=ends,
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
            row[_headed(metric, estimate)] = value_text(estimate)
    if not rows:
        return None
    caption = (
        "One row is one kind of agent: distance on the scale from -5 to 5, shares in percent of its updates, each with "
        "its 95 % interval over runs (Tables 5 to 7 of Sense and Sensitivity; filtered polarity leaves out zeros)."
    )
    return Listing("consistency", "Consistency with the reference model", caption, pd.DataFrame(list(rows.values())))


def _headed(metric: str, estimate: Estimate) -> str:
    return _said(metric) + (f", {estimate.unit}" if estimate.unit not in ("", "1") else "")


def _axis(results: Results, metric: str) -> str:
    measure = results.measures.get(metric)
    unit = measure.unit if measure else ""
    return _said(metric) + (f", {unit}" if unit not in ("", "1") else "")


def _said(metric: str) -> str:
    """A metric as a reader calls it.

    Example:
        >>> _said("inconsistency_distance"), _said("zero_share")
        ('inconsistency, distance', 'zero share')
    """
    kind, _, loss = metric.partition("_")
    return f"{kind}, {loss.replace('_', ' ')}" if kind == "inconsistency" else metric.replace("_", " ")
