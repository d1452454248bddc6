"""How high a model scores in a trait: in each template, over templates, and against what it says of itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from metricsengine import seeds
from metricsengine.arrays import Floats, coded, finite
from metricsengine.bootstrap import Resampling
from metricsengine.clustered import alike, fields
from metricsengine.comparison import spelled
from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, MetricResult
from metricsengine.stats import Interval
from metricsengine_psychometrics.measures import item_total
from metricsengine_psychometrics.measures.cells import Cell, cells, resampled, resampling
from metricsengine_psychometrics.measures.comparisons import arranged
from metricsengine_psychometrics.measures.config import TraitScoreConf
from metricsengine_psychometrics.measures.judged import CONDITIONS, shared

if TYPE_CHECKING:
    import pandas as pd

UNIT = "items, by description"

LEAST_TEMPLATES = 2
"""Templates over which a score can vary."""


def trait_score(scores: ArrayLike) -> float:
    """100 times the mean score of the answered items (TRAIT, section 4.1).

    Args:
        scores: 1 (high in the trait) to 0 (low), a tie one half; shape (items,), at least one.

    Returns:
        From 0 to 100.

    Example:
        >>> trait_score([1, 1, 0, 0.5])
        62.5
    """
    return 100 * float(finite("scores", scores).mean())


def population_std(scores: ArrayLike) -> float:
    """Standard deviation over templates with ddof 0, as in Table 11.

    Args:
        scores: Trait scores, shape (templates,), at least one.

    Returns:
        In points of the score, at least 0.

    Example:
        >>> round(population_std([56.5, 58.9, 59.9]), 2)
        1.43
    """
    return float(finite("scores", scores).std())


@dataclass(frozen=True)
class Sample:
    """Scores of items in several templates, which count alike.

    Attributes:
        scores: 0 to 1, shape (n,), at least one.
        templates: The template of each.
        descriptions: The description of each, which are resampled.
    """

    scores: Floats
    templates: Sequence[str]
    descriptions: Sequence[str]

    @property
    def weights(self) -> Floats:
        """Weights that make the mean of all scores the mean of the templates' means."""
        codes = coded(self.templates)
        weights: Floats = 1 / np.bincount(codes)[codes]
        return weights

    @property
    def by_template(self) -> Floats:
        """Mean of each template, 0 to 1, in the order of their names."""
        codes = coded(self.templates)
        means: Floats = np.bincount(codes, self.scores) / np.bincount(codes)
        return means

    @property
    def mean(self) -> float:
        """Mean of the templates' means, 0 to 1."""
        return float(self.by_template.mean())

    @property
    def by_description(self) -> tuple[Floats, Floats]:
        """Weight of each description and sum of its weighted scores, in the order of their names."""
        codes = coded(self.descriptions)
        masses, sums = (np.bincount(codes, each) for each in (self.weights, self.weights * self.scores))
        return masses.astype(np.float64), sums.astype(np.float64)

    def draws(self, how: Resampling) -> Floats:
        """Its mean in each resample of the descriptions, shape (draws,)."""
        masses, sums = self.by_description
        order = np.lexsort((sums, masses))  # what descriptions are called must not matter
        drawn = seeds.generator("bootstrap", how.seed).integers(len(order), size=(how.draws, len(order)))
        means: Floats = sums[order][drawn].sum(axis=1) / masses[order][drawn].sum(axis=1)
        return means


def difference(first: Sample, second: Sample, how: Resampling) -> tuple[float, float, float]:
    """How much higher one mean is than another, with the percentile interval of both resampled independently.

    Returns:
        Difference of the means in points (-100 to 100), low and high.

    Example:
        >>> said = Sample(np.array([1.0, 0.5, 1.0]), ["1"] * 3, ["a", "b", "c"])
        >>> done = Sample(np.array([0.0, 0.0, 0.0]), ["1"] * 3, ["d", "e", "f"])
        >>> [round(number, 1) for number in difference(said, done, Resampling(seed=1))]
        [83.3, 50.0, 100.0]
    """
    other = Resampling(seeds.derive(how.seed, "second"), how.draws, how.confidence)
    draws = 100 * (first.draws(how) - second.draws(other))
    tail = (1 - how.confidence) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return 100 * (first.mean - second.mean), float(low), float(high)


