"""Tags to search runs by: the dimensions of CoMPosT, the protocol, the prompts, and whatever was set or swept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from metricsengine.results import Results
from metricsengine.run import Run
from metricsengine.sweeping.labels import label_names
from metricsengine_mlflow.session import FOLDER, HOST, OUTCOME

DIMENSIONS = ("study", "protocol", "context", "model", "persona", "topic", "prompt")
"""What the run of a sweep tells of all its jobs."""

_ASIDE = ("objective", "tracking", "card", "resume", "on_bad_job")
"""Keys that say nothing of what is simulated or how it is measured."""

_RESERVED = frozenset({FOLDER, HOST, "command", "job", "overrides", "undefined", "swept", *OUTCOME})


def of_settings(run: Run) -> dict[str, str]:
    """What was set: ``epsilon`` for ``study.epsilon=0.3``, and the names of the chosen sets, ``prompt`` for one."""
    chosen = {group: "+".join(one.name for one in sets) for group, sets in run.settings.sets.items() if sets}
    simulated = {key: value for key, value in assigned(run.overrides).items() if key.split(".")[0] not in _ASIDE}
    return _searchable(by_name(simulated)) | chosen | dict(run.tags)


def of_results(results: Results) -> dict[str, str]:
    """The labels that hold throughout the run, and the dimensions of CoMPosT.

    A label holds throughout that has one value wherever it stands, and stands on all estimates of a metric.
    """
    by_metric: dict[str, list[Mapping[str, str]]] = {}
    for estimate in results.estimates:
        by_metric.setdefault(estimate.metric, []).append(estimate.labels)
    everywhere = {label for told in by_metric.values() for label in set.intersection(*map(set, told))}
    values = {label: {one.labels[label] for one in results.estimates if label in one.labels} for label in everywhere}
    common = {label: found.pop() for label, found in values.items() if len(found) == 1}
    return _searchable(common) | dict(results.compost)


def of_jobs(jobs: Sequence[Mapping[str, str]], swept: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """The different values among the tags of a sweep's jobs.

    Args:
        jobs: The tags of each.
        swept: The values of what was swept, by its name.
    """
    values = {name: [tags[name] for tags in jobs if tags.get(name)] for name in DIMENSIONS}
    told = {name: _joined(found) for name, found in values.items() if found}
    return (
        {name: _joined(found) for name, found in swept.items()} | told | ({"swept": ", ".join(swept)} if swept else {})
    )


def _joined(values: Iterable[str]) -> str:
    different = list(dict.fromkeys(values))
    return ("; " if any("," in value for value in different) else ", ").join(different)


def assigned(overrides: Iterable[str]) -> dict[str, str]:
    """What overrides set, by key.

    Example:
        >>> assigned(["study.epsilon=0.3", "+study.note='a b'", "~encoder"])
        {'study.epsilon': '0.3', 'study.note': 'a b'}
    """
    pairs = (word.lstrip("+").partition("=") for word in overrides)
    return {key: value.strip("'\"") for key, equals, value in pairs if equals}


def by_name(values: Mapping[str, str]) -> dict[str, str]:
    """The values by the last parts of their keys, or by whole keys where last parts could mean two things."""
    names = label_names(list(values), ())
    return {names[key]: value for key, value in values.items()}


def _searchable(tags: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in tags.items() if name not in _RESERVED}
