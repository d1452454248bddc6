"""Which texts decline, and which say what somebody thinks."""

import pytest

from metricsengine.model import Outcome, Response
from metricsengine_dynamics.prompting.refused import declines, unless_declined


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, I can’t.",
        "I'm sorry, but I can't write a tweet that supports a planned economy.",
        "I cannot create content that promotes one.",
        "As an AI language model, I don't have personal opinions.",
        "I'm sorry, but as an AI I can't take sides.",
        "I can't take sides, as I am an AI.",
    ],
)
def test_a_refusal(text) -> None:
    assert declines(text)
    for outcome in (Outcome.ANSWERED, Outcome.TRUNCATED):
        found = unless_declined(Response(outcome, text))
        assert (found.outcome, found.text, found.ok) == (Outcome.REFUSED, text, False)
        assert found.reason == declines(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't support a planned economy. Freedom matters! #FreeMarket",
        "I can't believe that people still defend planned economies.",
        "I refuse to believe that free markets fix everything.",
        "I can't take sides in this debate. I see value in both.",
        "I'm not able to choose between the two. Both have merits.",
        "I cannot say which one is better.",
        "I'm sorry.",
        "",
    ],
)
def test_an_opinion_a_neutral_one_too(text) -> None:
    answered = Response(Outcome.ANSWERED, text)
    assert unless_declined(answered) is answered


def test_what_did_not_come_back_stays_as_it_is() -> None:
    failed = Response(Outcome.ERROR, "I'm sorry, but I can't help with that.", "gone")
    assert unless_declined(failed) is failed
