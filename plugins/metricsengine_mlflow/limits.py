"""Values within MLflow's limits; what is longer is named by its digest and kept whole in a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from metricsengine_mlflow import names

PARAMETER = 500
"""Characters of a parameter that every MLflow server takes; newer ones take more."""

TAG = 5000
"""Characters of a tag that every MLflow server takes."""

_EXCERPT = 60
_PLAIN = re.compile(r"[A-Za-z0-9_.\-]{1,100}")
"""Names that are file names everywhere."""

T = TypeVar("T")


@dataclass
class Fitted:
    """Values that fit.

    Attributes:
        values: By name.
        texts: What did not fit, by the path of its artifact.
    """

    values: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


def fit(values: Mapping[str, str], longest: int, folder: str) -> Fitted:
    """The values under acceptable names, each at most ``longest`` characters; long ones move to files in ``folder``."""
    fitted = Fitted()
    for key, name in names.keys(values).items():
        text = str(values[key])
        if len(text) > longest:
            path = f"{folder}/{name if _PLAIN.fullmatch(name) else names.digest(key)}.txt"
            fitted.texts[path] = text
            start = " ".join(text[:_EXCERPT].split())
            text = f"{start}… ({len(text):,} characters, digest {names.digest(text)}, whole in {path})"
        fitted.values[name] = text
    return fitted


def cut_markdown(text: str, rest: str) -> str:
    """A note that fits into a tag; one that is cut, between paragraphs or lines, says where the rest is."""
    if len(text) <= TAG:
        return text
    ending = f"\n\n*The rest is in `{rest}` among the artifacts.*"
    room = text[: TAG - len(ending)]
    end = room.rfind("\n")
    return (room[:end].rstrip() if end > 0 else room) + ending


def chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """The items, ``size`` at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
