"""Options of the metrics of transitions."""

from __future__ import annotations

from dataclasses import dataclass

from metricsengine.errors import require


@dataclass
class InconsistencyConf:
    """Options of the inconsistency.

    Attributes:
        per_step: Whether each step has estimates of its own, beside those over all steps.
    """

    per_step: bool = True


@dataclass
class InconsistencyDifferenceConf:
    """The difference of inconsistencies has no options."""


@dataclass
class FilteredPolarityConf:
    """Filtered polarity has no options."""


@dataclass
class ZeroShareConf:
    """The share of neutral opinions has no options."""


@dataclass
class IsolatedShareConf:
    """The share of isolated updates has no options."""


@dataclass
class UndecodableShareConf:
    """The share of updates without a readable opinion has no options."""


@dataclass
class CutShareConf:
    """The share of cut timelines has no options."""


@dataclass
class ClusterCountConf:
    """Options of the number of clusters.

    Attributes:
        gap: Two neighbouring opinions further apart than this are in different clusters, on the scale from -1 to 1, >=
            0. The default is half a step of the agents' scale: agents that say different integers are apart.
    """

    gap: float = 0.1

    def __post_init__(self) -> None:
        require(0 <= self.gap < float("inf"), "metric.cluster_count.gap", self.gap, "a finite number >= 0")


@dataclass
class SpreadConf:
    """Options of the spread.

    Attributes:
        per_step: Whether each state of a run has an estimate of its own, beside that of the final state.
    """

    per_step: bool = True


@dataclass
class BimodalityConf:
    """The bimodality has no options."""


@dataclass
class ConsensusTimeConf:
    """Options of the time to consensus.

    Attributes:
        tolerance: All opinions lie within a range of this width, on the scale from -1 to 1, >= 0. The default is half a
            step of the agents' scale: agents agree where they say the same integer.
    """

    tolerance: float = 0.1

    def __post_init__(self) -> None:
        key = "metric.consensus_time.tolerance"
        require(0 <= self.tolerance < float("inf"), key, self.tolerance, "a finite number >= 0")
