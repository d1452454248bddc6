"""What is found about a table, before the tests of its metric are corrected for how many they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from metricsengine.estimate import Estimate
from metricsengine.stats import holm
from metricsengine.wording import number, plural
from metricsengine_comparisons.groups import about
from metricsengine_comparisons.marginals.cells import Table

ALPHA = 0.05
TOLD, NOT_TOLD, NO_TEST = "told_apart", "not_told_apart", "no_test"

P = ".p"
"""What the name of a test's estimate ends with."""

PLACES = ("of", "dimension", "dimension_b", "level", "base")
"""Labels that tell what an estimate is about; conditions that are called so, or like attributes of these, follow."""


@dataclass(frozen=True)
class Tested:
    """An estimate that was tested for being 0.

    Attributes:
        estimate: The estimate.
        p: Uncorrected p-value; None where there is no test.
        how: By which test, or why there is none.
    """

    estimate: Estimate
    p: float | None
    how: str


def labelled(table: Table, **places: str) -> dict[str, str]:
    """Labels of what is found about a table: what it is about, then its conditions.

    A condition that has the name of one of the places, or begins with it, gets ``at_`` in front.
    """
    conditions = {_beside(name): value for name, value in table.conditions.items() if name != "of"}
    named = about(table.metric, {name: table.conditions[name] for name in ("of",) if name in table.conditions})
    return {**named, **places, **conditions}


def _beside(name: str) -> str:
    clashes = any(name == place or name.startswith(f"{place}_") for place in PLACES)
    return f"at_{name}" if clashes else name


def corrected(found: Sequence[Tested]) -> Iterator[Estimate]:
    """The estimates, flagged by what their tests say, each followed by its p-value.

    Args:
        found: All tests of one metric: their p-values are corrected together.
    """
    tests = [one.p for one in found if one.p is not None]
    ps = iter(holm(tests))
    for one in found:
        p = next(ps) if one.p is not None else None
        flag = NO_TEST if p is None else TOLD if p < ALPHA else NOT_TOLD
        yield replace(one.estimate, flags=(flag, *one.estimate.flags))
        yield _p_value(one, p, len(tests))


def _p_value(one: Tested, p: float | None, family: int) -> Estimate:
    bare = replace(one.estimate, metric=one.estimate.metric + P, low=None, high=None, unit="1", interval="", flags=())
    if p is None or one.p is None:
        return replace(bare, value=None, status="undefined", reason=f"no test: {one.how}")
    of, corrected_for = one.estimate.labels["of"], f"Holm over {plural(family, 'test')}"
    how = f"none: a p-value ({one.how}; {number(one.p)} before Holm's correction over {plural(family, 'test')} of {of})"
    few = tuple(flag for flag in one.estimate.flags if flag == "few_units")
    return replace(bare, value=p, interval=how, flags=(corrected_for, *few))
