"""What may be concluded from a sweep and what not: a few cautious sentences, made of counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import product
from math import prod

from metricsengine.comparison import spelled
from metricsengine.estimate import Estimate
from metricsengine.results import Results
from metricsengine.sweeping.gathered import Jobs
from metricsengine.sweeping.labels import SweptKey
from metricsengine.wording import (
    Coverage,
    P,
    Said,
    coverage,
    first_few,
    general_limits,
    number,
    plural,
    requests,
    value_text,
)

TOLD, NOT_TOLD, NO_TEST = "told_apart", "not_told_apart", "no_test"
"""Flags of tested differences."""

ABOVE, WITHIN, UNCLEAR, NO_FLOOR = "above_noise_floor", "within_noise_floor", "noise_floor_unclear", "no_noise_floor"
"""Flags of what is held against the noise of asking again."""

FEW_UNITS = "few_units"

_MOST = 3


def conclude(results: Results, jobs: Jobs, keys: Sequence[SweptKey]) -> Said:
    """What a sweep's results may be taken to say, and what not.

    Args:
        results: Its results.
        jobs: Its jobs.
        keys: What was swept.
    """
    cells = coverage(replace(results, estimates=_of_jobs(results)))
    compared = [e for e in results.estimates if e.metric in results.compared]
    may = [*_jobs(jobs, keys), *requests(results), *_cells(cells), *_told_apart(compared), *_above(compared)]
    may_not = [
        *_failed(jobs), *_combinations(jobs, keys), *_undefined(cells), *_untold(compared), *_noise(compared),
        *_imprecise(results), *_mixed(jobs), *general_limits(results), *_notices(results),
    ]  # fmt: skip
    return Said(may, may_not)


def _of_jobs(results: Results) -> list[Estimate]:
    return [e for e in results.estimates if e.metric not in results.compared]


def _jobs(jobs: Jobs, keys: Sequence[SweptKey]) -> Iterator[str]:
    done, all_jobs = len(jobs.done), len(jobs.done) + len(jobs.failed)
    varied = [f"{key.key} ({plural(len(set(key.values)), 'value')})" for key in keys]
    what = f"; they differ in {first_few(varied, 6)}" if varied else ""
    yield f"{done:,} of {plural(all_jobs, 'job')} {'has' if done == 1 else 'have'} results{what}."
    if done == 1:
        yield "There is one job alone: nothing could be compared."


def _cells(cells: Sequence[Coverage]) -> Iterator[str]:
    defined, there = sum(c.defined for c in cells), sum(c.cells for c in cells)
    of = f"{plural(there, 'cell')} of {plural(len(cells), 'metric')}"
    yield f"{defined:,} of {of} have a value; each tells what it rests on (n)."


def _told_apart(compared: Sequence[Estimate]) -> Iterator[str]:
    for name, own in _by_name(compared, TOLD, NOT_TOLD).items():
        told = [e for e in own if TOLD in e.flags]
        yield (
            f"{name.replace('_', ' ').capitalize()}: {len(told):,} of {plural(len(own), 'test')} told apart at 5 % "
            f"after correction for the number of tests of the same metric{clearest(told, compared)}."
        )


def clearest(told: Sequence[Estimate], compared: Sequence[Estimate]) -> str:
    """The differences of the smallest corrected p in words, one for each of the first metrics.

    Args:
        told: Differences that are told apart.
        compared: All estimates of comparisons, among them the corrected p-values.
    """
    ps = {(e.metric, _about(e)): e.value for e in compared if e.metric.endswith(P) and e.value is not None}

    def p_of(estimate: Estimate) -> float | None:
        return ps.get((estimate.metric + P, _about(estimate)))

    ranked = sorted(told, key=lambda e: (1.0 if (p := p_of(e)) is None else p, -abs(e.value or 0.0)))
    best: dict[str, Estimate] = {}
    for estimate in ranked:
        best.setdefault(estimate.labels.get("of", ""), estimate)
    first = [best[of] for of in dict.fromkeys(e.labels.get("of", "") for e in told)][:_MOST]
    named = _named(first, compared)
    said = [
        f"{name} {_value(e)}" + ("" if (p := p_of(e)) is None else f", corrected p {_p(p)}")
        for e, name in zip(first, named, strict=True)
    ]
    return f"; the clearest: {'; '.join(said)}" if said else ""


def _value(estimate: Estimate) -> str:
    unit = f" {estimate.unit}" if estimate.unit not in ("", "1") else ""
    return f"{value_text(estimate)}{unit}".replace("-", "−")


def _p(value: float) -> str:
    return "below 0.001" if value < 0.001 else number(value)


def _above(compared: Sequence[Estimate]) -> Iterator[str]:
    held = [e for e in compared if {ABOVE, WITHIN, UNCLEAR} & set(e.flags)]
    if above := [e for e in held if ABOVE in e.flags]:
        largest = sorted(above, key=lambda e: -abs(e.value or 0.0))
        named = [f"{name} {_value(e)}" for e, name in zip(largest, _named(largest, compared), strict=True)]
        yield (
            f"{len(above):,} of {len(held):,} sensitivities that can be held against a noise floor exceed it: "
            f"{first_few(named, _MOST)}."
        )


def _failed(jobs: Jobs) -> Iterator[str]:
    if jobs.failed:
        reasons: dict[str, list[str]] = {}
        for name, why in jobs.failed.items():
            reasons.setdefault(why, []).append(name)
        commonest = sorted(reasons.items(), key=lambda item: -len(item[1]))
        said = [f"job {first_few(names, 5)}: {why}" for why, names in commonest[:_MOST]]
        more = f"; {len(commonest) - _MOST} further reasons" if len(commonest) > _MOST else ""
        yield f"What {plural(len(jobs.failed), 'job')} without results would have shown ({'; '.join(said)}{more})."
    if parts := sum(bool(job.results.failures) for job in jobs.done):
        yield f"What failed within {plural(parts, 'job')} that otherwise went through: see the failures."


def _combinations(jobs: Jobs, keys: Sequence[SweptKey]) -> Iterator[str]:
    """What the jobs lack of all combinations of what was swept, or have more than once."""
    if not keys:
        return
    there = Counter(tuple(key.values[i] for key in keys) for i in range(len(jobs.done)))
    possible = prod(len(set(key.values)) for key in keys)
    if len(keys) > 1 and len(there) < possible:
        known = ""
        if possible <= 10_000:
            missing = (c for c in product(*(dict.fromkeys(key.values) for key in keys)) if c not in there)
            named = [", ".join(f"{k.key}={v}" for k, v in zip(keys, c, strict=True)) for c in missing]
            known = f" ({first_few(named, _MOST)})"
        yield (
            f"What {possible - len(there):,} of {possible:,} combinations of the swept values would be{known}: means "
            "over the others are not balanced."
        )
    if max(there.values()) > min(there.values()):
        numbers = f"from {min(there.values())} to {max(there.values())}"
        yield f"As much about each combination of the swept values: they have {numbers} jobs each."


def _undefined(cells: Sequence[Coverage]) -> Iterator[str]:
    reasons: Counter[str] = Counter()
    for metric in cells:
        reasons.update(metric.undefined)
    if reasons:
        commonest = [f"{reason} ({n:,})" for reason, n in reasons.most_common()]
        said = f"What {plural(reasons.total(), 'undefined cell')} would be: {first_few(commonest, _MOST)}"
        yield f"{said}. Averages leave them out, not in as zeros."


def _untold(compared: Sequence[Estimate]) -> Iterator[str]:
    if untold := sum(NOT_TOLD in e.flags for e in compared if not e.metric.endswith(P)):
        what = plural(untold, "tested difference")
        yield f"That {what} not told apart would be none: too little data looks the same."
    if untested := [e for e in compared if NO_TEST in e.flags and not e.metric.endswith(P)]:
        are = "is" if len(untested) == 1 else "are"
        [(why, n)] = Counter(e.interval.removeprefix("none: ") for e in untested).most_common(1)
        because = f": {why}{f' ({n:,})' if n < len(untested) else ''}" if why else ""
        yield f"Whether {plural(len(untested), 'difference')} that could not be tested {are} more than chance{because}."


def _noise(compared: Sequence[Estimate]) -> Iterator[str]:
    found = Counter(flag for e in compared for flag in e.flags)
    if without := found[NO_FLOOR]:
        are = "sensitivity is" if without == 1 else "sensitivities are"
        yield f"Whether {without:,} {are} more than chance: nothing was asked again, so that no noise floor is known."
    if within := found[WITHIN]:
        lie = "sensitivity lies" if within == 1 else "sensitivities lie"
        yield f"That what was varied matters where {within:,} {lie} within the noise floor."
    if unclear := found[UNCLEAR]:
        exceed = "sensitivity exceeds its" if unclear == 1 else "sensitivities exceed their"
        yield f"Whether {unclear:,} {exceed} noise floor: one of the two has no interval."


def _imprecise(results: Results) -> Iterator[str]:
    own = [e for e in _of_jobs(results) if e.defined]
    if few := sum(FEW_UNITS in e.flags for e in own):
        yield f"Much about {few:,} of {plural(len(own), 'estimate')}: they rest on few units."
    ends: dict[str, list[float]] = {}
    for estimate in own:
        if estimate.value is not None:
            ends.setdefault(estimate.metric, []).append(estimate.value)
    ranges = {metric: max(values) - min(values) for metric, values in ends.items() if len(values) > 1}
    bounded = [(e, e.high - e.low) for e in own if e.low is not None and e.high is not None]
    wide = sum(width > ranges[e.metric] for e, width in bounded if ranges.get(e.metric))
    if wide:
        yield (
            f"Where {wide:,} of {plural(len(bounded), 'estimate')} with an interval stand among the others: it is "
            "wider than the distance between the lowest and the highest value of their metric."
        )
    if bare := len(own) - len(bounded):
        yield f"How precise {plural(bare, 'estimate')} without an interval may be."


def _mixed(jobs: Jobs) -> Iterator[str]:
    of_jobs = [job.results for job in jobs.done]
    seeds = {results.seed for results in of_jobs}
    if len(seeds) == 1:
        yield f"What another seed would give: all jobs have the seed {of_jobs[0].seed}."
    for noun, values in (
        ("study", {results.study for results in of_jobs}),
        ("protocol", {str(results.protocol) for results in of_jobs}),
        ("model", {str(results.model.get("name", "")) for results in of_jobs if results.model}),
    ):
        if len(values) > 1:
            named = first_few(sorted(values), 4)
            mixed = f"{len(values)} {_several(noun)} ({named})"
            yield f"What holds for each of them, where an average is over all jobs: they mix {mixed}."


def _several(noun: str) -> str:
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def _notices(results: Results) -> Iterator[str]:
    if results.notices:
        allow = "allows" if len(results.notices) == 1 else "allow"
        yield f"More than {plural(len(results.notices), 'notice')} below {allow}: read what stands there first."


def _by_name(compared: Sequence[Estimate], *flags: str) -> dict[str, list[Estimate]]:
    """The estimates that have one of the flags, by name, corrected p-values left out."""
    found: dict[str, list[Estimate]] = {}
    for estimate in compared:
        if not estimate.metric.endswith(P) and not set(flags).isdisjoint(estimate.flags):
            found.setdefault(estimate.metric, []).append(estimate)
    return found


def _about(estimate: Estimate) -> tuple[str, tuple[str, ...]]:
    return spelled(estimate.labels), estimate.over


def _named(estimates: Sequence[Estimate], among: Sequence[Estimate]) -> list[str]:
    """What estimates of comparisons are of, in a few words; what all have in common need not be said."""
    values: dict[str, set[str]] = {}
    for estimate in among:
        for label, value in estimate.labels.items():
            values.setdefault(label, set()).add(value)
    return [_in_words(e.labels, {label for label, found in values.items() if len(found) > 1}) for e in estimates]


def _in_words(all_labels: Mapping[str, str], telling: AbstractSet[str]) -> str:
    labels = dict(all_labels)
    of, base = labels.pop("of", ""), labels.pop("base", "")
    dimension, level = labels.pop("dimension", ""), labels.pop("level", "")
    crossed = labels.pop("dimension_b", "")
    compared = f"{dimension} {level}".strip() + (f" with {crossed}" if crossed else "")
    compared += f" against {base}" if base else ""
    told = [compared, *(f"{name} {value}" for name, value in labels.items() if name in telling)]
    said = ", ".join(filter(None, told)).replace("_", " ")
    return f"{of.replace('_', ' ')} ({said})" if said else of.replace("_", " ")
