"""Arguments of commands other than Hydra's overrides."""

from __future__ import annotations

import argparse
from typing import NoReturn

from metricsengine.errors import ConfigError


class Parser(argparse.ArgumentParser):
    """Tells in one line what is wrong with the arguments.

    Args:
        usage: The command with its arguments.
    """

    def __init__(self, usage: str) -> None:
        super().__init__(usage=usage, add_help=False, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments.

        Raises:
            ConfigError: Always.
        """
        raise ConfigError(f"{message}; usage: {self.usage}")
