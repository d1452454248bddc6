"""The tracking store: where it is, and a client on it that works from the first process on."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar
from urllib.parse import unquote, urlsplit

from metricsengine.config import outputs_folder
from metricsengine.errors import ConfigError, MetricsEngineError
from metricsengine.wording import plural
from metricsengine_mlflow import library
from metricsengine_mlflow.config import MlflowConf

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Experiment

    from metricsengine.doctor import Check

_SQLITE = "sqlite:///"
_DATABASES = ("sqlite", "postgresql", "postgres", "mysql", "mssql")
_LOCK_SECONDS = 300.0

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Store:
    """A tracking store.

    Attributes:
        uri: Its address, absolute.
        artifacts: Where new experiments keep their artifacts; empty where a server decides.
        timeout: Seconds that a server has to answer in.
    """

    uri: str
    artifacts: str
    timeout: float = 5.0

    @property
    def server(self) -> bool:
        """Whether it is a server and no database."""
        return urlsplit(self.uri).scheme.split("+")[0] not in _DATABASES

    @property
    def file(self) -> Path | None:
        """The SQLite file, if it is one."""
        if not self.uri.startswith("sqlite"):
            return None
        return Path(unquote(self.uri.partition(":///")[2].partition("?")[0]))

    @property
    def public(self) -> str:
        """The address without user name, password and options, among which a password can be."""
        return self.uri.replace(self._secret, "", 1).partition("?")[0]

    def redacted(self, text: str) -> str:
        """What MLflow says about the store, without what is secret in its address."""
        told = text.replace(self.uri, self.public)
        return told.replace(self._secret, "") if self._secret else told

    @property
    def _secret(self) -> str:
        """User name and password in the address, up to their ``@``; a database's may hold any other sign."""
        if self.file:
            return ""
        rest = urlsplit(self.uri).netloc if self.server else self.uri.partition("://")[2]
        return rest[: rest.rfind("@") + 1]


def with_store(call: Callable[Concatenate[Store, MlflowConf, P], T]) -> Callable[Concatenate[MlflowConf, P], T]:
    """Give a call the store that its options name, and let none of its errors tell what is secret in the address.

    MLflow tells the whole address of a server that does not answer, and errors are shown and written into files.
    """

    @functools.wraps(call)
    def called(conf: MlflowConf, /, *rest: P.args, **more: P.kwargs) -> T:
        store = resolve(conf)
        try:
            return call(store, conf, *rest, **more)
        except Exception as error:
            told = str(error)
            if store.redacted(told) == told:
                raise
            raise MetricsEngineError(f"MLflow: {' '.join(store.redacted(told).split())}") from None

    return called


def resolve(conf: MlflowConf) -> Store:
    """The store that the options name.

    Raises:
        ConfigError: The address is none that can hold runs.
    """
    outputs = outputs_folder()
    uri = conf.uri or _SQLITE + _escaped(outputs / "mlflow.db")
    if uri == "env":
        uri = os.environ.get("MLFLOW_TRACKING_URI", "")
    if not uri:
        raise ConfigError("tracking.uri=env, but MLFLOW_TRACKING_URI is not set: set it, or name the store itself")
    if urlsplit(uri).scheme in ("", "file") and uri != "databricks":
        raise ConfigError(
            f"tracking.uri={uri}: MLflow keeps runs in a database or on a server, not in a folder: "
            "give sqlite:////absolute/path/mlflow.db, http://server:5000, or leave it empty"
        )
    store = Store(_absolute(uri), _location(conf.artifact_location), conf.timeout)
    if store.file in (Path(), Path(":memory:")):
        raise ConfigError(f"tracking.uri={uri}: a store in memory forgets its runs; name a file")
    return store if store.server or store.artifacts else Store(store.uri, _location("mlartifacts"), conf.timeout)


