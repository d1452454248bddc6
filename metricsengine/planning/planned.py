"""The jobs of a plan, and all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metricsengine.forecast import Forecast
from metricsengine.model import Prices
from metricsengine.planning.foreseen import Foreseen
from metricsengine.planning.needed import Needs


@dataclass(frozen=True)
class Planned:
    """One job of the plan.

    Attributes:
        name: What tells it from the other jobs: its overrides.
        forecast: What it will ask.
        model: Name of its model; empty where nothing is asked.
        speed: Tokens of replies a second; None where nobody has said and no answer of the model is in the store.
        prices: What the model costs, where that is known.
        error: Why it cannot be run; empty where it can.
        foreseen: What will be undefined.
        needs: What it needs of its model.
    """

    name: str
    forecast: Forecast = field(default_factory=Forecast)
    model: str = ""
    speed: float | None = None
    prices: Prices | None = None
    error: str = ""
    foreseen: Foreseen = field(default_factory=Foreseen)
    needs: Needs = field(default_factory=Needs)

    @property
    def hours(self) -> float | None:
        """How long the replies take, at most."""
        if not self.forecast.calls:
            return 0.0
        return self.forecast.completion_tokens / self.speed / 3600 if self.speed else None

    @property
    def cost(self) -> float | None:
        """What it costs, at most."""
        if not self.forecast.calls:
            return 0.0
        if self.prices is None:
            return None
        tokens = self.forecast.prompt_tokens, self.forecast.completion_tokens
        return (tokens[0] * self.prices.prompt + tokens[1] * self.prices.completion) / 1e6

    @property
    def currency(self) -> str:
        """In which the cost is; empty where that is not known."""
        return self.prices.currency if self.prices else ""

    def figures(self) -> dict[str, Any]:
        """Its numbers, as ``--json`` prints them of a job and of all together."""
        row: dict[str, Any] = {"job": self.name, "model": self.model, **self.forecast.to_json()}
        row |= {"tokens_per_second": self.speed, "hours": self.hours, "cost": self.cost}
        return row | {"currency": self.currency or None}

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        row = self.figures() | self.foreseen.to_json() | self.needs.to_json()
        return row | ({"error": self.error} if self.error else {})


@dataclass(frozen=True)
class Total(Planned):
    """Several jobs together; a sum that lacks a part is not known.

    Attributes:
        asking: Those that call a model.
    """

    asking: Sequence[Planned] = ()

    @property
    def hours(self) -> float | None:
        """How long the replies of all take, at most."""
        return _sum([job.hours for job in self.asking])

    @property
    def cost(self) -> float | None:
        """What all cost, at most; not known where that is in several currencies."""
        return _sum([job.cost for job in self.asking]) if self.currency or not self.asking else None

    @property
    def currency(self) -> str:
        """That of all; empty where they differ."""
        currencies = {job.currency for job in self.asking}
        return currencies.pop() if len(currencies) == 1 else ""


def total(planned: Sequence[Planned]) -> Total:
    """All jobs that can be run together."""
    jobs = [job for job in planned if not job.error]
    asking = [job for job in jobs if job.forecast.calls]
    speeds = {job.speed for job in asking}
    return Total(
        "total",
        sum((job.forecast for job in jobs), Forecast()),
        ", ".join(dict.fromkeys(job.model for job in jobs if job.model)),
        speeds.pop() if len(speeds) == 1 else None,
        foreseen=Foreseen([one for job in jobs for one in job.foreseen.undefined]),
        asking=asking,
    )


def _sum(parts: Sequence[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def to_json(planned: Sequence[Planned]) -> Mapping[str, Any]:
    """What ``--json`` prints."""
    return {"jobs": [job.to_json() for job in planned], "total": total(planned).figures()}
