"""Noise floors: how far an estimate moves when the same is asked again and nothing but the seed changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from metricsengine.aggregate import FEW
from metricsengine.bootstrap import Resampling
from metricsengine.comparison import spelled
from metricsengine.estimate import Estimate
from metricsengine_comparisons.groups import REPEAT, about, natural
from metricsengine_comparisons.pairing import Contrast, Told, spread

ABOVE, WITHIN = "above_noise_floor", "within_noise_floor"
UNCLEAR, NO_FLOOR = "noise_floor_unclear", "no_noise_floor"


class Floors:
    """The floors of estimates that were repeated.

    Args:
        estimates: Those that are compared, repeated ones among them.
        told: Their units.
        how: How intervals are drawn.
    """

    def __init__(self, estimates: Iterable[Estimate], told: Told, how: Resampling) -> None:
        self._told, self._how = told, how
        self._repeats: dict[tuple[object, ...], dict[str, Estimate]] = {}
        self._found: dict[tuple[object, ...], Estimate] = {}
        for estimate in estimates:
            if REPEAT in estimate.labels:
                rest = {name: value for name, value in estimate.labels.items() if name != REPEAT}
                self._repeats.setdefault(_key(estimate, rest), {})[estimate.labels[REPEAT]] = estimate

    @property
    def found(self) -> list[Estimate]:
        """All floors that were asked for."""
        return list(self._found.values())

    def of(self, first: Estimate) -> Estimate | None:
        """The floor of an estimate; None where nothing was repeated.

        It is the mean difference in size of all pairs of repeats, that which was asked first being one of them.
        """
        key = _key(first, first.labels)
        if key in self._repeats and key not in self._found:
            self._found[key] = self._floor(first, self._repeats[key])
        return self._found.get(key)

    def _floor(self, first: Estimate, repeats: Mapping[str, Estimate]) -> Estimate:
        asked = {"0": first, **{name: repeats[name] for name in sorted(repeats, key=natural)}}
        samples = [self._told.sample(f"repeat {name}", e) for name, e in asked.items() if e.defined]
        pairs = [Contrast(*pair) for pair in combinations(samples, 2)]
        lost = len(asked) - len(samples)
        labels = about(first.metric, first.labels)
        excluded = {"undefined repeats": lost} if lost else {}
        if not pairs:
            reason = f"{len(samples)} of {len(asked)} repeats are defined, and a difference takes two"
            return Estimate.undefined(
                "noise_floor", reason, labels=labels, unit=first.unit, over=first.over, excluded=excluded
            )
        value = float(np.mean([abs(pair.signed) for pair in pairs]))
        found = spread(pairs, self._how)
        units = found.units or min(pair.n for pair in pairs)
        about_it: dict[str, Any] = {
            "unit": first.unit,
            "over": first.over,
            "excluded": excluded,
            "flags": ("few_units",) if units < FEW else (),
            **found.absolute(value, self._how.confidence, lambda sizes: sizes.mean(axis=1)),
        }
        return Estimate("noise_floor", value, len(pairs), labels, **about_it)


def flag(low: float | None, floor: Estimate | None) -> str:
    """Whether a sensitivity exceeds what repetition alone yields: where all its interval lies above all the floor's.

    Args:
        low: Lower end of the sensitivity's interval; None where it has none.
        floor: The noise floor; None where nothing was repeated.

    Returns:
        ``above_noise_floor``; ``within_noise_floor`` where the intervals meet or S lies below; ``noise_floor_unclear``
        where either has no interval, and nothing can be said; ``no_noise_floor`` where nothing was repeated.
    """
    if floor is None:
        return NO_FLOOR
    if low is None or floor.high is None:
        return UNCLEAR
    return ABOVE if low > floor.high else WITHIN


def _key(estimate: Estimate, labels: Mapping[str, str]) -> tuple[object, ...]:
    return estimate.metric, spelled(labels), estimate.over
