"""Imports the native library, so that it shares the processors with others.

Between two operations the threads of one decoding wait for each other. GNU OpenMP lets them spin for a millisecond or
more before they sleep. On shared processors that keeps the awaited thread from running: beside one other busy process,
two threads on two processors decode at less than half of the speed that they have when they give up early. With the
processors to themselves giving up early costs little; not spinning at all costs up to half of the speed. OpenMP
reads how long to spin when it is loaded, and only then.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_SPINS = "GOMP_SPINCOUNT"
_CHOSEN = ("OMP_WAIT_POLICY", _SPINS)  # by which users choose for themselves


@contextmanager
def _spinning_briefly() -> Iterator[None]:
    if any(name in os.environ for name in _CHOSEN):
        yield
        return
    os.environ[_SPINS] = "2000"
    try:
        yield
    finally:
        del os.environ[_SPINS]


with _spinning_briefly():
    from llama_cpp import llama_cpp as lib

__all__ = ["lib"]
