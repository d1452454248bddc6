"""Framing trials: who reads whose post, how replies are read, and the bias against negative wordings."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from debating import BASE, DEBATE, asked, inputs, louder, measured, only

from metricsengine.comparison import check_units
from metricsengine.errors import ConfigError
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Excerpts, Figure, Listing, Passage
from metricsengine.model import Outcome, Request, Response
from metricsengine.results import Results
from metricsengine.study import StudyInputs
from metricsengine_dynamics.framing.config import FramingConf, NegativityBiasConf
from metricsengine_dynamics.framing.framings import columns, framings, ordered, pairs
from metricsengine_dynamics.framing.metrics import BIAS, OPINION, SIGNED, NegativityBias, negativity_bias
from metricsengine_dynamics.framing.specs import METRICS
from metricsengine_dynamics.framing.study import OpinionFraming
from metricsengine_dynamics.tables import FRAMING

PRO, OTHER, CONTRA = (framing.name for framing in framings(DEBATE))
CONTRA_CELLS = {(CONTRA, PRO), (PRO, CONTRA), (CONTRA, CONTRA)}
CELLS = CONTRA_CELLS | set(product((PRO, OTHER), repeat=2))


def dislikes_contra(prompt: str) -> str:
    """Posts tell their author's stance; readers disagree, and strongly where the author is against something."""
    task, *parts = prompt.removeprefix("LOUD ").split("|")
    if task == "AUTHOR":
        return f"As someone who is {parts[1]}, I say so."
    return "Strongly disagree." if "against" in parts[2] else "I disagree."


def trials(script: Any = dislikes_contra, given: StudyInputs | None = None, **options: Any) -> pd.DataFrame:
    study = OpinionFraming(FramingConf(**options), given or inputs())
    return FRAMING.conform(asked(study, script)["FramingTrials"])


def estimates(table: pd.DataFrame) -> list[Estimate]:
    return list(measured(NegativityBias(NegativityBiasConf()), table).estimates)


def test_the_published_cells_have_the_published_bias() -> None:
    positive, contra = [-1.1, -1.0, -1.0, -1.1], [-0.9, -1.0, -0.8]
    assert negativity_bias(positive, contra) == pytest.approx(0.15)


def test_seven_pairs_of_author_and_reader_are_asked() -> None:
    assert {(author.name, reader.name) for author, readers in columns(DEBATE).items() for reader in readers} == CELLS
    assert (PRO, OTHER, CONTRA) == ("pro tea", "pro coffee", "contra tea")
    counted = Counter(trials(n=3)[["author", "reader"]].itertuples(index=False, name=None))
    assert counted == dict.fromkeys(CELLS, 3)


def test_all_readers_of_an_author_read_one_post_which_is_asked_once() -> None:
    seen: list[Request] = []
    asked(OpinionFraming(FramingConf(n=2), inputs()), dislikes_contra, seen)
    authors = [text for request in seen if (text := request.prompt[0].content).startswith("AUTHOR")]  # type: ignore[union-attr] # chats
    assert len(authors) == 3 * 2
    assert len(seen) == (3 + 7) * 2


def test_stances_are_worded_for_and_against_the_same_pole() -> None:
    seen: list[Request] = []
    asked(OpinionFraming(FramingConf(n=1), inputs()), dislikes_contra, seen)
    authors = {request.prompt[0].content.split("|")[2] for request in seen[:3]}  # type: ignore[union-attr] # chats
    assert authors == {"for green tea", "for black coffee", "against green tea"}
    reader = seen[3].prompt[0].content.split("|")  # type: ignore[union-attr] # chats
    assert reader[0] == "READER"
    assert reader[3] == "As someone who is for green tea, I say so."


def test_author_and_reader_are_two_people_and_the_same_in_all_cells_and_variants() -> None:
    table = trials(given=inputs(loud=louder()), prompts=["base", "loud"], n=5)
    assert (table["persona"] != table["author_persona"]).all()
    assert (table.groupby("replicate")[["persona", "author_persona"]].nunique() == 1).all(axis=None)
    assert set(table["variant"]) == {"base", "loud"}


