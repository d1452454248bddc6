"""What may be concluded from a sweep and what not: sentences with the numbers that the results hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metricsengine.estimate import Estimate
from metricsengine.results import Results
from metricsengine.sweeping.conclusions import conclude
from metricsengine.sweeping.gathered import JobResults, Jobs
from metricsengine.sweeping.labels import SweptKey


def results(*estimates: Estimate, compared: Sequence[str] = (), **changes: Any) -> Results:
    row: dict[str, Any] = {
        "study": "weather",
        "protocol": "paper",
        "seed": 1,
        "model": None,
        "compost": {},
        "counts": {},
    }
    return Results(**{**row, "estimates": estimates, "compared": compared, **changes})


def jobs(*of_jobs: Results, failed: Mapping[str, str] | None = None) -> Jobs:
    return Jobs([JobResults(str(i), {}, one) for i, one in enumerate(of_jobs)], failed or {}, [])


def key(name: str, *values: str) -> SweptKey:
    return SweptKey(name, values, name, frozenset(), name)


def of(metric: str, value: float, flag: str, **labels: str) -> Estimate:
    return Estimate(metric, value, 9, {"of": "warmth", **labels}, low=value - 1, high=value + 1, flags=(flag,))


def said(found: Results, there: Jobs | None = None, *keys: SweptKey) -> tuple[str, str]:
    what = conclude(found, there or jobs(found), keys)
    return "\n".join(what.may), "\n".join(what.may_not)


def test_jobs_are_counted_and_failures_named_by_their_reasons() -> None:
    found = results(Estimate("warmth", 1.0, 3, {}))
    failed = {"2": "no wind", "3": "no wind", "4": "fog"}
    may, not_ = said(found, jobs(found, found, failed=failed), key("wind", "0", "9"))
    assert "2 of 5 jobs have results; they differ in wind (2 values)." in may
    assert "3 jobs without results would have shown (job 2, 3: no wind; job 4: fog)" in not_


def test_one_job_alone_is_said_to_be_compared_with_none() -> None:
    found = results(Estimate("warmth", 1.0, 3, {}))
    assert "There is one job alone: nothing could be compared." in said(found, jobs(found, failed={"1": "fog"}))[0]


def test_undefined_cells_are_counted_with_their_commonest_reasons() -> None:
    lacking = [
        Estimate.undefined("warmth", reason, labels={"i": str(i)}) for i, reason in enumerate(["fog", "fog", "ice"])
    ]
    may, not_ = said(results(Estimate("warmth", 1.0, 3, {}), *lacking))
    assert "1 of 4 cells of 1 metric have a value" in may
    assert "3 undefined cells would be: fog (2), ice (1)." in not_


def test_tests_are_counted_and_the_clearest_named() -> None:
    pairs = [("9", 3.0, "told_apart", 0.004), ("5", 2.0, "told_apart", 0.0004), ("1", 0.1, "not_told_apart", 0.7)]
    found = []
    for level, value, flag, p in pairs:
        labels = {"of": "warmth", "dimension": "wind", "level": level, "base": "0", "place": "here"}
        found += [of("gap", value, flag, **labels), Estimate("gap.p", p, 9, labels, flags=(flag,))]
    found.append(of("gap", 0.0, "no_test", dimension="wind", level="7", base="0"))
    may, not_ = said(results(*found, compared=["gap", "gap.p"]))
    assert "Gap: 2 of 3 tests told apart at 5 % after correction for the number of tests of the same metric" in may
    assert "the clearest: warmth (wind 5 against 0) 2 [1, 3], corrected p below 0.001" in may
    assert "That 1 tested difference not told apart would be none" in not_
    assert "Whether 1 difference that could not be tested is more than chance." in not_


def test_sensitivities_are_held_against_their_floors() -> None:
    flags = ["above_noise_floor", "within_noise_floor", "noise_floor_unclear", "no_noise_floor", "no_noise_floor"]
    found = [of("gap", float(i + 1), flag, variant=str(i)) for i, flag in enumerate(flags)]
    may, not_ = said(results(*found, compared=["gap"]))
    assert "1 of 3 sensitivities that can be held against a noise floor exceed it: warmth (variant 0) 1 [0, 2]." in may
    assert "Whether 2 sensitivities are more than chance: nothing was asked again" in not_
    assert "That what was varied matters where 1 sensitivity lies within the noise floor." in not_
    assert "Whether 1 sensitivity exceeds its noise floor: one of the two has no interval." in not_


def test_missing_and_repeated_combinations_are_named() -> None:
    one = results(Estimate("warmth", 1.0, 3, {}))
    keys = key("wind", "0", "0", "9", "9"), key("height", "1", "1", "2", "2")
    _, not_ = said(one, jobs(one, one, one, one), *keys)
    assert "What 2 of 4 combinations of the swept values would be (wind=0, height=2, wind=9, height=1)" in not_
    keys = key("wind", "0", "0", "9"), key("height", "1", "1", "2")
    assert (
        "As much about each combination of the swept values: they have from 1 to 2 jobs each."
        in said(one, jobs(one, one, one), *keys)[1]
    )


def test_what_became_of_the_requests_is_said() -> None:
    counts = {"jobs": 2, "requests": 1200, "answered": 1, "refused_by_provider": 1199, "rows.Simulations": 1200}
    assert "They rest on 1,200 requests: 1,199 refused by provider, 1 answered." in said(results(counts=counts))[0]
    assert "requests" not in said(results(counts={"jobs": 2, "requests": 0, "rows.Transitions": 9}))[0]


def test_notices_are_pointed_to() -> None:
    assert "More than 1 notice below allows: read what stands there first." in said(results(notices=["dry"]))[1]


def test_imprecise_estimates_are_counted() -> None:
    wide = [Estimate("warmth", v, 3, {"i": str(v)}, low=v - 5, high=v + 5, flags=("few_units",)) for v in (0.0, 1.0)]
    _, not_ = said(results(*wide, Estimate("warmth", 0.5, 3, {})))
    assert "Much about 2 of 3 estimates: they rest on few units." in not_
    assert "Where 2 of 2 estimates with an interval stand among the others" in not_
    assert "How precise 1 estimate without an interval may be." in not_


def test_what_the_jobs_mix_is_said_and_one_seed_too() -> None:
    one = results(Estimate("warmth", 1.0, 3, {}), model={"name": "a"})
    other = results(model={"name": "b"}, protocol="released", study="tides", seed=2)
    _, not_ = said(one, jobs(one, other))
    for mixed in ("2 studies (tides, weather)", "2 protocols (paper, released)", "2 models (a, b)"):
        assert mixed in not_
    assert "seed" not in not_
    assert "all jobs have the seed 1" in said(one, jobs(one, one))[1]
