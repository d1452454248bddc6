"""Who started a run or a sweep, from where and with which words: what starting it again takes."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from metricsengine.config import outputs_folder
from metricsengine.errors import ConfigError
from metricsengine.files import write_json

FILE = "launch.json"
"""In the folder of a run."""

COMMAND = "METRICSENGINE_COMMAND"
"""Environment variable that carries the typed command to workers."""


@dataclass(frozen=True)
class Launch:
    """How a run or a sweep was started.

    Attributes:
        command: The command as typed.
        words: What Hydra was given of it.
        directory: The current directory, to which relative paths in the words count.
        outputs: The outputs folder.
        started: When.
    """

    command: str
    words: tuple[str, ...]
    directory: str
    outputs: str
    started: datetime

    @classmethod
    def now(cls, words: Sequence[str]) -> Self:
        """A launch by this process."""
        command = os.environ.get(COMMAND) or shlex.join(["metricsengine", *words])
        return cls(command, tuple(words), str(Path.cwd()), str(outputs_folder()), datetime.now(UTC))

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Self:
        """What :meth:`to_json` made."""
        started = datetime.fromisoformat(row["started"])
        if started.tzinfo is None:
            raise ValueError("the time of its start names no zone")
        return cls(**{**row, "words": tuple(row["words"]), "started": started})

    def to_json(self) -> dict[str, Any]:
        """As it stands in a file."""
        return {**asdict(self), "words": list(self.words), "started": self.started.isoformat()}

    def save(self, folder: Path) -> None:
        """Write it into the folder of a run."""
        write_json(folder / FILE, self.to_json())

    def at(self, key: str, folder: Path) -> Self:
        """The same with its folder named by ``key``: ``hydra.run.dir`` or ``hydra.sweep.dir``."""
        from metricsengine.launch import quoted

        words = [word for word in self.words if word.partition("=")[0].lstrip("+") != key]
        return replace(self, words=(*words, f"{key}={quoted(str(folder))}"))


def read_launch(path: Path) -> Launch | None:
    """What a file tells of a launch, by itself or under ``launch``; None where there is no such file.

    Raises:
        ConfigError: The file is damaged.
    """
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
        return Launch.from_json(row.get("launch", row))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ConfigError(f"{path} is damaged ({type(error).__name__}: {error}): delete it to start anew") from error


def latest(words: Sequence[str], paths: Sequence[Path]) -> Path | None:
    """The folder of the last launch by these words among those that the files at ``paths`` tell of."""
    found = []
    for path in paths:
        with suppress(ConfigError):  # a damaged one is no launch by these words, as far as anyone can tell
            if (launch := read_launch(path)) and fits(launch, words):
                found.append((launch.started, path.parent))
    return max(found)[1] if found else None


def fits(launch: Launch, words: Sequence[str]) -> bool:
    """Whether a launch was by these words, from this directory."""
    return launch.words == tuple(words) and launch.directory == str(Path.cwd())
