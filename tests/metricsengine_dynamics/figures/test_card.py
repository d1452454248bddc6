"""The card: what it says holds for whatever was run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest

from metricsengine.estimate import Estimate
from metricsengine.results import Results
from metricsengine_dynamics.figures.card import card
from metricsengine_dynamics.study.recorded import read
from metricsengine_dynamics.tables import TRANSITIONS

DIFFERENCE = "inconsistency_distance.difference"
Show = Callable[..., Results]


def sections(results: Results) -> dict[str, str]:
    parts = card(results).markdown.split("## ")[1:]
    return {heading: text.strip() for heading, _, text in (part.partition("\n") for part in parts)}


def rows(table: str) -> list[list[str]]:
    lines = [line for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in [lines[0], *lines[2:]]]


class TestOnePromptSet:
    def test_says_what_was_simulated(self, one: Results) -> None:
        text = sections(one)["What was simulated"]
        assert "**Model:** parrot-1" in text
        assert "**Size:** 5 runs of 3 steps" in text
        assert "**Debate:** Cats or dogs" in text
        assert "**Agents:** LLM agents, reference model on rounded opinions, zero agent, random agent" in text
        assert "n agents 6, reference hegselmann\\_krause, epsilon 0.3, mode forced" in text

    def test_counts_what_came_back(self, one: Results) -> None:
        table = one.tables["Transitions"]
        llm = table[table["agent"] == "llm"]
        alone = int(llm["isolated"].sum())
        lost = int(llm["opinion"].isna().sum())
        text = sections(one)["What came back"]
        assert f"**Updates:** 90, of which {alone} by agents who heard nobody" in text
        assert f"**Replies:** {90 - alone - lost} answered, {lost} unparsed" in text
        assert lost > 0

    def test_shows_every_agent_with_its_losses(self, one: Results) -> None:
        head, *body = rows(sections(one)["Consistency with the reference model"])
        assert head == ["agent", "distance", "polarity, %"]
        assert [row[0] for row in body] == [
            "LLM agents", "reference model on rounded opinions", "zero agent", "random agent",
            "LLM agents − zero agent, where somebody was heard",
            "LLM agents − random agent, where somebody was heard",
            "LLM agents − reference model on rounded opinions, where somebody was heard",
        ]  # fmt: skip
        value = next(
            e.value for e in one.estimates if e.metric == "inconsistency_distance" and e.labels["agent"] == "zero"
        )
        assert body[2][1].startswith(f"{value:.3g} ")

    def test_tells_that_sensitivity_takes_several(self, one: Results) -> None:
        assert sections(one)["Sensitivity to the prompt"].startswith("One prompt set was asked")

    def test_holds_agents_against_those_that_know_nothing(self, simulate: Show) -> None:
        results = simulate(runs=8)
        text = sections(results)["What may be concluded"]
        found = next(e for e in results.estimates if e.metric == DIFFERENCE and e.labels["against"] == "zero")
        assert found.value is not None
        assert f"LLM agents: closer to the reference model than the zero agent by {-found.value:.3g} " in text
        assert text.count("LLM agents:") == 2
        assert "rounded" not in text

    def test_without_intervals_nothing_is_concluded(self, simulate: Show) -> None:
        text = sections(simulate(runs=2))["What may be concluded"]
        assert "to the zero agent, without an interval, so that nothing can be concluded." in text

    @pytest.mark.parametrize(
        ("value", "low", "high", "said"),
        [
            (-0.2, -0.3, -0.1, r"closer to the reference model than the zero agent by 0.2 \[0.1, 0.3\]"),
            (0.2, 0.1, 0.3, r"further from the reference model than the zero agent by 0.2 \[0.1, 0.3\]"),
            (-0.18, -1.1, 0.6, r"not told apart from the zero agent (difference -0.18 \[-1.1, 0.6\]"),
            (0.1, 0.0, 0.3, r"not told apart from the zero agent (difference 0.1 \[0, 0.3\]"),
        ],
    )
    def test_an_interval_decides_by_0(self, one: Results, value: float, low: float, high: float, said: str) -> None:
        labels = {"agent": "llm", "variant": "base", "against": "zero"}
        others = [e for e in one.estimates if e.metric != DIFFERENCE]
        text = sections(replace(one, estimates=[*others, Estimate(DIFFERENCE, value, 9, labels, low=low, high=high)]))
        assert f"LLM agents: {said}" in text["What may be concluded"]
        assert "updates that heard somebody, paired by run)." in text["What may be concluded"]

    def test_without_differences_it_tells_what_is_missing(self, one: Results) -> None:
        others = [e for e in one.estimates if e.metric != DIFFERENCE]
        text = sections(replace(one, estimates=others))["What may be concluded"]
        assert "add `inconsistency_difference` to" in text.replace("\\", "")
        assert "LLM agents:" not in text


class TestSeveralPromptSets:
    def test_lists_them_in_their_order(self, several: Results) -> None:
        assert "**Prompt sets:** base, newline, loud" in sections(several)["What was simulated"]
        assert "540 in 3 prompt sets and 2 repeats" in sections(several)["What came back"]

    def test_holds_sensitivity_against_the_noise_floor(self, several: Results) -> None:
        head, *body = rows(sections(several)["Sensitivity to the prompt"])
        assert head == ["prompt set", "of", "S", "noise floor"]
        assert [row[:2] for row in body[:4]] == [
            ["loud", "distance"], ["newline", "distance"], ["loud", "polarity, %"], ["newline", "polarity, %"],
        ]  # fmt: skip
        found = {e.metric: e for e in several.estimates if e.labels.get("of") == "inconsistency_distance"
                 and e.labels.get("variant") in ("loud", "base") and "step" not in e.labels
                 and "updates" not in e.labels}  # fmt: skip
        assert body[0][2].startswith(f"{found['sensitivity'].value:.3g} ")
        assert body[0][3].startswith(f"{found['noise_floor'].value:.3g} ")

    def test_that_were_not_compared_are_told_as_such(self, several: Results) -> None:
        own = [e for e in several.estimates if e.metric not in several.compared]
        text = sections(replace(several, estimates=own))["Sensitivity to the prompt"]
        assert text == "The prompt sets were not compared: add `comparison=[sensitivity]`."


class TestNoModel:
    def test_says_nothing_of_prompts_or_replies(self, baselines: Results) -> None:
        found = sections(baselines)
        assert "**Model:** no model" in found["What was simulated"]
        assert "Debate" not in found["What was simulated"]
        assert not {"What came back", "Sensitivity to the prompt"} & set(found)
        assert "wording" not in found["What this cannot say"]
        assert "What was computed without asking a model, under the protocol “paper”." in found["What may be concluded"]

    def test_recorded_updates_are_whose_they_are_said_to_be(self) -> None:
        frame = pd.DataFrame({"run": ["0", "1"], "step": "0", "node": "0", "x": "0.4", "reference": "0.2",
                              "opinion": ["1", None], "agent": ["llm", "people"]})  # fmt: skip
        table = read(frame)
        estimate = Estimate("inconsistency_distance", 2.0, 1, {"agent": "people"})
        results = Results(
            "opinion", "paper", 1, None, {"model": "GPT_5"}, {}, [estimate], tables={"Transitions": table}
        )
        found = sections(results)
        assert "**Model:** GPT\\_5 (recorded updates: this run asked nothing)" in found["What was simulated"]
        assert "**Agents:** LLM agents, people" in found["What was simulated"]
        assert rows(found["Consistency with the reference model"])[1] == ["people", "2"]
        assert "**Replies:** 1 of unknown outcome" in found["What came back"]


def test_a_free_run_warns_that_agents_are_measured_where_they_went(free: Results, one: Results) -> None:
    assert "the states to which it came itself" in sections(free)["What this cannot say"]
    assert "the states to which it came itself" not in sections(one)["What this cannot say"]


def test_an_empty_table_has_a_card(one: Results) -> None:
    empty = TRANSITIONS.conform(one.tables["Transitions"].head(0))
    found = sections(replace(one, estimates=[], tables={"Transitions": empty}))
    assert "none: the table Transitions is empty" in found["What was simulated"]
    assert found["Consistency with the reference model"] == "No inconsistency was computed."


@pytest.mark.parametrize("hostile", ["<script>x</script>", "a | b", "*x*"])
def test_texts_of_others_stay_texts(one: Results, hostile: str) -> None:
    results = replace(one, model={"name": hostile}, compost={"topic": hostile}, failures=[hostile])
    assert hostile not in card(results).markdown
