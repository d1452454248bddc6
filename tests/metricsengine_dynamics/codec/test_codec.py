"""Codec trials: what is asked, what is decoded, and how far that lies from what was encoded."""

from __future__ import annotations

import json
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest
from debating import DEBATE, SCALE, asked, inputs, louder, measured, only

from metricsengine.comparison import check_units
from metricsengine.errors import ConfigError
from metricsengine.estimate import Estimate
from metricsengine.exhibits import Excerpts, Figure, Listing, Passage
from metricsengine.model import Outcome, Request, Response
from metricsengine.results import Results
from metricsengine.study import StudyInputs
from metricsengine_dynamics.codec.config import CodecConf, CodecErrorConf
from metricsengine_dynamics.codec.metrics import BIAS, ERROR, UNDECODABLE, CodecError, codec_error
from metricsengine_dynamics.codec.specs import METRICS
from metricsengine_dynamics.codec.study import OpinionCodec
from metricsengine_dynamics.tables import CODEC

ALL = list(range(-5, 6))


def perfect(prompt: str) -> str:
    """Posts say the opinion outright, and every question is answered by it."""
    task, *parts = prompt.removeprefix("LOUD ").split("|")
    if task == "WORDS":
        strength, topic = SCALE.index(parts[1]), parts[2]
        return f"I think {-strength if topic == DEBATE.negative.topic else strength}"
    if task == "NUMBER":
        return f"I think {parts[1]}"
    opinion = float(parts[1].removeprefix("I think "))
    return ("yes" if opinion >= 0 else "no") if task == "SIDE" else SCALE[round(abs(opinion))]


def neutral(prompt: str) -> str:
    return {"SIDE": "yes", "STRENGTH": "neutral on"}.get(prompt.split("|")[0], "Well.")


def trials(script: Any = perfect, given: StudyInputs | None = None, **options: Any) -> pd.DataFrame:
    study = OpinionCodec(CodecConf(**options), given or inputs())
    return CODEC.conform(asked(study, script)["CodecTrials"])


def estimates(table: pd.DataFrame, seed: int = 3) -> list[Estimate]:
    return list(measured(CodecError(CodecErrorConf()), table, seed).estimates)


def test_a_perfect_codec_has_no_error_anywhere() -> None:
    found = estimates(trials(n=6))
    assert {e.value for e in found} == {0.0}
    assert {e.labels.get("opinion", "all") for e in found} == {"all", *map(str, ALL)}
    assert len(found) == 2 * 3 * 12


def test_a_codec_that_reads_neutral_in_everything_errs_by_the_strength_of_the_opinion() -> None:
    found = estimates(trials(neutral, n=6, encodings="discrete"))
    for opinion in ALL:
        own = {"variant": "base", "encoding": "discrete", "opinion": opinion}
        assert only(found, ERROR, **own).value == abs(opinion)
        assert only(found, BIAS, **own).value == -opinion
    overall = only(found, ERROR, variant="base", encoding="discrete")
    assert overall.value == pytest.approx(30 / 11)
    assert (overall.n, overall.over) == (11, ("opinion",))
    assert only(found, BIAS, variant="base", encoding="discrete").value == pytest.approx(0)


def test_every_opinion_counts_alike_however_many_posts_could_be_read() -> None:
    assert codec_error([0, 0, 5, 5, 5], [1, -1, 5, 5, 2]) == 1.0

    def script(prompt: str) -> str:
        if prompt.startswith("SIDE") and "I think 5 by person 0" in prompt:
            return "yes"
        if prompt.startswith("SIDE") and "I think 5" in prompt:
            return "hard to say"
        if prompt.startswith(("WORDS", "SIDE")):
            told = perfect(prompt.split(" by ")[0]) if prompt.startswith("SIDE") else perfect(prompt)
            return told if prompt.startswith("SIDE") else f"{told} by {prompt.split('|')[1][8:-1]}"
        return "slightly for"

    table = trials(script, n=6, encodings="discrete", opinions=[2, 3, 5])
    overall = only(estimates(table), ERROR, variant="base", encoding="discrete")
    assert overall.value == pytest.approx((0 + 1 + 3) / 3)
    assert overall.excluded == {"unparsed": 5}
    lost = only(estimates(table), UNDECODABLE, variant="base", encoding="discrete", opinion=5)
    assert (lost.value, lost.unit, lost.n) == (pytest.approx(500 / 6), "%", 6)