class TraitScoreMetric(Metric):
    """Trait scores of every condition, their mean and spread over templates, and self-assessment against scenarios."""

    def __init__(self, conf: TraitScoreConf) -> None:
        self._conf = conf

    def compute(self, table: pd.DataFrame, context: MetricContext) -> MetricResult:
        """One estimate for each trait, test, template, mode and induced level; then those over templates."""
        items = shared(table, context)
        totals = item_total.item_totals(items)
        warned = item_total.warnings(totals)
        single, over = list(cells(items, "trait")), list(cells(items, "trait", over=("template",)))
        turned = _turned(arranged(table, context))
        estimates = [_score(cell, context.seed, warned, turned) for cell in single]
        estimates += [found for cell in over for found in _over_templates(cell, context.seed)]
        estimates += _differences(over, context.seed)
        scored = [*single, *(cell for cell in over if cell.rows["template"].nunique() > 1)]
        return MetricResult(estimates, {"item_total": totals} if len(totals) else {}, _units(scored))

    def foresee(self, table: pd.DataFrame, context: MetricContext) -> Sequence[Estimate]:
        """Spreads over templates of what is asked in one template only."""
        over = cells(shared(table, context), "trait", over=("template",))
        return [_no_spread(cell, n=1) for cell in over if cell.rows["template"].nunique() < LEAST_TEMPLATES]


def _turned(rows: pd.DataFrame) -> set[tuple[object, ...]]:
    """Items, each with its conditions, that are answered otherwise in another order of the options."""
    answered = rows[rows["excluded"] == ""]
    states = answered.groupby([*CONDITIONS, "item"])["state"].nunique()
    return set(states.index[states > 1])


def _order(answered: pd.DataFrame, turned: set[tuple[object, ...]]) -> tuple[str, ...]:
    """A warning where the order of the options decides most answers."""
    keys = answered[[*CONDITIONS, "item"]].itertuples(index=False, name=None)
    n = sum(key in turned for key in keys)
    return (f"order_decides: {n} of {len(answered)}",) if 2 * n > len(answered) else ()


def _score(cell: Cell, seed: int, warned: item_total.Warnings, turned: set[tuple[object, ...]]) -> Estimate:
    answered, excluded = cell.answered, cell.excluded
    if not len(answered):
        return Estimate.undefined("trait_score", cell.nothing, labels=cell.labels, excluded=excluded)
    found = _percent(resampled(answered["score"], list(answered["description"]), seed, unit=UNIT))
    flags = (*_order(answered, turned), *_ties(answered), *item_total.flags(cell, warned), *found.pop("flags"))
    value = trait_score(answered["score"])
    return Estimate("trait_score", value, len(answered), cell.labels, excluded=excluded, flags=flags, **found)


def _units(scored: Sequence[Cell]) -> pd.DataFrame | None:
    """What each description gives to the score of its cell, for comparisons of conditions."""
    import pandas as pd

    frames = [_by_description(cell) for cell in scored if len(cell.answered)]
    return pd.concat(frames, ignore_index=True) if frames else None


def _by_description(cell: Cell) -> pd.DataFrame:
    import pandas as pd

    sample = _sample(cell)
    masses, sums = sample.by_description
    names = sorted(set(sample.descriptions), key=repr)  # as their numbers go
    columns = {"unit": names, "value": 100 * sums / masses, "weight": masses}
    return pd.DataFrame({"metric": "trait_score", "labels": spelled(cell.labels), **columns})