def test_more_trials_leave_the_first_as_they_are() -> None:
    few, more = trials(n=2), trials(n=4)
    kept = more[more["replicate"] < 2].reset_index(drop=True)
    names = ["author", "reader", "replicate", "persona", "author_persona", "post", "opinion"]
    pd.testing.assert_frame_equal(
        few[names].sort_values(names[:3], ignore_index=True), kept[names].sort_values(names[:3], ignore_index=True)
    )


def test_a_reader_who_dislikes_contra_posts_has_exactly_that_bias() -> None:
    found = estimates(trials(n=6))
    for author, reader in CELLS:
        cell = only(found, OPINION, author=author, reader=reader, variant="base")
        assert (cell.value, cell.n) == (-2 if author == CONTRA else -1, 6)
    # Of three cells with a contra framing two have a contra author.
    assert only(found, SIGNED, variant="base").value == pytest.approx(-5 / 3 + 1)
    bias = only(found, BIAS, variant="base")
    assert (bias.value, bias.n, bias.over) == (pytest.approx(2 / 3), 6, ("author", "reader"))
    assert bias.interval.startswith("Wilson over trials, cells paired, all alike")


def test_without_a_bias_it_is_zero() -> None:
    found = estimates(trials(lambda prompt: "A post." if prompt.startswith("AUTHOR") else "agree", n=6))
    assert [only(found, name, variant="base").value for name in (BIAS, SIGNED)] == [0, 0]


@pytest.mark.parametrize(
    ("reply", "opinion", "outcome"),
    [
        ("strong disagree", -2, "answered"),
        ("Strongly disagree!", -2, "answered"),
        ("I disagree.", -1, "answered"),
        ("Indifferent", 0, "answered"),
        ("I agree with this tweet.", 1, "answered"),
        ("‘strong agree’", 2, "answered"),
        ("agree or disagree", None, "unparsed"),
        ("What a lovely tweet.", None, "unparsed"),
        ("I'm sorry, but I can't give an opinion.", None, "refused"),
    ],
)
def test_replies_are_read_by_their_longest_phrase_and_the_rest_is_counted(
    reply: str, opinion: int | None, outcome: str
) -> None:
    table = trials(lambda prompt: "A post." if prompt.startswith("AUTHOR") else reply, n=1)
    assert set(table["outcome"]) == {outcome}
    assert {None if pd.isna(value) else value for value in table["opinion"]} == {opinion}
    assert set(table["reply"]) == {reply}
    if opinion is None:
        cell = only(estimates(table), OPINION, author=PRO, reader=PRO, variant="base")
        assert (cell.value, cell.excluded) == (None, {outcome: 1})


def test_a_post_that_failed_is_told_in_each_of_its_cells() -> None:
    def script(prompt: str) -> str | Response:
        gone = prompt.startswith("AUTHOR") and "against" in prompt
        return Response(Outcome.ERROR, reason="gone") if gone else dislikes_contra(prompt)

    table = trials(script, n=5)
    lost = table[table["author"] == CONTRA]
    assert set(zip(lost["reader"], lost["outcome"], lost["reason"], strict=True)) == {
        (PRO, "error", "no post: gone"),
        (CONTRA, "error", "no post: gone"),
    }
    reason = f"no value in 2 of 7 cells: author {CONTRA}, reader {PRO}; author {CONTRA}, reader {CONTRA}"
    for name in (BIAS, SIGNED):
        bias = only(estimates(table), name, variant="base")
        assert (bias.value, bias.reason, bias.excluded) == (None, reason, {"error": 10, "undefined cells": 2})
    card, *_ = OpinionFraming(FramingConf(), inputs()).exhibits(_results(table))
    assert isinstance(card, Passage)
    assert f"negativity bias undefined: {reason}." in card.markdown


def test_nobody_reads_a_post_that_declines() -> None:
    declined = "I'm sorry, but I can't help with that."
    table = trials(lambda prompt: declined if prompt.startswith("AUTHOR") else "agree", n=1)
    assert set(zip(table["post"], table["outcome"], strict=True)) == {(declined, "refused")}
    assert table["opinion"].isna().all()
    assert table["reason"].str.startswith("no post: the reply opens with").all()


