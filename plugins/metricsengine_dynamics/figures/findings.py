"""What figures and texts pick out of the results of the opinion study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from metricsengine.estimate import Estimate
from metricsengine.results import Results

if TYPE_CHECKING:
    import pandas as pd

DISTANCE, POLARITY = "inconsistency_distance", "inconsistency_polarity"
FILTERED, ZERO = "filtered_polarity", "zero_share"
SHARES = ("isolated_share", "undecodable_share", "cut_share")
FREE = ("cluster_count", "spread", "bimodality", "consensus_time")
SENSITIVITY, FLOOR = "sensitivity", "noise_floor"

AGENTS = {
    "llm": "LLM agents",
    "reference": "reference model",
    "rounded": "reference model on rounded opinions",
    "zero": "zero agent",
    "random": "random agent",
}
"""Agents in the order in which they are shown, as a reader calls them."""

_PARTIAL = ("step", "updates", "repeat")


def losses(results: Results) -> list[str]:
    """Names of the inconsistencies, those of the paper first."""
    found = dict.fromkeys(e.metric for e in results.estimates if e.metric.startswith("inconsistency_"))
    return sorted(found, key=lambda name: (name not in (DISTANCE, POLARITY), list(found).index(name)))


def overall(results: Results, metric: str) -> list[Estimate]:
    """Estimates over all steps and updates, of the first asking, agents in their order."""
    found = [e for e in results.cells(metric) if not any(label in e.labels for label in _PARTIAL)]
    return sorted(found, key=lambda e: list(AGENTS).index(e.labels.get("agent", "llm")))


def by_step(results: Results, metric: str) -> list[Estimate]:
    """Estimates of single steps, of the first asking."""
    found = [e for e in results.cells(metric) if "step" in e.labels]
    return [e for e in found if not any(label in e.labels for label in _PARTIAL[1:])]


def who(estimate: Estimate, variants: Sequence[str] = ()) -> str:
    """Whose estimate it is, with the prompt set where there are several.

    Example:
        >>> who(Estimate("spread", 0.1, 5, {"agent": "llm", "variant": "newline"}), ["base", "newline"])
        'LLM agents · newline'
    """
    agent = AGENTS.get(estimate.labels.get("agent", "llm"), estimate.labels.get("agent", ""))
    variant = estimate.labels.get("variant", "")
    return f"{agent} · {variant}" if variant and len(variants) > 1 else agent


def variants(estimates: Iterable[Estimate]) -> list[str]:
    """The prompt sets, in order of appearance."""
    return list(dict.fromkeys(e.labels["variant"] for e in estimates if "variant" in e.labels))


def transitions(results: Results) -> pd.DataFrame | None:
    """The table of updates; None where it is empty."""
    table = results.tables.get("Transitions")
    return None if table is None or table.empty else table


def differences(results: Results, metric: str = SENSITIVITY) -> list[Estimate]:
    """Sensitivities (or their companions) of whole metrics along the prompt sets, without those of single steps."""
    found = [e for e in results.estimates if e.metric == metric and e.labels.get("agent") == "llm"]
    return [e for e in found if "step" not in e.labels and "updates" not in e.labels]
