"""What comparisons say of the jobs of a sweep: base against aligned models, induced levels, prompts and contexts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from compared import named
from swept import Told, finished, means

from metricsengine.estimate import Estimate
from metricsengine.host import Host
from metricsengine.results import Results
from metricsengine.sweeping.finished import write_results

RNG = np.random.default_rng(3)
ITEMS = RNG.uniform(20, 80, size=40)


def score(shift: float, metric: str = "trait_score", **labels: str) -> Told:
    """A score over items that all jobs ask, shifted."""
    return means(list(ITEMS + shift + RNG.normal(size=len(ITEMS))), metric, **labels)


def written(folder: Path) -> Results:
    found = write_results(folder, Host(), "metricsengine -m experiment=weather")
    assert found is not None
    results, failures = found
    assert failures == []
    return results


def test_a_base_and_an_aligned_model_are_told_apart(tmp_path: Path) -> None:
    for job, (model, shift) in enumerate((("aligned", 8.0), ("base", 0.0))):
        finished(tmp_path, job, [f"model={model}"], score(shift, trait="openness"), score(0, trait="calm"))
    results = written(tmp_path)
    found = named(results.estimates, "marginal_difference", trait="openness")
    assert found.labels == {
        "of": "trait_score", "dimension": "model", "level": "aligned", "base": "base", "trait": "openness",
    }  # fmt: skip
    assert found.value is not None
    assert abs(found.value - 8) < 1.5
    assert found.interval == "bootstrap over paired units, 2000 draws"
    assert (found.unit, found.flags[0]) == ("°C", "told_apart")
    assert "not_told_apart" in named(results.estimates, "marginal_difference", trait="calm").flags
    assert results.measures["marginal_difference.p"].bounds == (0, 1)
    assert {"marginal_mean", "marginal_difference", "marginal_difference.p"} <= set(results.compared)


def test_induced_levels_are_told_apart_from_the_base(tmp_path: Path) -> None:
    induced = {"induced_trait": "openness", "technique": "p2"}
    finished(tmp_path, 0, ["study.induce=[none]"], score(0, trait="openness"))
    finished(tmp_path, 1, ["study.induce=[high]"], score(20, trait="openness", level="high", **induced))
    finished(tmp_path, 2, ["study.induce=[low]"], score(-20, trait="openness", level="low", **induced))
    found = [e for e in written(tmp_path).estimates if e.metric == "marginal_difference"]
    assert {(e.labels["base"], e.labels["level"]): round(e.value or 0, -1) for e in found} == {
        ("[none]", "[high]"): 20,
        ("[none]", "[low]"): -20,
        ("[high]", "[low]"): -40,
    }
    assert {e.flags[0] for e in found} == {"told_apart"}
    assert {e.labels["induced_trait"] for e in found} == {"openness"}


def test_what_only_one_of_two_levels_tells_is_a_flag(tmp_path: Path) -> None:
    finished(tmp_path, 0, ["study.induce=[none]"], score(0, trait="openness"))
    finished(tmp_path, 1, ["study.induce=[high]"], score(20, trait="openness", level="high", induced_trait="openness"))
    found = named(written(tmp_path).estimates, "marginal_difference")
    assert found.labels == {
        "of": "trait_score", "dimension": "induce", "level": "[high]", "base": "[none]", "trait": "openness",
    }  # fmt: skip
    assert found.flags == ("told_apart", "varies with induce: induced_trait (openness), level (high)")


def test_prompts_and_contexts_have_sensitivities_and_margins(tmp_path: Path) -> None:
    jobs = [(prompt, context) for prompt in ("base", "newline") for context in ("forum", "interview")]
    for job, (prompt, context) in enumerate(jobs):
        told = score(5.0 * (prompt == "newline"), "warmth", variant=prompt, context=context)
        words = [f"prompt={prompt}", f"context={context}"]
        finished(tmp_path, job, words, told, comparison={"sensitivity": {}})
    results = written(tmp_path)
    sensitivity = [e for e in results.estimates if e.metric == "sensitivity"]
    assert {tuple(e.labels.values()) for e in sensitivity} == {
        ("warmth", "newline", "forum"),
        ("warmth", "newline", "interview"),
        ("warmth", "interview", "base"),
        ("warmth", "interview", "newline"),
    }
    found = {e.labels["dimension"]: e for e in results.estimates if e.metric == "marginal_difference"}
    assert (found["variant"].labels["base"], found["variant"].flags[0]) == ("base", "told_apart")
    assert found["context"].flags[0] == "not_told_apart"
    assert named(results.estimates, "interaction").labels == {
        "of": "warmth", "dimension": "variant", "dimension_b": "context",
    }  # fmt: skip


def test_a_job_without_a_value_leaves_its_combination_out(tmp_path: Path) -> None:
    for job, (a, b) in enumerate((a, b) for a in "xy" for b in ("1", "2", "3")):
        told = score(job, "warmth")
        if job == 5:
            told = (Estimate.undefined("warmth", "nothing was read", labels={}), told[1].iloc[:0])
        finished(tmp_path, job, [f"study.a={a}", f"study.b={b}"], told)
    found = named(written(tmp_path).estimates, "marginal_mean", level="x")
    assert (found.n, found.excluded) == (2, {"undefined at a=y": 1})


def test_a_level_without_a_value_says_why_on_the_page(tmp_path: Path) -> None:
    for job, prompt in enumerate(("base", "newline", "mute")):
        told = score(job, "warmth")
        if prompt == "mute":
            told = (Estimate.undefined("warmth", "nothing was read", labels={}), told[1].iloc[:0])
        finished(tmp_path, job, [f"prompt={prompt}"], told)
    lost = named(written(tmp_path).estimates, "marginal_mean", level="mute")
    assert (lost.value, lost.reason) == (None, "nothing is defined at this level: nothing was read")
    assert lost.reason in (tmp_path / "report.html").read_text()


def test_a_job_that_is_lost_takes_its_seed_from_the_other_levels(tmp_path: Path) -> None:
    jobs = [("0.1", "1", 2.0), ("0.1", "2", None), ("0.3", "1", 5.0), ("0.3", "2", 90.0)]
    for job, (epsilon, seed, value) in enumerate(jobs):
        if value is not None:
            told = means([value - 1, value, value + 1])
            finished(tmp_path, job, [f"study.epsilon={epsilon}", f"seed={seed}"], told, seed=int(seed))
    found = [e for e in written(tmp_path).estimates if e.metric in ("marginal_mean", "marginal_difference")]
    assert [e.value for e in found] == [2, 5, 3]
    assert [(e.over, e.excluded) for e in found] == [(("seed",), {"missing replicates": 1})] * 3
