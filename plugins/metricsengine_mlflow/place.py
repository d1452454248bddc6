"""Which MLflow run a folder belongs to: ``mlflow.json`` in the folder of a run or a sweep.

A file, and no environment variable, so that jobs in other processes and on other hosts find their sweep's run, and a
resumed run finds its own.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from metricsengine.errors import ConfigError
from metricsengine.files import write_json

FILE = "mlflow.json"


@dataclass(frozen=True)
class Owner:
    """What a run in MLflow is of.

    Attributes:
        folder: Folder of a run or a sweep.
        sweep: When the sweep was first started that it is or belongs to; None for a run of no sweep, and where that is
            not known.
        parent: Id of that sweep's run, for a job whose sweep has one in the same store.
    """

    folder: Path
    sweep: str | None = None
    parent: str | None = None


@dataclass(frozen=True)
class Place:
    """A run in MLflow.

    Attributes:
        store: Address of the store, without user name and password.
        experiment: Id of the experiment.
        run: Id of the run.
        sweep: When the sweep was first started that it is or belongs to, if any; earlier versions did not tell.
        folder: The folder that this was written for; earlier versions did not tell.
    """

    store: str
    experiment: str
    run: str
    sweep: str | None = None
    folder: str | None = None

    def lies_in(self, folder: Path) -> bool:
        """Whether it was written for the folder, or for one that has moved there: not for one it is a copy of."""
        try:
            return self.folder is None or Path(self.folder).samefile(folder)
        except OSError:  # nothing is there any more
            return True

    def is_of(self, owner: Owner) -> bool:
        """Whether it is of the owner's folder and sweep, as far as both are known."""
        return self.lies_in(owner.folder) and (None in (self.sweep, owner.sweep) or self.sweep == owner.sweep)

    def save(self, folder: Path) -> None:
        """Write it into the folder."""
        write_json(folder / FILE, asdict(self))

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """The folder's place; None where it has none.

        Raises:
            ConfigError: The file is there but not readable as one.
        """
        path = folder / FILE
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError) as error:
            raise ConfigError(f"{path} is damaged ({error}): delete it to begin a new MLflow run") from error
