"""Trajectories of opinions: the reference model's and the agents' side by side (Fig. 1)."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from metricsengine.charts.curves import BundleChart, draw_bundles
from metricsengine.exhibits import Figure
from metricsengine.results import Results
from metricsengine_dynamics.figures.findings import AGENTS, in_order, transitions

if TYPE_CHECKING:
    import pandas as pd

MOST_PANELS, MOST_AGENTS = 6, 100

Bundle = list[tuple[list[float], list[float]]]


def trajectories(results: Results) -> Figure | None:
    """The first run, one line an agent."""
    table = transitions(results)
    if table is None:
        return None
    first = table[(table["run"] == table["run"].min()) & (table["repeat"] == 0)]
    if first.empty:
        return None
    nodes = sorted(first["node"].unique())[:MOST_AGENTS]
    first = first[first["node"].isin(nodes)]
    free = bool((first["agent"] == "reference").any())
    every = _panels(first, free)
    panels = dict(list(every.items())[:MOST_PANELS])
    how = (
        "Each kind of agent ran freely from the same initial opinions."
        if free
        else "The reference model's opinions are fed into every step; the other panels show what the agents made of "
        "them, so that a line there is no trajectory of its own but a chain of single steps."
    )
    cut = f" Only {len(nodes)} of the agents are shown." if table["node"].nunique() > len(nodes) else ""
    cut += f" Not shown: {', '.join(list(every)[MOST_PANELS:])}." if len(every) > MOST_PANELS else ""
    chart = BundleChart(panels, "step", "opinion, -1 to 1")
    return Figure(
        name="trajectories",
        title="Opinions over time",
        caption=f"Run {first['run'].min()}; one line is one agent, coloured by its initial opinion (Fig. 1 of Sense "
        f"and Sensitivity). {how} Gaps: no opinion could be read.{cut}",
        draw=partial(draw_bundles, chart),
        alt="; ".join(f"{name}: {_range(bundle)}" for name, bundle in panels.items()),
    )


def _panels(first: pd.DataFrame, free: bool) -> dict[str, Bundle]:
    kinds = in_order(first["agent"])
    several = first["variant"].dropna().nunique() > 1
    panels: dict[str, Bundle] = {}
    if not free:
        some = first[first["agent"] == kinds[0]]
        some = some[some["variant"].fillna("") == some["variant"].fillna("").iloc[0]]
        panels[AGENTS["reference"]] = _bundle(some, "reference", 1.0)
    for agent in kinds:
        own = first[first["agent"] == agent]
        for variant, rows in own.groupby(own["variant"].fillna(""), sort=False):
            name = AGENTS.get(agent, agent) + (f" · {variant}" if variant and several else "")
            panels[name] = _bundle(rows, "opinion", 5.0)
    return panels


def _bundle(rows: pd.DataFrame, column: str, scale: float) -> Bundle:
    """Initial opinion and what followed each step, by agent."""
    bundle: Bundle = []
    for _, own in rows.sort_values("step").groupby("node", sort=True):
        values = own[column].astype(float).to_numpy(dtype=float, na_value=math.nan) / scale
        bundle.append(([0, *(int(step) + 1 for step in own["step"])], [float(own["x"].iloc[0]), *map(float, values)]))
    return bundle


def _range(bundle: Bundle) -> str:
    ends = [values[-1] for _, values in bundle if not math.isnan(values[-1])]
    return f"{len(ends)} agents end between {min(ends):.2f} and {max(ends):.2f}" if ends else "no agent has an opinion"
