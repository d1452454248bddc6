"""Which estimates are compared with which: those that differ in nothing but the value of one label."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from metricsengine.errors import ConfigError
from metricsengine.estimate import Estimate

REPEAT = "repeat"
"""Label of estimates of the same prompts under another seed; without it, an estimate is of those asked first."""

BASE = "base"
"""The variant with which others are compared where none is chosen."""


@dataclass(frozen=True)
class Group:
    """Estimates of one metric that differ in nothing but the value of one label.

    Attributes:
        metric: Name of the metric.
        along: The label.
        labels: The other labels.
        over: What all of them are averaged over.
        variants: The estimates by value of the label, in natural order; at least two.
    """

    metric: str
    along: str
    labels: Mapping[str, str]
    over: tuple[str, ...]
    variants: Mapping[str, Estimate]


def about(metric: str, labels: Mapping[str, str]) -> dict[str, str]:
    """Labels of what is said about estimates of a metric that have these labels: ``of`` names it, with its own ``of``.

    Example:
        >>> about("exaggeration", {"topic": "golf"})
        {'of': 'exaggeration', 'topic': 'golf'}
        >>> about("trait_score.difference", {"trait": "openness", "of": "everyday"})
        {'of': 'trait_score.difference of everyday', 'trait': 'openness'}
    """
    rest = dict(labels)
    own = rest.pop("of", "")
    return {"of": f"{metric} of {own}" if own else metric, **rest}


def groups(estimates: Iterable[Estimate], along: str) -> list[Group]:
    """All groups along a label, by metric and labels, whatever the order of the estimates.

    Raises:
        ConfigError: Two estimates of a metric have the same labels, so that neither can be chosen.
    """
    found: dict[tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]], dict[str, list[Estimate]]] = {}
    for estimate in estimates:
        if along not in estimate.labels or REPEAT in estimate.labels:
            continue
        rest = tuple(sorted((k, v) for k, v in estimate.labels.items() if k != along))
        variants = found.setdefault((estimate.metric, rest, estimate.over), {})
        variants.setdefault(estimate.labels[along], []).append(estimate)
    ordered = sorted(
        found.items(), key=lambda item: (item[0][0], -len(item[0][2]), [natural(v) for _, v in item[0][1]], item[0])
    )
    return [
        Group(
            metric, along, dict(rest), over, {name: _single(variants[name]) for name in sorted(variants, key=natural)}
        )
        for (metric, rest, over), variants in ordered
        if len(variants) > 1
    ]


def _single(estimates: Sequence[Estimate]) -> Estimate:
    if any(estimate != estimates[0] for estimate in estimates):
        first = estimates[0]
        raise ConfigError(
            f"{len(estimates)} different estimates of {first.metric} have the labels {dict(first.labels)}: "
            "leave the metric out of comparison.sensitivity.metrics"
        )
    return estimates[0]


def base_of(variants: Iterable[str]) -> str:
    """The base where none is chosen.

    Example:
        >>> base_of(["newline", "base"]), base_of(["10", "2"])
        ('base', '2')
    """
    names = set(variants)
    return BASE if BASE in names else min(names, key=natural)


def natural(text: str) -> tuple[list[str | int], str]:
    """Key that sorts names with numbers by these.

    Example:
        >>> sorted(["v10", "v2", "base"], key=natural)
        ['base', 'v2', 'v10']
    """
    parts = re.split(r"(\d+)", text)
    return [int(part) if i % 2 else part for i, part in enumerate(parts)], text