def _over_templates(cell: Cell, seed: int) -> Iterator[Estimate]:
    """Mean and standard deviation over templates; the mean only where there are several."""
    asked, sample = cell.rows["template"].nunique(), _sample(cell)
    common: dict[str, Any] = {"labels": cell.labels, "over": ("template",), "excluded": cell.excluded}
    if not len(sample.scores):
        for name in ("trait_score", "trait_score.std")[asked < 2 :]:
            yield Estimate.undefined(name, cell.nothing, **common)
        return
    scores = 100 * sample.by_template
    n = len(scores)
    if n < asked:
        common["excluded"] = cell.excluded | {"templates without an answer": asked - n}
    if asked > 1:
        found = _percent(
            resampled(
                sample.scores, sample.descriptions, seed, unit=f"{UNIT}, templates together", weights=sample.weights
            )
        )
        yield Estimate("trait_score", float(scores.mean()), n, **common, **found)
    if n < LEAST_TEMPLATES:
        yield replace(_no_spread(cell, n), excluded=common["excluded"])
        return
    yield Estimate(
        "trait_score.std", population_std(scores), n, interval="none: a description of these templates", **common
    )


def _no_spread(cell: Cell, n: int) -> Estimate:
    reason = "one template: there is nothing to vary over; add more, such as study.templates=[1,2,3]"
    return Estimate.undefined(
        "trait_score.std", reason, n=n, labels=cell.labels, over=("template",), excluded=cell.excluded
    )


def _differences(over: Sequence[Cell], seed: int) -> Iterator[Estimate]:
    """Each self-assessment beside each scenario test of the same trait and conditions (Fig. 7)."""
    scenarios = [cell for cell in over if _family(cell) == "mcq"]
    for said in over:
        if _family(said) == "mcq":
            continue
        for done in scenarios:
            if _compared(said) == _compared(done):
                yield _difference(said, done, seed)


def _difference(said: Cell, done: Cell, seed: int) -> Estimate:
    labels = {**said.labels, "of": done.labels["test"]}
    name, over, samples = "trait_score.difference", ("template",), (_sample(said), _sample(done))
    excluded = {f"{_named(cell)}: {reason}": n for cell in (said, done) for reason, n in cell.excluded.items()}
    for cell, sample in zip((said, done), samples, strict=True):
        if not len(sample.scores):
            reason = f"{_named(cell)}: {cell.nothing}"
            return Estimate.undefined(name, reason, labels=labels, over=over, excluded=excluded)
    n = sum(len(set(cell.answered["item"])) for cell in (said, done))
    units = min(len(set(sample.descriptions)) for sample in samples)
    value, low, high = difference(*samples, resampling(seed))
    method = f"bootstrap over {UNIT}, both tests independently"
    if low == high:  # in both tests all items are alike
        first, second = (alike(sample.mean, len(set(sample.descriptions)), UNIT) for sample in samples)
        low, high = 100 * (first.low - second.high), 100 * (first.high - second.low)
        method = f"{first.method}, limits of both tests"
    found = fields(Interval(low, high, method), units, UNIT)
    return Estimate(name, value, n, labels=labels, over=over, excluded=excluded, **found)


def _sample(cell: Cell) -> Sample:
    answered = cell.answered
    return Sample(answered["score"].to_numpy(float), list(answered["template"]), list(answered["description"]))


def _family(cell: Cell) -> str:
    return str(cell.rows["family"].iloc[0])


def _named(cell: Cell) -> str:
    """Its test, and of a test of several families the family."""
    return ", ".join(cell.labels[name] for name in ("test", "family") if name in cell.labels)


def _compared(cell: Cell) -> dict[str, str]:
    """What a self-assessment and a scenario have in common."""
    return {name: value for name, value in cell.labels.items() if name not in ("test", "family")}


def _ties(answered: pd.DataFrame) -> tuple[str, ...]:
    ties = int((answered["state"] == "tie").sum())
    return (f"ties: {ties}",) if ties else ()


def _percent(found: dict[str, Any]) -> dict[str, Any]:
    """An interval of shares in points."""
    return {name: 100 * value if name in ("low", "high") else value for name, value in found.items()}
