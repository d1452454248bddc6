"""Estimates of a run against those of its repetition."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from metricsengine.estimate import Estimate

FIELDS = ("value", "low", "high", "standard_error", "n", "excluded", "status", "reason")
"""What of an estimate must come out the same."""

_TOLERANCE = 1e-12

Key = tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]


@dataclass(frozen=True)
class Difference:
    """An estimate that did not come out the same.

    Attributes:
        estimate: The estimate of the run, or of the repetition where the run had none of that name and labels.
        then: What of it was otherwise in the run; None where the run had no such estimate.
        now: The same of the repetition; None where it has no such estimate.
    """

    estimate: Estimate
    then: Mapping[str, Any] | None
    now: Mapping[str, Any] | None

    def told(self, common: Mapping[str, str]) -> str:
        """In one line, without labels that all estimates of the run share."""
        own = [f"{name}={value}" for name, value in self.estimate.labels.items() if common.get(name) != value]
        labels = ", ".join(own)
        over = f" over {', '.join(self.estimate.over)}" if self.estimate.over else ""
        return f"{self.estimate.metric}{f' ({labels})' if labels else ''}{over}: {self._changed()}"

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        about = {"metric": self.estimate.metric, "labels": dict(self.estimate.labels)}
        return {**about, "over": list(self.estimate.over), "then": self.then, "now": self.now}

    def _changed(self) -> str:
        if self.then is None or self.now is None:
            return "was not there" if self.then is None else "is not there now"
        return ", ".join(f"{name} {_said(self.then[name])} → {_said(self.now[name])}" for name in self.then)


def differences(then: Sequence[Estimate], now: Sequence[Estimate]) -> list[Difference]:
    """Where two lists of estimates differ; their order does not count.

    Args:
        then: Estimates of the run.
        now: Estimates of its repetition.
    """
    before, after = _by_key(then), _by_key(now)
    keys = dict.fromkeys([*before, *after])
    found = (_difference(*pair) for key in keys for pair in zip_longest(before.get(key, ()), after.get(key, ())))
    return [difference for difference in found if difference]


def _by_key(estimates: Sequence[Estimate]) -> dict[Key, list[Estimate]]:
    found: dict[Key, list[Estimate]] = defaultdict(list)
    for estimate in estimates:
        found[estimate.metric, tuple(sorted(estimate.labels.items())), estimate.over].append(estimate)
    return found


def _difference(then: Estimate | None, now: Estimate | None) -> Difference | None:
    if then is None or now is None:
        known = then or now
        assert known is not None  # noqa: S101 - for the type checker: one of a pair is there
        return Difference(known, _all(then), _all(now))
    changed = [name for name in FIELDS if not _same(getattr(then, name), getattr(now, name))]
    if not changed:
        return None
    return Difference(then, *({name: getattr(side, name) for name in changed} for side in (then, now)))


def _all(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else {name: getattr(estimate, name) for name in FIELDS}


def _same(then: Any, now: Any) -> bool:
    if isinstance(then, float) and isinstance(now, float):
        return math.isclose(then, now, rel_tol=_TOLERANCE)
    return bool(then == now)


def _said(value: Any) -> str:
    if value is None or value == "":
        return "none"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
