"""Estimates that will be undefined whatever is answered, as their conditions are not asked."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from answered import answers, context, item, measured

from metricsengine.estimate import Estimate
from metricsengine.metric import Metric
from metricsengine_psychometrics.measures.specs import METRICS
from metricsengine_psychometrics.measures.specs_conditions import METRICS as CONDITIONS

SPECS = {spec.name: spec for spec in (*METRICS, *CONDITIONS)}
ITEMS = [item(f"{trait}-{i}", trait) for trait in ("openness", "neuroticism") for i in range(3)]
ALL: dict[str, Any] = {
    "template": ("1", "2"),
    "wording": ("original", "paraphrase"),
    "level": ("none", "high", "low"),
    "repeat": (0, 1),
}


def build(name: str, **options: Any) -> Metric:
    return SPECS[name].build(SPECS[name].config(**options))


def foreseen(name: str, table: pd.DataFrame, **options: Any) -> list[Estimate]:
    return list(build(name, **options).foresee(table, context()))


def asked(choice: str | None, **conditions: Any) -> pd.DataFrame:
    table: pd.DataFrame = answers(ITEMS, lambda name, under: choice, **conditions)
    induced = table["level"].ne("none")
    return table.assign(induced_trait=table["trait"].where(induced), technique=induced.map({True: "1", False: None}))


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("trait_score", "study.templates=[1,2,3]"),
        ("option_mass", "study.answer=[scores]"),
        ("internal_validity", "study.induce=[none,high,low]"),
        ("prompt_sensitivity", "study.templates=[1,2,3]"),
        ("option_order_sensitivity", "study.orders=[normal,reversed]"),
        ("paraphrase_sensitivity", "study.wordings=[original,paraphrase]"),
        ("noise_floor", "[1,2,3]"),
        ("trait_correlation", "study.induce=[high,low]"),
        ("scenario_breakdown", "metric.scenario_breakdown.scenarios"),
    ],
)
def test_what_is_foreseen_is_what_is_found_and_says_what_to_add(name: str, remedy: str) -> None:
    table = asked("high1", arrangement=("HLHL",))
    found = foreseen(name, table)
    came = measured(build(name), table)
    assert found
    assert any(remedy in estimate.reason for estimate in found)
    assert all(estimate in came for estimate in found)


@pytest.mark.parametrize("choice", ["high1", "low2", None])
@pytest.mark.parametrize(
    "name",
    ["trait_score", "internal_validity", "prompt_sensitivity", "option_order_sensitivity", "noise_floor"],
)
def test_with_all_conditions_asked_nothing_is_foreseen_even_of_what_is_not_read_yet(
    name: str, choice: str | None
) -> None:
    assert not foreseen(name, asked(choice, **ALL))


def test_a_level_that_is_never_induced_is_missed() -> None:
    [found] = foreseen("internal_validity", asked("high1", level=("high", "low")))
    assert (found.metric, found.excluded) == ("internal_validity", {"no score: base": 2})


def test_descriptions_that_are_tied_in_examples_may_be_counted() -> None:
    shared = [item(f"i{i}", "openness", "one") for i in range(5)]
    table = answers(shared, lambda name, under: None)
    assert not foreseen("scenario_breakdown", table)
    assert len(foreseen("scenario_breakdown", table, scenarios=4)) == 1


def test_two_personalities_are_too_few_for_a_correlation_and_three_may_do() -> None:
    def induced(*traits: str) -> pd.DataFrame:
        rows: pd.DataFrame = answers(ITEMS, lambda name, under: "high1", level=("high",))
        return pd.concat([rows.assign(induced_trait=trait, technique="1") for trait in traits], ignore_index=True)

    [found] = foreseen("trait_correlation", induced("openness", "neuroticism"))
    assert found.n == 2
    assert not foreseen("trait_correlation", induced("openness", "neuroticism", "agreeableness"))


def test_a_refusal_takes_a_written_reply() -> None:
    scored = asked("high1").assign(mode="scores", reply=None)
    [found] = foreseen("refusal_rate", scored)
    assert "study.answer=[text]" in found.reason
    assert not foreseen("refusal_rate", asked("high1").assign(reply="A"))
