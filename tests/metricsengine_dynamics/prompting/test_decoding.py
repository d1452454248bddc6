"""From texts to opinions, with scripted replies."""

from collections.abc import Sequence

import pytest

from metricsengine.elicit import drive
from metricsengine.model import Outcome, Request, Response
from metricsengine_dynamics.prompting.decoding import Decoded, decode

TEXT = "I think that {topic} is {text}."


class Script:
    """Answers with the given replies in turn, and remembers what it was asked."""

    def __init__(self, *replies: str | Response) -> None:
        self._replies = iter(replies)
        self.asked: list[str] = []
        self.requests: list[Request] = []

    def __call__(self, requests: Sequence[Request]) -> list[Response]:
        (request,) = requests
        (turn,) = request.prompt
        self.asked.append(turn.content)
        self.requests.append(request)
        reply = next(self._replies)
        return [reply if isinstance(reply, Response) else Response(Outcome.ANSWERED, reply)]


@pytest.fixture
def read(prompts, economy, asking):
    def decoded(*replies: str | Response, variant: str = "base", text: str = TEXT) -> tuple[Decoded, Script]:
        script = Script(*replies)
        return drive(decode(text, prompts[variant], economy, asking, 3), script), script

    return decoded


@pytest.mark.parametrize(
    ("polarity", "magnitude", "opinion"),
    [
        ("Yes.", "strongly supportive of", 5),
        ("yes, they do", "’Moderately in favour of’", 3),
        ("**Yes**", "The author is slightly in favour of a free market economy.", 2),
        ("No", "clearly in favor of", -4),
        ("'no'", "a bit in favour", -1),
        ("No, they don't support it.", "slightly in favour", -2),
        ("No.", "Completely neutral towards", 0),
        ("yes", "Neutral.", 0),
        ("yes", "It is not strongly supportive of it, but slightly in favor of.", 2),
    ],
)
def test_polarity_then_magnitude(read, polarity, magnitude, opinion) -> None:
    decoded, script = read(polarity, magnitude)
    assert decoded == Decoded(opinion, "answered", "", (polarity, magnitude))
    assert str(decoded.opinion) != "-0.0"
    assert [request.replicate for request in script.requests] == [3, 3]


def test_after_no_the_second_question_is_about_the_opposite_pole(read) -> None:
    _, script = read("no", "clearly in favor of")
    assert "do they support a free market economy?" in script.asked[0]
    assert "level of support for a planned economy." in script.asked[1]
    assert "level of support for a free market economy." in read("yes", "clearly in favor of")[1].asked[1]
    assert all(f"\n{TEXT}\n" in asked for asked in script.asked), "braces of a text are not slots"


@pytest.mark.parametrize(
    ("reply", "outcome", "reason"),
    [
        ("They sort of do.", "unparsed", "the reply names no option"),
        ("Yes and no.", "unparsed", "the reply names 2 options"),
        ("yes or no", "unparsed", "the reply names 2 options"),
        ("The author has no idea.", "unparsed", "the reply names no option"),
        ("As an AI, I have no opinions.", "refused", 'the reply opens with "as an ai"'),
        ("I’m sorry, but I can’t help with that.", "refused", ""),
        ("I'm sorry to hear that.", "unparsed", "the reply names no option"),
        (Response(Outcome.ERROR, reason="timeout"), "error", "timeout"),
        (Response(Outcome.REFUSED_BY_PROVIDER, reason="filter"), "refused_by_provider", "filter"),
        (Response(Outcome.EMPTY), "empty", "no reply to read: empty"),
        (Response(Outcome.TRUNCATED, "Based on", "cut at max_tokens=2"), "truncated", "cut at max_tokens=2"),
    ],
)
def test_a_first_question_without_an_answer_ends_it(read, reply, outcome, reason) -> None:
    decoded, script = read(reply)
    assert (decoded.opinion, decoded.outcome) == (None, outcome)
    assert decoded.reason
    assert reason in decoded.reason
    assert len(decoded.replies) == len(script.asked) == 1


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("moderately supportive", "unparsed"),
        ("somewhat in favor of", "unparsed"),
        ("slightly to moderately in favor of", "unparsed"),
        ("clearly in favor of the one, a bit in favor of the other", "unparsed"),
        ("I cannot provide an evaluation.", "refused"),
        (Response(Outcome.ERROR, reason="timeout"), "error"),
    ],
)
def test_a_second_question_without_an_answer_keeps_both_replies(read, reply, outcome) -> None:
    decoded, _ = read("yes", reply)
    assert (decoded.opinion, decoded.outcome) == (None, outcome)
    assert decoded.replies == ("yes", reply if isinstance(reply, str) else "")


