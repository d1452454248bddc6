"""A number that can be trusted: value, interval, denominators, labels, and whether it exists at all."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self


@dataclass(frozen=True, slots=True)
class Estimate:
    """One number, or the reason why there is none.

    Attributes:
        metric: Name of the metric; parts after a dot.
        value: The number; None where undefined.
        low: Lower end of the 95 % interval; None where there is no interval.
        high: Upper end.
        standard_error: Standard error of ``value``, where one is defined.
        unit: Unit of ``value``; "1" for a pure number.
        n: Number of units the value rests on (responses of a cell, cells of an aggregate).
        excluded: What was left out, by reason.
        labels: What the value is about (persona, topic, encoder, ...).
        over: Labels that were averaged over.
        interval: How the interval was made, naming the resampling unit.
        status: ``ok`` or ``undefined``.
        reason: Why it is undefined.
        flags: What a reader must know beside the value.
    """

    metric: str
    value: float | None
    n: int
    labels: Mapping[str, str]
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    unit: str = "1"
    excluded: Mapping[str, int] = field(default_factory=dict)
    over: tuple[str, ...] = ()
    interval: str = ""
    status: Literal["ok", "undefined"] = "ok"
    reason: str = ""
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Numbers of numpy's are welcome; what is kept is what JSON can hold.
        for name in ("value", "low", "high", "standard_error"):
            if (number := getattr(self, name)) is not None:
                object.__setattr__(self, name, float(number))
        object.__setattr__(self, "n", operator.index(self.n))
        object.__setattr__(self, "excluded", {reason: operator.index(n) for reason, n in self.excluded.items()})
        if strange := [value for pair in self.labels.items() for value in pair if not isinstance(value, str)]:
            raise ValueError(f"{self.metric}: a label is a text, got {strange[0]!r}")
        numbers = (self.value, self.low, self.high, self.standard_error)
        if any(number is not None and not math.isfinite(number) for number in numbers):
            raise ValueError(f"{self.metric}: an estimate is a finite number or undefined, got {numbers}")
        if (self.value is None) != (self.status == "undefined"):
            raise ValueError(f"{self.metric}: a value is missing exactly where the status is undefined")
        if self.status == "undefined" and not self.reason:
            raise ValueError(f"{self.metric}: an undefined estimate states its reason")

    @classmethod
    def undefined(
        cls, metric: str, reason: str, *, labels: Mapping[str, str], n: int = 0, **more: Any
    ) -> Self:  # keyword fields of the dataclass
        """An estimate without a value.

        Example:
            >>> Estimate.undefined("exaggeration", "1 response, at least 2 needed", labels={"topic": "Golf"}).value
        """
        return cls(metric=metric, value=None, n=n, labels=labels, status="undefined", reason=reason, **more)

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return self.value is not None

    def to_json(self) -> dict[str, Any]:
        """The estimate as in ``results.json``."""
        row = {f.name: getattr(self, f.name) for f in fields(self)}
        row |= {
            "labels": dict(self.labels),
            "excluded": dict(self.excluded),
            "over": list(self.over),
            "flags": list(self.flags),
        }
        if self.defined:
            del row["reason"]
        return row

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """Inverse of :meth:`to_json`."""
        return cls(**{**row, "over": tuple(row["over"]), "flags": tuple(row["flags"])})
