"""What the page of two sweeps, or two runs, shows: what differs between them, and both side by side."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from metricsengine.charts.captions import reading
from metricsengine.charts.drawing import draw_dots
from metricsengine.charts.forms import Dot, DotChart, Row, styles
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Exhibit, Figure, Listing, Passage
from metricsengine.markup import escaped
from metricsengine.results import Results
from metricsengine.sweeping.conclusions import clearest
from metricsengine.sweeping.matching import Against, Pair, preventing
from metricsengine.wording import Said, first_few, general_limits, own_labels, plural, widest

DIFFERENCE, P = "difference", "difference.p"
_NO_MATTER = frozenset({"tracking", "resume", "on_bad_job", "objective", "card", "hydra", "seed"})
"""Settings that no number depends on, and the seed, which is told by itself."""

METRICS, ROWS, FEW = 3, 40, 6
"""Metrics that have a figure, rows of a figure, and things that a sentence names."""


def conclude(against: Against, results: Results) -> Said:
    """What the differences may be taken to say, and what not.

    Args:
        against: What is compared.
        results: What was found.
    """
    first, second = against.names
    found = [e for e in results.estimates if e.metric == DIFFERENCE]
    counts = Counter(flag for e in found for flag in e.flags)
    told = [e for e in found if "told_apart" in e.flags]
    tests = counts["told_apart"] + counts["not_told_apart"]
    differing = [what for what, *_ in differing_settings(against)]
    may = [
        *_contrast(against),
        f"{plural(len(found), 'estimate')} of {first} and {second} are of the same metric and labels; a difference is "
        f"{first} less {second}."
        if found
        else _unmatched(against),
        f"{len(told):,} of {plural(tests, 'test')} told apart at 5 % after correction for the number of tests of the "
        f"same metric{clearest(told, results.estimates)}."
        if tests
        else "No difference could be tested.",
        f"The two were taken for independent, since {against.apart}."
        if against.apart
        else "Units of one name were taken for the same in both, since seeds and data agree.",
        f"They differ in {plural(len(differing), 'setting')}: {first_few(differing, FEW)}."
        if differing
        else "Nothing that was recorded differs between them: numbers that differ do so by chance, or by what is not "
        "recorded.",
    ]
    return Said(may, [*_limits(against, counts, differing), *general_limits(against.here)])


def summary(against: Against, results: Results) -> str:
    """How many estimates were matched, and how many of them differ; what prevented it where none was.

    Args:
        against: What is compared.
        results: What was found.
    """
    matched = against.matched
    said = f"{len(matched.pairs):,} of {plural(matched.possible[0], 'estimate')} matched"
    if not matched.pairs:
        return f"{said}. {_unmatched(against)}"
    counts = Counter(flag for e in results.estimates if e.metric == DIFFERENCE for flag in e.flags)
    tests = counts["told_apart"] + counts["not_told_apart"]
    return f"{said}; {counts['told_apart']:,} of {tests:,} tested differ" if tests else f"{said}; none could be tested"


def _contrast(against: Against) -> Iterator[str]:
    """What was left out of the matching, since it is what is compared."""
    compared = against.matched.compared
    if compared:
        sides = (
            f"{name} has {first_few((f'{label} {values[i]}' for label, values in compared.items()), FEW)}"
            for i, name in enumerate(against.names)
        )
        yield f"What is compared: {', '.join(sides)}; everything else that labels tell was matched."


def _unmatched(against: Against) -> str:
    """Why nothing was matched."""
    first, second = against.names
    matched = against.matched
    if matched.ambiguous:
        return "No estimate could be matched: several jobs tell the same, and no label tells them apart."
    if not {e.metric for e in matched.here_only} & {e.metric for e in matched.there_only}:
        return f"No estimate could be matched: {first} and {second} have no metric in common."
    found = {
        label: [
            f"{first_few(values, FEW) or 'not told'} in {name}"
            for name, values in zip(against.names, both, strict=True)
        ]
        for label, both in preventing(matched).items()
    }
    why = (
        "; ".join(f"{label} is {' and '.join(told)}" for label, told in list(found.items())[:FEW])
        or "no single label prevents it, but no combination of labels is in both"
    )
    return f"No estimate could be matched: {why}."


def _limits(against: Against, counts: Mapping[str, int], differing: Sequence[str]) -> Iterator[str]:
    matched = against.matched
    if len(differing) > 1:
        yield f"Which of the {len(differing)} settings that differ makes a difference."
    for name, lone in zip(against.names, (matched.here_only, matched.there_only), strict=True):
        if lone:
            yield f"How {plural(len(lone), 'estimate')} of {name} alone compare: {_named(lone)}."
    if matched.ambiguous:
        several = plural(len(matched.ambiguous), "estimate")
        yield f"How {several} compare that several jobs tell: {_named(matched.ambiguous)}."
    if untold := counts["not_told_apart"]:
        yield f"That {plural(untold, 'difference')} not told apart would be none: too little data looks the same."
    if without := counts["no_test"]:
        are = "is" if without == 1 else "are"
        yield f"Whether {plural(without, 'difference')} without a test {are} more than chance."
    if few := counts["few_units"]:
        yield f"Much about {plural(few, 'difference')} over few units."


def _named(estimates: Sequence[Estimate]) -> str:
    counts = Counter(e.metric for e in estimates)
    return first_few([f"{metric} ({n:,})" for metric, n in counts.most_common()], FEW)


def exhibits(against: Against, results: Results) -> Iterator[Exhibit]:
    """What is shown beside the differences.

    Args:
        against: What is compared.
        results: What was found.
    """
    import pandas as pd

    first, second = against.names
    yield _card(against, results)
    settings = differing_settings(against)
    caption = "One row is one setting, version or digest that is not the same in both; — stands where one has none."
    if settings:
        yield Listing("differs", "What differs", caption, pd.DataFrame(settings, columns=["what", first, second]))
    if lone := _lone(against):
        yield Listing("unmatched", "What could not be matched", "One row is one estimate.", pd.DataFrame(lone))
    by_metric: dict[str, list[Pair]] = {}
    for pair in against.matched.pairs:
        by_metric.setdefault(pair.here.metric, []).append(pair)
    figures = (_figure(metric, pairs, against.names) for metric, pairs in by_metric.items())
    yield from [figure for figure in figures if figure][:METRICS]


def _card(against: Against, results: Results) -> Passage:
    lines = [
        f"- **{side}:** {escaped(name)} ({escaped(str(results.provenance[key]))})"
        for side, name, key in zip(("first", "second"), against.names, ("here", "there"), strict=True)
    ]
    for name, told in zip(against.names, (against.here, against.there), strict=True):
        command = str(told.provenance.get("command") or "a command that is not known")
        lines.append(f"- **{escaped(name)} was made by** {escaped(command)}")
    return Passage("card", "What is set against what", "\n".join(lines))


def differing_settings(against: Against) -> list[tuple[str, str | None, str | None]]:
    """What is recorded of the two and not the same: settings, versions, digests, model, protocol, seeds, swept values.

    Returns:
        What it is, its value in the first and in the second; None where one has none.
    """
    here, there = (dict(_leaves(_recorded(results))) for results in (against.here, against.there))
    names = dict.fromkeys([*here, *there])
    return [(name, here.get(name), there.get(name)) for name in names if here.get(name) != there.get(name)]


def _recorded(results: Results) -> dict[str, Any]:
    told = results.provenance
    config = {key: value for key, value in (told.get("config") or {}).items() if key not in _NO_MATTER}
    swept = {key: ", ".join(dict.fromkeys(values)) for key, values in told.get("swept", {}).items()}
    return {
        "study": results.study,
        "protocol": results.protocol,
        "seed": list(told.get("seeds") or [results.seed]),
        "model": results.model or "no model",
        "data": list(told.get("datasets") or [(told.get("dataset") or {}).get("digest", "")]),
        "swept": swept,
        "settings": config,
        **{name: told.get(name) or {} for name in ("sets", "sources", "versions")},
    }


def _leaves(content: Any, path: str = "") -> Iterator[tuple[str, str]]:  # whatever JSON can hold
    if isinstance(content, Mapping):
        for key, value in content.items():
            yield from _leaves(value, f"{path} › {key}" if path else str(key))
    elif isinstance(content, Sequence) and not isinstance(content, str):
        yield path, ", ".join(map(str, content))
    else:
        yield path, str(content)


def _lone(against: Against) -> list[dict[str, str]]:
    matched = against.matched
    groups = {
        f"only in {against.names[0]}": matched.here_only,
        f"only in {against.names[1]}": matched.there_only,
        "several of the same": matched.ambiguous,
    }
    return [
        {"metric": e.metric, "labels": _condition(e.labels), "over": ", ".join(e.over), "where": where}
        for where, estimates in groups.items()
        for e in estimates
    ]


def _figure(metric: str, pairs: Sequence[Pair], names: tuple[str, str]) -> Figure | None:
    """Both values of each estimate side by side, the broadest ones."""
    told = [(pair, pair.both) for pair in pairs]
    broad = {id(e) for e in widest([both for _, both in told])}
    chosen = [pair for pair, both in told if id(both) in broad]
    shown = [pair for pair in chosen if pair.here.defined or pair.there.defined][:ROWS]
    if not shown:
        return None
    varying = _varying([own_labels(pair.both) for pair in shown])
    rows: dict[Row, Pair] = {}
    for pair in shown:
        rows.setdefault(("", _row(pair.both, varying) or metric.replace("_", " ")), pair)
    dots = [
        Dot(row, e, name) for row, pair in rows.items() for name, e in zip(names, (pair.here, pair.there), strict=True)
    ]
    unit = shown[0].here.unit
    said = metric.replace("_", " ")
    chart = DotChart(dots, list(rows), styles(names), said + (f", {unit}" if unit not in ("", "1") else ""))
    more = len(chosen) - len(rows)
    left = f" {plural(more, 'further pair')} are in the tables only." if more else ""
    return Figure(
        name="both-" + re.sub(r"[^A-Za-z0-9]+", "-", metric),
        title=f"{said[:1].upper()}{said[1:]} in both",
        caption=f"One row is what both tell of the same. {reading([dot.estimate for dot in dots])}{left}",
        draw=partial(draw_dots, chart),
        alt=f"{plural(len(rows), 'pair')} of estimates of {said}, one of {names[0]} and one of {names[1]} each.",
    )


def _varying(conditions: Sequence[Mapping[str, str]]) -> list[str]:
    names = dict.fromkeys(name for condition in conditions for name in condition)
    return [name for name in names if len({condition.get(name) for condition in conditions}) > 1]


def _row(estimate: Estimate, varying: Sequence[str]) -> str:
    told = _condition({name: estimate.labels[name] for name in varying if name in estimate.labels})
    over = f"mean over {', '.join(estimate.over)}" if estimate.over else ""
    return ", ".join(filter(None, (told, over)))


def _condition(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in labels.items())
