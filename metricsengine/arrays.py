"""Values and labels as arrays, checked before anything is computed of them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence, Sized
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Items = TypeVar("Items", bound=Sized)


def check_share(name: str, value: float) -> None:
    """Refuse what does not lie between 0 and 1, by ``ValueError``, as all checks here do."""
    if not 0 < value < 1:
        raise ValueError(f"{name} lies between 0 and 1, got {value}")


def finite(name: str, values: ArrayLike) -> Floats:
    """The values as numbers, shape (n,), none of them NaN or infinite."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}")
    bad = np.count_nonzero(~np.isfinite(array))
    if bad:
        raise ValueError(f"{name}: {bad} of {array.size} are NaN or infinite; leave them out, counted, before")
    return array


def aligned(name: str, items: Items, n: int) -> Items:
    """The items, one for each of ``n`` values."""
    if len(items) != n:
        raise ValueError(f"{name}: {len(items)} given for {n} values")
    return items


def coded(labels: Sequence[Hashable]) -> Integers:
    """Numbers of the labels, from 0, whatever the order in which they come; no label may be NaN."""
    if any(isinstance(label, float) and math.isnan(label) for label in labels):
        raise ValueError("a label is NaN: a value without its cluster or level cannot be resampled")
    number = {label: code for code, label in enumerate(sorted(set(labels), key=repr))}
    return np.array([number[label] for label in labels], dtype=np.intp)
