"""Imports the native library, so that it shares the processors with others.

Between two layers the threads of one decoding wait for each other. OpenMP lets them wait busily at first, which on
shared processors keeps the awaited thread from running: beside other work, a sweep's other jobs for one, decoding then
takes ten times as long or more. OpenMP reads how to wait when it is loaded, and only then.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_POLICY = "OMP_WAIT_POLICY"


@contextmanager
def _waiting_quietly() -> Iterator[None]:
    if _POLICY in os.environ:
        yield
        return
    os.environ[_POLICY] = "passive"
    try:
        yield
    finally:
        del os.environ[_POLICY]


with _waiting_quietly():
    from llama_cpp import llama_cpp as lib

__all__ = ["lib"]
