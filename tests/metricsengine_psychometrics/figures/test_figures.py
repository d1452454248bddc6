"""The figures: what stands where, that it is legible, and that its message is told in words."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Rectangle

from metricsengine.drawing import Drawing as Drawn
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Figure
from metricsengine.results import Results
from metricsengine_psychometrics.figures.correlations import intercorrelations
from metricsengine_psychometrics.figures.exhibits import exhibits
from metricsengine_psychometrics.figures.histograms import histograms
from metricsengine_psychometrics.figures.reliability import sensitivities
from metricsengine_psychometrics.figures.scores import by_test, induced_personality, trait_scores
from metricsengine_psychometrics.traits import BIG_FIVE, TRAITS


def drawn(figure: Figure | None) -> Drawing:
    assert figure is not None
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        drawing = figure.draw()
        drawing.draw_without_rendering()
    return drawing


def panels(drawing: Drawing) -> list[Axes]:
    return [axes for axes in drawing.axes if axes.axison]


def labels(axes: Axes) -> list[tuple[float, str]]:
    found = axes.yaxis.get_major_formatter()
    return [(tick, found(tick)) for tick in axes.get_yticks()]


def dots(axes: Axes) -> dict[str, dict[str, list[float]]]:
    """Values by series and label of the row, from top to bottom."""
    ticks = labels(axes)
    found: dict[str, dict[str, list[float]]] = {}
    for collection in axes.collections:
        if isinstance(collection, PathCollection):
            rows = found.setdefault(str(collection.get_label()), {})
            for x, y in sorted(collection.get_offsets().tolist(), key=lambda point: point[1]):
                rows.setdefault(min(ticks, key=lambda tick: abs(tick[0] - y))[1], []).append(round(x, 9))
    return found


def only(results: Results, *metrics: str) -> Results:
    return replace(results, estimates=[e for e in results.estimates if e.metric in metrics])


def assert_legible(drawing: Drawing) -> None:
    for axes in panels(drawing):
        boxes = [tick.get_window_extent() for tick in axes.get_yticklabels() if tick.get_text()]
        assert all(box.x0 >= 0 for box in boxes)
        assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_scores_stand_under_their_test_in_each_template_and_over_all(results: Results) -> None:
    drawing = drawn(trait_scores(results))
    [axes] = panels(drawing)
    assert [label for _, label in labels(axes)] == ["everyday", *TRAITS, "self", *BIG_FIVE]
    found = dots(axes)
    assert list(found) == ["template 1", "template 2", "template 3", "mean over templates"]
    assert found["template 2"]["openness"] == [34, 54]
    assert found["mean over templates"]["narcissism"] == [30 + 5 * TRAITS.index("narcissism") + 4]
    assert_legible(drawing)


def test_a_single_test_is_grouped_by_kind_of_trait(results: Results) -> None:
    single = [e for e in results.estimates if e.labels.get("test") == "everyday" and "template" in e.labels]
    [axes] = panels(drawn(trait_scores(replace(results, estimates=[e for e in single if e.labels["template"] == "1"]))))
    assert [label for _, label in labels(axes)] == ["Big Five", *TRAITS[:5], "Dark Triad", *TRAITS[5:]]
    [values] = dots(axes).values()
    assert values["openness"] == [32]


def test_induced_levels_and_other_conditions_are_no_plain_scores(results: Results) -> None:
    [axes] = panels(drawn(trait_scores(only(results, "trait_score"))))
    assert sum(len(values) for own in dots(axes).values() for values in own.values()) == 4 * 13


def test_models_stand_in_panels(results: Results) -> None:
    two = [
        replace(e, labels={**e.labels, "model": model}, value=(e.value or 0) + shift)
        for e in only(results, "trait_score").estimates
        for model, shift in (("one", 0.0), ("two", 10.0))
    ]
    drawing = drawn(trait_scores(replace(results, estimates=two)))
    assert [axes.get_title(loc="left") for axes in panels(drawing)] == ["one", "two"]
    assert dots(panels(drawing)[1])["template 1"]["openness"] == [42, 62]


def test_the_caption_says_what_the_marks_and_numbers_are(results: Results) -> None:
    figure = trait_scores(results)
    assert figure is not None
    for told in ("figure 3", "Lines are 95 % intervals (by hand).", "n = 3 to 20.", "Protocol paper."):
        assert told in figure.caption
    assert "Highest: self, neuroticism, template 3, 76 [72, 80]." in figure.alt
    assert "Lowest: everyday, openness, template 1, 32 [28, 36]." in figure.alt


def test_of_low_personalities_the_score_is_counted_from_the_other_end(results: Results) -> None:
    figure = induced_personality(results)
    [axes] = panels(drawn(figure))
    found = dots(axes)
    assert found["induced high: score"] == {trait: [92] for trait in TRAITS}
    assert found["induced low: 100 − score"] == {trait: [78] for trait in TRAITS}
    ends = {tuple(line.get_xdata()) for line in axes.lines}
    assert (74, 82) in ends
    assert (88, 96) in ends
    assert figure is not None
    assert "figure 5" in figure.caption


def test_traits_of_several_tests_stand_beside_each_other(results: Results) -> None:
    [axes] = panels(drawn(by_test(results)))
    found = dots(axes)
    assert found == {
        "everyday (scenarios)": {trait: [34 + 5 * i] for i, trait in enumerate(BIG_FIVE)},
        "self (self-assessment)": {trait: [54 + 5 * i] for i, trait in enumerate(BIG_FIVE)},
    }


def test_sensitivities_stand_beside_their_floor(results: Results) -> None:
    figure = sensitivities(results)
    [axes] = panels(drawn(figure))
    assert [label for _, label in labels(axes)] == [
        "prompt template", "everyday", "self", "order of the options", "everyday", "self",
    ]  # fmt: skip
    assert dots(axes) == {
        "sensitivity": {"everyday": [0.3, 0.4], "self": [0.3, 0.4]},
        "noise floor": {"everyday": [0.1]},
    }
    assert figure is not None
    assert "All lie above it." in figure.caption


def test_sensitivities_within_the_floor_are_named(results: Results) -> None:
    low = [replace(e, flags=("within_noise_floor",)) if e.value == 0.3 else e for e in results.estimates]
    figure = sensitivities(replace(results, estimates=low))
    assert figure is not None
    assert "Not above it: prompt template in everyday; prompt template in self." in figure.caption
    without = sensitivities(only(results, "prompt_sensitivity"))
    assert without is not None
    assert "Nothing was asked twice" in without.caption


def test_correlations_stand_beside_those_of_people(results: Results) -> None:
    [figure] = intercorrelations(results)
    axes = panels(drawn(figure))[0]
    [mesh] = [collection for collection in axes.collections if isinstance(collection, QuadMesh)]
    grid = mesh.get_array()
    columns = [tick.get_text() for tick in axes.get_xticklabels()]
    row = [label for _, label in labels(axes)].index

    def shown(trait: str, other: str) -> float:
        return float(grid[row(trait), columns.index(other)])

    pairs = list(combinations(TRAITS, 2))
    for first, second in pairs:
        expected = pytest.approx(pairs.index((first, second)) / 100)
        assert shown(first, second) == shown(second, first) == expected
    assert shown("agreeableness", "people: machiavellianism") == pytest.approx(-0.47)
    assert shown("narcissism", "people: psychopathy") == pytest.approx(0.50)
    assert [name for name in columns if name.startswith("people: ")] == [
        f"people: {trait}" for trait in ("agreeableness", "psychopathy", "machiavellianism", "narcissism")
    ]
    assert figure.name == "intercorrelation"
    assert "induced high" in figure.title
    assert "Strongest: machiavellianism and narcissism, 0.27." in figure.alt


def test_every_level_has_its_grid_and_undefined_ones_have_none(results: Results) -> None:
    own = only(results, "trait_correlation").estimates
    low = [replace(e, labels={**e.labels, "level": "low"}) for e in own]
    gone = [
        Estimate.undefined(e.metric, "constant", labels={k: v for k, v in e.labels.items() if k != "level"})
        for e in own
    ]
    figures = intercorrelations(replace(results, estimates=[*own, *low, *gone]))
    assert [figure.name for figure in figures] == ["intercorrelation-1", "intercorrelation-2"]
    assert ["high" in figures[0].title, "low" in figures[1].title] == [True, True]


def bars(axes: Axes) -> list[float]:
    return [float(patch.get_height()) for patch in axes.patches if isinstance(patch, Rectangle)]


def test_answers_are_counted_for_each_trait_and_template(results: Results) -> None:
    scenarios, statements = histograms(results)
    drawing = drawn(scenarios)
    grid = panels(drawing)
    assert len(grid) == 4
    assert [axes.get_title() for axes in grid[:2]] == ["template 1", "template 2"]
    assert [axes.get_ylabel() for axes in grid[::2]] == ["openness", "narcissism"]
    assert [bars(axes) for axes in grid] == [[0.75, 0, 0.25, 0]] * 4
    assert [tick.get_text() for tick in grid[-1].get_xticklabels()] == ["high1", "high2", "low1", "low2"]
    [axes] = panels(drawn(statements))
    assert bars(axes) == [0, 0, 0, 1, 0]
    assert "self" in statements.title
    assert "figure 8" in scenarios.caption


def test_a_tie_is_an_answer_of_its_own(results: Results) -> None:
    table = results.tables["Answers"].copy()
    level = (table["item"] == "openness-0") & (table["template"] == "2")
    for role in ("high1", "high2", "low1", "low2"):
        table.loc[level, f"p_{role}"] = 0.2
    scenarios, _ = histograms(replace(results, tables={"Answers": table}))
    grid = panels(drawn(scenarios))
    assert bars(grid[1]) == [0.5, 0, 0.25, 0, 0.25]
    assert bars(grid[0]) == [0.75, 0, 0.25, 0, 0]
    assert "Largest change of an answer's share between templates: 0.25 in openness." in scenarios.alt


@pytest.mark.parametrize("maker", [trait_scores, induced_personality, by_test, sensitivities])
def test_a_figure_without_data_does_not_exist(results: Results, maker: Callable[[Results], Figure | None]) -> None:
    assert maker(replace(results, estimates=[])) is None


def test_without_answers_and_correlations_there_are_no_figures_of_them(results: Results) -> None:
    assert histograms(replace(results, tables={})) == []
    assert intercorrelations(replace(results, estimates=[])) == []


def test_names_of_any_script_and_length_are_legible(results: Results) -> None:
    odd = {"openness": "一位喜欢在网上论坛发表意见" * 4, "narcissism": "$x$ & <b> " + "wordy " * 100}
    found = [
        replace(e, labels={**e.labels, "trait": odd.get(e.labels["trait"], e.labels["trait"])})
        for e in only(results, "trait_score").estimates
    ]
    table = results.tables["Answers"].copy()
    table["trait"] = table["trait"].replace(odd)
    strange = replace(results, estimates=found, tables={"Answers": table})
    assert_legible(drawn(trait_scores(strange)))
    drawn(histograms(strange)[0])


def test_every_exhibit_is_there_once_and_every_figure_can_be_drawn(results: Results) -> None:
    found = exhibits(results)
    names = [exhibit.name for exhibit in found]
    assert names == [
        "card", "trait-scores", "induced-personality", "self-assessment", "intercorrelation", "sensitivities",
        "answers-1", "answers-2", "scores-by-template", "induced-scores-by-template", "internal-validity",
        "scenario-breakdown", "content-validity", "option-words", "items", "uncertain-items", "refusals", "unparsed",
    ]  # fmt: skip
    for exhibit in found:
        if isinstance(exhibit, Figure):
            assert exhibit.alt
            assert Drawn(exhibit.draw).png().startswith(b"\x89PNG")


def test_a_run_that_measured_nothing_has_a_card(results: Results) -> None:
    empty = replace(results, estimates=[], tables={}, model=None)
    assert [exhibit.name for exhibit in exhibits(empty)] == ["card"]
