"""What the metrics of transitions return: name, unit, range and meaning of every estimate."""

from __future__ import annotations

from collections.abc import Mapping

from metricsengine.metric import Measure
from metricsengine_dynamics.losses import specs as losses
from metricsengine_dynamics.losses.loss import Loss

_PAPER = "Sense and Sensitivity"


def inconsistency(name: str, loss: Loss) -> Measure:
    """What the inconsistency by a loss means (Definition 3)."""
    if not isinstance(loss, Loss):
        return Measure(f"inconsistency_{name}")
    citation = loss.citation or f"{_PAPER}, Definition 3"
    return Measure(f"inconsistency_{name}", loss.unit, loss.bounds, loss.direction, citation)


def inconsistency_difference(measure: Measure) -> Measure:
    """The inconsistency of LLM agents less that of agents without a model, of the same updates."""
    direction = "below 0: closer to the reference model than the agents it is held against"
    return Measure(f"{measure.name}.difference", measure.unit, _signed(measure), direction, measure.citation)


def _signed(measure: Measure) -> tuple[float | None, float | None]:
    """Bounds of the difference of two values of a measure."""
    low, high = measure.bounds
    return (None, None) if low is None or high is None else (low - high, high - low)


LOSSES: Mapping[str, Measure] = {
    spec.name: inconsistency(spec.name, spec.build(spec.config())) for spec in losses.LOSSES
}
"""Inconsistency by the losses that come with the plugin; others are told with the results."""


def _percent(name: str, direction: str, citation: str = "") -> Measure:
    return Measure(name, "%", (0, 100), direction, citation)


FILTERED_POLARITY = _percent(
    "filtered_polarity",
    "lower: fewer updates take the side that the reference model does not take",
    f"{_PAPER}, Table 7",
)
ZERO_SHARE = _percent("zero_share", "higher: more updates end neutral", f"{_PAPER}, Table 7")
ISOLATED_SHARE = _percent("isolated_share", "higher: more updates hear nobody and keep their opinion")
UNDECODABLE_SHARE = _percent("undecodable_share", "higher: more replies tell no opinion; inconsistency leaves them out")
CUT_SHARE = _percent("cut_share", "higher: more timelines lack posts, because the model's context is too small")

CLUSTER_COUNT = Measure("cluster_count", bounds=(1, None), direction="1: everybody ends together")
SPREAD = Measure("spread", bounds=(0, 1), direction="higher: opinions lie further apart, on the scale from -1 to 1")
BIMODALITY = Measure(
    "bimodality",
    bounds=(0, 1),
    direction="higher: opinions lie rather in two camps; 5/9 is the uniform distribution's",
    citation="Pfister et al., Frontiers in Psychology 4:700, 2013",
)
CONSENSUS_TIME = Measure("consensus_time", "steps", (0, None), "lower: agreement is reached sooner")


def difference(measure: Measure) -> Measure:
    """The same, the reference model's number of the same run taken away."""
    return Measure(
        f"{measure.name}.difference",
        measure.unit,
        _signed(measure),
        "0: as in the reference model's run",
        measure.citation,
    )