def test_an_answer_that_was_cut_afterwards_is_an_answer(read) -> None:
    cut = Response(Outcome.TRUNCATED, "Yes, because the author", "cut at max_tokens=4")
    assert read(cut, "a bit in favor of")[0].opinion == 1


@pytest.mark.parametrize(
    ("reply", "sign"),
    [
        ("planned economy", -1),
        ("A Free Market Economy.", 1),
        ("free-market economy", 1),
        ("Not a planned economy, but a free market economy.", 1),
        ("planned economy or free market economy", None),
        ("Both planned economy and free market economy.", None),
        ("a market", None),
    ],
)
def test_wording_asks_for_one_of_the_poles(read, reply, sign) -> None:
    decoded, script = read(reply, "clearly in favor of", variant="wording")
    assert decoded.opinion == (sign and 4 * sign)
    assert "’planned economy’ or ’free market economy’" in script.asked[0]
    if sign == -1:
        assert "level of support for a planned economy." in script.asked[1]


@pytest.mark.parametrize(
    ("reply", "opinion"),
    [
        ("strongly opposed to", -5),
        ("Clearly against a Free market economy.", -4),
        ("’a bit against’", -1),
        ("completely neutral", 0),
        ("strongly supportive of", 5),
        ("slightly in favour", 2),
        ("against", None),
        ("not clearly against", None),
    ],
)
def test_logic_asks_once(read, reply, opinion) -> None:
    decoded, script = read(reply, variant="logic")
    assert decoded.opinion == opinion
    assert len(script.asked) == 1


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_text_is_not_asked_about(read, text) -> None:
    decoded, script = read(text=text)
    assert decoded == Decoded(None, "empty", "there is no text to decode")
    assert script.asked == []


@pytest.mark.parametrize(("variant", "questions"), [("base", 2), ("wording", 2), ("logic", 1)])
def test_a_dry_run_takes_the_longest_way(prompts, economy, asking, variant, questions) -> None:
    asked = []

    def example(requests: Sequence[Request]) -> list[Response]:
        asked.extend(requests)
        return [Response(Outcome.ANSWERED, request.example) for request in requests]

    decoded = drive(decode(TEXT, prompts[variant], economy, asking), example)
    assert decoded.outcome == "answered"
    assert len(asked) == questions


def test_polarity_zero_ends_it(prompts, economy, asking, given) -> None:
    from metricsengine_dynamics.prompting.chosen import chosen_prompts

    own = """title = "own"
of = "base"
[[decode]]
reads = "polarity"
text = "{text} For {a_positive}?"
options = { "yes" = 1, "no" = -1, "neither" = 0 }
[[decode]]
reads = "magnitude"
text = "{text} How much for {topic}?"
options = { "hardly" = 0.5, "much" = 4 }
"""
    with_neither = chosen_prompts(["own"], given({"own": own}))["own"]
    script = Script("neither")
    assert drive(decode("Hm.", with_neither, economy, asking), script) == Decoded(0, "answered", "", ("neither",))
    script = Script("no", "hardly")
    assert drive(decode("Hm.", with_neither, economy, asking), script).opinion == -0.5
    assert script.asked == ["Hm. For a free market economy?", "Hm. How much for a planned economy?"]
