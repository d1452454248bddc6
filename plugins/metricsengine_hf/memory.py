"""How much fits into memory, and what to do when it did not."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from metricsengine.errors import ModelError
from metricsengine.local.backend import Limits
from metricsengine_hf.libraries import torch
from metricsengine_hf.network import Network

MOST_SEQUENCES = {"cpu": 32, "cuda": 256}
"""Texts computed together where nothing is configured: more are hardly faster there."""

_MOST_TOKENS = {"cpu": 2**15, "cuda": 2**20}
_SHARE = 0.5  # of the free memory; activations of other kinds, fragments and other processes need the rest
_COPIES = 4  # of a row of logits while a token is drawn
_CGROUP = Path("/sys/fs/cgroup")
_SIGNS = ("out of memory", "can't allocate memory", "not enough memory")

_log = logging.getLogger(__name__)

Part = TypeVar("Part")
Done = TypeVar("Done")


def limits(network: Network, batch_size: int | None) -> Limits:
    """What is computed together.

    Rounded down to powers of two, so that a little more or less free memory leaves the batches as they are.

    Args:
        network: Loaded.
        batch_size: Texts, where configured.
    """
    config = network.config.get_text_config()
    kind = network.device.type if network.device.type in MOST_SEQUENCES else "cuda"
    free = _SHARE * free_bytes(network.device)
    row = _COPIES * 4 * config.vocab_size
    tokens = min(_power(free / 2 / token_bytes(network)), _MOST_TOKENS[kind])
    sequences = batch_size or min(_power(free / 2 / row), MOST_SEQUENCES[kind])
    return Limits(sequences, tokens)


def token_bytes(network: Network) -> float:
    """Bytes that a token takes: its keys and values in all layers, and the widest activations of one layer."""
    config = network.config.get_text_config()
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    # A step that appends to the cache holds one layer twice.
    kept = 2 * heads * head * (config.num_hidden_layers + 1)
    inner = getattr(config, "intermediate_size", None)
    passing = 8 * config.hidden_size + 3 * (inner if isinstance(inner, int) else 4 * config.hidden_size)
    return float((kept + passing) * network.dtype.itemsize)


def free_bytes(device: torch.device) -> float:
    """Memory that is free on a device; on a processor also within what this process may use."""
    if device.type == "cuda":
        return float(torch.cuda.mem_get_info(device)[0])
    import psutil

    return min(float(psutil.virtual_memory().available), _left_in_group())


def is_exhaustion(error: BaseException) -> bool:
    """Whether an error says that memory ran out."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(sign in str(error).lower() for sign in _SIGNS)


class Halving:
    """Computes parts together, in halves where memory does not suffice, and remembers what did not fit.

    Args:
        tokens: What is computed together at most, in tokens.
    """

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens

    def run(
        self,
        parts: Sequence[Part],
        size: Callable[[Sequence[Part]], int],
        compute: Callable[[Sequence[Part]], list[Done]],
    ) -> list[Done]:
        """What ``compute`` makes of the parts, in their order.

        Args:
            parts: At least one.
            size: Tokens of some parts.
            compute: Called with stretches of the parts; after memory ran out it is called anew for the same parts.

        Raises:
            ModelError: A single part does not fit.
        """
        if len(parts) == 1 or size(parts) <= self.tokens:
            try:
                return compute(parts)
            except Exception as error:
                if not is_exhaustion(error):
                    raise
            self._note(len(parts), size(parts))
        middle = len(parts) // 2
        return [*self.run(parts[:middle], size, compute), *self.run(parts[middle:], size, compute)]

    def _note(self, count: int, tokens: int) -> None:
        release()
        if count == 1:
            raise ModelError(
                f"memory does not suffice for a single text of {tokens} tokens, prompt and reply together: shorten it, "
                "lower max_tokens, choose model.quantisation or a smaller dtype, or spread the model (model.device_map)"
            )
        self.tokens = max(1, tokens // 2)
        _log.warning("memory does not suffice for %d tokens at once: going on with %d", tokens, self.tokens)


def release() -> None:
    """Give memory that is no longer used back to the device."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _power(value: float) -> int:
    return 1 << max(0, int(value).bit_length() - 1)


def _left_in_group() -> float:
    """What a control group of Linux (a container, a job of a cluster) leaves this process."""
    try:
        limit = (_CGROUP / "memory.max").read_text().strip()
        used = (_CGROUP / "memory.current").read_text().strip()
        return float("inf") if limit == "max" else float(limit) - float(used)
    except (OSError, ValueError):
        return float("inf")