def test_scalar_opinions_are_told_as_numbers_between_the_labels() -> None:
    seen: list[Request] = []
    study = OpinionCodec(CodecConf(encodings="scalar", opinions=[-2.5, 0.5, 3], n=1), inputs())
    table = CODEC.conform(asked(study, perfect, seen)["CodecTrials"])
    assert [request.prompt[0].content.split("|")[2] for request in seen[:3]] == ["-2.5", "0.5", "3"]  # type: ignore[union-attr] # chats
    found = estimates(table)
    assert [e.labels["opinion"] for e in found if e.metric == ERROR and e.labels.get("opinion")] == ["-2.5", "0.5", "3"]
    assert only(found, ERROR, variant="base", encoding="scalar", opinion=0.5).value == pytest.approx(0.5)


def test_the_signed_error_tells_the_decoded_mean() -> None:
    def script(prompt: str) -> str:
        return "strongly for" if prompt.startswith("STRENGTH") else perfect(prompt)

    found = estimates(trials(script, n=5, encodings="discrete"))
    for opinion in ALL:
        bias = only(found, BIAS, variant="base", encoding="discrete", opinion=opinion)
        assert bias.value == (5 if opinion >= 0 else -5) - opinion


def test_what_cannot_be_read_is_counted_and_never_taken_for_a_number() -> None:
    def script(prompt: str) -> str | Response:
        task, *parts = prompt.split("|")
        if task == "WORDS" and parts[1] == "slightly for":
            return Response(Outcome.ERROR, reason="gone")
        return "maybe" if task == "SIDE" else "A post."

    table = trials(script, n=5, encodings="discrete", opinions=[1, 2])
    assert table["decoded"].isna().all()
    assert set(table.loc[table["opinion"] == 2, "reason"]) == {"no post: gone"}
    assert table.loc[table["opinion"] == 1, "decoding"].tolist() == ["maybe"] * 5
    found = estimates(table)
    error = only(found, ERROR, variant="base", encoding="discrete")
    assert (error.value, error.excluded) == (None, {"unparsed": 5, "error": 5})
    assert error.reason == "no trial could be read: 5 error, 5 unparsed"
    lost = only(found, UNDECODABLE, variant="base", encoding="discrete")
    assert (lost.value, lost.excluded) == (100.0, {"error": 5, "undefined cells": 1})
    assert not only(found, UNDECODABLE, variant="base", encoding="discrete", opinion=2).defined


def test_a_post_that_declines_is_not_decoded() -> None:
    declined = "I'm sorry, but I can't help with that."
    seen: list[Request] = []
    study = OpinionCodec(CodecConf(n=2, encodings="discrete", opinions=[1]), inputs())
    table = CODEC.conform(asked(study, lambda prompt: declined, seen)["CodecTrials"])
    assert len(seen) == 2
    assert set(zip(table["post"], table["outcome"], strict=True)) == {(declined, "refused")}
    assert table["decoded"].isna().all()
    assert table["reason"].str.startswith("no post: the reply opens with").all()
    assert only(estimates(table), UNDECODABLE, variant="base", encoding="discrete").value == 100


def test_the_same_personas_post_every_opinion_in_every_variant_and_encoding() -> None:
    table = trials(given=inputs(loud=louder()), prompts=["base", "loud"], n=4, repeats=2)
    assert (table.groupby("replicate")["persona"].nunique() == 1).all()
    assert table["persona"].nunique() == 4
    assert len(table) == 2 * 2 * 2 * 11 * 4


def test_repeats_ask_the_same_under_other_seeds_and_are_labelled() -> None:
    seen: list[Request] = []
    study = OpinionCodec(CodecConf(encodings="discrete", opinions=[1], n=1, repeats=2), inputs())
    table = CODEC.conform(asked(study, perfect, seen)["CodecTrials"])
    first, again = seen[:2]
    assert first.prompt == again.prompt
    assert first.seed == 3 != again.seed
    labels = [dict(e.labels) for e in estimates(table) if e.metric == ERROR and not e.over]
    assert labels == [
        {"variant": "base", "encoding": "discrete", "opinion": "1"},
        {"variant": "base", "encoding": "discrete", "opinion": "1", "repeat": "1"},
    ]


def _noisy(seed: int, n: int = 8) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    table = trials(n=n, given=inputs(people=n), opinions=[-4, -1, 0, 3])
    read = (table["opinion"] + rng.integers(-2, 3, len(table))).clip(-5, 5).astype("Float64")
    return table.assign(decoded=read.where(rng.random(len(table)) > 0.1), outcome="answered")


