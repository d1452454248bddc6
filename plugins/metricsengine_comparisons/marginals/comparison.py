"""Marginal means of every metric over what a sweep varied, their differences and interactions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from metricsengine import seeds
from metricsengine.comparison import Comparison, Findings
from metricsengine.errors import ConfigError, unknown
from metricsengine.estimate import Estimate
from metricsengine_comparisons.config import MarginalsConf
from metricsengine_comparisons.marginals.averages import Averaged
from metricsengine_comparisons.marginals.cells import Table, tables
from metricsengine_comparisons.marginals.conditions import rows
from metricsengine_comparisons.marginals.found import Tested, corrected
from metricsengine_comparisons.marginals.interactions import interaction
from metricsengine_comparisons.marginals.margins import Margin
from metricsengine_comparisons.marginals.replicates import Joins
from metricsengine_comparisons.marginals.resampling import Draws
from metricsengine_comparisons.pairing import Told


class Marginals(Comparison):
    """Means over all combinations of what else was swept, so that one dimension can be looked at by itself.

    A mean takes each combination alike, and only those that are there at every level, so that a difference of two means
    is one of levels and of nothing else. Other labels are conditions: each has estimates of its own. Chance is that of
    the units which the metric tells, or of what an average of cells is over, such as personas and topics, all
    conditions seeing the same draw; without units that of a swept seed, of which at least five values are needed;
    without these that of standard errors or widths of intervals, as if conditions were independent. A swept seed is no
    dimension: the seeds that all compared cells define are averaged over, and no others.
    """

    def __init__(self, conf: MarginalsConf) -> None:
        self._conf = conf

    def compare(self, findings: Findings, seed: int) -> Sequence[Estimate]:
        """Means, then differences and interactions with their p-values, metric by metric; none where nothing varies."""
        dimensions = self._conf.along or list(findings.swept)
        if not dimensions:
            return []
        if not findings.partial:
            self._check(findings.estimates)
        told = Told(findings.units)
        # The same draws for all metrics: neither a name nor another estimate may move an interval.
        draws = Draws(seeds.derive(seed, "marginals"), self._conf.draws)
        return [
            estimate
            for own in self._metrics(findings.estimates)
            for estimate in _found(tables(rows(own, dimensions), self._conf.base), Averaged(own, told), draws)
        ]

    def _check(self, estimates: Iterable[Estimate]) -> None:
        """Refuse names of which there are none.

        Raises:
            ConfigError: There is no such label or metric; names the key.
        """
        every = list(estimates)
        labels = {label for estimate in every for label in estimate.labels}
        for key, kind, names, known in (
            ("along", "label of estimates", self._conf.along, labels),
            ("metrics", "metric of this run", self._conf.metrics, {estimate.metric for estimate in every}),
        ):
            for name in names:
                if name not in known:
                    raise ConfigError(f"comparison.marginals.{key}: {unknown(kind, name, known)}")

    def _metrics(self, estimates: Iterable[Estimate]) -> Iterator[list[Estimate]]:
        """The estimates of each metric by name; not what adds to another's name after a dot, unless it is chosen."""
        found: dict[str, list[Estimate]] = {}
        for estimate in estimates:
            found.setdefault(estimate.metric, []).append(estimate)
        chosen = self._conf.metrics or [name for name in found if name.rpartition(".")[0] not in found]
        yield from (found[name] for name in sorted(chosen) if name in found)


def _found(of_metric: Sequence[Table], told: Averaged, draws: Draws) -> Iterator[Estimate]:
    """All about one metric: its tests are corrected together."""
    tested: list[Tested] = []
    for table in of_metric:
        joins = Joins(table, told, draws)
        for dimension in table.dimensions:
            if len(table.levels[dimension]) + len(table.undefined(dimension)) > 1:
                margin = Margin(table, dimension, joins)
                yield from margin.means()
                tested += margin.differences()
        varied = [name for name in table.dimensions if len(table.levels[name]) > 1]
        pairs = (interaction(table, *pair, joins) for pair in combinations(varied, 2))
        tested += [pair for pair in pairs if pair is not None]
    yield from corrected(tested)
