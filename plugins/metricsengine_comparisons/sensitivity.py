"""Sensitivity: how far a metric moves with what should not matter (Sense and Sensitivity, Definition 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from metricsengine import seeds
from metricsengine.bootstrap import Resampling
from metricsengine.comparison import Comparison, Findings
from metricsengine.errors import ConfigError, unknown
from metricsengine.estimate import Estimate
from metricsengine_comparisons.config import ALONG, SensitivityConf
from metricsengine_comparisons.floors import Floors, flag
from metricsengine_comparisons.groups import REPEAT, Group, about, base_of, groups
from metricsengine_comparisons.pairing import Contrast, Spread, Told, alone, few, independent, spread

SIZE, SIGNED, MAX, MEAN = "sensitivity", "sensitivity.signed", "sensitivity.max", "sensitivity.mean"
OWN = frozenset({SIZE, SIGNED, MAX, MEAN, "noise_floor"})
"""What comparisons make is compared no further."""

_JOINED = {MAX: partial(np.max, axis=1), MEAN: partial(np.mean, axis=1)}


class Sensitivity(Comparison):
    """S = |C(base) - C(variant)| of every metric, for everything that has variants (equation 9).

    Both are means over units where the metric tells them: S is then that of the units which both have, and its
    interval resamples these, both seeing the same draw. Without units the interval takes the two for independent, from
    their standard errors. How the interval of a size is made and why it ends at 0, tells
    :meth:`~metricsengine_comparisons.pairing.Spread.absolute`.
    """

    def __init__(self, conf: SensitivityConf) -> None:
        self._conf = conf

    def compare(self, findings: Findings, seed: int) -> Sequence[Estimate]:
        """Estimates of each variant, then of all variants of a group, then noise floors; none without variants."""
        chosen = self._chosen(findings.estimates)
        found = [group for along in self._conf.along for group in groups(chosen, along)]
        if not findings.partial:
            self._check(chosen)
        bases = self._bases(found)
        # The same draws for all groups: neither a name nor another estimate may move an interval.
        how = Resampling(seeds.derive(seed, "sensitivity"), self._conf.draws)
        told = Told(findings.units)
        floors = Floors(chosen, told, how)
        compared = [_Compared(group, bases[group.metric, group.along], told, how) for group in found]
        estimates = [estimate for each in compared for estimate in each.estimates(floors)]
        return [*estimates, *floors.found]

    def _chosen(self, estimates: Iterable[Estimate]) -> list[Estimate]:
        compared = [estimate for estimate in estimates if estimate.metric not in OWN]
        names = {estimate.metric for estimate in compared}
        for name in self._conf.metrics:
            if name not in names:
                raise ConfigError(f"comparison.sensitivity.metrics: {unknown('metric of this run', name, names)}")
        return [estimate for estimate in compared if not self._conf.metrics or estimate.metric in self._conf.metrics]

    def _check(self, chosen: Sequence[Estimate]) -> None:
        """Refuse labels and a base that were named although there are none such.

        The labels that are compared unless others are named need not be there.

        Raises:
            ConfigError: There are none; names the key.
        """
        labels = {label for estimate in chosen for label in estimate.labels} - {REPEAT}
        absent = [along for along in self._conf.along if along not in labels]
        named = [] if self._conf.along == list(ALONG) else absent
        if wrong := named if absent == self._conf.along else [along for along in named if along not in ALONG]:
            raise ConfigError(f"comparison.sensitivity.along: {unknown('label of estimates', wrong[0], labels)}")
        variants = {value for e in chosen for along in self._conf.along if (value := e.labels.get(along)) is not None}
        if self._conf.base and self._conf.base not in variants:
            raise ConfigError(f"comparison.sensitivity.base: {unknown('variant', self._conf.base, variants)}")

    def _bases(self, found: Sequence[Group]) -> dict[tuple[str, str], str]:
        """The base of each metric and label; the chosen one wherever the label has that value."""
        values: dict[tuple[str, str], set[str]] = {}
        for group in found:
            values.setdefault((group.metric, group.along), set()).update(group.variants)
        occurring = {along: set().union(*(v for k, v in values.items() if k[1] == along)) for _, along in values}
        base = self._conf.base
        return {key: base if base in occurring[key[1]] else base_of(names) for key, names in values.items()}


@dataclass(frozen=True)
class _Compared:
    """A group with its base.

    Attributes:
        group: The group.
        base: Name of the base.
        told: Units of the estimates.
        how: How intervals are drawn.
    """

    group: Group
    base: str
    told: Told
    how: Resampling

    def estimates(self, floors: Floors) -> Iterator[Estimate]:
        """Size and sign of each difference, then the largest and the mean size."""
        base = self.group.variants.get(self.base)
        floor = floors.of(base) if base else None
        others = {name: estimate for name, estimate in self.group.variants.items() if name != self.base}
        missing = {name: lacking for name in others if (lacking := self._lacking(name))}
        contrasts = self._contrasts([name for name in others if name not in missing])
        together = spread(contrasts, self.how)
        for name, lacking in missing.items():
            common = self._common(name, others[name])
            yield from (Estimate.undefined(metric, lacking, **common) for metric in (SIZE, SIGNED))
        for i, contrast in enumerate(contrasts):
            yield from self._difference(contrast, alone(contrasts, i, together, self.how), floor)
        yield from self._joined(contrasts, together, list(missing.values()))

    def _contrasts(self, names: Sequence[str]) -> list[Contrast]:
        """The base and each of these variants."""
        samples = {name: self.told.sample(name, self.group.variants[name]) for name in (self.base, *names) if names}
        return [Contrast(samples[self.base], samples[name]) for name in names]

    def _lacking(self, name: str) -> str:
        """Why a variant cannot be compared; empty where it can."""
        if self.base not in self.group.variants:
            return f"base {self.base!r} was not measured here"
        named = {f"base {self.base!r}": self.base, f"variant {name!r}": name}
        found = {said: self.group.variants[name] for said, name in named.items()}
        undefined = {said: estimate.reason for said, estimate in found.items() if not estimate.defined}
        reasons = "; ".join(dict.fromkeys(undefined.values()))
        return f"undefined {' and '.join(undefined)}: {reasons}" if undefined else ""

    def _common(self, name: str, variant: Estimate) -> dict[str, Any]:
        return {
            "labels": about(self.group.metric, {self.group.along: name, **self.group.labels}),
            "unit": variant.unit,
            "over": self.group.over,
            "flags": (f"base: {self.base}",),
        }

    def _difference(self, contrast: Contrast, found: Spread, floor: Estimate | None) -> Iterator[Estimate]:
        common = self._common(contrast.variant.name, contrast.variant.estimate) | {"excluded": contrast.excluded}
        size, signed = self._intervals(contrast, found)
        flags = (*common.pop("flags"), *few(contrast))
        told = flag(size.get("low"), floor)
        yield Estimate(SIZE, abs(contrast.signed), contrast.n, flags=(*flags, told), **common, **size)
        yield Estimate(SIGNED, contrast.signed, contrast.n, flags=flags, **common, **signed)

    def _intervals(self, contrast: Contrast, found: Spread) -> tuple[dict[str, Any], dict[str, Any]]:
        """Those of the size and of the difference itself, as fields of estimates."""
        value, confidence = contrast.signed, self.how.confidence
        if contrast.shared:
            return found.absolute(abs(value), confidence, _JOINED[MAX]), found.signed(value, confidence)
        half, method = independent(contrast, confidence)
        if half is None:
            return {"interval": method}, {"interval": method}
        ends = {"low": max(0.0, abs(value) - half), "high": abs(value) + half, "interval": method}
        return ends, ends | {"low": value - half, "high": value + half}

    def _joined(self, contrasts: Sequence[Contrast], found: Spread, missing: Sequence[str]) -> Iterator[Estimate]:
        group = self.group
        common: dict[str, Any] = {
            "labels": about(group.metric, group.labels),
            "unit": next(iter(group.variants.values())).unit,
            "over": (*group.over, group.along),
            "excluded": {"variants that cannot be compared": len(missing)} if missing else {},
            "flags": (f"base: {self.base}",),
        }
        if not contrasts:
            reason = f"no variant can be compared: {missing[0]}"
            yield from (Estimate.undefined(metric, reason, **common) for metric in _JOINED)
            return
        sizes = np.array([[abs(contrast.signed) for contrast in contrasts]])
        for metric, join in _JOINED.items():
            value = float(join(sizes)[0])
            yield Estimate(metric, value, len(contrasts), **common, **found.absolute(value, self.how.confidence, join))
