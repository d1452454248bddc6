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
from metricsengine_mlflow.busy import patiently
from metricsengine_mlflow.columns import Columns
from metricsengine_mlflow.place import Owner, Place
from metricsengine_mlflow.store import Store, connect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mlflow import MlflowClient
    from mlflow.entities import DatasetInput, Metric
    from mlflow.entities import Run as MlflowRun

STATUS: Mapping[Status, str] = {"finished": "FINISHED", "failed": "FAILED", "interrupted": "KILLED"}
PARENT = "mlflow.parentRunId"
NOTE = "mlflow.note.content"
HOST, FOLDER = "host", "folder"
KILLED = "killed: its process ended without closing this run"
OUTCOME = ("error", "failures", "outdated", "notices", "fallbacks", "served_by")
"""Tags on how an attempt ended; the next attempt begins without them."""

_ATTEMPTS = 3
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
        owner: Owner,
        tags: Mapping[str, str],
        create: Callable[[MlflowClient, dict[str, str]], MlflowRun],
        parameters: Mapping[str, str] | None = None,
    ) -> Session:
        """The owner's run, marked as running, with its tags and parameters.

        An earlier one of the folder is taken up, however it ended, unless it is gone, or of another sweep, or of a
        folder that this one is a copy of, or was begun with other parameters, which MLflow does not overwrite. Then a
        new one is created, and the earlier one closed where it was this folder's: nobody else is at work here.
        """
        told = limits.fit(tags, limits.TAG, "tags")
        set_to = limits.fit(parameters or {}, limits.PARAMETER, "parameters")
        client, before = connect(store), Place.load(owner.folder)
        earlier = find(client, before) if before else None
        if before and earlier and _belongs(before, earlier, owner) and _continues(earlier, set_to.values):
            session = cls(client, _place(store, earlier, owner))
            session.place.save(owner.folder)
            session._take_up(earlier)
            session._log(params=set_to.values, tags=told.values)
        else:
            if before and earlier and earlier.info.status == "RUNNING" and before.lies_in(owner.folder):
                kill(client, earlier)
            session = cls(client, _place(store, create(client, told.values), owner))
            session.place.save(owner.folder)
            session._log(params=set_to.values)
        session.texts(told.texts | set_to.texts)
        return session

    @classmethod
    def of(cls, store: Store, owner: Owner) -> Session | None:
        """The run that the owner already has, if it still exists; a busy store is waited for.

        Raises:
            MetricsEngineError: The store was busy all the time.
        """
        client, place = connect(store), Place.load(owner.folder)
        run = patiently(lambda: find(client, place), place) if place else None
        if place is None or run is None or not _belongs(place, run, owner):
            return None
        return cls(client, _place(store, run, owner), frozenset(run.data.metrics))

    def log(self, tags: Mapping[str, str], columns: Columns | None = None) -> None:
        """Set tags, and log numbers, all at one time.

        MLflow cannot forget a number, so those of an earlier attempt that are not among these are named in a tag.
        """
        outdated = self.metrics - set(columns.values) - set(columns.curves) if columns is not None else ()
        named = {"outdated": "; ".join(sorted(outdated))} if outdated else {}
        told = limits.fit({**tags, **named}, limits.TAG, "tags")
        self._log(tags=told.values, metrics=_metrics(columns or Columns()))
        self.texts(told.texts)

    def texts(self, texts: Mapping[str, str]) -> None:
        """Log texts as files, by path."""
        if texts:
            with self.files() as folder:
                for path, text in texts.items():
                    (folder / path).parent.mkdir(parents=True, exist_ok=True)
                    (folder / path).write_text(text, encoding="utf-8", errors="backslashreplace")

    def inputs(self, datasets: Sequence[DatasetInput]) -> None:
        """Log what the run was made of.

        MLflow looks whether a dataset is there before it writes it: of several jobs that log the same one at the same
        time all but one can fail, and find it there when they try again.
        """
        from mlflow.exceptions import MlflowException

        for left in reversed(range(_ATTEMPTS)):
            try:
                self.client.log_inputs(self.place.run, list(datasets))
                return
            except MlflowException:
                if not left:
                    raise

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
        """Close the run; a busy store is waited for.

        Raises:
            MetricsEngineError: The store was busy all the time.
        """
        patiently(lambda: self.client.set_terminated(self.place.run, status), self.place)

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


def find(client: MlflowClient, place: Place) -> MlflowRun | None:
    """The run of a place; None where it is gone or deleted."""
    from mlflow.exceptions import MlflowException

    try:
        run = client.get_run(place.run)
    except MlflowException as error:
        if error.error_code == "RESOURCE_DOES_NOT_EXIST":
            return None
        raise
    return run if run.info.lifecycle_stage == "active" else None


def kill(client: MlflowClient, run: MlflowRun) -> None:
    """Close a run whose process was killed."""
    client.set_tag(run.info.run_id, "error", KILLED)
    client.set_terminated(run.info.run_id, "KILLED")


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


def _place(store: Store, run: MlflowRun, owner: Owner) -> Place:
    return Place(store.public, run.info.experiment_id, run.info.run_id, owner.sweep, str(owner.folder))


def _belongs(place: Place, run: MlflowRun, owner: Owner) -> bool:
    """Whether a run is its owner's: of the same folder and sweep, and below the sweep's present run."""
    return place.is_of(owner) and owner.parent in (None, run.data.tags.get(PARENT))


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
