"""How means of trials are resampled, and what stands where none could be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metricsengine import seeds
from metricsengine.bootstrap import Resampling
from metricsengine.estimate import Estimate


def resampling(seed: int) -> Resampling:
    """The same draws for all cells: no label of a cell may move its interval."""
    return Resampling(seeds.derive(seed, "dynamics", "trials"))


def undefined(
    metric: str, outcomes: Mapping[str, int], labels: Mapping[str, str], unit: str, **more: Any
) -> Estimate:  # fields of an estimate
    """An estimate without a trial that could be read."""
    reason = f"no trial could be read: {', '.join(f'{n} {outcome}' for outcome, n in outcomes.items()) or 'none asked'}"
    return Estimate.undefined(metric, reason, labels=labels, unit=unit, excluded=outcomes, **more)
