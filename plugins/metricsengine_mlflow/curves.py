"""Opinion time: estimates that differ in nothing but their step, as one metric that MLflow draws over its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metricsengine.comparison import spelled
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure
from metricsengine_mlflow import names

STEP = "step"
"""The label."""

SUFFIX = "by step"
"""Ends the name of a curve, which would otherwise be that of the estimate over all steps."""


@dataclass(frozen=True)
class Curve:
    """Estimates of one thing at several steps.

    Attributes:
        name: Name in MLflow, unique within the run.
        metric: Name of the estimates' metric.
        labels: Their labels but the step.
        over: Labels that they average over.
        steps: The estimates by step.
    """

    name: str
    metric: str
    labels: Mapping[str, str]
    over: Sequence[str]
    steps: Mapping[int, Estimate]


def stepped(estimate: Estimate) -> bool:
    """Whether an estimate is of a single step.

    Example:
        >>> stepped(Estimate("distance", 0.5, 9, {"step": "12"})), stepped(Estimate("distance", 0.5, 9, {}))
        (True, False)
    """
    return estimate.labels.get(STEP, "").isdecimal()


def curves(estimates: Sequence[Estimate], measures: Mapping[str, Measure]) -> list[Curve]:
    """The curves that the stepped ones among the estimates make up, the broadest first."""
    found: dict[tuple[str, str, tuple[str, ...]], dict[int, Estimate]] = {}
    for estimate in filter(stepped, estimates):
        key = (estimate.metric, spelled(_rest(estimate)), estimate.over)
        found.setdefault(key, {}).setdefault(int(estimate.labels[STEP]), estimate)
    # One estimate stands for each curve; numbered, so that no two are taken for the same.
    stand_ins = [
        Estimate(first.metric, float(i), 1, _rest(first), over=first.over)
        for i, first in enumerate(next(iter(steps.values())) for steps in found.values())
    ]
    of_stand_in = {id(one): steps for one, steps in zip(stand_ins, found.values(), strict=True)}
    return [
        Curve(
            name=names.with_suffix(named.name, SUFFIX),
            metric=named.estimate.metric,
            labels=named.estimate.labels,
            over=named.estimate.over,
            steps=dict(sorted(of_stand_in[id(named.estimate)].items())),
        )
        for named in names.name_estimates(stand_ins, measures)
    ]


def _rest(estimate: Estimate) -> dict[str, str]:
    return {label: value for label, value in estimate.labels.items() if label != STEP}
