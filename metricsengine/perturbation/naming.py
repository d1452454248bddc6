"""Names of perturbed things: ``NAME+KIND+KIND``, the kinds in the order in which they are applied."""

from __future__ import annotations

from collections.abc import Container, Iterable

JOINT = "+"


def split(name: str) -> tuple[str, tuple[str, ...]]:
    """The name of what is perturbed, and the kinds of perturbation.

    Example:
        >>> split("base+case+newlines"), split("base")
        (('base', ('case', 'newlines')), ('base', ()))
    """
    base, *kinds = name.split(JOINT)
    return base, tuple(kinds)


def join(base: str, kinds: Iterable[str]) -> str:
    """The name of something perturbed; the inverse of :func:`split`.

    Example:
        >>> join("base", ["case", "newlines"])
        'base+case+newlines'
    """
    return JOINT.join((base, *kinds))


def based(name: str, known: Container[str]) -> tuple[str, tuple[str, ...]]:
    """The longest known name that the name begins with, and the kinds that follow; as :func:`split` where none is.

    Example:
        >>> based("base+mine+case", {"base", "base+mine"}), based("other+case", {"base"})
        (('base+mine', ('case',)), ('other', ('case',)))
    """
    parts = name.split(JOINT)
    for end in range(len(parts), 0, -1):
        if (base := join(parts[0], parts[1:end])) in known:
            return base, tuple(parts[end:])
    return split(name)