def test_the_interval_resamples_personas_with_all_their_posts() -> None:
    table = _noisy(1)
    overall = only(estimates(table), ERROR, variant="base", encoding="discrete")
    assert overall.interval == "bootstrap over personas, 2000 draws"
    assert overall.low is not None
    assert overall.high is not None
    own = table[table["encoding"] == "discrete"].astype({"opinion": float, "decoded": float})
    assert overall.value == pytest.approx(
        codec_error(*own.dropna(subset="decoded")[["opinion", "decoded"]].to_numpy().T)
    )
    errors = own.assign(error=(own["decoded"] - own["opinion"]).abs()).pivot(
        index="opinion", columns="persona", values="error"
    )
    rng = np.random.default_rng(0)
    means = [np.nanmean(errors.to_numpy()[:, rng.integers(8, size=8)], axis=1).mean() for _ in range(1000)]
    assert [overall.low, overall.high] == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.06)
    assert "few_units" in overall.flags


def test_no_interval_with_few_personas_and_none_of_no_width() -> None:
    few = only(estimates(trials(n=4, opinions=[1, 2])), ERROR, variant="base", encoding="discrete")
    assert (few.low, few.interval) == (None, "none: 4 personas, and a bootstrap takes at least 5")
    alike = only(estimates(trials(n=6, opinions=[1, 2])), ERROR, variant="base", encoding="discrete")
    assert alike.interval == "Wilson over personas, all alike"
    assert alike.low == 0
    assert alike.high is not None
    assert alike.high > 1


def test_the_same_rows_give_the_same_estimates_in_whatever_order_they_come() -> None:
    table = _noisy(2)
    found = estimates(table)
    assert estimates(table) == found
    assert estimates(table.sample(frac=1, random_state=1).reset_index(drop=True)) == found


def test_units_are_personas_whose_mean_is_the_estimate() -> None:
    result = measured(CodecError(CodecErrorConf()), _noisy(3))
    assert result.units is not None
    check_units(result.units, result.estimates)
    labels = json.dumps({"encoding": "discrete", "variant": "base"})
    own = result.units[(result.units["metric"] == ERROR) & (result.units["labels"] == labels)]
    assert sorted(own["unit"]) == [f"person {i}" for i in range(8)]
    assert np.average(own["value"], weights=own["weight"]) == pytest.approx(
        only(result.estimates, ERROR, variant="base", encoding="discrete").value
    )


def test_a_persona_who_posts_twice_is_one_unit_and_that_is_said() -> None:
    study = OpinionCodec(CodecConf(n=5, opinions=[1, 2], encodings="discrete"), inputs(people=2))
    table = CODEC.conform(asked(study, perfect)["CodecTrials"])
    [notice] = study.notices
    assert notice == "study.n=5 posts of each opinion come from 2 personas, some of whom post twice"
    assert "none: 2 personas" in only(estimates(table), ERROR, variant="base", encoding="discrete").interval
    assert not OpinionCodec(CodecConf(n=5), inputs()).notices


