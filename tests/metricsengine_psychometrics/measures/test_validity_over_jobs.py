"""A sweep whose levels are jobs of their own gives what one job with all levels gives."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from answered import measured
from scored import Row, high, likert, low, table
from swept import finished

from metricsengine.comparison import UNITS, Findings
from metricsengine.estimate import Estimate
from metricsengine.host import Host
from metricsengine.results import Results
from metricsengine.sweeping.finished import write_results
from metricsengine.sweeping.gathered import JobResults, findings
from metricsengine.sweeping.labels import swept_keys
from metricsengine_psychometrics.measures.cells import cells
from metricsengine_psychometrics.measures.config import InternalValidityConf, TraitScoreConf, ValidityOverJobsConf
from metricsengine_psychometrics.measures.internal_validity import InternalValidityMetric
from metricsengine_psychometrics.measures.judged import judged
from metricsengine_psychometrics.measures.trait_score import TraitScoreMetric
from metricsengine_psychometrics.measures.validity_over_jobs import ValidityOverJobs

SCORES, VALIDITY = TraitScoreMetric(TraitScoreConf()), InternalValidityMetric(InternalValidityConf())
COMPARISON = ValidityOverJobs(ValidityOverJobsConf())
LEVELS = ("none", "high", "low")
Job = tuple[Sequence[str], list[Row]]
"""What was set for a job, and its answers."""

NOTHING = UNITS.conform(pd.DataFrame(columns=[column.name for column in UNITS.columns]))

HIGHS = {"openness": (2, 4, 0), "neuroticism": (4, 4, 0), "narcissism": (1, 1, 1), "agreeableness": (1, 3, 0)}
"""Items answered high at the base and under both levels: the first and last pass, and all but narcissism weakly."""


def asked(highs: Mapping[str, Sequence[int]] = HIGHS, levels: Sequence[str] = LEVELS, **more: Any) -> list[Row]:
    """Four items of each trait under each level, so many of them answered high."""
    rows = []
    for trait, counts in highs.items():
        for level, count in zip(LEVELS, counts, strict=True):
            induced = {} if level == "none" else {"level": level, "induced_trait": trait, "technique": "1"}
            for i in range(4) if level in levels else ():
                answer = high if i < count else low
                rows += answer(f"{trait}{i}", trait=trait, **{**induced, **more})
    return rows


def scores(rows: Sequence[Row]) -> list[Estimate]:
    """The trait scores of these answers as the metric has them in each template, but for its intervals and flags."""
    found = list(cells(judged(table(*rows), "paper"), "trait"))
    return [
        Estimate("trait_score", 100 * cell.answered["score"].mean(), len(cell.answered), cell.labels)
        if len(cell.answered)
        else Estimate.undefined("trait_score", cell.nothing, labels=cell.labels)
        for cell in found
    ]


def over_jobs(*jobs: Job) -> list[Estimate]:
    """What the comparison finds in a sweep of these jobs."""
    told = [scores(rows) for _, rows in jobs]
    set_by = [dict(word.split("=", 1) for word in words) for words, _ in jobs]
    done = [
        JobResults(str(i), overrides, Results("personality", "paper", 1, None, {}, {}, estimates))
        for i, (overrides, estimates) in enumerate(zip(set_by, told, strict=True))
    ]
    return list(COMPARISON.compare(findings(done, swept_keys(set_by, told)), 1))


def by_level(*words: str, highs: Mapping[str, Sequence[int]] = HIGHS, **more: Any) -> list[Job]:
    return [([f"study.induce=[{level}]", *words], asked(highs, (level,), **more)) for level in LEVELS]


def in_one_job(rows: Sequence[Row]) -> list[Estimate]:
    """What one job with all answers finds, called as over jobs."""
    found = measured(VALIDITY, table(*rows))
    return [replace(e, metric=f"{e.metric}.over_jobs", labels={"of": "trait_score", **e.labels}) for e in found]


def test_three_jobs_give_what_one_job_with_all_levels_gives(tmp_path: Path) -> None:
    for job, (words, rows) in enumerate(by_level()):
        finished(
            tmp_path,
            job,
            words,
            estimates=[found for metric in (SCORES, VALIDITY) for found in measured(metric, table(*rows))],
        )
    written = write_results(tmp_path, Host(), "metricsengine -m experiment=personality")
    assert written is not None
    results, failures = written
    assert failures == []
    found = [e for e in results.estimates if e.metric.endswith(".over_jobs")]
    assert found == in_one_job(asked())
    strict, weak = found
    assert (strict.value, strict.n, weak.value) == (0.5, 4, 0.75)
    assert strict.labels == {"of": "trait_score", "test": "own", "mode": "scores", "technique": "1"}
    assert strict.interval == "Wilson, over cases (model and trait)"
    alone = [e for e in results.estimates if e.metric == "internal_validity"]
    assert [e.labels["induce"] for e in alone] == ["[none]", "[high]", "[low]"]
    assert not any(e.defined for e in alone)
    assert {"internal_validity.over_jobs", "internal_validity.weak.over_jobs"} <= set(results.compared)
    assert "internal_validity" not in results.compared
    assert results.measures["internal_validity.over_jobs"].citation == "TRAIT, section 2.3"


@pytest.mark.parametrize("seed", range(2))
def test_so_do_jobs_with_random_answers_templates_families_and_missing_ones(seed: int) -> None:
    """With levels, templates and techniques each swept, and a test of two families of unequal size."""
    rng = random.Random(seed)
    rows: dict[tuple[str, str, str], list[Row]] = {}
    for trait in HIGHS:
        for level, technique, template in [(a, b, c) for a in LEVELS for b in "12" for c in "12"]:
            under = {"level": level, "induced_trait": trait, "technique": technique} if level != "none" else {}
            drawn = random.Random(repr((seed, trait, template))) if level == "none" else rng  # asked in two jobs
            under |= {"trait": trait, "template": template}
            own = rows.setdefault((level, technique, template), [])
            for i in range(3):
                missing = {"outcome": "refused"} if drawn.random() < 0.3 else {}
                own += drawn.choice((high, low))(f"{trait}{i}", **under, **missing)
            points = [drawn.random() for _ in range(5)]
            own.append(likert(f"{trait} said", points, **{**under, "test": "own"}))
    jobs = [
        ([f"study.induce=[{level}]", f"study.techniques=[{technique}]", f"study.templates=[{template}]"], own)
        for (level, technique, template), own in rows.items()
    ]
    once = [row for (level, technique, _), own in rows.items() if (level, technique) != ("none", "2") for row in own]
    found, alone = over_jobs(*jobs), in_one_job(once)
    assert [(e.metric, e.labels) for e in found] == [(e.metric, e.labels) for e in alone]
    assert [(e.value, e.n, e.excluded, e.reason) for e in found] == [
        (e.value, e.n, e.excluded, e.reason) for e in alone
    ]
    assert any(e.defined for e in found)


def test_models_are_pooled_as_the_metric_does_and_told_apart_beside() -> None:
    other = dict.fromkeys(HIGHS, (2, 4, 0))
    jobs = [*by_level("model=small"), *by_level("model=large", highs=other)]
    found = over_jobs(*jobs)
    strict = [e for e in found if e.metric == "internal_validity.over_jobs"]
    assert [(e.labels.get("model"), e.value, e.n, e.over) for e in strict] == [
        (None, 0.75, 8, ("model",)),
        ("large", 1, 4, ()),
        ("small", 0.5, 4, ()),
    ]
    both = [*asked(model="small"), *asked(other, model="large")]
    assert replace(strict[0], over=()) == in_one_job(both)[0]


def test_what_else_was_swept_is_never_mixed() -> None:
    flat = dict.fromkeys(HIGHS, (2, 2, 2))
    found = over_jobs(*by_level("seed=1"), *by_level("seed=2", highs=flat))
    assert [(e.labels["seed"], e.value, e.n) for e in found if ".weak" not in e.metric] == [("1", 0.5, 4), ("2", 0, 4)]


def test_a_level_that_no_job_has_leaves_it_undefined() -> None:
    strict, weak = over_jobs(*by_level()[:2])
    assert (strict.reason, dict(strict.excluded), strict.n) == (
        "no model and trait has scores at low: sweep study.induce=[none],[high],[low]", {"no score: low": 4}, 0,
    )  # fmt: skip
    assert not weak.defined
    strict, weak = over_jobs(*by_level()[1:])
    assert (strict.value, strict.reason.partition(":")[0]) == (None, "no model and trait has scores at base")
    assert (weak.value, weak.n) == (0.75, 4)


def test_a_case_that_lacks_a_level_is_left_out_counted() -> None:
    none, raised, lowered = by_level()
    lowered[1][:] = [row for row in lowered[1] if row["trait"] != "openness"]
    strict, weak = over_jobs(none, raised, lowered)
    assert strict.value == pytest.approx(1 / 3)
    assert weak.value == pytest.approx(2 / 3)
    assert (strict.n, weak.n, dict(strict.excluded)) == (3, 3, {"no score: low": 1})


def test_where_a_job_holds_all_levels_its_own_estimate_stands() -> None:
    every = (["study.induce=[none,high,low]"], asked())
    assert over_jobs(every, (["study.induce=[none]"], asked(levels=("none",)))) == []
    both = [([*every[0], f"seed={seed}"], every[1]) for seed in (1, 2)]
    assert over_jobs(*both) == []


def test_two_jobs_may_share_the_levels_among_them() -> None:
    parts = [(["study.induce=[none,high]"], asked(levels=("none", "high"))),
             (["study.induce=[none,low]"], asked(levels=("none", "low")))]  # fmt: skip
    assert over_jobs(*parts) == in_one_job(asked())


def test_nothing_is_found_within_a_job_or_where_no_level_or_no_score_is_there() -> None:
    found = scores(asked())
    assert list(COMPARISON.compare(Findings(found, NOTHING), 1)) == []
    assert list(COMPARISON.compare(Findings(found, NOTHING, partial=True, swept=("induce",)), 1)) == []
    warmth = [Estimate("warmth", 1.0, 3, {"induce": level}) for level in LEVELS]
    assert list(COMPARISON.compare(Findings(warmth, NOTHING, swept=("induce",)), 1)) == []
    seeds = [(["seed=1"], asked(levels=("none",))), (["seed=2"], asked(levels=("none",)))]
    assert over_jobs(*seeds) == []


def test_the_order_of_the_jobs_does_not_matter() -> None:
    levels = {"a": HIGHS, "b": {"openness": (1, 2, 0)}}
    estimates = [
        replace(e, labels={**e.labels, "induce": f"[{level}]", "persona": name})
        for name, highs in levels.items()
        for level in LEVELS
        for e in scores(asked(highs, (level,)))
    ]
    found = COMPARISON.compare(Findings(estimates, NOTHING, swept=("induce", "persona")), 1)
    assert [e.labels["persona"] for e in found] == ["a", "a", "b", "b"]
    random.Random(1).shuffle(estimates)
    assert COMPARISON.compare(Findings(estimates, NOTHING, swept=("induce", "persona")), 1) == found
