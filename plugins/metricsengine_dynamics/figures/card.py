"""The card of a run: what was simulated, what came back, what may be concluded and what not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from metricsengine.estimate import Estimate
from metricsengine.exhibits import Passage
from metricsengine.markup import escaped
from metricsengine.results import Results
from metricsengine.wording import conclusions, counted, model_name, plural, recorded, value_text
from metricsengine_dynamics.figures.findings import (
    AGENTS,
    DISTANCE,
    FILTERED,
    FLOOR,
    SENSITIVITY,
    SHARES,
    ZERO,
    asked,
    differences,
    held_against,
    in_order,
    losses,
    overall,
    said,
    short,
    title,
    transitions,
    variants,
    who,
    with_unit,
)

if TYPE_CHECKING:
    import pandas as pd

_LIMITS = (
    "Consistency with a reference model says whether agents carry out what they were told. Whether people behave like "
    "the reference model is another question, and not asked here.",
    "An agent that always answers in the middle looks consistent once opinions have met there: read the zero agent, "
    "the zero share and the filtered polarity beside the distance.",
    "Intervals resample runs: they hold for this network model, confidence bound, debate and set of personas.",
)
_LIMITS_FREE = (
    "In a free run each kind of agent is compared with the reference model at the states to which it came itself: a "
    "small inconsistency may mean that nothing was left to change. What free runs lead to, their spread and clusters "
    "tell.",
)
_LIMITS_ASKED = (
    "A small inconsistency of one prompt set does not carry over to another wording of it: read the sensitivity, and "
    "hold it against the noise floor.",
    "Part of the distance is made by putting opinions into eleven phrases and reading them back: the reference model "
    "on rounded opinions shows the first, the codec trials (`study=opinion_codec`) the second.",
    "Agents that argue convincingly could be used to sway people. Simulated opinions are no poll of anybody.",
)

_IGNORANT = ("zero", "random")
_PAIRED = "updates that heard somebody, paired by run"


def card(results: Results) -> Passage:
    """The card of a run of the opinion study."""
    table = transitions(results)
    sections = {
        "What was simulated": _simulated(results, table),
        "Who, and why": _people(results),
        "What came back": _returned(results, table),
        "Consistency with the reference model": _consistency(results),
        "Sensitivity to the prompt": _sensitivity(results),
        "What may be concluded": _listed(escaped(line, 1000) for line in [*_verdicts(results), *conclusions(results)]),
        "What this cannot say": _listed(_limits(results)),
    }
    text = "\n\n".join(f"## {heading}\n\n{section}" for heading, section in sections.items() if section)
    return Passage("card", "Card of this simulation", text)


def _limits(results: Results) -> list[str]:
    free = any(e.labels.get("mode") == "free" for e in results.estimates)
    return [*_LIMITS, *(_LIMITS_FREE if free else ()), *(_LIMITS_ASKED if asked(results) else ())]


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _items(rows: Mapping[str, str]) -> str:
    return "\n".join(f"- **{name}:** {text}" for name, text in rows.items() if text)


def _simulated(results: Results, table: pd.DataFrame | None) -> str:
    labels = next((dict(e.labels) for e in results.estimates), {})
    facts = ("n_agents", "network", "edge_probability", "reference", "epsilon", "mode")
    told = ", ".join(f"{name.replace('_', ' ')} {labels[name]}" for name in facts if name in labels)
    size, agents = "none: the table Transitions is empty", ""
    if table is not None:
        size = f"{plural(table['run'].nunique(), 'run')} of {plural(table['step'].nunique(), 'step')}"
        agents = ", ".join(AGENTS.get(agent, agent) for agent in in_order(table["agent"]))
    return _items(
        {
            "Model": escaped(_model(results)),
            "Debate": escaped(results.compost.get("topic", "") if asked(results) else ""),
            "Dynamics": escaped(told),
            "Size": size,
            "Agents": escaped(agents),
            "Prompt sets": escaped(", ".join(asked(results))),
            "Asked with": escaped(_sampling(results)) if results.model else "",
            "Seed": str(results.seed),
        }
    )


def _model(results: Results) -> str:
    """The model; of recorded updates, whose they are as far as the user says so."""
    if results.model is not None or not recorded(results):
        return model_name(results)
    return f"{results.compost.get('model', '')} (recorded updates: this run asked nothing)".strip()


def _sampling(results: Results) -> str:
    config: Mapping[str, Any] = results.provenance.get("config") or {}
    study: Mapping[str, Any] = config.get("study") or {}
    options = ("encoding", "decoding", "temperature", "top_p", "max_tokens", "decoding_temperature", "repeats")
    return ", ".join(f"{name.replace('_', ' ')} {study[name]}" for name in options if name in study)


def _people(results: Results) -> str:
    stated: Mapping[str, str] = results.provenance.get("card") or {}
    titles = {"author": "Who ran it", "purpose": "Purpose", "positionality": "Positionality"}
    rows = {
        heading: escaped(stated.get(key, ""), 4000) or f"not stated; say it with `card.{key}=...`"
        for key, heading in titles.items()
    }
    return _items({**rows, "When": escaped(str(results.provenance.get("started", "unknown")))})


def _returned(results: Results, table: pd.DataFrame | None) -> str:
    if table is None or not (table["agent"] == "llm").any():
        return ""
    llm = table[table["agent"] == "llm"]
    heard = llm[~llm["isolated"].astype(bool)]
    outcomes = counted(Counter(map(str, heard["outcome"].fillna("of unknown outcome"))))
    rows = {"Updates": f"{len(llm):,}{_over(llm)}", "Replies": escaped(outcomes)}
    if alone := len(llm) - len(heard):
        rows["Updates"] += f", of which {alone:,} by agents who heard nobody: not asked, they kept their opinion"
    for metric in SHARES:
        found = [e for e in overall(results, metric) if e.labels.get("agent") == "llm"]
        names = variants(found)
        rows[title(said(metric))] = escaped(
            "; ".join(
                f"{e.labels['variant']} {value_text(e)} %" if len(names) > 1 else f"{value_text(e)} %"
                for e in found
                if e.defined
            )
        )
    rows["Failed"] = escaped("; ".join(results.failures), 2000)
    return _items(rows)


def _over(llm: pd.DataFrame) -> str:
    """What the updates are of, where it is more than one prompt set, asked once."""
    sizes = {"prompt set": llm["variant"].nunique(), "repeat": llm["repeat"].nunique()}
    several = [plural(n, what) for what, n in sizes.items() if n > 1]
    return f" in {' and '.join(several)}" if several else ""


def _consistency(results: Results) -> str:
    metrics = losses(results)
    found = {metric: overall(results, metric) for metric in metrics}
    names = variants(e for estimates in found.values() for e in estimates)
    agents = list(dict.fromkeys(who(e, names) for estimates in found.values() for e in estimates))
    if not agents:
        return "No inconsistency was computed."
    by_row = {metric: {who(e, names): e for e in estimates} for metric, estimates in found.items()}
    for metric, cells in by_row.items():
        cells |= {_less(e, names): e for e in held_against(results, metric)}
    rows = [
        [row, *(value_text(cells[row]) if row in cells else "—" for cells in by_row.values())]
        for row in dict.fromkeys(row for cells in by_row.values() for row in [*agents, *cells])
    ]
    heads = [with_unit(short(metric), next((e.unit for e in found[metric]), "")) for metric in metrics]
    return _table(["agent", *heads], rows)


def _less(difference: Estimate, names: Sequence[str]) -> str:
    return f"{who(difference, names)} − {AGENTS[difference.labels['against']]}, where somebody was heard"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([escaped(cell, 200) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _sensitivity(results: Results) -> str:
    if len(asked(results)) < 2:
        one = "One prompt set was asked: this run cannot tell (`study.prompts=[base,wording,logic,newline]`)."
        return one if asked(results) else ""
    measured = [*losses(results), FILTERED, ZERO]
    found = [e for e in differences(results) if "variant" in e.labels and e.labels.get("of") in measured]
    if not found:
        return f"The prompt sets were not compared: add `comparison=[{SENSITIVITY}]`."
    floors = {e.labels.get("of"): value_text(e) for e in differences(results, FLOOR)}
    rows = [
        [
            e.labels["variant"],
            with_unit(short(e.labels["of"]), e.unit),
            value_text(e),
            floors.get(e.labels["of"], "not measured"),
        ]
        for e in sorted(found, key=lambda e: measured.index(e.labels["of"]))
    ]
    note = "S: size of the difference to the base (eq. 9). Unless its interval is above the floor's, it tells nothing."
    return f"{_table(['prompt set', 'of', 'S', 'noise floor'], rows)}\n\n{note}"


def _verdicts(results: Results) -> list[str]:
    """Whether agents do better than knowing nothing, said of each prompt set."""
    whole = overall(results, DISTANCE)
    names = variants(whole)
    found = held_against(results, DISTANCE, _IGNORANT)
    if not found and {"llm"} < {e.labels["agent"] for e in whole if e.labels["agent"] in ("llm", *_IGNORANT)}:
        return ["Nothing of agents beside those that know nothing: add `inconsistency_difference` to `metric=[...]`."]
    return [f"{who(e, names)}: {_against(e)}." for e in found if e.defined]


def _against(difference: Estimate) -> str:
    """In words what the interval of the difference to a baseline allows to say."""
    name, text = AGENTS[difference.labels["against"]], value_text(difference)
    if difference.low is None or difference.high is None:
        return f"difference {text} to the {name}, without an interval, so that nothing can be concluded"
    if difference.low <= 0 <= difference.high:
        return f"not told apart from the {name} (difference {text}, {_PAIRED})"
    if difference.low > 0:
        return f"further from the reference model than the {name} by {text} ({_PAIRED})"
    value, low, high = (-(end or 0.0) for end in (difference.value, difference.high, difference.low))
    size = value_text(replace(difference, value=value, low=low, high=high))
    return f"closer to the reference model than the {name} by {size} ({_PAIRED})"
