import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Rectangle

from metricsengine.aggregate import aggregate
from metricsengine.charts.forms import styles
from metricsengine.charts.labels import text_width, wrapped
from metricsengine.drawing import Drawing as Drawn
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Figure
from metricsengine.metric import Measure
from metricsengine.records import SIMULATIONS
from metricsengine.results import Results
from metricsengine_caricature import figures
from metricsengine_caricature.findings import averages, chances

UNITS = ("persona", "topic")
KEEP = ((), ("persona",), ("topic",), ("persona", "topic_specificity"))
METRICS = ("individuation", "individuation.v_measure", "exaggeration")
Person = tuple[str, str]  # name, category
Subject = dict[str, str]  # name and labels

QUICK_PERSONS: list[Person] = [("80-year-old person", "age"), ("nonbinary person", "gender")]
QUICK_SUBJECTS: list[Subject] = [
    {"topic": "Cars", "topic_kind": "general", "topic_origin": "WikiHow"},
    {"topic": "How to Drive", "topic_kind": "specific", "topic_origin": "WikiHow"},
]
PAPER_PERSONS: list[Person] = [
    (f"{name} person", category)
    for category, names in {
        "age": ("20-year-old", "40-year-old", "80-year-old"),
        "politics": ("conservative", "liberal", "moderate"),
        "race": ("Asian", "Black", "Hispanic", "Middle-Eastern", "white"),
        "gender": ("male", "nonbinary", "female", "two-spirit"),
    }.items()
    for name in names
]
PAPER_SUBJECTS: list[Subject] = [
    {
        "topic": f"Subject {i}"
        if i % 2
        else f"If you were to decide about subject {i}, what priority, if any, would you "
        "give to the quality of life of future generations in your own country and in all others?",
        "topic_kind": "general" if i % 2 else "specific",
        "topic_origin": "WikiHow" if i < 30 else "ProCon.org",
        "topic_category": f"subject {i // 2}",
    }
    for i in range(60)
]


def value(metric: str, cell: Sequence[int]) -> float:
    """Anything that differs from cell to cell."""
    context, person, subject = cell
    base = {"individuation": 0.9, "individuation.v_measure": 0.4, "exaggeration": 0.3}[metric]
    return base - 0.013 * person - 0.0021 * subject - 0.05 * context


def results(
    persons: Sequence[Person],
    subjects: Sequence[Subject],
    contexts: Sequence[str] = ("online_forum",),
    *,
    undefined: Sequence[tuple[str, str]] = (),
    sizes: Mapping[str, int] | None = None,
    encoders: Sequence[str] = ("mini",),
) -> Results:
    """Results of which every cell's value is known; persons have ``sizes`` responses, by default 3."""
    n = {name: 3 for name, _ in persons} | {"person": 3} | dict(sizes or {})
    cells: dict[str, list[Estimate]] = {metric: [] for metric in METRICS}
    for c, context in enumerate(contexts):
        for p, (persona, category) in enumerate(persons):
            for s, subject in enumerate(subjects):
                for metric in METRICS:
                    for e, encoder in enumerate(encoders):
                        labels = {"context": context, "persona": persona, **subject, "encoder": encoder}
                        labels |= {"persona_category": category} if category else {}
                        known = value(metric, (c, p, s)) - 0.1 * e
                        gone = (persona, subject["topic"]) in undefined
                        interval = () if metric == "individuation.v_measure" else (known - 0.02, known + 0.02)
                        cells[metric].append(
                            Estimate.undefined(metric, "insufficient data", labels=labels)
                            if gone
                            else Estimate(metric, known, n[persona], labels, *interval, interval="by hand")
                        )
    rows = [
        {
            "context": context, "persona": persona, "topic": topic, "default_persona": persona == "person",
            "default_topic": topic == "comment", "replicate": i, "outcome": "answered", "text": "Yes.",
        }
        for context in contexts
        for persona in ("person", *(name for name, _ in persons))
        for topic in ("comment", *(subject["topic"] for subject in subjects))
        for i in range(n[persona])
    ]  # fmt: skip
    measures = {metric: Measure(metric, units=UNITS, keep=KEEP) for metric in METRICS}
    estimates = [e for metric, own in cells.items() for e in (*own, *aggregate(own, measures[metric], 7))]
    table = SIMULATIONS.conform(pd.DataFrame(rows))
    return Results("caricature", "paper", 7, None, {}, {}, estimates, measures, {"Simulations": table})


