"""``sweep.json`` in the folder of a sweep: how it was started, and which jobs it has."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from metricsengine.errors import ConfigError
from metricsengine.files import write_json
from metricsengine.launched import Launch

FILE = "sweep.json"

_NUMBER = re.compile(r"\$\\?\{hydra\\?[:.]job\.num\\?\}")  # as typed, and as Hydra escapes it


@dataclass(frozen=True)
class Planned:
    """One job.

    Attributes:
        name: Name of its folder: its number.
        overrides: What the sweep sets for it.
    """

    name: str
    overrides: tuple[str, ...]

    @classmethod
    def numbered(cls, number: int, overrides: Sequence[str]) -> Self:
        """The job of a number, which takes the place of ``${hydra:job.num}`` in what is set for it.

        Launchers count the jobs that they get, which are those that are left.

        Example:
            >>> Planned.numbered(3, ["seed=${hydra:job.num}"]).overrides
            ('seed=3',)
        """
        return cls(str(number), tuple(_NUMBER.sub(str(number), word) for word in overrides))


@dataclass(frozen=True)
class Manifest:
    """A sweep as it was planned.

    Attributes:
        launch: How it was first started; one that is resumed keeps it.
        jobs: Its jobs by name. A search, which draws its jobs one after the other, adds to them.
    """

    launch: Launch
    jobs: Mapping[str, tuple[str, ...]]

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """The sweep of a folder; None where it holds none.

        Raises:
            ConfigError: The file is damaged.
        """
        path = folder / FILE
        try:
            row = json.loads(path.read_text(encoding="utf-8"))
            return cls(Launch.from_json(row["launch"]), {job: tuple(words) for job, words in row["jobs"].items()})
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise ConfigError(
                f"{path} is damaged ({type(error).__name__}: {error}): delete it to start anew"
            ) from error

    def save(self, folder: Path) -> None:
        """Write it into the sweep's folder."""
        jobs = {name: list(overrides) for name, overrides in self.jobs.items()}
        write_json(folder / FILE, {"launch": self.launch.to_json(), "jobs": jobs})

    def with_jobs(self, jobs: Sequence[Planned]) -> Self:
        """The same with further jobs.

        Raises:
            ConfigError: It has another job of the same number.
        """
        for job in jobs:
            if (known := self.jobs.get(job.name, job.overrides)) != job.overrides:
                raise ConfigError(
                    f"job {job.name} of this sweep was {' '.join(known)}, and would now be {' '.join(job.overrides)}: "
                    "resume it by the words that started it, or start another sweep"
                )
        return replace(self, jobs={**self.jobs, **{job.name: job.overrides for job in jobs}})
