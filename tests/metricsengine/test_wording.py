"""Results in words: what stands for a model that was not asked, and which cells tell a part of others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from metricsengine.estimate import Estimate
from metricsengine.results import Results
from metricsengine.wording import conclusions, coverage, limits, model_name, widest

SIMULATED, RECORDED = {"source": "simulated"}, {"source": "/data/replies.csv"}


def results(model: dict[str, Any] | None, dataset: dict[str, str] | None) -> Results:
    provenance = {} if dataset is None else {"dataset": dataset}
    return Results("diary", "paper", 1, model, {}, {}, [], provenance=provenance)


@pytest.mark.parametrize(
    ("found", "name", "said", "described"),
    [
        (
            results({"name": "SmolLM2"}, SIMULATED),
            "SmolLM2",
            "What this model, asked as described, showed",
            "a model's",
        ),
        (results(None, RECORDED), "recorded responses", "What the recorded responses show", "a model's"),
        (results(None, None), "recorded responses", "What the recorded responses show", "a model's"),
        (results(None, SIMULATED), "no model", "What was computed without asking a model", "what was computed"),
    ],
)
def test_a_model_that_was_not_asked(found: Results, name: str, said: str, described: str) -> None:
    assert model_name(found) == name
    assert conclusions(found)[0] == f"{said}, under the protocol “paper”."
    assert f"the numbers describe {described}" in limits(found)[0]


class TestWidest:
    def cell(self, **labels: str) -> Estimate:
        return Estimate("spread", 0.5, 3, labels)

    def test_a_cell_with_more_labels_is_no_part_of_another_agents(self) -> None:
        cells = [self.cell(agent="llm", variant="base"), self.cell(agent="zero")]
        assert widest(cells) == cells

    def test_parts_go_and_stay_where_there_is_no_whole(self) -> None:
        whole = self.cell(agent="llm", variant="base")
        part, deep = (
            self.cell(agent="llm", variant="base", step="1"),
            self.cell(agent="llm", variant="base", step="1", of="x"),
        )
        lone = self.cell(agent="llm", variant="loud", step="1")
        assert widest([deep, part, whole, lone]) == [whole, lone]

    def test_nothing_and_equal_labels_are_kept(self) -> None:
        assert widest([]) == []
        twice = [self.cell(agent="llm")] * 2
        assert widest(twice) == twice


def test_a_p_value_has_no_precision_that_could_be_missing() -> None:
    found = replace(
        results(None, SIMULATED),
        estimates=[
            Estimate("difference", 0.2, 9, {"of": "score"}, low=0.1, high=0.3),
            Estimate("difference.p", 0.01, 9, {"of": "score"}),
            Estimate("score", 0.5, 3, {}, interval="none: 3 topics, and a bootstrap takes at least 5"),
            Estimate("score.p", 0.5, 3, {}),
        ],
        compared=["difference", "difference.p"],
    )
    assert {c.metric: c.bare for c in coverage(found)} == {"difference": 0, "difference.p": 0, "score": 1, "score.p": 1}
    assert "How precise 2 cells without an interval may be." in limits(found)
