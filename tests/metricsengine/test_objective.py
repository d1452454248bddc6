"""One number of a job: the widest average that fits, none where it is undefined, an error where nothing can fit."""

from __future__ import annotations

import re
from typing import Any

import pytest

from metricsengine.errors import ConfigError
from metricsengine.estimate import Estimate
from metricsengine.objective import best, value
from metricsengine.results import Results
from metricsengine.settings import ObjectiveConf

CELLS = [
    Estimate("warmth", 1.0, 3, {"persona": "Ann", "topic": "wind"}),
    Estimate("warmth", 3.0, 3, {"persona": "Ann", "topic": "rain"}),
    Estimate("warmth", 8.0, 3, {"persona": "Bob", "topic": "wind"}),
]
MEANS = [
    Estimate("warmth", 2.0, 2, {"persona": "Ann"}, over=("topic",)),
    Estimate.undefined("warmth", "1 cell, at least 2 needed", labels={"persona": "Bob"}, n=1, over=("topic",)),
    Estimate("warmth", 4.0, 3, {}, over=("persona", "topic")),
]


def found(*estimates: Estimate, **changes: Any) -> Results:
    row: dict[str, Any] = {
        "study": "weather", "protocol": "paper", "seed": 1, "model": None, "compost": {}, "counts": {},
        "estimates": estimates or [*CELLS, *MEANS],
    }  # fmt: skip
    return Results(**{**row, **changes})


def test_the_widest_average_that_has_the_labels() -> None:
    assert value(found(), ObjectiveConf("warmth")) == 4.0
    assert value(found(), ObjectiveConf("warmth", {"persona": "Ann"})) == 2.0
    assert value(found(), ObjectiveConf("warmth", {"persona": "Ann", "topic": "rain"})) == 3.0


def test_what_is_undefined_or_failed_is_no_number() -> None:
    assert value(found(), ObjectiveConf("warmth", {"persona": "Bob"})) is None
    assert value(found(), ObjectiveConf("warmth", {"persona": "Bob", "topic": "rain"})) is None
    assert value(found(failures=["metric hail: no wind"]), ObjectiveConf("hail")) is None


@pytest.mark.parametrize(
    ("objective", "message"),
    [
        (ObjectiveConf(), "no objective was chosen: add objective.metric=NAME"),
        (ObjectiveConf("warmht"), "unknown objective.metric 'warmht': did you mean 'warmth'? Known: warmth"),
        (
            ObjectiveConf("warmth", {"person": "Ann"}),
            "unknown label of warmth 'person': did you mean 'persona'? Known: persona, topic",
        ),
        (
            ObjectiveConf("warmth", {"persona": "Anne"}),
            "unknown objective.labels.persona 'Anne': did you mean 'Ann'? Known: Ann, Bob",
        ),
    ],
)
def test_what_cannot_fit_is_refused_with_near_matches(objective: ObjectiveConf, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        value(found(), objective)


def test_it_is_not_chosen_among_different_things() -> None:
    with pytest.raises(ConfigError, match=r"warmth fits 2 estimates: add objective\.labels\.topic=rain\|wind"):
        value(found(*CELLS[:2]), ObjectiveConf("warmth"))
    assert value(found(*CELLS[:2]), ObjectiveConf("warmth", {"topic": "wind"})) == 1.0


def test_the_best_job_is_the_first_of_equals_in_the_wanted_direction() -> None:
    jobs = {name: found(Estimate("warmth", number, 1, {})) for name, number in zip("abcd", (2, 1, 1, 3), strict=True)}
    assert best(jobs, ObjectiveConf("warmth")) == ("b", 1.0)
    assert best(jobs, ObjectiveConf("warmth", goal="maximize")) == ("d", 3.0)


def test_jobs_without_the_number_are_not_the_best() -> None:
    jobs = {"a": found(Estimate.undefined("warmth", "no data", labels={"sky": "red"})), "b": found()}
    assert best(jobs, ObjectiveConf("warmth")) == ("b", 4.0)
    assert best(jobs, ObjectiveConf("warmth", {"sky": "red"})) is None
    assert best({}, ObjectiveConf("warmth")) is None
    with pytest.raises(ConfigError, match=r"unknown objective\.metric 'hail'"):
        best(jobs, ObjectiveConf("hail"))
