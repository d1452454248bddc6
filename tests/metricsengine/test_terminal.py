"""The terminal: results in a table, what is missing below it, where everything lies last; and progress."""

import io
import re

import pytest
from rich.console import Console

from metricsengine.estimate import Estimate
from metricsengine.metric import Measure
from metricsengine.results import Results
from metricsengine.terminal import EngineProgress, show_results
from metricsengine.terminal_rows import FEW

LINK = "MLflow: http://127.0.0.1:5000/#/experiments/1/runs/" + "0123456789abcdef" * 6
HOSTILE = [
    "[bold red]persona[/]",
    "\x1b[2J\x1b]0;title\x07",
    "\u202egnp.exe",
    "nul\x00",
    "\x9b31m",
    "two\nlines\r",
    "lone \ud800",
    "p" * 10_000,
    ":skull: [link=http://evil]x[/link]",
]


def results(estimates: list[Estimate], **changes: object) -> Results:
    content = {
        "study": "caricature", "protocol": "paper", "seed": 1, "model": {"name": "SmolLM2"}, "compost": {},
        "counts": {"requests": 300, "answered": 298, "refused": 2}, "estimates": estimates,
        "measures": {"exaggeration": Measure("exaggeration", units=("persona", "topic"))},
    }  # fmt: skip
    return Results(**(content | changes))  # type: ignore[arg-type] # keyword by keyword


def cell(persona: str, topic: str, value: float = 0.31) -> Estimate:
    labels = {"encoder": "MiniLM", "persona": persona, "persona_category": "gender", "topic": topic}
    return Estimate("exaggeration", value, 100, labels, low=value - 0.07, high=value + 0.08)


def shown(found: Results, *lines: str, width: int = 80, colour: bool = False) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=colour, color_system="standard" if colour else None)
    show_results(found, lines, console)
    return file.getvalue()


def test_few_cells_are_shown_one_by_one_with_what_they_share_said_once() -> None:
    text = shown(results([cell("woman", "golf"), cell("man", "golf", 0.25)]))
    assert re.search(r"exaggeration +persona woman +0\.31 \[0\.24, 0\.39\] +100", text)
    assert re.search(r"exaggeration +persona man +0\.25 \[0\.18, 0\.33\] +100", text)
    assert "Throughout: encoder MiniLM, persona category gender, topic golf" in text
    assert "SmolLM2 · protocol paper" in text


def test_many_cells_are_shown_as_averages_the_broadest_first() -> None:
    cells = [cell("woman", f"topic {i}") for i in range(FEW + 1)]
    averages = [
        Estimate("exaggeration", 0.2, 13, {"persona": "woman", "persona_category": "gender"}, over=("topic",)),
        Estimate("exaggeration", 0.3, 1, {"topic": "topic 1"}, over=("persona",)),
        Estimate("exaggeration", 0.1, 13, {}, over=("persona", "topic")),
    ]
    lines = [line.split() for line in shown(results(cells + averages)).splitlines() if line.startswith("exaggeration ")]
    assert lines == [
        ["exaggeration", "all", "0.1", "13"],
        ["exaggeration", "persona", "woman", "0.2", "13"],
        ["exaggeration", "topic", "topic", "1", "0.3", "1"],
    ]


def test_rows_beyond_the_table_are_counted_and_no_metric_crowds_out_another() -> None:
    many = [Estimate("a", 0.5, 1, {"topic": str(i)}) for i in range(500)]
    text = shown(results([*many, Estimate("b", 0.5, 1, {"topic": "0"})]))
    assert text.count("\na ") == 15
    assert text.count("\nb ") == 1
    assert "… and 485 more rows in the report" in text


def test_a_metric_that_has_averages_only_is_shown_and_counted_by_them() -> None:
    means = [Estimate("score", i / 10, 3, {"trait": f"t{i}"}, over=("template",)) for i in range(2)]
    text = shown(results([*(cell("woman", f"topic {i}") for i in range(FEW)), *means]))
    assert re.search(r"score +trait t1 +0\.1 +3", text)
    assert "score: 2 of 2 cells defined" in text


def test_where_rows_are_scarce_a_metric_without_values_has_none() -> None:
    cells = [cell("woman", f"topic {i}") for i in range(40)]
    nothing = [Estimate.undefined("refusals", "nothing was written", labels={"topic": f"topic {i}"}) for i in range(9)]
    text = shown(results([*cells, *nothing]))
    assert not re.search(r"^refusals +", text, re.MULTILINE)
    assert "refusals: 0 of 9 cells defined; undefined: 9 nothing was written" in text


