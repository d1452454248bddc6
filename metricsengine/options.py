"""Options that take one value or several."""

from __future__ import annotations

from collections.abc import Sequence

from metricsengine.errors import ConfigError


def listed(key: str, given: object, *, numbers: bool = False) -> list[str]:
    """One value or a list of values as a list of different texts.

    Args:
        key: Key of the option, for errors.
        given: What was configured.
        numbers: Whether a whole number is a value too.

    Raises:
        ConfigError: It is neither; names the key.

    Example:
        >>> listed("study.prompts", "base"), listed("study.templates", ["1", 2, 1], numbers=True)
        (['base'], ['1', '2'])
    """
    values = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    kinds = (str, int) if numbers else (str,)
    if any(isinstance(value, bool) or not isinstance(value, kinds) or not str(value).strip() for value in values):
        what = "value" if numbers else "name"
        raise ConfigError(f"{key} must be a {what} or a list of {what}s, got {given!r}")
    return list(dict.fromkeys(str(value) for value in values))