@functools.cache
@library.uncollected()
def connect(store: Store) -> MlflowClient:
    """A client on the store; a database is created where there is none yet, by one process at a time.

    Raises:
        ConfigError: The store cannot be opened, or does not answer in time.
    """
    library.load()
    from mlflow import MlflowClient
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    guard = _patience(store.timeout) if store.server else _alone(store)
    try:
        with guard, library.quiet():
            if not store.server:
                _probe(store)
            client = MlflowClient(tracking_uri=store.uri)
            client.search_experiments(max_results=1)
    except (MlflowException, SQLAlchemyError, OSError, ImportError) as error:
        raise ConfigError(_unreachable(store, error)) from error
    return client


def checkup() -> Check:
    """Whether this project's own store can be opened; it is not made for the question."""
    from metricsengine.doctor import checked

    def look() -> str:
        store = resolve(MlflowConf())
        if store.file and not store.file.exists():
            return f"the first run makes {store.file}"
        return f"{store.file}, {plural(len(connect(store).search_experiments()), 'experiment')}"

    return checked("tracking with MLflow", look, "track nothing with tracking=none, or name a store with tracking.uri")


def find_experiment(client: MlflowClient, name: str) -> Experiment | None:
    """The experiment of that name.

    Raises:
        ConfigError: It was deleted, which keeps its name taken.
    """
    found = client.get_experiment_by_name(name)
    if found is not None and found.lifecycle_stage != "active":
        raise ConfigError(
            f"the MLflow experiment {name!r} was deleted: choose another name with tracking.experiment=NAME, "
            f"or restore it with `mlflow experiments restore --experiment-id {found.experiment_id}`"
        )
    return found


def experiment_id(client: MlflowClient, store: Store, name: str) -> str:
    """Id of the experiment of that name, made where there is none yet."""
    from mlflow.exceptions import MlflowException

    found = find_experiment(client, name)
    if found is None:
        kind = {"mlflow.experimentKind": "custom_model_development"}  # opens on runs, not on traces
        try:
            return client.create_experiment(name, artifact_location=store.artifacts or None, tags=kind)
        except MlflowException:
            found = find_experiment(client, name)  # another process may have been faster
            if found is None:
                raise
    return found.experiment_id


def _escaped(path: Path) -> str:
    """A path within a database address, where ``%`` and ``?`` have a meaning."""
    return path.as_posix().replace("%", "%25").replace("?", "%3F")


def _absolute(uri: str) -> str:
    if not uri.startswith(_SQLITE) or uri.startswith((_SQLITE + "/", _SQLITE + ":memory:")) or uri == _SQLITE:
        return uri
    return f"{_SQLITE}{_escaped(Path.cwd())}/{uri.removeprefix(_SQLITE)}"


def _location(given: str) -> str:
    """An address for artifacts; a bare path is one below the outputs folder."""
    if not given or urlsplit(given).scheme:
        return given
    return (outputs_folder() / given).as_uri()


@contextmanager
def _alone(store: Store) -> Iterator[None]:
    """One process at a time: two that migrate one fresh database leave it broken."""
    from filelock import FileLock

    folder = store.file.parent if store.file else outputs_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "mlflow.lock", timeout=_LOCK_SECONDS):
        yield


@contextmanager
def _patience(seconds: float) -> Iterator[None]:
    """MLflow would ask a silent server again for minutes; its only switch is the environment."""
    limits = {"MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0", "MLFLOW_HTTP_REQUEST_TIMEOUT": str(max(1, round(seconds)))}
    before = {name: os.environ.get(name) for name in limits}
    os.environ.update(limits)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _probe(store: Store) -> None:
    """Fail at once where MLflow would try for minutes: a missing driver, a file that is no database."""
    import sqlalchemy

    engine = sqlalchemy.create_engine(store.uri)
    try:
        sqlalchemy.inspect(engine).get_table_names()
    finally:
        engine.dispose()


def _unreachable(store: Store, error: Exception) -> str:
    what = "does not answer" if store.server else "cannot be opened"
    reason = " ".join(store.redacted(str(error)).split())
    return (
        f"tracking.uri: the MLflow store {store.public} {what}: "
        f"correct it, or track nothing with tracking=none ({reason[:400]})"
    )
