"""What a user is told of a configuration that Hydra cannot compose."""

from __future__ import annotations

import re
from traceback import extract_tb

from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException

from metricsengine import launchers
from metricsengine.config import Configuration
from metricsengine.errors import unknown


def explained(error: BaseException, configuration: Configuration) -> str:
    """One line for an error of Hydra's or OmegaConf's: what is missing with what there is, or its innermost cause."""
    return _missing(error, configuration) or _innermost(error, configuration)


def one_line(error: BaseException) -> str:
    """An error's message without line breaks."""
    return " ".join(str(error).split())


def unexpected(error: AssertionError) -> str:
    """One line for an assertion, by which Hydra refuses what it has no error for."""
    place = extract_tb(error.__traceback__)[-1]
    if place.filename.endswith("defaults_list.py"):
        return "Hydra cannot compose this defaults list: its `override` entries must come last"
    return f"Hydra or one of its plugins expects: {place.line} ({place.filename}, line {place.lineno})"


def _missing(error: BaseException, configuration: Configuration) -> str:
    """The message for an option that does not exist; empty for any other error."""
    found = re.search(r"Could not (?:find|load) '([^']+)/([^'/]+)'", str(error))
    if not found:
        return ""
    return launchers.missing(f"{found[1]}/{found[2]}") or unknown(found[1], found[2], configuration.options(found[1]))


def _innermost(error: BaseException, configuration: Configuration) -> str:
    """The message at the bottom of a chain of causes: Hydra wraps what a reader wants to know."""
    while isinstance(error.__cause__, (HydraException, OmegaConfBaseException)):
        error = error.__cause__
    if isinstance(error, OmegaConfBaseException):
        return configuration.describe(error)
    file, beneath = re.match(r"In '([^']+)':", str(error)), error.__context__
    if file and isinstance(beneath, OmegaConfBaseException):
        return f"{file[1]}: {configuration.describe(beneath)}"
    return one_line(error)
