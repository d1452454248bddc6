"""One job's configuration past Hydra: checked, typed, and nothing of Hydra in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metricsengine.errors import unknown
from metricsengine.metric import Protocol
from metricsengine.proof import Policy
from metricsengine.sets import NamedSet, SetFile
from metricsengine.study import no_sets


@dataclass
class RecordsConf:
    """Recorded responses to be scored.

    Attributes:
        file: CSV, JSONL or Parquet file; empty for none.
        columns: The file's column for each column the study reads: ``{text: reply}``.
        model: Which model wrote them, for the documentation.
    """

    file: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    model: str = "unknown"


@dataclass
class CardConf:
    """What the simulation card says about the people behind a run (CoMPosT, section 7).

    Attributes:
        author: Who ran it.
        purpose: What for.
        positionality: How the author's identity and perspective may influence the work.
    """

    author: str = ""
    purpose: str = ""
    positionality: str = ""


@dataclass
class ObjectiveConf:
    """The number by which jobs of a sweep are ranked, and that a search such as Optuna's improves.

    Attributes:
        metric: Name of an estimate; empty for none.
        labels: Its labels; where they fit several estimates, the one that averages over the most is taken.
        goal: ``minimize`` or ``maximize``.
    """

    metric: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    goal: str = "minimize"

    def __post_init__(self) -> None:
        if self.goal not in ("minimize", "maximize"):
            raise ValueError(unknown("objective.goal", self.goal, ("minimize", "maximize")))


@dataclass(frozen=True)
class Settings:
    """One job's configuration, checked and typed. Options of plugins are instances of their own dataclasses.

    Attributes:
        study: Options of the study.
        model: Options of the model adapter; None where nothing is asked.
        metric: Options of the chosen metrics by name.
        comparison: Options of the chosen comparisons by name.
        encoder: Options of the encoder; None for none.
        tracking: Options of the tracker; None for none.
        sets: The chosen named sets by group.
        parts: Options of what was chosen of the kinds that plugins opened, by kind and name; a kind of which nothing
            was chosen is absent.
        find: A named set by group and name, whether it was chosen or not.
        protocol: The definition that metrics follow.
        seed: Seed of the run.
        probe: Whether what the study needs of the model is proven by a few requests: ``cached`` takes what was found
            before, ``fresh`` finds it anew, ``none`` takes the model at its word.
        fallback: Names of what may stand in for what the model cannot do.
        records: Recorded responses to be scored instead of asking a model.
        card: What the simulation card says about the people behind the run.
        objective: The number by which jobs of a sweep are ranked.
    """

    study: Any
    model: Any = None
    metric: Mapping[str, Any] = field(default_factory=dict)
    comparison: Mapping[str, Any] = field(default_factory=dict)
    encoder: Any = None
    tracking: Any = None
    sets: Mapping[str, Sequence[NamedSet]] = field(default_factory=dict)
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    find: Callable[[str, str], NamedSet] = field(default=no_sets, compare=False, repr=False)
    protocol: Protocol = "paper"
    seed: int = 0
    probe: Policy = "cached"
    fallback: Sequence[str] = ()
    records: RecordsConf = field(default_factory=RecordsConf)
    card: CardConf = field(default_factory=CardConf)
    objective: ObjectiveConf = field(default_factory=ObjectiveConf)


def set_files(settings: Settings) -> list[SetFile]:
    """The files of all chosen named sets."""
    return [chosen.file for sets in settings.sets.values() for chosen in sets]
