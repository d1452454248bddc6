"""Options of the adapter."""

from __future__ import annotations

import datetime
import os
from dataclasses import dataclass

from metricsengine.errors import ConfigError

MOST_SEQUENCES = 256
"""Sequences that llama.cpp can decode together."""


@dataclass
class LlamaCppConf:
    """How a GGUF model is loaded and asked.

    Attributes:
        path: The GGUF file (of a split model its first part), or ``package:NAME`` for the one inside an installed
            Python package.
        name: What people call the model; the file's name where empty.
        context_length: Tokens of prompt and reply together, >= 1; what the model was trained for where not given.
        width: Samples of one prompt that are drawn together, in 1 to 256. They share the prompt's cache.
        cache_tokens: Tokens of all those samples together that the cache may hold. Where ``max_tokens`` of the
            request asks for more, fewer samples are drawn together.
        threads: Processor threads, >= 1; all processors that this process may use where not given. Give it when
            several jobs run side by side: together they should not exceed the processors.
        n_gpu_layers: Layers kept on the graphics card, >= -1; -1 for all.
        date: The date (ISO 8601) that a chat template is told when it asks for today's: fixed, because the same
            study should ask the same prompt tomorrow.
    """

    path: str = ""
    name: str = ""
    context_length: int | None = None
    width: int = 32
    cache_tokens: int = 16384
    threads: int | None = None
    n_gpu_layers: int = 0
    date: str = "2025-01-01"

    def __post_init__(self) -> None:
        if not self.path:
            raise ConfigError(
                "model.path is empty: give model.path=FILE.gguf, or choose a preset such as model=smollm2"
            )
        _in_range("context_length", self.context_length, 1)
        _in_range("width", self.width, 1, MOST_SEQUENCES)
        _in_range("cache_tokens", self.cache_tokens, 1)
        _in_range("threads", self.threads, 1)
        _in_range("n_gpu_layers", self.n_gpu_layers, -1)
        try:
            datetime.date.fromisoformat(self.date)
        except ValueError:
            raise ConfigError(f"model.date={self.date!r} is no date: write it as 2025-01-31") from None

    @property
    def threads_used(self) -> int:
        """Threads that llama.cpp gets."""
        return self.threads or _processors()


def _in_range(key: str, value: int | None, low: int, high: int | None = None) -> None:
    if value is None or (value >= low and (high is None or value <= high)):
        return
    wanted = f"at least {low}" if high is None else f"from {low} to {high}"
    raise ConfigError(f"model.{key}={value} is out of range: it must be {wanted}")


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
