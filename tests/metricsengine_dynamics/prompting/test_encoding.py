"""From opinions to requests for posts."""

import pytest

from metricsengine import seeds
from metricsengine.model import Message
from metricsengine_dynamics.prompting.asking import Asking
from metricsengine_dynamics.prompting.encoding import label, post_request
from metricsengine_dynamics.prompting.options import AskingConf

PERSONA = "You like {topic} and {opinion}."


def asked(request) -> str:
    (turn,) = request.prompt
    assert turn == Message("user", turn.content)
    return turn.content


@pytest.mark.parametrize(
    ("opinion", "stance"),
    [
        (5, "You are strongly supportive of a free market economy."),
        (-5, "You are strongly supportive of a planned economy."),
        (-1, "You are a bit in favor of a planned economy."),
        (0, "You are completely neutral towards the planned economy versus free market economy debate."),
        (-0.0, "You are completely neutral towards the planned economy versus free market economy debate."),
    ],
)
def test_the_sign_picks_the_pole_and_the_magnitude_the_phrase(base, economy, asking, opinion, stance) -> None:
    text = asked(post_request(opinion, PERSONA, base, economy, asking))
    assert f"\n{stance}\n" in text
    assert text.startswith(f"{PERSONA}\n"), "braces of a persona are not slots"


def test_no_label_says_against(base) -> None:
    labels = [label(opinion, base) for opinion in range(-5, 6)]
    assert labels == labels[::-1]
    assert len(set(labels)) == 6
    assert not any("against" in phrase or "oppos" in phrase for phrase in labels)


@pytest.mark.parametrize(("opinion", "number"), [(3, "3"), (-2.5, "-2.5"), (5 / 3, "1.67"), (-0.001, "0")])
def test_the_scalar_encoding_tells_the_number_and_what_the_ends_mean(base, economy, asking, opinion, number) -> None:
    text = asked(post_request(opinion, PERSONA, base, economy, asking, "scalar"))
    assert f"debate is {number} on a scale from -5 to 5." in text
    assert "-5 is the strongest support of a planned economy, 5 is the strongest support of a free market" in text
    assert not any(phrase in text for phrase in base.scale)


def test_opinions_that_have_no_words_are_refused(base, economy, asking) -> None:
    with pytest.raises(ValueError, match=r"whole number, got 2\.5"):
        post_request(2.5, PERSONA, base, economy, asking)
    for encoding in ("discrete", "scalar"):
        with pytest.raises(ValueError, match=r"lies in \[-5, 5\], got 6"):
            post_request(6, PERSONA, base, economy, asking, encoding)
        with pytest.raises(ValueError, match=r"lies in \[-5, 5\], got nan"):
            post_request(float("nan"), PERSONA, base, economy, asking, encoding)


def test_sampling_follows_the_options() -> None:
    conf = AskingConf(temperature=0.7, top_p=0.9, max_tokens=80, decoding_temperature=0.2, decoding_tokens=9)
    asking = Asking(conf, seed=3)
    writing, question = asking.writing("Write.", 4, "So."), asking.question("Well?", 2, "yes")
    assert (writing.sampling.temperature, writing.sampling.top_p, writing.sampling.max_tokens) == (0.7, 0.9, 80)
    assert (question.sampling.temperature, question.sampling.max_tokens) == (0.2, 9)
    assert (writing.replicate, question.replicate, writing.seed, question.seed) == (4, 2, 3, 3)
    assert (writing.example, question.example) == ("So.", "yes")
    assert asking.writing("Write.").example


def test_each_repeat_has_a_seed_of_its_own() -> None:
    found = [Asking(AskingConf(), 3, repeat).writing("Write.").seed for repeat in range(3)]
    assert found == [3, seeds.derive(3, "repeat", 1), seeds.derive(3, "repeat", 2)]


def test_plain_prompts_are_texts() -> None:
    assert Asking(AskingConf(format="plain"), 0).question("Well?").prompt == "Well?"
