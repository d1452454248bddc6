"""One run in MLflow, opened or taken up again, with writes that respect its limits."""

from __future__ import annotations

import getpass
import itertools
import socket
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metricsengine.run import Status
from metricsengine_mlflow import limits
from metricsengine_mlflow.columns import Columns
from metricsengine_mlflow.place import Place
from metricsengine_mlflow.store import Store, connect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mlflow import MlflowClient
    from mlflow.entities import Metric
    from mlflow.entities import Run as MlflowRun

STATUS: Mapping[Status, str] = {"finished": "FINISHED", "failed": "FAILED", "interrupted": "KILLED"}
PARENT = "mlflow.parentRunId"
NOTE = "mlflow.note.content"
HOST, FOLDER = "host", "folder"
OUTCOME = ("error", "failures", "outdated", "notices", "fallbacks", "served_by")
"""Tags on how an attempt ended; the next attempt begins without them."""

_PER_BATCH = {"params": 50, "metrics": 250, "tags": 20}
"""Together below the million bytes that a server takes, whatever the script of names and texts."""


@dataclass(frozen=True)
class Session:
    """A run in MLflow that can be written to.

    Attributes:
        client: Client on its store.
        place: Which run it is.
        metrics: Names of the metrics that it had when it was looked up.
    """

    client: MlflowClient
    place: Place
    metrics: frozenset[str] = frozenset()

    @classmethod
    def open(
        cls,
        store: Store,
        folder: Path,
        tags: Mapping[str, str],
        create: Callable[[MlflowClient, dict[str, str]], MlflowRun],
        parameters: Mapping[str, str] | None = None,
    ) -> Session:
        """The folder's run, marked as running, with its tags and parameters.

        An earlier one is taken up, however it ended, unless it is gone or was begun with other parameters, which
        MLflow does not overwrite; then it is closed and a new one created.
        """
        told = limits.fit(tags, limits.TAG, "tags")
        set_to = limits.fit(parameters or {}, limits.PARAMETER, "parameters")
        earlier = cls._find(store, folder)
        if earlier and _continues(earlier, set_to.values):
            session = cls(connect(store), _place(store, earlier))
            session._take_up(earlier)
            session._log(params=set_to.values, tags=told.values)
        else:
            if earlier and earlier.info.status == "RUNNING":
                connect(store).set_terminated(earlier.info.run_id, "KILLED")
            session = cls(connect(store), _place(store, create(connect(store), told.values)))
            session.place.save(folder)
            session._log(params=set_to.values)
        session.texts(told.texts | set_to.texts)
        return session

    @classmethod
    def of(cls, store: Store, folder: Path) -> Session | None:
        """The run that the folder already has, if it still exists."""
        run = cls._find(store, folder)
        return cls(connect(store), _place(store, run), frozenset(run.data.metrics)) if run else None

    @staticmethod
    def _find(store: Store, folder: Path) -> MlflowRun | None:
        from mlflow.exceptions import MlflowException

        client, place = connect(store), Place.load(folder)
        if place is None:
            return None
        try:
            run = client.get_run(place.run)
        except MlflowException as error:
            if error.error_code == "RESOURCE_DOES_NOT_EXIST":
                return None
            raise
        return run if run.info.lifecycle_stage == "active" else None

    def log(self, tags: Mapping[str, str], columns: Columns | None = None) -> None:
        """Set tags, and log numbers, all at one time."""
        told = limits.fit(tags, limits.TAG, "tags")
        self._log(tags=told.values, metrics=_metrics(columns or Columns()))
        self.texts(told.texts)

    def texts(self, texts: Mapping[str, str]) -> None:
        """Log texts as files, by path."""
        if texts:
            with self.files() as folder:
                for path, text in texts.items():
                    (folder / path).parent.mkdir(parents=True, exist_ok=True)
                    (folder / path).write_text(text, encoding="utf-8", errors="backslashreplace")

    @contextmanager
    def files(self) -> Iterator[Path]:
        """A folder whose content becomes artifacts, in one transfer, when the block is left."""
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)
            self.client.log_artifacts(self.place.run, folder)

    def keep(self, folder: Path, files: tuple[str, ...], folders: tuple[str, ...] = ()) -> None:
        """Log what is there of these files and folders below ``folder``; ``*`` in a file's name stands for anything."""
        for path in (path for name in files for path in sorted(folder.glob(name))):
            self.client.log_artifact(self.place.run, str(path))
        for name in folders:
            if (folder / name).is_dir():
                self.client.log_artifacts(self.place.run, str(folder / name), name)

    def end(self, status: str) -> None:
        """Close the run."""
        self.client.set_terminated(self.place.run, status)

    def _take_up(self, earlier: MlflowRun) -> None:
        """Mark the run as running, its former end forgotten."""
        self.client.update_run(self.place.run, status="RUNNING")
        for tag in set(OUTCOME) & set(earlier.data.tags):
            self.client.delete_tag(self.place.run, tag)

    def _log(
        self,
        params: Mapping[str, str] | None = None,
        tags: Mapping[str, str] | None = None,
        metrics: list[Metric] | None = None,
    ) -> None:
        """Write all of it, in as few requests as MLflow's limits allow."""
        from mlflow.entities import Param, RunTag

        entities: dict[str, Sequence[Any]] = {
            "params": [Param(key, value) for key, value in (params or {}).items()],
            "tags": [RunTag(key, value) for key, value in (tags or {}).items()],
            "metrics": metrics or [],
        }
        batches = [limits.chunks(found, _PER_BATCH[kind]) for kind, found in entities.items()]
        for batch in itertools.zip_longest(*batches, fillvalue=()):
            self.client.log_batch(self.place.run, **dict(zip(entities, batch, strict=True)), synchronous=True)


def origin(folder: Path, command: str) -> dict[str, str]:
    """Tags on where a run or a sweep comes from."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # a container without an entry for its user
        user = "unknown"
    return {
        "mlflow.user": user,
        "mlflow.source.name": "metricsengine",
        "mlflow.source.type": "LOCAL",
        "command": command,
        FOLDER: str(folder),
        HOST: socket.gethostname(),
    }


def milliseconds(moment: datetime) -> int:
    """Milliseconds since 1970, as MLflow counts."""
    return int(moment.timestamp() * 1000)


def _place(store: Store, run: MlflowRun) -> Place:
    return Place(store.public, run.info.experiment_id, run.info.run_id)


def _continues(run: MlflowRun, parameters: Mapping[str, str]) -> bool:
    """Whether a run's parameters can become these."""
    return all(parameters.get(key, value) == value for key, value in run.data.params.items())


def _metrics(columns: Columns) -> list[Metric]:
    from mlflow.entities import Metric

    now = time.time_ns() // 1_000_000
    single = [Metric(key, value, now, 0) for key, value in columns.values.items()]
    return single + [
        Metric(key, value, now, step) for key, points in columns.curves.items() for step, value in points.items()
    ]
