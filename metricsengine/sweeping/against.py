"""One sweep set against another, or one run against another: differences of what both have, and what differs else."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metricsengine.aggregate import FEW
from metricsengine.comparison import UNITS
from metricsengine.estimate import Estimate
from metricsengine.metric import Measure
from metricsengine.report import write_report
from metricsengine.results import Results
from metricsengine.stats import holm
from metricsengine.sweeping.differences import Difference, Side, difference
from metricsengine.sweeping.matching import Against, Pair, own, seeds_of, units_of
from metricsengine.sweeping.opposed import DIFFERENCE, P, conclude, exhibits, summary
from metricsengine.sweeping.table import save, tidy
from metricsengine.wording import plural

if TYPE_CHECKING:
    import pandas as pd

ALPHA = 0.05


@dataclass(frozen=True)
class Written:
    """What was written, and what to say about it.

    Attributes:
        page: The page.
        failures: A line for each part that failed.
        summary: How many estimates were matched and how many differ, in one line.
    """

    page: Path
    failures: Sequence[str]
    summary: str


def write_against(folder: Path, other: Path, formats: Collection[str] = ()) -> Written:
    """Write ``against-NAME/`` into the folder: ``results.json``, the table of all differences and ``report.html``.

    Args:
        folder: Folder of a sweep or run, with its results.
        other: Folder of the other, by whose name NAME tells it from the first.
        formats: In which of the report's :data:`FORMATS` figures are written beside SVG.

    Raises:
        ConfigError: One of them holds no results.
    """
    names = _names(folder.absolute(), other.absolute())
    # Of their tables only the units: the records of two may not fit into memory.
    against = Against(names, *(Results.load(one, tables=[UNITS.name]) for one in (folder, other)))
    target = folder / f"against-{re.sub(r'[^A-Za-z0-9._-]+', '-', names[1]).strip('-')}"
    results = _results(against, (folder, other))
    results.save(target)
    save(_table(against, results), target)
    report = write_report(results, exhibits(against, results), target, conclude(against, results), formats)
    return Written(report.path, report.failures, summary(against, results))


def _names(folder: Path, other: Path) -> tuple[str, str]:
    """The names of the folders, with as many of those above as it takes to tell them apart."""
    for depth in range(1, 1 + min(len(folder.parts), len(other.parts))):
        names = ("/".join(folder.parts[-depth:]), "/".join(other.parts[-depth:]))
        if names[0] != names[1]:
            return names
    return f"{folder.name} (first)", f"{other.name} (second)"


def _results(against: Against, folders: tuple[Path, Path]) -> Results:
    found = list(differences(against))
    here, there = against.here, against.there
    first, second = against.names
    return Results(
        study=f"{here.study}: {first} against {second}",
        protocol=here.protocol,
        seed=here.seed,
        model=here.model if here.model == there.model else {"name": " against ".join(map(_model, (here, there)))},
        compost={key: _both(text, there.compost.get(key, "")) for key, text in here.compost.items()},
        counts={
            **{f"estimates of {name}": n for name, n in zip(against.names, against.matched.possible, strict=True)},
            "matched": len(against.matched.pairs),
        },
        estimates=found,
        measures={
            DIFFERENCE: Measure(DIFFERENCE, "", direction=f"above 0: higher in {first}; below 0: higher in {second}"),
            P: Measure(P, "1", (0, 1), "corrected for the number of tests of the same metric (Holm, 1979)"),
        },
        notices=_notices(against),
        provenance={
            "here": str(folders[0].absolute()),
            "there": str(folders[1].absolute()),
            "dataset": here.provenance.get("dataset", {}),
            "seeds": list(dict.fromkeys([*seeds_of(here), *seeds_of(there)])),
        },
        compared=[DIFFERENCE, P],
    )


def _notices(against: Against) -> list[str]:
    said = []
    for name, results in zip(against.names, (against.here, against.there), strict=True):
        if results.failures:
            said.append(f"{plural(len(results.failures), 'part')} of {name} failed.")
    if against.here.protocol != against.there.protocol:
        protocols = f"{against.here.protocol} and {against.there.protocol}"
        said.append(f"The two follow different protocols ({protocols}): the heading shows the first.")
    return said


def differences(against: Against) -> Iterator[Estimate]:
    """The difference of each pair and its corrected p-value, metric by metric."""
    units = units_of(against.here), units_of(against.there)
    by_metric: dict[str, list[Pair]] = {}
    for pair in against.matched.pairs:
        by_metric.setdefault(pair.here.metric, []).append(pair)
    for pairs in by_metric.values():
        found = [_difference(pair, units, paired=not against.apart) for pair in pairs]
        ps = [p for one in found if one and (p := one.p) is not None]
        corrected = iter(holm(ps))
        for pair, one in zip(pairs, found, strict=True):
            p = next(corrected) if one and one.error is not None else None
            yield from _estimates(pair, one, p, against.names, len(ps))


def _difference(pair: Pair, units: tuple[Mapping[Any, Any], Mapping[Any, Any]], *, paired: bool) -> Difference | None:
    """None where one of them is undefined."""
    if not (pair.here.defined and pair.there.defined):
        return None
    sides = (Side(e, own(e, told)) for e, told in zip((pair.here, pair.there), units, strict=True))
    return difference(*sides, paired=paired)


def _estimates(
    pair: Pair, found: Difference | None, p: float | None, names: tuple[str, str], tests: int
) -> Iterator[Estimate]:
    common: dict[str, Any] = {"labels": _labels(pair.both), "over": pair.here.over}
    if found is None:
        reason = _undefined(pair, names)
        yield Estimate.undefined(DIFFERENCE, reason, unit=pair.here.unit, flags=("no_test",), **common)
        yield Estimate.undefined(P, reason, **common)
        return
    verdict = "no_test" if p is None else "told_apart" if p < ALPHA else "not_told_apart"
    low, high = found.interval or (None, None)
    alone = {f"units of {name} only": n for name, n in zip(names, found.alone, strict=True) if n}
    told = any("few_units" in one.flags for one in (pair.here, pair.there))
    few = ("few_units",) if told or found.n < FEW else ()
    yield Estimate(
        DIFFERENCE, found.value, found.n, low=low, high=high, standard_error=found.error, unit=pair.here.unit,
        excluded=alone, interval=found.method, flags=(verdict, *few), **common,
    )  # fmt: skip
    if p is None:
        yield Estimate.undefined(P, f"no test: {found.method.removeprefix('none: ')}", **common)
    else:
        yield Estimate(P, p, found.n, flags=(f"Holm over {plural(tests, 'test')}",), **common)


def _undefined(pair: Pair, names: tuple[str, str]) -> str:
    """Why there is no difference; a reason that both have is said once."""
    if not pair.here.defined and not pair.there.defined and pair.here.reason == pair.there.reason:
        return f"undefined in both: {pair.here.reason}"
    sides = zip(names, (pair.here, pair.there), strict=True)
    return "; ".join(f"undefined in {name}: {one.reason}" for name, one in sides if not one.defined)


def _labels(estimate: Estimate) -> dict[str, str]:
    """What a difference is of: ``of`` names the metric, with the ``of`` that it has itself."""
    rest = dict(estimate.labels)
    own = rest.pop("of", "")
    return {"of": f"{estimate.metric} of {own}" if own else estimate.metric, **rest}


def _table(against: Against, results: Results) -> pd.DataFrame:
    """All differences with both values; p-values have none."""
    import pandas as pd

    pairs = [(p.here.value, p.there.value) for p in against.matched.pairs]
    table = tidy((), results.estimates)
    for i, side in enumerate(("here", "there")):
        values = [value for pair in pairs for value in (pair[i], None)]
        table[f"value_{side}"] = pd.Series(values, index=table.index, dtype="float64")
    return table


def _model(results: Results) -> str:
    return str((results.model or {}).get("name") or "no model")


def _both(here: str, there: str) -> str:
    return here if here == there else f"{here} against {there}"
