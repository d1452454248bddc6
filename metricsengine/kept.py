"""Weights that stay loaded from job to job of one process: the last model's and the last encoder's.

Making an adapter or an encoder is cheap; what takes time are its weights. So each job makes its own, and gets the one
of the job before instead where both are the same: made from equal options, and of weights that are still the same.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar

from metricsengine.encoder import Encoder
from metricsengine.model import ModelAdapter

T = TypeVar("T")

_held: dict[str, tuple[Any, Any, Callable[[], None]]] = {}
"""What made it, itself, and how it is closed; for the model and the encoder."""


def adapter(fresh: ModelAdapter, options: object, resources: ExitStack) -> ModelAdapter:
    """The adapter of the job before if it is the same as a fresh one, or else the fresh one.

    Args:
        fresh: Just made.
        options: From which.
        resources: Closes it at the end of the job, if it is not one to be kept.

    Raises:
        ModelError: Its weights cannot be read.
    """
    if not fresh.lasting:
        resources.callback(fresh.close)
        return fresh
    made_of = (type(options), options, fresh.identity, dict(fresh.surroundings))
    return _last("model", fresh, made_of, fresh.close)


def encoder(fresh: Encoder, options: object) -> Encoder:
    """The encoder of the job before if it is the same as a fresh one, or else the fresh one.

    Raises:
        ModelError: Its weights cannot be read.
    """
    if not fresh.lasting:
        return fresh
    return _last("encoder", fresh, (type(options), options, fresh.fingerprint), lambda: None)


@atexit.register
def release() -> None:
    """Let go of everything."""
    while _held:
        _, (_, _, close) = _held.popitem()
        close()


def _last(kind: str, fresh: T, made_of: object, close: Callable[[], None]) -> T:
    if kind in _held:
        before, one, close_it = _held[kind]
        if before == made_of:
            kept: T = one
            return kept
        del _held[kind]
        close_it()
    _held[kind] = made_of, fresh, close
    return fresh
