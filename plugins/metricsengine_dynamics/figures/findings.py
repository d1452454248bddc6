"""What figures and texts pick out of the results of the opinion study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from metricsengine.estimate import Estimate
from metricsengine.metric import Measure
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
_LOSS, _DIFFERENCE = "inconsistency_", ".difference"


def in_order(agents: Iterable[str]) -> list[str]:
    """Different agents in the order in which they are shown; those that only a recorded file knows come last.

    Example:
        >>> in_order(["zero", "people", "llm"])
        ['llm', 'zero', 'people']
    """
    known = list(AGENTS)
    return sorted(dict.fromkeys(agents), key=lambda agent: known.index(agent) if agent in known else len(known))


def said(metric: str) -> str:
    """A metric as a reader calls it.

    Example:
        >>> said("inconsistency_distance"), said("zero_share")
        ('distance inconsistency', 'zero share')
    """
    loss = metric.removeprefix(_LOSS)
    return f"{loss} inconsistency".replace("_", " ") if loss != metric else metric.replace("_", " ")


def short(metric: str) -> str:
    """The same where inconsistency is understood: the name of the loss."""
    return metric.removeprefix(_LOSS).replace("_", " ")


def title(text: str) -> str:
    """A text that begins with a capital."""
    return text[:1].upper() + text[1:]


def with_unit(text: str, unit: str) -> str:
    """A heading with the unit, where there is one."""
    return text if unit in ("", "1") else f"{text}, {unit}"


def axis(results: Results, metric: str) -> str:
    """A metric as the label of an axis, with its unit, or the range of a number that has none."""
    measure = results.measures.get(metric, Measure(metric))
    low, high = measure.bounds
    has_range = measure.unit in ("", "1") and low is not None and high is not None
    return f"{said(metric)}, {low:g} to {high:g}" if has_range else with_unit(said(metric), measure.unit)


def losses(results: Results) -> list[str]:
    """Names of the inconsistencies, those of the paper first."""
    named = (e.metric for e in results.estimates if e.metric.startswith(_LOSS))
    found = dict.fromkeys(name for name in named if not name.endswith(_DIFFERENCE))
    return sorted(found, key=lambda name: (name not in (DISTANCE, POLARITY), list(found).index(name)))


def overall(results: Results, metric: str) -> list[Estimate]:
    """Estimates over all steps and updates, of the first asking, agents in their order.

    What is said of no agent at all, such as that no model was asked, is none of them.
    """
    return _sorted(e for e in results.cells(metric) if not any(label in e.labels for label in _PARTIAL))


def held_against(results: Results, metric: str, baselines: Sequence[str] = tuple(AGENTS)) -> list[Estimate]:
    """Differences of an inconsistency between LLM agents and baselines, prompt set by prompt set."""
    found = results.cells(metric + _DIFFERENCE)
    return [e for e in found if e.labels.get("against") in baselines]


def _sorted(estimates: Iterable[Estimate]) -> list[Estimate]:
    found = [e for e in estimates if "agent" in e.labels]
    order = in_order(e.labels["agent"] for e in found)
    return sorted(found, key=lambda e: order.index(e.labels["agent"]))


def by_step(results: Results, metric: str) -> list[Estimate]:
    """Estimates of single steps, of the first asking."""
    found = [e for e in results.cells(metric) if "step" in e.labels]
    return _sorted(e for e in found if not any(label in e.labels for label in _PARTIAL[1:]))


def who(estimate: Estimate, variants: Sequence[str] = ()) -> str:
    """Whose estimate it is, with the prompt set where there are several.

    Example:
        >>> who(Estimate("spread", 0.1, 5, {"agent": "llm", "variant": "newline"}), ["base", "newline"])
        'LLM agents · newline'
    """
    agent = AGENTS.get(estimate.labels["agent"], estimate.labels["agent"])
    variant = estimate.labels.get("variant", "")
    return f"{agent} · {variant}" if variant and len(variants) > 1 else agent


def variants(estimates: Iterable[Estimate]) -> list[str]:
    """The prompt sets, in order of appearance."""
    return list(dict.fromkeys(e.labels["variant"] for e in estimates if "variant" in e.labels))


def asked(results: Results) -> list[str]:
    """The prompt sets that LLM agents were asked, in order; empty where no model was."""
    table = transitions(results)
    return [] if table is None else list(map(str, table["variant"].dropna().unique()))


def transitions(results: Results) -> pd.DataFrame | None:
    """The table of updates; None where it is empty."""
    table = results.tables.get("Transitions")
    return None if table is None or table.empty else table


def differences(results: Results, metric: str = SENSITIVITY) -> list[Estimate]:
    """Sensitivities (or their companions) of whole metrics along the prompt sets, without those of single steps."""
    found = [e for e in results.estimates if e.metric == metric and e.labels.get("agent") == "llm"]
    whole = [e for e in found if "step" not in e.labels and "updates" not in e.labels]
    return [e for e in whole if not e.labels.get("of", "").endswith(_DIFFERENCE)]
