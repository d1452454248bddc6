"""The contract of a metric: a pure function of one record table, given a context."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from metricsengine.estimate import Estimate
from metricsengine.memory import Remembering, anew
from metricsengine.records import Tables

if TYPE_CHECKING:
    import pandas as pd

    from metricsengine.encoder import Encoded

Protocol = Literal["paper", "released"]
"""``paper``: the definition in the paper. ``released``: what the authors' released code computes."""

T = TypeVar("T")


@dataclass(frozen=True)
class Measure:
    """What a metric's number means.

    Attributes:
        name: Name of the estimates, such as ``exaggeration``.
        unit: Unit; "1" for a pure number.
        bounds: Smallest and largest possible value; None where there is none.
        direction: How to read it, such as "higher: more caricature".
        citation: Where it is defined.
        units: Labels that the host may average over, such as ``("persona", "topic")``. Labels that begin with a unit's
            name and ``_`` (``persona_category``) are its attributes; all other labels are conditions and never mixed.
        keep: The aggregates the host makes: each names the units and attributes that stay.
        counted: What the number of each estimate counts, such as "combinations"; empty where a page may call it n.
    """

    name: str
    unit: str = "1"
    bounds: tuple[float | None, float | None] = (None, None)
    direction: str = ""
    citation: str = ""
    units: tuple[str, ...] = ()
    keep: tuple[tuple[str, ...], ...] = ()
    counted: str = ""


@dataclass
class MetricContext:
    """What a metric may use beside its table.

    Attributes:
        protocol: The definition to follow.
        seed: The run's seed; a metric derives its generators from it with :mod:`metricsengine.seeds`.
        encode: Vectors of texts, cached; shape (texts, dimensions).
        encoder: Name of the encoder, the ``encoder`` label.
        parts: What was chosen of the kinds that the metric's specification names, built, by kind and name.
        remembered: The outcome of a long computation, from an earlier run where it is known. It must be pure: decided
            by the ingredients that are named.
    """

    protocol: Protocol
    seed: int
    encode: Callable[[Sequence[str]], Encoded]
    encoder: str
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    remembered: Remembering = anew
    _shared: dict[object, Any] = field(default_factory=dict)

    def shared(self, key: object, compute: Callable[[], T]) -> T:
        """A value that several metrics of one run need, computed by whoever asks first."""
        if key not in self._shared:
            self._shared[key] = compute()
        value: T = self._shared[key]
        return value


@dataclass(frozen=True)
class MetricResult:
    """What a metric returns.

    Attributes:
        estimates: One for each cell that the metric defines or declares undefined.
        tables: Further tables by name, such as the seed words; files and artifacts of the run.
        units: Rows of :data:`metricsengine.comparison.UNITS`: the values that estimates are means of, one for each
            resampling unit, so that comparisons of conditions can pair them; None where there are none.
        measures: What the estimates mean where that depends on what was chosen, beside the specification's measures.
    """

    estimates: Sequence[Estimate]
    tables: Tables = field(default_factory=dict)
    units: pd.DataFrame | None = None
    measures: Sequence[Measure] = ()


class Metric(ABC):
    """A metric with its configuration."""

    @abstractmethod
    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """Estimates of every cell. The same table and context give the same result, whatever the order of the rows."""

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Cells that will be undefined whatever a model answers, since too few rows are planned for them.

        Called by ``metricsengine plan``.

        Args:
            table: The record table as the study would return it if every request were answered; its texts and numbers
                are examples, of which only the presence counts.
            context: As for :meth:`compute`, but for vectors: there are none.

        Returns:
            Undefined estimates with their reasons; none by default.
        """
        return ()


@dataclass(frozen=True)
class MetricSpec:
    """Registers a metric.

    Attributes:
        name: Name of the metric; ``metric=[NAME,...]`` chooses it.
        config: Dataclass with its options and their defaults.
        build: Makes the metric from an instance of ``config``.
        table: Name of the record table it reads.
        measures: What it may return.
        protocols: The protocols it knows.
        encoder: Whether it needs vectors.
        parts: Kinds that plugins opened, of which it is given what was chosen.
        doc: One line for ``metricsengine plugins``.
    """

    name: str
    config: type[Any]
    build: Callable[[Any], Metric]
    table: str
    measures: tuple[Measure, ...]
    protocols: tuple[Protocol, ...] = ("paper",)
    encoder: bool = False
    parts: tuple[str, ...] = ()
    doc: str = ""

    def measure(self, name: str) -> Measure | None:
        """The measure of that name."""
        return next((measure for measure in self.measures if measure.name == name), None)
