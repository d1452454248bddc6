"""Cells of which it is known before anything is asked that they will be undefined: too few responses are planned."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from metricsengine.encoder import Encoded, no_vectors
from metricsengine.estimate import Estimate
from metricsengine.metric import Metric, MetricContext, Protocol
from metricsengine.records import SIMULATIONS
from metricsengine_caricature.specs import METRICS

SPECS = {spec.name: spec for spec in METRICS}
WORDS = ("oak", "elm", "ash", "fir", "yew")


def build(name: str, **options: Any) -> Metric:
    return SPECS[name].build(SPECS[name].config(**options))


def table(n: int, *, example: bool, without: tuple[str, str] | None = None) -> pd.DataFrame:
    """So many responses of each cell: all the same example, or different ones in which every cell has its words."""
    cells = [cell for cell in product(("person", "woman"), ("comment", "golf")) if cell != without]
    rows = [
        {
            "context": "forum",
            "persona": persona,
            "topic": topic,
            "default_persona": persona == "person",
            "default_topic": topic == "comment",
            "replicate": i,
            "text": "An example." if example else f"{persona} {topic} {WORDS[i]}. {persona} again. {topic} again.",
            "outcome": "answered",
        }
        for persona, topic in cells
        for i in range(n)
    ]
    return SIMULATIONS.conform(pd.DataFrame(rows))


def foreseen(name: str, frame: pd.DataFrame, protocol: Protocol = "paper", **options: Any) -> list[Estimate]:
    return list(build(name, **options).foresee(frame, MetricContext(protocol, 0, no_vectors, "bag")))


def undefined(name: str, frame: pd.DataFrame, protocol: Protocol = "paper", **options: Any) -> list[Estimate]:
    def encode(texts: Any) -> Encoded:
        vectors = [[len(text), *(text.count(word) for word in ("woman", "golf", *WORDS))] for text in texts]
        return Encoded(np.array(vectors, dtype=np.float32).reshape(len(texts), 8), np.zeros(len(texts), np.bool_))

    found = build(name, **options).compute(frame, MetricContext(protocol, 0, encode, "bag"))
    return [estimate for estimate in found.estimates if not estimate.defined]


@pytest.mark.parametrize(("name", "least"), [("individuation", 5), ("v_measure", 2), ("exaggeration", 2)])
def test_from_its_minimum_on_nothing_is_foreseen(name: str, least: int) -> None:
    [found] = foreseen(name, table(least - 1, example=True))
    assert f"n={least - 1}, minimum {least}" in found.reason
    assert found.labels["persona"] == "woman"
    assert not foreseen(name, table(least, example=True))


@pytest.mark.parametrize("protocol", ["paper", "released"])
@pytest.mark.parametrize("name", ["individuation", "v_measure", "exaggeration", "axis_validity", "duplicate_rate"])
@pytest.mark.parametrize("n", [1, 3, 5])
def test_what_is_foreseen_of_examples_holds_of_answers(name: str, protocol: Protocol, n: int) -> None:
    planned = foreseen(name, table(n, example=True), protocol)
    if protocol in SPECS[name].protocols:
        came = undefined(name, table(n, example=False), protocol)
        assert all(estimate in came for estimate in planned)
    if n == 1:
        assert bool(planned) == (name != "duplicate_rate")


def test_all_responses_may_turn_out_the_same_or_not_so_that_is_not_foreseen() -> None:
    frame = table(5, example=True)
    assert "identical corpora" in undefined("individuation", frame)[0].reason
    assert not foreseen("individuation", frame)


def test_distinct_responses_are_at_most_as_many_as_there_are() -> None:
    [found] = foreseen("individuation", table(4, example=True), grouped=True)
    assert "the target has n=4 distinct, minimum 5" in found.reason
    assert not foreseen("individuation", table(5, example=True), grouped=True)


def test_a_default_that_is_missing_is_named() -> None:
    [found] = foreseen("exaggeration", table(5, example=True, without=("person", "golf")))
    assert found.reason == "insufficient data: persona 'person', topic 'golf' has n=0, minimum 2"
