"""Comparisons over the jobs of a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metricsengine.comparison import Comparison, ComparisonSpec, Findings
from metricsengine.estimate import Estimate
from metricsengine.host import Host
from metricsengine.metric import Measure
from metricsengine.sweeping.gathered import JobResults


@dataclass
class Compared:
    """What comparisons found, what that means, and which of them failed."""

    estimates: list[Estimate] = field(default_factory=list)
    measures: dict[str, Measure] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def compare(host: Host, jobs: Sequence[JobResults], found: Findings) -> Compared:
    """Compare the jobs by all comparisons of theirs and all that are made of every sweep.

    Each has the options that the first job has for it, or else its default ones. What is found about the study's first
    metric comes first.
    """
    compared = Compared()
    for name, options in _chosen(host, jobs).items():
        try:
            spec: ComparisonSpec = host.spec("comparison", name)
            comparison: Comparison = spec.build(_typed(spec, options))
            estimates = list(comparison.compare(found, jobs[0].results.seed))
        except Exception as error:  # noqa: BLE001 - one comparison must not take the sweep's other results with it
            compared.failures.append(f"comparison {name!r}: {type(error).__name__}: {error}")
            continue
        names = {estimate.metric for estimate in estimates}
        compared.estimates += estimates
        compared.measures |= {measure.name: measure for measure in spec.measures if measure.name in names}
    order = {metric: i for i, metric in enumerate(dict.fromkeys(estimate.metric for estimate in found.estimates))}
    compared.estimates.sort(key=lambda estimate: order.get(estimate.labels.get("of", ""), len(order)))
    return compared


def _chosen(host: Host, jobs: Sequence[JobResults]) -> dict[str, Mapping[str, Any] | None]:
    """The options of each comparison that is made; one job alone has nothing to be compared with."""
    if len(jobs) < 2:
        return {}
    chosen: dict[str, Mapping[str, Any] | None] = {}
    for job in jobs:
        chosen = {**(job.results.provenance.get("config", {}).get("comparison") or {}), **chosen}
    always = [name for name, spec in host.specs("comparison").items() if spec.of_sweeps]
    return {**chosen, **{name: None for name in always if name not in chosen}}


def _typed(spec: ComparisonSpec, options: Mapping[str, Any] | None) -> Any:
    """The options as an instance of the comparison's dataclass."""
    from omegaconf import OmegaConf

    return OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(spec.config), dict(options or {})))
