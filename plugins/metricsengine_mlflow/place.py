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
class Place:
    """A run in MLflow.

    Attributes:
        store: Address of the store, without user name and password.
        experiment: Id of the experiment.
        run: Id of the run.
    """

    store: str
    experiment: str
    run: str

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
