"""Outcomes of long computations, each computed once and kept in the response store."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Protocol, TypeAlias, TypeVar

from metricsengine.keys import digest
from metricsengine.store import ResponseStore

Ingredient: TypeAlias = bytes | str | int | float
"""A thing that decides an outcome."""

T = TypeVar("T")


class Remembering(Protocol):
    """Gives the outcome of a computation, whether it is made for it or was remembered."""

    def __call__(self, name: str, of: Sequence[Ingredient], compute: Callable[[], T]) -> T:
        """The outcome of a computation.

        Args:
            name: What is computed.
            of: Everything that decides the outcome, beside what :class:`Memory` knows: inputs, parameters, seeds, and a
                number that is raised when the computation's own code finds something else.
            compute: Computes it: None, truth values, numbers, texts, and lists and dictionaries of such.
        """


def anew(name: str, of: Sequence[Ingredient], compute: Callable[[], T]) -> T:
    """Remembers nothing."""
    return compute()


class Memory:
    """Remembers outcomes in the response store; what is remembered is exactly what would be computed.

    Processes that compute the same at once all go on with what the first of them stored.

    Args:
        store: Where outcomes are kept.
        surroundings: What decides every number beside its ingredients: versions of libraries, kind of processor.
    """

    def __init__(self, store: ResponseStore, surroundings: Mapping[str, str]) -> None:
        self._store = store
        self._surroundings = dict(surroundings)

    def __call__(self, name: str, of: Sequence[Ingredient], compute: Callable[[], T]) -> T:
        """As :class:`Remembering`.

        Raises:
            TypeError: The outcome is none that JSON gives back as it was.
            ValueError: It, or an ingredient, holds NaN or infinity.
            MetricsEngineError: The store cannot be read or written.
        """
        key = self._key(name, of)
        known = self._store.get_outcomes([key])
        if key not in known:
            known = self._store.put_outcomes({key: (name, _text(name, compute()))})
        outcome: T = json.loads(known[key])
        return outcome

    def _key(self, name: str, of: Sequence[Ingredient]) -> bytes:
        parts = [{"bytes": blake2b(part).hexdigest()} if isinstance(part, bytes) else part for part in of]
        return digest({"name": name, "of": parts, "surroundings": self._surroundings})


def _text(name: str, outcome: object) -> str:
    text = json.dumps(outcome, allow_nan=False)
    if json.loads(text) != outcome:
        raise TypeError(f"{name} cannot be remembered: JSON gives {outcome!r} back as {json.loads(text)!r}")
    return text