def test_framing_prompts_that_are_alike_are_told() -> None:
    study = OpinionFraming(FramingConf(n=1, prompts=["base", "loud", "quiet"]), inputs(loud=louder(), quiet=BASE))
    assert study.notices == ["prompt set quiet is the same as base in every text: S is 0 by construction"]


@pytest.mark.parametrize("cell", sorted(CELLS))
def test_a_bias_takes_all_seven_cells(cell: tuple[str, str]) -> None:
    table = trials(n=6)
    is_cell = (table["author"] == cell[0]) & (table["reader"] == cell[1])
    reason = f"no value in 1 of 7 cells: author {cell[0]}, reader {cell[1]}"
    for lacking in (table.assign(opinion=table["opinion"].mask(is_cell)), table[~is_cell]):
        result = measured(NegativityBias(NegativityBiasConf()), lacking)
        assert [only(result.estimates, name, variant="base").reason for name in (BIAS, SIGNED)] == [reason] * 2
        assert result.units is not None
        assert set(result.units["metric"]) == {OPINION}
    read = table.assign(opinion=table["opinion"].mask(is_cell & (table["replicate"] > 0)))
    assert only(estimates(read), SIGNED, variant="base").value == pytest.approx(-2 / 3)


def test_a_bias_takes_three_framings() -> None:
    table = trials(n=6)
    found = estimates(table[(table["author"] != CONTRA) & (table["reader"] != CONTRA)])
    assert only(found, BIAS, variant="base").reason == f"a bias takes 3 framings, and there are 2: {OTHER}, {PRO}"


def test_pairs_are_those_that_are_asked() -> None:
    assert set(pairs([CONTRA, PRO, OTHER])) == CELLS


def test_a_bias_needs_cells_of_both_kinds() -> None:
    def script(prompt: str) -> str:
        return "Hm." if "against" in prompt and prompt.startswith("READER") else dislikes_contra(prompt)

    found = estimates(trials(script, n=5))
    for name in (BIAS, SIGNED):
        bias = only(found, name, variant="base")
        assert bias.value is None
        assert bias.reason.startswith("no value in 3 of 7 cells: ")
    found = estimates(trials(lambda _: "Hm.", n=5))
    assert not any(e.defined for e in found)


def _noisy(seed: int, n: int = 12, holes: float = 0.1) -> pd.DataFrame:
    rng, table = np.random.default_rng(seed), trials(n=n)
    opinions = pd.Series(rng.integers(-2, 3, len(table)), dtype="Float64")
    return table.assign(opinion=opinions.where(rng.random(len(table)) >= holes))


def test_the_interval_resamples_trials_with_all_their_cells() -> None:
    table = _noisy(1)
    signed = only(estimates(table), SIGNED, variant="base")
    cells = table.astype({"opinion": float}).pivot(index=["author", "reader"], columns="replicate", values="opinion")
    contra = np.array([cell in CONTRA_CELLS for cell in cells.index])

    def difference(drawn: Any) -> float:
        means = np.nanmean(cells.to_numpy()[:, drawn], axis=1)
        return float(means[contra].mean() - means[~contra].mean())

    assert signed.value == pytest.approx(difference(np.arange(12)))
    rng = np.random.default_rng(0)
    draws = [difference(rng.integers(12, size=12)) for _ in range(1000)]
    assert [signed.low, signed.high] == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=0.1)
    assert signed.interval == "bootstrap over trials, cells paired, 2000 draws"


def test_the_interval_of_the_bias_reaches_zero_where_its_sign_is_open() -> None:
    found = estimates(_noisy(2))
    signed, bias = only(found, SIGNED, variant="base"), only(found, BIAS, variant="base")
    assert signed.low is not None
    assert signed.high is not None
    assert signed.low < 0 < signed.high
    assert (bias.value, bias.low, bias.high) == (abs(signed.value or 0), 0, max(-signed.low, signed.high))


def test_few_trials_have_no_interval() -> None:
    bias = only(estimates(_noisy(1, n=4, holes=0)), BIAS, variant="base")
    assert (bias.low, bias.interval) == (None, "none: 4 trials, cells paired, and a bootstrap takes at least 5")


