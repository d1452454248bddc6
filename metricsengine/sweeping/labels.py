"""Labels for what was swept: what each is called, and which labels of estimates tell the same anyway."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from metricsengine.estimate import Estimate


@dataclass(frozen=True)
class SweptKey:
    """A key whose values differ among the jobs.

    Attributes:
        key: The key.
        values: Its value in each job; empty where a job leaves it out.
        name: Label that it gives to estimates which have none of ``told``.
        told: Labels of estimates that tell its value: ``prompt=base`` and ``prompt=newline`` say so themselves by their
            label ``variant``.
        shown: The label under which figures and tables look for it.
        members: Label of what the chosen sets hold, where the key chooses sets: the personas of ``persona=ages``.
            Empty for any other key.
    """

    key: str
    values: Sequence[str]
    name: str
    told: AbstractSet[str]
    shown: str
    members: str = ""


def swept_keys(overrides: Sequence[Mapping[str, str]], estimates: Sequence[Sequence[Estimate]]) -> list[SweptKey]:
    """What was swept.

    Args:
        overrides: What was set in each job, by key.
        estimates: What each job found.
    """
    values = _differing(overrides)
    taken = list(dict.fromkeys(label for found in estimates for one in found for label in one.labels))
    names = label_names(list(values), taken)
    of_jobs = _by_label(estimates)
    keys = []
    for key, found in values.items():
        told = [label for label in taken if label in of_jobs and _tells(label, of_jobs[label], key, found)]
        first = sorted(told, key=lambda label: label != _last(key))  # otherwise in the order of the estimates
        # A group of sets is a key of one part; what its sets hold has its name.
        members = key if key in taken and key not in told else ""
        keys.append(SweptKey(key, found, names[key], frozenset(told), first[0] if first else names[key], members))
    return keys


def _differing(overrides: Sequence[Mapping[str, str]]) -> dict[str, tuple[str, ...]]:
    keys = dict.fromkeys(key for job in overrides for key in job)
    values = {key: tuple(job.get(key, "") for job in overrides) for key in keys}
    return {key: found for key, found in values.items() if len(set(found)) > 1}


def label_names(keys: Sequence[str], taken: Iterable[str]) -> dict[str, str]:
    """The label of each key: its last part, or all of it where the last part could mean two things.

    Example:
        >>> label_names(["study.epsilon", "network.p", "study.p"], ["agent"])
        {'study.epsilon': 'epsilon', 'network.p': 'network.p', 'study.p': 'study.p'}
        >>> label_names(["persona", "study.persona_file"], ["persona"])
        {'persona': 'chosen_persona', 'study.persona_file': 'study.persona_file'}
    """
    short = [_last(key) for key in keys]
    others = {key: [*taken, *(name for j, name in enumerate(short) if j != i)] for i, key in enumerate(keys)}
    return {
        key: name if not _clashes(name, others[key]) else key if key != name else _beside(name, others[key])
        for key, name in zip(keys, short, strict=True)
    }


def _last(key: str) -> str:
    return key.replace("/", ".").rpartition(".")[2]


def _clashes(name: str, others: Sequence[str]) -> bool:
    """Whether a label is another one, or one of the two would look like an attribute of the other."""
    return any(name == other or name.startswith(f"{other}_") or other.startswith(f"{name}_") for other in others)


def _beside(name: str, others: Sequence[str]) -> str:
    """Another name, where estimates use the name for something else: personas of sets of personas."""
    while _clashes(name, others):
        name = f"chosen_{name}"
    return name


def _by_label(estimates: Sequence[Sequence[Estimate]]) -> dict[str, list[str]]:
    """The value in each job of the labels that have a single one in each."""
    jobs = [_single(found) for found in estimates]
    return {label: [job[label] for job in jobs] for label in (jobs[0] if jobs else ()) if all(label in j for j in jobs)}


def _single(estimates: Iterable[Estimate]) -> dict[str, str]:
    """The labels that have one value in all of the estimates that carry them."""
    found: dict[str, set[str]] = {}
    for estimate in estimates:
        for label, value in estimate.labels.items():
            found.setdefault(label, set()).add(value)
    return {label: values.pop() for label, values in found.items() if len(values) == 1}


def _tells(label: str, told: Sequence[str], key: str, values: Sequence[str]) -> bool:
    """Whether a label tells the jobs apart as the key does, by its name or the same values."""
    if len(set(zip(told, values, strict=True))) != len(set(told)) or len(set(told)) != len(set(values)):
        return False
    return label == _last(key) or all(map(_alike, told, values))


def _alike(label: str, value: str) -> bool:
    """Whether a label and a configured value are the same.

    Example:
        >>> _alike("1", "1.0"), _alike("base", "[base]"), _alike("base", "newline")
        (True, True, False)
    """
    plain = value.strip("[]").strip("'\"")
    try:
        return float(label) == float(plain)
    except ValueError:
        return label.casefold() == plain.casefold()
