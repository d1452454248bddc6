"""The contract of a study: an elicitation design, told as rounds of requests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from metricsengine.encoder import no_vectors
from metricsengine.errors import ConfigError
from metricsengine.model import Capabilities, Need, Request, Response
from metricsengine.records import Tables, TableSpec
from metricsengine.sets import NamedSet

if TYPE_CHECKING:
    import pandas as pd

    from metricsengine.encoder import Encoded
    from metricsengine.exhibits import Exhibit
    from metricsengine.results import Results

T = TypeVar("T")

Rounds = Generator[Sequence[Request], Sequence[Response], T]
"""A conversation with the engine: ``responses = yield requests``, responses in the order of the requests."""


def together(conversations: Iterable[Rounds[T]]) -> Rounds[list[T]]:
    """Run many conversations in lockstep, so that one round of all is one batch.

    Example:
        >>> def once(text):
        ...     [reply] = yield [Request(text)]
        ...     return reply
        >>> both = together([once("a"), once("b")])
        >>> [request.prompt for request in next(both)]
        ['a', 'b']
    """
    running = list(conversations)
    results: dict[int, T] = {}
    inbox: dict[int, Sequence[Response] | None] = dict.fromkeys(range(len(running)))
    try:
        while inbox:
            asked: dict[int, Sequence[Request]] = {}
            for i, responses in inbox.items():
                try:
                    asked[i] = next(running[i]) if responses is None else running[i].send(responses)
                except StopIteration as stop:
                    results[i] = stop.value
            if not asked:
                break
            replies = yield [request for requests in asked.values() for request in requests]
            ends = 0
            inbox = {}
            for i, requests in asked.items():
                inbox[i] = replies[ends : ends + len(requests)]
                ends += len(requests)
    finally:
        for conversation in running:
            conversation.close()
    return [results[i] for i in range(len(running))]


def no_sets(group: str, name: str) -> NamedSet:
    """Stands in where no library of named sets was given.

    Raises:
        ConfigError: Always.
    """
    raise ConfigError(f"{group}={name} cannot be looked up here: no named sets were given")


@dataclass(frozen=True)
class StudyInputs:
    """What the host hands to a study beside its own configuration.

    Attributes:
        sets: The chosen named sets by group (persona, topic, context, ...).
        seed: The run's seed.
        encode: Vectors of texts, cached; for studies whose specification asks for an encoder.
        encoder: Name of the encoder.
        parts: What was chosen of the kinds that the study's specification names, built, by kind and name.
        find: A named set by group and name, whether it was chosen or not; ``NAME+PERTURBATION`` is the set with its
            texts perturbed. Raises ConfigError for an unknown name.
    """

    sets: Mapping[str, Sequence[NamedSet]] = field(default_factory=dict)
    seed: int = 0
    encode: Callable[[Sequence[str]], Encoded] = no_vectors
    encoder: str = ""
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    find: Callable[[str, str], NamedSet] = no_sets


class Study(ABC):
    """An elicitation design with its configuration and inputs."""

    needs: frozenset[Need] = frozenset()
    """What a model must be able to do; empty where nothing is asked."""

    @property
    def sources(self) -> Mapping[str, Path]:
        """Files that the study reads beside its sets, by the key that names each; their digests go into the results."""
        return {}

    @property
    def labels(self) -> Mapping[str, str]:
        """Labels that every estimate of the run carries, such as the number of agents; a metric's own go before."""
        return {}

    @property
    def notices(self) -> Sequence[str]:
        """What a reader of the results must know of what the study was given, one sentence each; read after the run."""
        return ()

    @abstractmethod
    def run(self) -> Rounds[Tables]:
        """Ask in rounds and return the record tables. A study that never yields asks nothing."""

    def read(self, records: pd.DataFrame) -> Tables:
        """Record tables from a file of recorded responses.

        Args:
            records: The file's rows, every cell text or NA, columns named as the file or the mapping names them.

        Raises:
            RecordsError: A column is missing.
            ConfigError: The study does not read recorded responses.
        """
        raise ConfigError(f"study {type(self).__name__} does not read recorded responses; run it with a model")

    def meet(self, model: Capabilities) -> None:  # noqa: B027 - few studies depend on what the model can do
        """Told what the model can do, such as how long its context is; called once, before :meth:`run`."""

    def check(self) -> None:  # noqa: B027 - most studies have nothing to check beyond their options
        """Whether the study can be run as configured; called before a model is loaded.

        Raises:
            ConfigError: It cannot; names the key or set at fault.
        """

    def compost(self, tables: Tables) -> Mapping[str, str]:
        """Context, persona and topic of the simulation in a few words each (CoMPosT, section 2)."""
        return {}

    def exhibits(self, results: Results) -> Iterable[Exhibit]:
        """Figures, tables and texts that show the results; a pure function of them."""
        return ()


def exhibits_of(study: Study, results: Results) -> Iterator[Exhibit]:
    """The study's exhibits; what it raises comes while they are gathered, where the report isolates it."""
    yield from study.exhibits(results)


@dataclass(frozen=True)
class StudySpec:
    """Registers a study.

    Attributes:
        name: Name of the study; ``study=NAME`` chooses it.
        config: Dataclass with the study's options and their defaults.
        build: Makes the study from an instance of ``config`` and its inputs.
        tables: The record tables it returns.
        sets: Groups of named sets it reads.
        encoder: Whether the study itself needs vectors.
        parts: Kinds that plugins opened, of which it is given what was chosen.
        defaults: What it brings along where nothing else is chosen: a set (or several) of each group, an option of
            each kind under ``parts``, its metrics under ``metric`` and comparisons under ``comparison``.
        doc: One line for ``metricsengine plugins``.
    """

    name: str
    config: type[Any]
    build: Callable[[Any, StudyInputs], Study]
    tables: tuple[TableSpec, ...]
    sets: tuple[str, ...] = ()
    encoder: bool = False
    parts: tuple[str, ...] = ()
    defaults: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    doc: str = ""
