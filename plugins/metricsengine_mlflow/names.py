"""Readable names that MLflow accepts: for metrics, parameters, tags and files."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from metricsengine.aggregate import unit_of
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure

LONGEST = 250
"""Most characters of a name."""

_REFUSED = re.compile(r"[^\w\-. :]+")


@dataclass(frozen=True)
class Named:
    """An estimate and the name of its value.

    Attributes:
        name: Name in MLflow, unique within the run whatever the case of its letters.
        estimate: The estimate.
        shown: The labels that the name tells.
    """

    name: str
    estimate: Estimate
    shown: tuple[str, ...]

    @property
    def told(self) -> dict[str, str]:
        """The labels that the name tells, with their values."""
        return {label: self.estimate.labels[label] for label in self.shown}


def part(text: str) -> str:
    """One part of a name: letters of any script, digits, ``_ - . :`` and single spaces.

    Example:
        >>> part("trait:openness(%)"), part("and/or"), part("..")
        ('trait:openness', 'and_or', '_')
    """
    kept = _REFUSED.sub("_", unicodedata.normalize("NFC", " ".join(text.split())))
    return kept.strip(" _").lstrip(" ._") or "_"


def join(parts: Iterable[str]) -> str:
    """A name of several parts; a long one ends in a digest of the whole."""
    whole = tuple(parts)
    name = "/".join(part(text) for text in whole)
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 9].rstrip(' /.')}-{digest(*whole)}"


def digest(*texts: str) -> str:
    """Eight characters that tell texts apart.

    Example:
        >>> digest("a", "b") == digest("a", "b"), digest("a", "b") == digest("ab")
        (True, False)
    """
    return hashlib.sha256(repr(texts).encode("utf-8", "backslashreplace")).hexdigest()[:8]


def with_suffix(name: str, suffix: str) -> str:
    """The name of something beside a named number, such as the lower end of its interval."""
    room = LONGEST - len(suffix) - 1
    return f"{name if len(name) <= room else f'{name[: room - 9]}-{digest(name)}'} {suffix}"


def keys(originals: Iterable[str]) -> dict[str, str]:
    """A name for each key; those that would fall together end in a digest."""
    ordered = sorted(set(originals))
    names = {key: join(key.split("/")) for key in ordered}
    taken: set[str] = set()
    for key, name in names.items():
        names[key] = _free(name, taken, key)
    return names


def name_estimates(estimates: Sequence[Estimate], measures: Mapping[str, Measure]) -> list[Named]:
    """Names for the estimates of one run, the broadest first.

    A name tells the labels whose values differ within the run, as in ``exaggeration/persona/woman``; what is the same
    throughout the run, a swept value for one, would only give every run its own columns, and what belongs to a told
    unit, such as a persona's category, would tell nothing. Without any label it is ``exaggeration/mean`` for a metric
    that the host averages, and otherwise the metric alone. An estimate that thereby falls together with a broader
    one and is the same number is left out; another number's name tells all labels.
    """
    varying = _varying(estimates)
    averaged = {e.metric for e in estimates if e.over and (e.metric not in measures or measures[e.metric].units)}

    def name_of(estimate: Estimate, labels: Iterable[str]) -> str:
        told = [text for label in labels for text in (label, estimate.labels[label])]
        return join([estimate.metric, *(told or ["mean"] * (estimate.metric in averaged))])

    named = [Named("", e, _shown(e, varying[e.metric], measures)) for e in estimates]
    found: dict[str, Named] = {}
    for new in sorted(named, key=lambda n: (len(n.shown), len(n.estimate.labels), not n.estimate.over)):
        estimate, name = new.estimate, name_of(new.estimate, new.shown)
        rival = found.get(name.casefold())
        if rival and rival.told == new.told and rival.estimate.value == estimate.value:
            continue
        if rival:
            name = _free(name_of(estimate, sorted(estimate.labels)), set(found), repr(estimate.to_json()))
        found[name.casefold()] = replace(new, name=name)
    return list(found.values())


def _shown(estimate: Estimate, varying: set[str], measures: Mapping[str, Measure]) -> tuple[str, ...]:
    """The labels that an estimate's name tells, in a stable order."""
    units = measures[estimate.metric].units if estimate.metric in measures else ()
    labels = set(estimate.labels) & varying
    told_units = labels & set(units)
    return tuple(label for label in sorted(labels) if label in units or unit_of(label, units) not in told_units)


def _varying(estimates: Sequence[Estimate]) -> dict[str, set[str]]:
    """Per metric, the labels that differ among its cells, or, without cells, among its averages.

    A label that only some cells have differs too: an average that keeps it covers those cells only.
    """
    found = {}
    for metric in {e.metric for e in estimates}:
        own = [e for e in estimates if e.metric == metric]
        cells = [e for e in own if not e.over]
        labels = {label for e in own for label in e.labels}
        values = {label: {e.labels.get(label) for e in cells or own if cells or label in e.labels} for label in labels}
        found[metric] = {label for label in labels if len(values[label]) > 1}
    return found


def _free(name: str, taken: set[str], original: str) -> str:
    """The name, or the name with a digest of what it stands for; notes it as taken."""
    if name.casefold() in taken:
        name = f"{name[: LONGEST - 9]}-{digest(original)}"
    taken.add(name.casefold())
    return name