def opinions(*variants: str) -> list[Estimate]:
    """Two metrics of agents in several variants, whole and by step, with what comparisons say of them."""

    def told(metric: str, **labels: str) -> list[Estimate]:
        return [Estimate(metric, 0.5, 9, {**labels, **step}) for step in ({}, *({"step": str(i)} for i in range(20)))]

    compared, own = [], []
    for name in ("distance", "polarity"):
        for variant in variants[1:]:
            compared += told("sensitivity", of=name, agent="llm", variant=variant)
            compared += told("sensitivity.signed", of=name, agent="llm", variant=variant)
        compared += told("noise_floor", of=name, agent="llm", variant=variants[0])
        for variant in variants:
            own += told(name, agent="llm", variant=variant)
        own += told(name, agent="zero") + told(name, agent="random")
    shares = [one for i in range(6) for agent in ("llm", "zero") for one in told(f"share {i}", agent=agent)]
    return [*sorted(compared, key=lambda e: e.labels["of"], reverse=True), *own, *shares]


def test_what_comparisons_say_of_the_first_metric_stands_before_it_and_steps_crowd_nobody_out() -> None:
    found = results(
        opinions("base", "loud", "wary", "terse"), compared=["sensitivity", "sensitivity.signed", "noise_floor"]
    )
    lines = [line.split("0.5")[0].split() for line in shown(found, width=120).splitlines() if " 0.5 " in line]
    assert lines[:10] == [
        *(["sensitivity", "distance", "·", "llm", "·", variant] for variant in ("loud", "wary", "terse")),
        ["noise_floor", "distance", "·", "llm", "·", "base"],
        *(["distance", "llm", "·", variant] for variant in ("base", "loud", "wary", "terse")),
        ["distance", "agent", "zero"],
        ["distance", "agent", "random"],
    ]
    assert ["polarity", "llm", "·", "base"] in lines
    assert ["share", "5", "agent", "zero"] in lines
    assert len(lines) <= 30


def test_what_is_said_of_the_first_metric_after_a_dot_is_not_left_to_the_report() -> None:
    against = [
        Estimate(f"{name}.difference", 0.5, 9, {"agent": "llm", "variant": variant, "against": "zero"})
        for name in ("distance", "polarity")
        for variant in ("base", "loud")
    ]
    compared = ["sensitivity", "sensitivity.signed", "noise_floor"]
    text = shown(results([*opinions("base", "loud"), *against], compared=compared), width=120)
    assert text.count("\ndistance.difference ") == 2
    assert text.count("\nshare 5 ") == 2


def test_comparisons_alone_share_the_table() -> None:
    compared = [e for e in opinions("base", "loud") if "of" in e.labels]
    found = results(compared, compared=["sensitivity", "sensitivity.signed", "noise_floor"])
    lines = [line.split()[:2] for line in shown(found, width=120).splitlines() if " 0.5 " in line]
    assert {(metric, of) for metric, of in lines} == {
        (metric, of)
        for metric in ("sensitivity", "sensitivity.signed", "noise_floor")
        for of in ("polarity", "distance")
    }


def test_what_is_compared_does_not_hold_throughout() -> None:
    labels = {"of": "spread", "agent": "llm"}
    found = [
        Estimate("sensitivity", 0.2, 9, {**labels, "wind": "2"}),
        Estimate("sensitivity.signed", 0.2, 9, {**labels, "wind": "2"}),
        Estimate("sensitivity.max", 0.2, 1, labels, over=("wind",)),
    ]
    text = shown(results(found, compared=["sensitivity", "sensitivity.max", "sensitivity.signed"]))
    assert "Throughout: agent llm\n" in text
    assert re.search(r"sensitivity +spread · 2 +0\.2 ", text)


def test_tokens_and_cost_are_told_below_the_table() -> None:
    part = {"responses": 300, "responses_without_counts": 0, "prompt_tokens": 9000, "completion_tokens": 450}
    usage = {**part, "cost": 0.0126, "currency": "USD", "new": {**part, "cost": 0.0126}}
    text = shown(results([cell("woman", "golf")], usage=usage))
    assert "Tokens: 9,000 in prompts and 450 in replies, 0.0126 USD; all new" in text
    unknown = {**part, "prompt_tokens": None, "completion_tokens": None, "cost": None}
    assert "Tokens" not in shown(results([cell("woman", "golf")], usage={**unknown, "currency": None, "new": unknown}))


