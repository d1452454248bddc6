"""A run and a sweep, as life-cycle hooks see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from metricsengine.settings import Settings


@dataclass(frozen=True)
class TrackerSpec:
    """Registers the options of a sink, under ``tracking=NAME``; its life-cycle hooks act where these were chosen.

    Attributes:
        name: Name of the tracker.
        config: Dataclass with its options and their defaults.
        doc: One line for ``metricsengine plugins``.
    """

    name: str
    config: type[Any]
    doc: str = ""


Status = Literal["finished", "failed", "interrupted"]

INTERRUPTED = "interrupted; every answer is kept: the same command with resume=true goes on from here"
"""The error of a run that was interrupted: every answer is in the store."""


@dataclass(frozen=True)
class Run:
    """One job.

    Attributes:
        folder: Where its files are written; absolute.
        name: Short readable name, unique enough among the runs of a day.
        settings: The checked configuration, without interpolations.
        plain: The same as plain data, as written to ``config.yaml``.
        started: When it began.
        command: The words that started it.
        sweep: Folder of the sweep it belongs to, if any.
        job: Index in the sweep.
        overrides: What the sweep set for this job.
        tags: What every tracker should be able to search for (study, model, protocol, CoMPosT dimensions).
        parameters: The dozen or so settings a reader compares runs by.
        dataset: What was scored or simulated: name, source and digest.
    """

    folder: Path
    name: str
    settings: Settings
    plain: Mapping[str, Any]
    started: datetime
    command: str
    sweep: Path | None = None
    job: int | None = None
    overrides: Sequence[str] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    dataset: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RunEnd:
    """How a run ended.

    Attributes:
        status: How.
        error: What went wrong, in one line.
        failures: Parts that failed while the run went through, each named (a metric, a sink).
    """

    status: Status
    error: str = ""
    failures: Sequence[str] = ()


@dataclass(frozen=True)
class Sweep:
    """One multirun.

    Attributes:
        folder: Its folder; jobs lie in ``folder/0``, ``folder/1`` ...
        settings: Settings common to its jobs, as the parent composed them.
        command: The words that started it.
        overrides: The swept overrides as typed.
        started: When it first began; one that is resumed keeps it.
    """

    folder: Path
    settings: Settings
    command: str
    overrides: Sequence[str] = ()
    started: datetime | None = None


@dataclass(frozen=True)
class SweepEnd:
    """How a multirun ended.

    Attributes:
        jobs: How every job ended that began, by folder name.
        planned: How many jobs it has, those that did not begin included.
    """

    jobs: Mapping[str, RunEnd]
    planned: int = 0

    @property
    def status(self) -> Status:
        """The worst status of its jobs; one that did not begin was interrupted."""
        order: tuple[Status, ...] = ("interrupted", "failed", "finished")
        found = {end.status for end in self.jobs.values()}
        found |= {"interrupted"} if len(self.jobs) < self.planned else set()
        return next((status for status in order if status in found), "failed")
