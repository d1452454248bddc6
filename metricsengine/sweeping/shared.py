"""What the jobs of a sweep have in common: the settings, versions and data by which two sweeps can be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metricsengine.results import Results


def shared_provenance(of_jobs: Sequence[Results]) -> dict[str, Any]:
    """Where the numbers of all jobs come from.

    Returns:
        ``dataset`` of the first job; the ``datasets`` and ``seeds`` of all; and what ``config``, ``versions``, ``sets``
        and ``sources`` hold alike in all jobs, as far as they hold anything.
    """
    told = [results.provenance for results in of_jobs]
    datasets = [dict(provenance.get("dataset") or {}) for provenance in told]
    found = {
        "dataset": datasets[0],
        "datasets": sorted({str(one.get("digest") or one.get("name") or "") for one in datasets} - {""}),
        "seeds": sorted({results.seed for results in of_jobs}),
    }
    for name in ("config", "versions", "sets", "sources"):
        if same := common([provenance.get(name) or {} for provenance in told]):
            found[name] = same
    return found


def common(mappings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What nested mappings have in common.

    Example:
        >>> common([{"study": {"n": 1, "p": 2}, "seed": 0}, {"study": {"n": 1, "p": 3}, "seed": 0}])
        {'study': {'n': 1}, 'seed': 0}
    """
    first, *others = mappings
    shared = dict(first)
    for other in others:
        shared = _both(shared, other)
    return shared


def _both(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for key, value in one.items():
        if key not in other:
            continue
        if isinstance(value, Mapping) and isinstance(other[key], Mapping):
            nested = _both(value, other[key])
            if nested or not value:
                found[key] = nested
        elif value == other[key]:
            found[key] = value
    return found
