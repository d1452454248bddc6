"""Sensitivity to the prompt: bars of S with the noise floor, and the table beside them (Fig. 4d)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from metricsengine.charts.captions import reading
from metricsengine.charts.drawing import draw_dots
from metricsengine.charts.forms import Dot, DotChart, Reference, styles
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Figure, Listing
from metricsengine.results import Results
from metricsengine.wording import value_text
from metricsengine_dynamics.figures.findings import (
    FLOOR,
    SENSITIVITY,
    differences,
    losses,
    overall,
    short,
    variants,
    with_unit,
)

_KINDS = {SENSITIVITY: "S", f"{SENSITIVITY}.signed": "signed difference", FLOOR: "noise floor"}


def sensitivities(results: Results) -> Iterator[Figure]:
    """S of every prompt set, one figure a loss."""
    floors = {e.labels.get("of"): e for e in differences(results, FLOOR) if e.defined}
    for metric in losses(results):
        found = [e for e in differences(results) if e.labels.get("of") == metric and "variant" in e.labels]
        if not any(e.defined for e in found):
            continue
        floor = floors.get(metric)
        limit = [Reference(0.0, floor.value, "noise floor")] if floor and floor.value is not None else []
        rows = [("", e.labels["variant"]) for e in found]
        dots = [Dot(("", e.labels["variant"]), e) for e in found]
        axis = with_unit(f"S of {short(metric)}", found[0].unit)
        chart = DotChart(dots, rows, styles([""]), axis, {"": limit})
        yield Figure(
            name=f"sensitivity-{metric.replace('_', '-')}",
            title=f"Sensitivity of the {short(metric)} to the prompt",
            caption="One row is one prompt set: S = |C(base) - C(prompt set)| (Definition 5, eq. 9; Fig. 4d of Sense "
            "and Sensitivity), on the same initial opinions, networks and personas. "
            f"{_floor_text(floor)} {reading(found)}",
            draw=partial(draw_dots, chart),
            alt="; ".join(f"{e.labels['variant']}: {value_text(e)}" for e in found),
        )


def _floor_text(floor: Estimate | None) -> str:
    if floor is None or floor.value is None:
        return "How far the same prompts differ under another seed was not measured (study.repeats=2 does)."
    return f"Noise floor: the same prompts under another seed differ by {value_text(floor)}."


def table(results: Results) -> Listing | None:
    """Every prompt set with its inconsistencies, and how far they are from those of the base."""
    import pandas as pd

    named = losses(results)
    found = variants(e for metric in named for e in overall(results, metric))
    if len(found) < 2:
        return None
    columns = {heading: cells for metric in named for heading, cells in _columns(results, metric)}
    frame = pd.DataFrame({heading: pd.Series(cells, index=found, dtype="object") for heading, cells in columns.items()})
    caption = (
        "One row is one prompt set: its inconsistency, S as its difference to the base, and the difference with its "
        "sign (Fig. 4d, Tables 8 and 9 of Sense and Sensitivity). The base has no S, but the noise floor where the "
        "same was asked again."
    )
    return Listing("sensitivity", "Sensitivity to the prompt", caption, frame.rename_axis("prompt set").reset_index())


def _columns(results: Results, metric: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Headings, and below each the cells by prompt set."""
    own = [e for e in overall(results, metric) if "variant" in e.labels]
    yield _column(short(metric), own)
    for kind, heading in _KINDS.items():
        compared = [e for e in differences(results, kind) if e.labels.get("of") == metric and "variant" in e.labels]
        if compared:
            yield _column(f"{heading} of {short(metric)}", compared)


def _column(heading: str, estimates: Sequence[Estimate]) -> tuple[str, dict[str, str]]:
    unit = next((e.unit for e in estimates), "")
    return with_unit(heading, unit), {e.labels["variant"]: value_text(e) for e in estimates}
