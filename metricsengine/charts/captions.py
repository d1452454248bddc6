"""What is said of charts whatever they show: what was cut, how to read the marks, and what is lowest and highest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metricsengine.estimate import Estimate
from metricsengine.wording import number, plural


def cut_note(there: int, most: int, what: str) -> str:
    """That some are left out, or nothing."""
    return f" Only the {most} highest of {there:,} {what} are shown." if there > most else ""


def extremes(told: Iterable[tuple[str, Estimate]]) -> str:
    """The message of a chart in words: its lowest and its highest estimate, and where they stand."""
    every = list(told)
    ranked = sorted(
        ((estimate.value, where) for where, estimate in every if estimate.value is not None), key=lambda pair: pair[0]
    )
    if not ranked:
        return "No estimate is defined."
    lacking = len(every) - len(ranked)
    missing = f"; {lacking} undefined" if lacking else ""
    (low, at_low), (high, at_high) = ranked[0], ranked[-1]
    ends = f"from {number(low)} ({at_low}) to {number(high)} ({at_high})"
    if number(low) == number(high):
        ends = f"{'all ' if len(ranked) > 1 else ''}{number(low)}"
    return f"{plural(len(ranked), 'estimate')}, {ends}{missing}."


def reading(shown: Sequence[Estimate]) -> str:
    """How to read dots and lines, as far as they occur."""
    methods = sorted({e.interval for e in shown if e.low is not None})
    bare = any(e.defined and e.low is None for e in shown)
    few = any("few_units" in e.flags for e in shown)
    return " ".join(
        text
        for text, holds in (
            (f"Lines are 95 % intervals ({'; '.join(methods[:3])}).", methods),
            ("Those over fewer than 10 units cover less than that.", few),
            ("Hollow dots have no interval.", bare),
            ("Hatched: undefined.", not all(e.defined for e in shown)),
        )
        if holds
    )