def test_what_is_missing_is_told_below_the_table() -> None:
    found = [
        cell("woman", "golf"),
        Estimate.undefined("exaggeration", "no seed words", labels={"persona": "man"}, excluded={"missing": 2}),
        Estimate("exaggeration", 1.4, 9, {"persona": "user"}, flags=("outside_unit_interval",)),
    ]
    text = shown(results(found, notices=["small model"], failures=["metric 'x': gone"]), width=200)
    assert re.search(r"exaggeration +persona man +undefined +0", text)
    assert "Counts: requests 300, answered 298, refused 2" in text
    assert (
        "exaggeration: 2 of 3 cells defined; undefined: 1 no seed words; left out: 2 missing; "
        "flagged: 1 outside_unit_interval"
    ) in text
    assert "Notice: small model" in text
    assert "Failed: metric 'x': gone" in text


@pytest.mark.parametrize("found", [results([]), results([cell("woman", "golf")])])
def test_where_everything_lies_comes_last_and_unwrapped(found: Results) -> None:
    text = shown(found, "Run folder: /runs/[1]", LINK, width=40)
    assert text.splitlines()[-2:] == ["Run folder: /runs/[1]", LINK]


@pytest.mark.parametrize("colour", [False, True])
def test_what_a_model_said_stays_inert(colour: bool) -> None:
    estimates = [
        Estimate(text, 0.5, 1, {"persona": text, text: "x"}, flags=(text,), excluded={text: 1}) for text in HOSTILE
    ]
    estimates += [Estimate.undefined("exaggeration", text, labels={"persona": text}) for text in HOSTILE]
    found = results(estimates, study=HOSTILE[0], notices=HOSTILE, failures=HOSTILE, counts=dict.fromkeys(HOSTILE, 1))
    text = shown(found, *HOSTILE, width=120, colour=colour)
    ours = re.sub(r"\x1b\[[0-9;]*m", "", text) if colour else text
    assert ours.replace("\n", "").isprintable()
    for spelt in (
        "[bold red]persona[/]",
        "␛[2J␛]0;title␇",
        "⟨U+202E⟩gnp.exe",
        "nul␀",
        "⟨U+009B⟩31m",
        "⟨U+D800⟩",
        ":skull: [link",
    ):
        assert spelt in ours
    assert "\x1b[1;31mpersona" not in text


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def progress(clock: Clock, terminal: bool = False) -> tuple[EngineProgress, io.StringIO]:
    file = io.StringIO()
    console = Console(file=file, width=60, force_terminal=terminal, color_system=None)
    return EngineProgress(console, "asking SmolLM2 [bold]", interval=10.0, clock=clock), file


def test_progress_elsewhere_than_on_a_terminal_is_a_plain_line_now_and_then() -> None:
    clock = Clock()
    shower, file = progress(clock)
    with shower:
        shower.start(900)
        for _ in range(25):
            clock.now += 1
            shower.advance(4)
    assert file.getvalue().splitlines() == [
        "asking SmolLM2 [bold]: 40 of 900, 4/s, 3 min 35 s left",
        "asking SmolLM2 [bold]: 80 of 900, 4/s, 3 min 25 s left",
        "asking SmolLM2 [bold]: 100 of 900, 4/s, in 25 s",
    ]


def test_progress_starts_anew_with_every_round() -> None:
    clock = Clock()
    shower, file = progress(clock)
    for total in (2, 1):
        shower.start(total)
        clock.now += 2
        shower.advance(total)
        shower.stop()
    shower.stop()
    assert file.getvalue().splitlines() == [
        "asking SmolLM2 [bold]: 2 of 2, 1/s, in 2 s",
        "asking SmolLM2 [bold]: 1 of 1, 0.5/s, in 2 s",
    ]


def test_progress_of_nothing_divides_by_nothing() -> None:
    shower, file = progress(Clock())
    shower.start(0)
    shower.advance(0)
    shower.stop()
    assert file.getvalue() == "asking SmolLM2 [bold]: 0 of 0\n"


def test_progress_on_a_terminal_is_a_bar_that_gives_way_to_one_line() -> None:
    clock = Clock()
    shower, file = progress(clock, terminal=True)
    with shower:
        shower.start(10)
        clock.now += 5
        shower.advance(5)
    text = file.getvalue()
    assert "5 of 10, 1/s, 5 s left" in text
    assert text.endswith("asking SmolLM2 [bold]: 5 of 10, 1/s, in 5 s\n")
    assert "\x1b[?25h" in text  # the cursor is back


@pytest.mark.parametrize("bar", [True, False])
def test_a_remark_is_shown_beside_what_is_going_on(bar: bool) -> None:
    file = io.StringIO()
    progress = EngineProgress(Console(file=file, force_terminal=bar, width=200), "asking SmolLM2")
    progress.start(4)
    progress.remark("stopping")
    progress.advance(2)
    progress.stop()
    assert "asking SmolLM2 (stopping): 2 of 4" in file.getvalue()
