"""Seeds that follow from what they are for, so that no result depends on the order of calls or on global state."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def derive(*parts: str | int | bytes) -> int:
    """Seed for the purpose that the parts spell out, the same on every platform and in every process.

    Parts keep their bounds and their types: ``("ab", "c")`` and ``("a", "bc")``, ``1`` and ``"1"`` differ.

    Args:
        *parts: What the seed is for, such as the run's seed, a metric's name, a persona. Any text is allowed,
            lone surrogates included, and integers of any size; ``True`` is the integer 1, as ever in Python.

    Returns:
        An integer from 0 to 2**63 - 1.

    Raises:
        TypeError: A part is of another type (a float, None), for which no stable spelling is defined.

    Example:
        >>> derive(7, "exaggeration", "woman")
        6919725447220818874
        >>> derive("ab", "c") == derive("a", "bc")
        False
    """
    digest = blake2b(b"".join(map(_framed, parts)), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def generator(*parts: str | int | bytes) -> np.random.Generator:
    """A fresh numpy generator, seeded by :func:`derive` from the same parts.

    Example:
        >>> generator(7, "topics").random() == generator(7, "topics").random()
        True
    """
    import numpy as np

    # Named rather than default_rng, whose algorithm numpy may change.
    return np.random.Generator(np.random.PCG64(derive(*parts)))


def _framed(part: str | int | bytes) -> bytes:
    """A part with its type and length in front, so that no two sequences of parts join to the same bytes."""
    if isinstance(part, str):
        kind, content = b"s", part.encode("utf-8", "surrogatepass")
    elif isinstance(part, int):
        kind, content = b"i", part.to_bytes(part.bit_length() // 8 + 1, "big", signed=True)
    elif isinstance(part, bytes):
        kind, content = b"b", part
    else:
        raise TypeError(f"a seed derives from str, int or bytes, got {type(part).__name__}: {part!r}")
    return kind + len(content).to_bytes(8, "big") + content