def drawn(figure: Figure | None) -> Drawing:
    assert figure is not None
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        drawing = figure.draw()
        drawing.draw_without_rendering()
    return drawing


def panels(drawing: Drawing) -> list[Axes]:
    return [axes for axes in drawing.axes if axes.axison]


def dots(axes: Axes) -> dict[str, dict[str, float]]:
    """Values by series and row; a row is the label nearest to the dot."""
    label = axes.yaxis.get_major_formatter()  # panels that share their rows have no tick labels of their own
    ticks = [(tick, label(tick)) for tick in axes.get_yticks()]

    def row(y: float) -> str:
        return min(ticks, key=lambda tick: abs(tick[0] - y))[1]

    return {
        str(found.get_label()): {row(y): float(x) for x, y in found.get_offsets()}
        for found in axes.collections
        if isinstance(found, PathCollection)
    }


def row_labels(axes: Axes, weight: str = "normal") -> list[str]:
    return [tick.get_text() for tick in axes.get_yticklabels() if tick.get_fontweight() == weight]


def words(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def only(found: Mapping[str, dict[str, float]]) -> dict[str, float]:
    [values] = found.values()
    return values


def mean(metric: str, *cells: Sequence[int]) -> float:
    return float(np.mean([value(metric, cell) for cell in cells]))


def test_individuation_shows_the_mean_over_topics_of_each_persona_under_its_category() -> None:
    [axes] = panels(drawn(figures.individuation(results(QUICK_PERSONS, QUICK_SUBJECTS))))
    assert only(dots(axes)) == {
        "80-year-old person": pytest.approx(mean("individuation", (0, 0, 0), (0, 0, 1))),
        "nonbinary person": pytest.approx(mean("individuation", (0, 1, 0), (0, 1, 1))),
    }
    assert row_labels(axes, "bold") == ["age", "gender"]
    assert "chance" in words(axes)
    assert any(list(line.get_xdata()) == [0.5, 0.5] for line in axes.lines)


def test_chance_is_the_larger_class() -> None:
    found = results(QUICK_PERSONS, QUICK_SUBJECTS, sizes={"person": 9})
    assert chances(found)["online_forum", "", "nonbinary person", "Cars"] == 0.75
    [axes] = panels(drawn(figures.individuation(found)))
    assert any(list(line.get_xdata()) == [0.75, 0.75] for line in axes.lines)


def test_chance_that_differs_between_cells_is_a_band() -> None:
    found = results(QUICK_PERSONS, QUICK_SUBJECTS, sizes={"nonbinary person": 1})
    [axes] = panels(drawn(figures.individuation(found)))
    bands = [(patch.get_x(), patch.get_width()) for patch in axes.patches if isinstance(patch, Rectangle)]
    assert (0.5, pytest.approx(0.25)) in bands


def test_every_context_has_its_own_colour_and_marker() -> None:
    [axes] = panels(drawn(figures.individuation(results(QUICK_PERSONS, QUICK_SUBJECTS, ("forum", "interview")))))
    assert dots(axes)["interview"]["nonbinary person"] == pytest.approx(mean("individuation", (1, 1, 0), (1, 1, 1)))
    assert set(dots(axes)) == {"forum", "interview"}


def test_undefined_cells_are_seen_and_counted() -> None:
    gone = [("nonbinary person", "Cars"), ("nonbinary person", "How to Drive"), ("80-year-old person", "Cars")]
    figure = figures.individuation(results(QUICK_PERSONS, QUICK_SUBJECTS, undefined=gone))
    assert figure is not None
    [axes] = panels(drawn(figure))
    assert only(dots(axes)) == {"80-year-old person": pytest.approx(value("individuation", (0, 0, 1)))}
    assert {"undefined", "1 undefined"} <= set(words(axes))
    assert "4 cells, 3 of them undefined and left out" in figure.caption
    assert "Protocol paper; encoder mini." in figure.caption


def test_a_mean_of_one_cell_has_the_interval_of_that_cell() -> None:
    found = results(QUICK_PERSONS, QUICK_SUBJECTS[:1])
    [first, *_] = averages(found, "exaggeration", "persona")
    known = value("exaggeration", (0, 0, 0))
    assert (first.low, first.high) == (pytest.approx(known - 0.02), pytest.approx(known + 0.02))


def test_exaggeration_by_persona_tells_kind_by_colour_and_origin_by_marker() -> None:
    [axes] = panels(drawn(figures.exaggeration_by_persona(results(PAPER_PERSONS, PAPER_SUBJECTS))))
    found = dots(axes)
    assert list(found) == ["general, ProCon.org", "general, WikiHow", "specific, ProCon.org", "specific, WikiHow"]
    own = [(0, 6, s) for s in range(30) if s % 2]
    assert found["general, WikiHow"]["Asian person"] == pytest.approx(mean("exaggeration", *own))
    looks = [(to_hex(c.get_edgecolor()[0]), c.get_sizes()[0], len(c.get_paths()[0])) for c in axes.collections]
    assert looks[0][0] == looks[1][0] != looks[2][0] == looks[3][0]
    assert looks[0][1] > looks[2][1]
    assert looks[0][2] == looks[2][2] != looks[1][2]


def test_rows_stand_under_headings_the_highest_first() -> None:
    [axes] = panels(drawn(figures.exaggeration_by_persona(results(PAPER_PERSONS, PAPER_SUBJECTS))))
    assert row_labels(axes, "bold") == ["age", "politics", "race", "gender"]
    assert row_labels(axes)[:4] == [name for name, _ in PAPER_PERSONS[:4]]


def test_specificity_is_told_by_size() -> None:
    subjects = [{"topic": f"health {i}", "topic_specificity": str(1 + i // 2)} for i in range(10)]
    [axes] = panels(drawn(figures.exaggeration_by_specificity(results(QUICK_PERSONS, subjects))))
    found = dots(axes)
    assert list(found) == [f"level {i}" for i in range(1, 6)]
    assert found["level 3"]["nonbinary person"] == pytest.approx(mean("exaggeration", (0, 1, 4), (0, 1, 5)))
    sizes = [collection.get_sizes()[0] for collection in axes.collections]
    assert all(larger > smaller for larger, smaller in pairwise(sizes))


def test_crossed_contexts_compare_the_topics_that_they_share() -> None:
    found = results(QUICK_PERSONS, QUICK_SUBJECTS, ("forum", "interview"))
    odd = [e for e in found.estimates if not (e.labels["context"] == "interview" and e.labels.get("topic") == "Cars")]
    figure = figures.contexts_crossed(replace(found, estimates=[e for e in odd if not e.over]))
    [axes] = panels(drawn(figure))
    assert dots(axes) == {
        context: {
            persona: pytest.approx(value("exaggeration", (c, p, 1))) for p, (persona, _) in enumerate(QUICK_PERSONS)
        }
        for c, context in enumerate(("forum", "interview"))
    }


def test_categories_of_topics_are_shown_for_each_of_a_few_personas() -> None:
    subjects = [{"topic": f"{kind} {i}", "topic_category": kind} for kind in ("race", "figure") for i in range(2)]
    [axes] = panels(drawn(figures.exaggeration_by_category(results(QUICK_PERSONS, subjects))))
    assert row_labels(axes) == ["all topics", "race", "figure"]
    assert dots(axes)["nonbinary person"] == {
        "all topics": pytest.approx(mean("exaggeration", *((0, 1, s) for s in range(4)))),
        "race": pytest.approx(mean("exaggeration", (0, 1, 0), (0, 1, 1))),
        "figure": pytest.approx(mean("exaggeration", (0, 1, 2), (0, 1, 3))),
    }


def test_categories_of_topics_are_averaged_over_many_personas() -> None:
    [axes] = panels(drawn(figures.exaggeration_by_category(results(PAPER_PERSONS, PAPER_SUBJECTS))))
    [values] = dots(axes).values()
    own = [(0, p, s) for p in range(15) for s in (4, 5)]
    assert values["subject 2"] == pytest.approx(mean("exaggeration", *own))


def test_topics_are_sorted_and_wrapped_and_do_not_overlap() -> None:
    drawing = drawn(figures.exaggeration_by_topic(results(PAPER_PERSONS, PAPER_SUBJECTS)))
    [axes] = panels(drawing)
    found = {row: x for own in dots(axes).values() for row, x in own.items()}
    order = [found[label] for label in row_labels(axes)]
    assert len(order) == 60
    assert order == sorted(order, reverse=True)
    assert_legible(drawing, axes)


@pytest.mark.parametrize("maker", [figures.individuation, figures.exaggeration_by_persona])
def test_personas_of_any_script_and_length_are_legible(maker: Callable[[Results], Figure | None]) -> None:
    odd = [
        "一位喜欢在网上论坛发表意见并且非常乐于助人的八十岁老人" * 4,
        "امرأة",
        "$x$ & <b> {y}_z^2",
        "a" * 500,
        "wordy " * 2000,
    ]
    drawing = drawn(maker(results([(name, "") for name in odd], QUICK_SUBJECTS)))
    [axes] = panels(drawing)
    assert len(row_labels(axes)) == len(odd)
    assert r"\$x\$ & <b> {y}_z^2" in row_labels(axes)
    assert_legible(drawing, axes)


def assert_legible(drawing: Drawing, axes: Axes) -> None:
    boxes = [tick.get_window_extent() for tick in axes.get_yticklabels()]
    assert min(box.x0 for box in boxes) >= 0
    assert axes.get_window_extent().x0 > 0.1 * drawing.bbox.width
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_of_very_many_rows_the_highest_are_shown() -> None:
    subjects = [{"topic": f"subject {i}"} for i in range(120)]
    figure = figures.exaggeration_by_topic(results(QUICK_PERSONS, subjects))
    assert figure is not None
    assert "Only the 90 highest of 120 rows are shown." in figure.caption
    [axes] = panels(drawn(figure))
    assert row_labels(axes) == [f"subject {i}" for i in range(90)]


def test_heat_map_holds_every_cell() -> None:
    found = results(QUICK_PERSONS, QUICK_SUBJECTS, undefined=[("80-year-old person", "How to Drive")])
    [figure] = figures.heat_maps(found)
    assert figure.name == "persona-by-topic"
    axes = panels(drawn(figure))[0]
    [mesh] = [collection for collection in axes.collections if isinstance(collection, QuadMesh)]
    columns = [tick.get_text() for tick in axes.get_xticklabels()]
    shown = np.ma.filled(mesh.get_array(), np.nan)
    expected = [
        [np.nan if (p, s) == (0, 1) else value("exaggeration", (0, p, s)) for p in (0, 1)]
        for s in (0, 1)
    ]  # fmt: skip
    assert columns == ["80-year-old person", "nonbinary person"]
    assert row_labels(axes) == ["Cars", "How to Drive"]
    np.testing.assert_allclose(shown, expected)
    assert words(axes).count("undefined") == 1
    assert sum(patch.get_hatch() is not None for patch in axes.patches) == 1


def test_every_context_has_its_heat_map() -> None:
    found = figures.heat_maps(results(QUICK_PERSONS, QUICK_SUBJECTS, ("forum", "interview")))
    assert [figure.name for figure in found] == ["persona-by-topic-1", "persona-by-topic-2"]


def test_topic_length_states_the_correlation() -> None:
    figure = figures.topic_length(results(PAPER_PERSONS, PAPER_SUBJECTS))
    assert figure is not None
    lengths = [len(subject["topic"]) for subject in PAPER_SUBJECTS]
    means = [mean("exaggeration", *((0, p, s) for p in range(15))) for s in range(60)]
    r = np.corrcoef(lengths, means)[0, 1]
    assert f"r = {r:.3g}".replace("-", "−") in figure.caption
    assert "n = 60" in figure.caption
    [axes] = panels(drawn(figure))
    points = {(x, round(y, 9)) for x, y in axes.collections[0].get_offsets().tolist()}
    assert points == {(x, round(y, 9)) for x, y in zip(lengths, means, strict=True)}


def test_variants_stand_beside_each_other() -> None:
    drawing = drawn(
        figures.individuation_variants(results(QUICK_PERSONS, QUICK_SUBJECTS, encoders=("mini", "roberta")))
    )
    shown = {axes.get_title(loc="left"): only(dots(axes)) for axes in panels(drawing)}
    assert list(shown) == ["accuracy, mini", "accuracy, roberta", "V-measure, mini", "V-measure, roberta"]
    known = mean("individuation.v_measure", (0, 1, 0), (0, 1, 1)) - 0.1
    assert shown["V-measure, roberta"]["nonbinary person"] == pytest.approx(known)
    chance = [axes.get_title(loc="left") for axes in panels(drawing) if "chance" in words(axes)]
    assert chance == ["accuracy, mini", "accuracy, roberta"]


def test_encoders_are_not_mixed() -> None:
    found = results(QUICK_PERSONS, QUICK_SUBJECTS, encoders=("mini", "roberta"))
    [axes] = panels(drawn(figures.individuation(found)))
    assert only(dots(axes))["nonbinary person"] == pytest.approx(mean("individuation", (0, 1, 0), (0, 1, 1)))
    without_means = replace(found, estimates=[e for e in found.estimates if not e.over])
    assert averages(without_means, "exaggeration", "persona") == averages(found, "exaggeration", "persona")


def test_a_dot_without_interval_is_hollow() -> None:
    found = results(QUICK_PERSONS, QUICK_SUBJECTS[:1])
    figure = figures.individuation_variants(found)
    assert figure is not None
    assert "Hollow dots have no interval." in figure.caption
    axes = panels(drawn(figure))[1]
    assert {to_hex(colour) for c in axes.collections for colour in c.get_facecolors()} == {"#ffffff"}


def test_what_lies_beyond_the_scale_is_an_arrow_with_its_number() -> None:
    found = results(QUICK_PERSONS, QUICK_SUBJECTS)
    cells = [e for e in found.estimates if not e.over]
    far = [replace(e, value=17.0, low=-3.0, high=40.0) if e.labels["topic"] == "Cars" else e for e in cells]
    [axes] = panels(drawn(figures.exaggeration_by_topic(replace(found, estimates=far))))
    assert "17" in words(axes)
    low, high = axes.get_xlim()
    assert low >= -1
    assert high == 2


def test_the_default_topic_that_released_scores_is_no_topic_of_its_own() -> None:
    found = results(QUICK_PERSONS, [*QUICK_SUBJECTS, {"topic": "comment"}], ("forum", "interview"))
    figure = figures.exaggeration_by_persona(replace(found, protocol="released"))
    assert figure is not None
    assert set(dots(panels(drawn(figure))[0])) == {"general, WikiHow", "specific, WikiHow"}
    assert figures.topic_length(found) is None
    crossed = figures.contexts_crossed(found)
    assert crossed is not None
    assert "on the 2 topics" in crossed.caption


def test_a_figure_without_data_does_not_exist() -> None:
    single = results([("woman", "")], [{"topic": "Golf"}])
    assert figures.individuation(single) is not None
    assert [figure.name for figure in figures.further(single)] == ["individuation-variants"]
    empty = replace(single, estimates=[])
    assert figures.individuation(empty) is None
    assert figures.exaggeration_by_persona(empty) is None
    assert figures.further(empty) == []


def test_all_undefined_is_a_figure_that_says_so() -> None:
    gone = [(persona, subject["topic"]) for persona, _ in QUICK_PERSONS for subject in QUICK_SUBJECTS]
    found = results(QUICK_PERSONS, QUICK_SUBJECTS, undefined=gone)
    figure = figures.exaggeration_by_persona(found)
    assert figure is not None
    assert "All values are undefined." in figure.alt
    [axes] = panels(drawn(figure))
    assert words(axes).count("undefined") == 2
    assert drawn(figures.heat_maps(found)[0])


@pytest.mark.slow
def test_all_figures_of_the_paper_are_drawn_as_bitmap_and_vectors() -> None:
    found = results(PAPER_PERSONS, PAPER_SUBJECTS, ("online_forum", "interview"))
    made = [figures.individuation(found), figures.exaggeration_by_persona(found), *figures.further(found)]
    names = [figure.name for figure in made if figure]
    assert len(names) == len(set(names)) == 9
    for figure in made:
        assert figure is not None
        drawing = Drawn(figure.draw)
        assert drawing.png().startswith(b"\x89PNG")
        assert drawing.svg.rstrip().endswith("</svg>")


@given(st.text(max_size=300), st.floats(0.5, 3.0))
@settings(max_examples=60, deadline=None)
def test_wrapped_lines_fit(text: str, inches: float) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        lines = wrapped(text, inches, most=4).split("\n")
        assert len(lines) <= 4
        assert all(text_width(line.replace(r"\$", "$").removesuffix(" …")) <= inches for line in lines)


def test_series_are_told_apart_by_more_than_colour() -> None:
    found = styles([str(i) for i in range(20)])
    assert len({(style.colour, style.marker) for style in found.values()}) == 20
    assert len({style.marker for style in list(found.values())[:7]}) == 7


def test_rows_without_a_heading_do_not_stand_under_another_s() -> None:
    [axes] = panels(drawn(figures.individuation(results([("woman", "gender"), ("80-year-old", "")], QUICK_SUBJECTS))))
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["80-year-old", "gender", "woman"]
