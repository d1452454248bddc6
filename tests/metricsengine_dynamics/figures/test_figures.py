"""Figures and tables of the opinion study: what stands in them, and that they say what is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from metricsengine.estimate import Estimate
from metricsengine.exhibits import Excerpts, Figure, Listing
from metricsengine.results import Results
from metricsengine_dynamics.figures import consistency, sensitivity
from metricsengine_dynamics.figures.exhibits import exhibits
from metricsengine_dynamics.figures.findings import axis, overall, said
from metricsengine_dynamics.figures.trajectories import MOST_PANELS, trajectories
from metricsengine_dynamics.figures.updates import updates
from metricsengine_dynamics.study.recorded import read

Show = Callable[..., Results]

ALL = ["LLM agents", "reference model on rounded opinions", "zero agent", "random agent"]


def names(results: Results) -> list[str]:
    return [exhibit.name for exhibit in exhibits(results)]


def rows_of(drawing: Drawing) -> list[str]:
    return [tick.get_text() for tick in drawing.axes[0].get_yticklabels()]


def legend(drawing: Drawing) -> list[str]:
    return [text.get_text() for one in drawing.legends for text in one.get_texts()]


def value(results: Results, metric: str, **labels: str) -> float:
    found = [e for e in overall(results, metric) if labels.items() <= e.labels.items()]
    assert len(found) == 1
    assert found[0].value is not None
    return found[0].value


class TestAll:
    def test_of_one_prompt_set(self, one: Results) -> None:
        assert names(one) == [
            "card", "inconsistency-distance", "inconsistency-polarity", "trajectories",
            "inconsistency-distance-by-step", "inconsistency-polarity-by-step", "consistency",
            "updates-random", "updates-worst", "updates-undecodable",
        ]  # fmt: skip

    def test_of_several_prompt_sets(self, several: Results) -> None:
        found = names(several)
        assert {"sensitivity-inconsistency-distance", "sensitivity-inconsistency-polarity", "sensitivity"} <= set(found)
        assert len(found) == len(set(found))

    def test_of_baselines(self, baselines: Results) -> None:
        assert not [name for name in names(baselines) if "sensitivity" in name or "updates" in name]

    def test_of_a_free_run(self, free: Results) -> None:
        ends = {f"end-{name}" for name in ("cluster-count", "spread", "bimodality", "consensus-time")}
        assert ends | {"spread-by-step"} <= set(names(free))

    def test_of_nothing_is_the_card_alone(self, one: Results) -> None:
        assert names(replace(one, estimates=[], tables={})) == ["card"]

    @pytest.mark.parametrize("run", ["one", "several", "baselines", "free"])
    def test_can_be_drawn_with_labels_that_do_not_overlap(self, run: str, request: pytest.FixtureRequest) -> None:
        for figure in (one for one in exhibits(request.getfixturevalue(run)) if isinstance(one, Figure)):
            drawing = figure.draw()
            drawing.draw_without_rendering()
            assert figure.alt
            assert figure.title[0].isupper()
            for axes in drawing.axes:
                boxes = [tick.get_window_extent() for tick in axes.get_yticklabels() if tick.get_text()]
                assert not any(a.overlaps(b) for a, b in combinations(boxes, 2)), figure.name


class TestNames:
    def test_of_inconsistencies_are_read_as_words(self, one: Results) -> None:
        assert said("inconsistency_my_loss") == "my loss inconsistency"
        assert axis(one, "inconsistency_distance") == "distance inconsistency, 0 to 10"
        assert axis(one, "inconsistency_polarity") == "polarity inconsistency, %"
        assert axis(one, "unheard_of") == "unheard of"


class TestConsistency:
    def test_agents_stand_beside_baselines(self, one: Results) -> None:
        figure = next(iter(consistency.consistency(one)))
        drawing = figure.draw()
        assert figure.title == "Distance inconsistency: agents and baselines"
        assert rows_of(drawing) == ALL
        [dots] = [c for c in drawing.axes[0].collections if len(c.get_offsets()) == 4]
        expected = [value(one, "inconsistency_distance", agent=a) for a in ("llm", "rounded", "zero", "random")]
        assert np.allclose(np.asarray(dots.get_offsets())[:, 0], expected)
        assert "at the reference model's states" in figure.caption

    def test_prompt_sets_are_told_apart(self, several: Results) -> None:
        figure = next(iter(consistency.consistency(several)))
        assert rows_of(figure.draw())[:3] == ["LLM agents · base", "LLM agents · loud", "LLM agents · newline"]

    def test_agents_alone_have_nothing_to_stand_beside(self, simulate: Show) -> None:
        assert not list(consistency.consistency(simulate(agents=("llm",))))

    def test_of_a_free_run_tells_where_it_was_measured(self, free: Results) -> None:
        assert "each kind of agent itself has come" in next(iter(consistency.consistency(free))).caption

    def test_curves_stand_in_the_order_of_the_agents(self, one: Results) -> None:
        figure = next(iter(consistency.over_steps(one)))
        assert legend(figure.draw()) == ALL
        [axes] = figure.draw().axes
        assert list(axes.lines[0].get_xdata()) == [0, 1, 2]

    def test_a_single_step_is_no_curve(self, simulate: Show) -> None:
        assert not list(consistency.over_steps(simulate(steps=1)))

    def test_more_curves_than_can_be_told_apart_are_cut_and_said(self, one: Results) -> None:
        many = [
            Estimate("inconsistency_distance", i, 9, {"agent": "llm", "variant": f"v{i}", "step": str(step)})
            for i in range(12)
            for step in range(2)
        ]
        [figure] = consistency.over_steps(replace(one, estimates=many))
        assert len(legend(figure.draw())) == consistency.MOST_CURVES
        assert figure.caption.endswith("Only the first 10 of 12 are shown.")

    def test_the_table_has_every_agent_and_no_model_that_was_not_asked(self, baselines: Results) -> None:
        listing = consistency.table(baselines)
        assert listing is not None
        assert list(listing.frame["agent"]) == ALL[1:]
        assert list(listing.frame.columns) == [
            "agent", "distance inconsistency", "polarity inconsistency, %", "filtered polarity, %", "zero share, %",
            "isolated share, %",
        ]  # fmt: skip


class TestFreeRuns:
    def test_the_reference_model_is_among_them(self, free: Results) -> None:
        found = {figure.name: figure for figure in consistency.free_runs(free)}
        assert rows_of(found["end-spread"].draw()) == [ALL[0], "reference model", *ALL[1:]]
        assert legend(found["spread-by-step"].draw()) == [ALL[0], "reference model", *ALL[1:]]
        assert found["end-spread"].title == "Spread of free runs"

    def test_what_is_undefined_is_said(self, free: Results) -> None:
        [figure] = [one for one in consistency.free_runs(free) if one.name == "end-bimodality"]
        assert "zero agent: undefined: opinions that do not vary" in figure.alt
        assert "Hatched: undefined." in figure.caption


class TestSensitivity:
    def test_every_prompt_set_but_the_base_has_a_row(self, several: Results) -> None:
        distance, polarity = sensitivity.sensitivities(several)
        drawing = distance.draw()
        assert rows_of(drawing) == ["loud", "newline"]
        assert drawing.get_supxlabel() == "S of distance"
        assert polarity.draw().get_supxlabel() == "S of polarity, %"
        difference = value(several, "inconsistency_distance", variant="loud") - value(
            several, "inconsistency_distance", variant="base"
        )
        assert distance.alt.startswith(f"loud: {abs(difference):.3g} ")
        assert "Noise floor: the same prompts under another seed differ by" in distance.caption

    def test_without_repeats_the_floor_is_not_known(self, simulate: Show) -> None:
        figure = next(iter(sensitivity.sensitivities(simulate(prompts=("base", "loud")))))
        assert "was not measured (study.repeats=2 does)" in figure.caption

    def test_the_table_has_the_floor_beside_the_base(self, several: Results) -> None:
        listing = sensitivity.table(several)
        assert isinstance(listing, Listing)
        frame = listing.frame.set_index("prompt set")
        assert list(frame.index) == ["base", "loud", "newline"]
        assert list(frame.columns[:4]) == [
            "distance", "S of distance", "signed difference of distance", "noise floor of distance",
        ]  # fmt: skip
        assert frame["S of distance"].notna().tolist() == [False, True, True]
        assert frame["noise floor of distance"].notna().tolist() == [True, False, False]

    def test_one_prompt_set_has_none(self, one: Results) -> None:
        assert sensitivity.table(one) is None
        assert not list(sensitivity.sensitivities(one))


class TestTrajectories:
    def panels(self, figure: Figure | None) -> dict[str, Axes]:
        assert figure is not None
        return {axes.get_title(loc="left"): axes for axes in figure.draw().axes if axes.axison}

    def test_the_reference_model_comes_first_and_the_initial_opinion_before_the_steps(self, one: Results) -> None:
        panels = self.panels(trajectories(one))
        assert list(panels) == ["reference model", *ALL]
        table = one.tables["Transitions"]
        own = table[(table["run"] == 0) & (table["agent"] == "zero") & (table["node"] == 0)].sort_values("step")
        line = panels["reference model"].lines[0]
        assert list(line.get_xdata()) == [0, 1, 2, 3]
        assert np.allclose(line.get_ydata(), [own["x"].iloc[0], *own["reference"]])
        assert np.allclose(panels["zero agent"].lines[0].get_ydata()[1:], 0)

    def test_an_opinion_that_cannot_be_read_leaves_a_gap(self, one: Results) -> None:
        table = one.tables["Transitions"]
        lost = table[(table["run"] == 0) & (table["agent"] == "llm")]["opinion"].isna().sum()
        lines = self.panels(trajectories(one))["LLM agents"].lines
        assert sum(np.isnan(np.asarray(line.get_ydata(), dtype=float)).sum() for line in lines) == lost

    def test_panels_beyond_the_most_are_named(self, several: Results) -> None:
        figure = trajectories(several)
        assert len(self.panels(figure)) == MOST_PANELS
        assert figure is not None
        assert figure.caption.endswith("Not shown: random agent.")

    def test_free_runs_are_what_they_are(self, free: Results) -> None:
        figure = trajectories(free)
        assert figure is not None
        assert "ran freely" in figure.caption
        assert list(self.panels(figure)) == [ALL[0], "reference model", *ALL[1:]]

    def test_of_recorded_agents_with_a_name_of_their_own(self, one: Results) -> None:
        frame = pd.DataFrame({"run": "0", "step": ["0", "1"], "node": "0", "x": ["0.4", "0.2"], "reference": "0.2",
                              "opinion": ["1", None], "agent": "people"})  # fmt: skip
        figure = trajectories(replace(one, tables={"Transitions": read(frame)}))
        assert list(self.panels(figure)) == ["reference model", "people"]
        assert trajectories(replace(one, tables={"Transitions": read(frame.assign(repeat="1"))})) is None


class TestUpdates:
    def excerpts(self, results: Results) -> dict[str, Excerpts]:
        return {one.name: one for one in updates(results)}

    def test_show_what_was_said_and_read(self, one: Results) -> None:
        found = self.excerpts(one)["updates-random"]
        assert len(found.excerpts) == 6
        table = one.tables["Transitions"]
        read = table[(table["agent"] == "llm") & ~table["isolated"] & table["opinion"].notna()]
        assert found.caption.startswith(f"6 of {len(read)} updates")
        row = next(row for _, row in read.iterrows() if f"{row['handle']}: " in found.excerpts[0].heading)
        assert found.excerpts[0].heading.startswith("base, run ")
        assert any(excerpt.text == f"{row['reply']}\n\n—\n{row['decoding']}" for excerpt in found.excerpts)

    def test_the_worst_are_the_furthest(self, one: Results) -> None:
        table = one.tables["Transitions"]
        llm = table[(table["agent"] == "llm") & ~table["isolated"] & table["opinion"].notna()]
        worst = llm.loc[(5 * llm["reference"] - llm["opinion"]).abs().idxmax()]
        heading = self.excerpts(one)["updates-worst"].excerpts[0].heading
        assert f"run {worst['run']}, step {worst['step']}, {worst['handle']}" in heading
        assert heading.endswith(f"reference {5 * worst['reference']:+.1f}, read as {worst['opinion']:+g}")

    def test_lost_ones_say_so(self, one: Results) -> None:
        found = self.excerpts(one)["updates-undecodable"]
        assert all(excerpt.heading.endswith("not read") for excerpt in found.excerpts)
        assert found.excerpts[0].text.startswith("Hm, hard to say. <b>*Really*</b>\n")

    def test_what_was_asked_again_is_told(self, several: Results) -> None:
        headings = [e.heading for found in self.excerpts(several).values() for e in found.excerpts]
        assert any(" (repeat 1), run" in heading for heading in headings)

    def test_recorded_ones_may_lack_everything_else(self, one: Results) -> None:
        frame = pd.DataFrame({"run": "0", "step": "0", "node": ["3", "4"], "x": "0.4", "reference": "0.2",
                              "opinion": ["1", None], "reply": "I am for it."})  # fmt: skip
        found = self.excerpts(replace(one, tables={"Transitions": read(frame)}))
        [random, lost] = [found[name].excerpts[0] for name in ("updates-random", "updates-undecodable")]
        assert random.heading == "recorded, run 0, step 0, agent 3: had +2.0, reference +1.0, read as +1"
        assert lost.heading == "recorded, run 0, step 0, agent 4: had +2.0, reference +1.0, not read"
        assert random.text == "I am for it.\n\n—\n"
