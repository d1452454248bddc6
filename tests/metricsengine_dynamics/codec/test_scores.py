"""Codec trials whose opinions are read from scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from debating import BASE, SCALE, inputs
from scoring import chosen

from metricsengine.elicit import drive
from metricsengine.model import Outcome, Request, Response
from metricsengine_dynamics.codec.config import CodecConf
from metricsengine_dynamics.codec.study import OpinionCodec
from metricsengine_dynamics.prompting.prompts import Question
from metricsengine_dynamics.tables import CODEC


def rambling(requests: Sequence[Request]) -> list[Response]:
    """Never answers in writing, but its scores say which side and how much."""

    def answer(request: Request) -> Response:
        prompt = request.prompt[0].content  # type: ignore[union-attr] # every prompt of these tests is a chat
        if not request.options:
            return Response(Outcome.ANSWERED, "Well, let me tell you a story.")
        return chosen(request, "Yes" if prompt.startswith("SIDE") else SCALE[3])

    return [answer(request) for request in requests]


def test_opinions_of_a_model_that_rambles() -> None:
    for decoding, decoded in (("text", None), ("scores", 3)):
        study = OpinionCodec(CodecConf(decoding=decoding, opinions=[3], n=2, encodings="discrete"), inputs())
        table = CODEC.conform(drive(study.run(), rambling)["CodecTrials"])
        assert [None if value != value else value for value in table["decoded"].astype(float)] == [decoded] * 2
    assert table["decoding"].tolist() == ["yes (0.80 of 1)\nmoderately for (0.73 of 1)"] * 2


def test_needs_labels_and_notices_tell_of_it() -> None:
    alike = replace(BASE, decode=[Question("score", "SCORE|{text}", {"so for it": 1, "so against it": -1})])
    given = inputs(alike=alike)
    scored = OpinionCodec(CodecConf(decoding="scores", prompts=["base", "alike"]), given)
    assert scored.needs == {"chat", "option_scores"}
    assert scored.labels == {"decoding": "scores"}
    assert scored.notices[-1] == (
        "prompt set alike: its question of 2 labels was answered in writing, as several labels begin alike"
    )
    written = OpinionCodec(CodecConf(prompts=["base", "alike"]), given)
    assert written.needs == {"chat"}
    assert written.labels == {}
    assert not any("in writing" in notice for notice in written.notices)
