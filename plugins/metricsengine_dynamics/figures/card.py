"""The card of a run: what was simulated, what came back, what may be concluded and what not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metricsengine.estimate import Estimate
from metricsengine.exhibits import Passage
from metricsengine.markup import escaped
from metricsengine.results import Results
from metricsengine.wording import conclusions, counted, model_name, number, plural, value_text
from metricsengine_dynamics.figures.findings import (
    AGENTS,
    DISTANCE,
    FLOOR,
    SHARES,
    differences,
    losses,
    overall,
    transitions,
    variants,
    who,
)

if TYPE_CHECKING:
    import pandas as pd

_LIMITS = """
- Consistency with a reference model says whether agents carry out what they were told. Whether people behave like the
  reference model is another question, and not asked here.
- A small inconsistency of one prompt set does not carry over to another wording of it: read the sensitivity, and hold
  it against the noise floor.
- An agent that always answers in the middle looks consistent once opinions have met there: read the zero agent, the
  zero share and the filtered polarity beside the distance.
- Part of the distance is made by putting opinions into eleven phrases and reading them back: the reference model on
  rounded opinions shows the first, the codec trials (`study=opinion_codec`) the second.
- Runs are few: intervals resample runs, and hold for this network, confidence bound, debate and set of personas.
- Agents that argue convincingly could be used to sway people. Simulated opinions are no poll of anybody.
"""


def card(results: Results) -> Passage:
    """The card of a run of the opinion study."""
    table = transitions(results)
    sections = {
        "What was simulated": _simulated(results, table),
        "Who, and why": _people(results),
        "What came back": _returned(results, table),
        "Consistency with the reference model": _consistency(results),
        "Sensitivity to the prompt": _sensitivity(results),
        "What may be concluded": "\n".join(
            f"- {escaped(line, 1000)}" for line in [*_verdicts(results), *conclusions(results)]
        ),
        "What this cannot say": _LIMITS.strip(),
    }
    text = "\n\n".join(f"## {title}\n\n{section}" for title, section in sections.items() if section)
    return Passage("card", "Card of this simulation", text)


def _items(rows: Mapping[str, str]) -> str:
    return "\n".join(f"- **{name}:** {text}" for name, text in rows.items() if text)


def _simulated(results: Results, table: pd.DataFrame | None) -> str:
    config: Mapping[str, Any] = results.provenance.get("config") or {}
    study: Mapping[str, Any] = config.get("study") or {}
    labels = next((dict(e.labels) for e in results.estimates), {})
    facts = ("n_agents", "network", "edge_probability", "reference", "epsilon", "mode")
    told = ", ".join(f"{name.replace('_', ' ')} {labels[name]}" for name in facts if name in labels)
    asked = ("encoding", "temperature", "top_p", "max_tokens", "decoding_temperature", "repeats")
    sampling = ", ".join(f"{name.replace('_', ' ')} {study[name]}" for name in asked if name in study)
    size = "none: the table Transitions is empty"
    if table is not None:
        size = f"{plural(table['run'].nunique(), 'run')} of {plural(table['step'].nunique(), 'step')}"
    return _items(
        {
            "Model": escaped(model_name(results)) if results.model else "none was asked",
            "Debate": escaped(results.compost.get("topic", "")),
            "Dynamics": escaped(told),
            "Size": size,
            "Agents": escaped(
                ", ".join(AGENTS[a] for a in AGENTS if table is not None and (table["agent"] == a).any())
            ),
            "Prompt sets": escaped(", ".join(variants(results.estimates))),
            "Asked with": escaped(f"{sampling}, seed {results.seed}") if results.model else f"seed {results.seed}",
        }
    )


def _people(results: Results) -> str:
    stated: Mapping[str, str] = results.provenance.get("card") or {}
    titles = {"author": "Who ran it", "purpose": "Purpose", "positionality": "Positionality"}
    rows = {
        title: escaped(stated.get(key, ""), 4000) or f"not stated; say it with `card.{key}=...`"
        for key, title in titles.items()
    }
    return _items({**rows, "When": escaped(str(results.provenance.get("started", "unknown")))})


def _returned(results: Results, table: pd.DataFrame | None) -> str:
    if table is None or not (table["agent"] == "llm").any():
        return ""
    llm = table[table["agent"] == "llm"]
    asked = llm[~llm["isolated"].astype(bool)]
    outcomes = counted(Counter(map(str, asked["outcome"].fillna("unknown"))))
    rows = {
        "Updates": f"{len(llm):,}, of which {len(llm) - len(asked):,} by agents who heard nobody: they were not asked, "
        "and kept their opinion",
        "Replies": escaped(outcomes),
    }
    for metric in SHARES:
        found = [e for e in overall(results, metric) if e.labels.get("agent") == "llm"]
        names = variants(found)
        rows[metric.replace("_", " ").capitalize()] = "; ".join(
            f"{who(e, names)} {value_text(e)} %" if len(names) > 1 else f"{value_text(e)} %" for e in found if e.defined
        )
    rows["Failed"] = escaped("; ".join(results.failures), 2000)
    return _items(rows)


def _consistency(results: Results) -> str:
    metrics = losses(results)
    found = {metric: overall(results, metric) for metric in metrics}
    names = variants(e for estimates in found.values() for e in estimates)
    agents = list(dict.fromkeys(who(e, names) for estimates in found.values() for e in estimates))
    if not agents:
        return "No inconsistency was computed."
    by_agent = {metric: {who(e, names): e for e in estimates} for metric, estimates in found.items()}
    rows = [
        [agent, *(value_text(by_agent[m][agent]) if agent in by_agent[m] else "—" for m in metrics)] for agent in agents
    ]
    heads = [_headed(metric, next(iter(found[metric]), None)) for metric in metrics]
    return _table(["agent", *heads], rows)


def _headed(metric: str, example: Estimate | None) -> str:
    unit = example.unit if example else ""
    return metric.removeprefix("inconsistency_").replace("_", " ") + (f", {unit}" if unit not in ("", "1") else "")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([escaped(cell, 200) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _sensitivity(results: Results) -> str:
    found = [e for e in differences(results) if "variant" in e.labels]
    if not found:
        return "One prompt set was asked: this run cannot tell (`study.prompts=[base,wording,logic,newline]`)."
    floors = {e.labels.get("of"): e for e in differences(results, FLOOR)}
    rows = [
        [
            e.labels["variant"],
            e.labels.get("of", "").replace("_", " "),
            value_text(e),
            value_text(floors[e.labels.get("of")]) if e.labels.get("of") in floors else "not measured",
        ]
        for e in found
    ]
    note = "S is the size of the difference to the base (eq. 9); a difference within the noise floor is none."
    return f"{_table(['prompt set', 'of', 'S', 'noise floor'], rows)}\n\n{note}"


def _verdicts(results: Results) -> list[str]:
    """Whether agents do better than knowing nothing, said of each prompt set."""
    found = [e for e in overall(results, DISTANCE) if e.defined]
    baselines = [e for e in found if e.labels.get("agent") in ("zero", "random")]
    names = variants(found)
    agents = [e for e in found if e.labels.get("agent") == "llm"]
    return [f"{who(agent, names)}: {_against(agent, baseline)}." for agent in agents for baseline in baselines]


def _against(agent: Estimate, baseline: Estimate) -> str:
    name = AGENTS[baseline.labels["agent"]]
    values = f"distance {number(agent.value or 0.0)} against {number(baseline.value or 0.0)}"
    ends = agent.low, agent.high, baseline.low, baseline.high
    if any(end is None for end in ends):
        return f"{values} of the {name}, without intervals, so that nothing can be concluded"
    if agent.high is not None and baseline.low is not None and agent.high < baseline.low:
        return f"closer to the reference model than the {name} ({values}; the intervals are apart)"
    if agent.low is not None and baseline.high is not None and agent.low > baseline.high:
        return f"further from the reference model than the {name} ({values}; the intervals are apart)"
    return f"not told apart from the {name} ({values}; the intervals overlap)"