def test_requests_repeat_with_the_seed_and_posts_differ_by_replicate() -> None:
    runs: list[list[Request]] = [[], []]
    for seen in runs:
        asked(OpinionCodec(CodecConf(n=3, opinions=[1]), inputs()), perfect, seen)
    assert runs[0] == runs[1]
    assert {request.replicate for request in runs[0]} == {0, 1, 2}
    other: list[Request] = []
    asked(OpinionCodec(CodecConf(n=3, opinions=[1]), inputs(seed=4)), perfect, other)
    assert {request.seed for request in other} == {4}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opinions": [6]}, "study.opinions must be from -5 to 5, got 6"),
        ({"opinions": [0.5]}, "whole numbers, unless study.encodings=scalar"),
        ({"opinions": []}, "at least one number"),
        ({"opinions": "all"}, "must be a number or a list of numbers, got 'all'"),
        ({"opinions": [True]}, "got True"),
        ({"opinions": [float("nan")]}, "from -5 to 5"),
        ({"encodings": ["words"]}, "study.encodings must be one of discrete, scalar"),
        ({"encodings": []}, "at least one of discrete, scalar"),
        ({"n": 0}, "study.n must be at least 1"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CodecConf(**options)


def test_opinions_are_taken_once_and_in_order() -> None:
    assert CodecConf(opinions=[2, -1, 2.0, -0.0]).opinions == [-1.0, 0.0, 2.0]
    assert CodecConf(opinions=3).opinions == [3.0]


def test_what_is_missing_is_found_before_anything_is_asked() -> None:
    with pytest.raises(ConfigError, match="needs prompts"):
        OpinionCodec(CodecConf(), StudyInputs()).check()
    assert OpinionCodec(CodecConf(), inputs()).needs == {"chat"}
    assert OpinionCodec(CodecConf(format="plain"), inputs()).needs == {"plain"}
    assert list(OpinionCodec(CodecConf(persona_file="people.txt"), inputs()).sources) == ["study.persona_file"]


def _results(table: pd.DataFrame) -> Results:
    measures = {measure.name: measure for measure in METRICS[0].measures}
    found = estimates(table)
    config = {"config": {"study": {"temperature": 1.0}}}
    return Results(
        "opinion_codec", "paper", 3, None, {}, {}, found, measures, {"CodecTrials": table}, provenance=config
    )


def _points(line: Any) -> list[tuple[float, float]]:
    return [(x, y) for x, y in line.get_xydata().tolist()]


def test_exhibits_show_the_curve_the_table_and_the_posts() -> None:
    table = _noisy(4)
    study = OpinionCodec(CodecConf(), inputs())
    card, figure, listing, misses, unread = study.exhibits(_results(table))
    assert isinstance(card, Passage)
    assert card.name == "card"
    # Of -4, -1, 0 and 3: the mean strength, and the mean distance from the whole numbers from -5 to 5.
    assert "reads 0 in every post has an error of 2;" in card.markdown.replace(",", ";")
    assert f"one of {fmean(abs(x - y) for x in (-4, -1, 0, 3) for y in ALL):.3g}." in card.markdown
    assert isinstance(figure, Figure)
    [axes] = figure.draw().axes
    *curves, identity = [line for line in map(_points, axes.lines) if len(line) == 4 or line == [(-4, -4), (3, 3)]]
    assert len(curves) == 2
    for encoding, points in zip(("discrete", "scalar"), curves, strict=True):
        own = table[table["encoding"] == encoding].astype({"decoded": float})
        means = own.groupby("opinion")["decoded"].mean()
        assert points == [(x, pytest.approx(y)) for x, y in means.items()]
    assert identity == [(-4, -4), (3, 3)]
    assert isinstance(listing, Listing)
    assert len(listing.frame) == 2 * 5
    lost = 100 * table[table["encoding"] == "scalar"].groupby("opinion")["decoded"].agg(lambda own: own.isna().mean())
    shown = listing.frame[(listing.frame["encoding"] == "scalar") & (listing.frame["opinion"] != "all")]
    assert shown["undecodable, %"].tolist() == pytest.approx(lost.tolist())
    assert isinstance(misses, Excerpts)
    assert "encoded" in misses.excerpts[0].heading
    assert isinstance(unread, Excerpts)


def test_exhibits_of_several_variants_and_of_nothing_read() -> None:
    table = trials(neutral, given=inputs(loud=louder()), prompts=["base", "loud"], n=5, opinions=[-1, 2])
    _, figure, *_ = OpinionCodec(CodecConf(), inputs()).exhibits(_results(table))
    assert isinstance(figure, Figure)
    assert [axes.get_title(loc="left") for axes in figure.draw().axes] == ["base", "loud"]
    lost = trials(lambda _: "Hm.", n=5, opinions=[-1, 2])
    card, figure, *_ = OpinionCodec(CodecConf(), inputs()).exhibits(_results(lost))
    assert isinstance(card, Passage)
    assert "undefined" in card.markdown
    assert isinstance(figure, Figure)
    figure.draw()


def test_the_card_says_which_means_lack_opinions() -> None:
    def script(prompt: str) -> str:
        return "Hm." if prompt.startswith("SIDE") and "I think 2" in prompt else perfect(prompt)

    table = trials(script, n=5, encodings="discrete", opinions=[-1, 2])
    [error] = [e for e in estimates(table) if e.metric == ERROR and e.over]
    assert (error.value, error.n, error.excluded) == (0, 1, {"unparsed": 5, "undefined cells": 1})
    card, *_ = OpinionCodec(CodecConf(), inputs()).exhibits(_results(table))
    assert isinstance(card, Passage)
    assert "1 opinion of 2 could not be read in any post" in card.markdown


def test_compost_names_who_posts_on_what() -> None:
    study = OpinionCodec(CodecConf(n=2), inputs())
    told = study.compost(asked(study, perfect))
    assert told["topic"] == "Tea against coffee"
    assert told["persona"].startswith("person ")