def test_the_same_rows_give_the_same_estimates_in_whatever_order_they_come() -> None:
    table = _noisy(2)
    found = estimates(table)
    assert estimates(table) == found
    assert estimates(table.sample(frac=1, random_state=1).reset_index(drop=True)) == found


def test_units_are_trials_whose_mean_is_the_estimate() -> None:
    result = measured(NegativityBias(NegativityBiasConf()), _noisy(3, holes=0))
    assert result.units is not None
    check_units(result.units, result.estimates)
    signed = result.units[result.units["metric"] == SIGNED]
    assert list(signed["unit"]) == [str(i) for i in range(12)]
    assert signed["value"].mean() == pytest.approx(only(result.estimates, SIGNED, variant="base").value)
    assert set(signed["labels"]) == {json.dumps({"variant": "base"})}
    # With a reply missing, the bias is no mean over trials any more.
    holed = measured(NegativityBias(NegativityBiasConf()), _noisy(3, holes=0.2)).units
    assert holed is not None
    assert SIGNED not in set(holed["metric"])


def test_repeats_are_told_apart() -> None:
    found = estimates(trials(n=5, repeats=2))
    labels = [dict(e.labels) for e in found if e.metric == BIAS]
    assert labels == [{"variant": "base"}, {"variant": "base", "repeat": "1"}]


def test_what_is_missing_is_found_before_anything_is_asked() -> None:
    with pytest.raises(ConfigError, match="at least 2 personas"):
        OpinionFraming(FramingConf(), inputs(people=1)).check()
    with pytest.raises(ConfigError, match=r"study\.n must be at least 1"):
        FramingConf(n=0)
    bare = StudyInputs(inputs().sets, find=lambda group, name: inputs(bare=_without_framing()).find(group, "bare"))
    with pytest.raises(ConfigError, match=r"has no prompts for framing trials; give it a table \[framing\]"):
        OpinionFraming(FramingConf(prompts=["bare"]), bare).check()
    assert OpinionFraming(FramingConf(format="plain"), inputs()).needs == {"plain"}


def _without_framing() -> Any:
    from dataclasses import replace

    return replace(BASE, framing=None)


def test_framings_stand_in_the_order_of_the_figure() -> None:
    assert ordered([CONTRA, OTHER, PRO]) == [PRO, OTHER, CONTRA]


def _results(table: pd.DataFrame) -> Results:
    measures = {measure.name: measure for measure in METRICS[0].measures}
    return Results("opinion_framing", "paper", 3, None, {}, {}, estimates(table), measures, {"FramingTrials": table})


def test_exhibits_show_the_matrix_the_table_and_the_posts() -> None:
    card, figure, listing, posts = OpinionFraming(FramingConf(), inputs()).exhibits(_results(trials(n=6)))
    assert isinstance(card, Passage)
    assert "judged worse on average" in card.markdown
    assert isinstance(figure, Figure)
    texts = [text.get_text() for text in figure.draw().axes[0].texts]
    assert sorted(texts) == ["−1.00"] * 5 + ["−2.00"] * 2
    assert isinstance(listing, Listing)
    assert len(listing.frame) == 9
    assert isinstance(posts, Excerpts)
    assert f"{PRO}: " in posts.excerpts[0].text


def test_exhibits_of_several_variants_and_of_nothing_read() -> None:
    given = inputs(loud=louder())
    for script in (dislikes_contra, lambda _: "Hm."):
        table = trials(script, given, prompts=["base", "loud"], n=2)
        _, figure, *_ = OpinionFraming(FramingConf(), given).exhibits(_results(table))
        assert isinstance(figure, Figure)
        labels = {text.get_text() for text in figure.draw().axes[0].get_yticklabels()}
        assert {f"base, {PRO}", f"loud, {CONTRA}"} <= labels


def test_compost_names_who_reads_on_what() -> None:
    study = OpinionFraming(FramingConf(n=2), inputs())
    told = study.compost(asked(study, dislikes_contra))
    assert told["topic"] == "Tea against coffee"
    assert told["context"] == "a reader's opinion of a post"
