"""The application's prompts are those that the paper prints (Sense and Sensitivity, Tables 2 and 3)."""

from collections.abc import Iterator, Mapping

import pytest

from metricsengine_dynamics.prompting.chosen import Prompts
from metricsengine_dynamics.prompting.debate import Debate
from metricsengine_dynamics.prompting.slots import fill

PERSONA = (
    "You like to remodel homes. You like to go hunting. You like to shoot a bow. Your favorite holiday is Halloween."
)
SUPPORT = (
    "’completely neutral towards’, ’a bit in favor of’, ’slightly in favor of’, ’moderately in favor of’,"
    " ’clearly in favor of’, or ’strongly supportive of’"
)
ENCODING = (
    f"{PERSONA} You are strongly supportive of a free market economy. Compose a tweet about a free market"
    " economy to reflect your stance from your personal experience. Please rationalize the link between your"
    " personal experience and your stance in your tweet. Remember, there’s no need to be overly polite --- this"
    " is your personal tweet. ONLY reply with the tweet and nothing else. Do not add comments nor explanation."
)
DYNAMICS = (
    f"{PERSONA} Read tweets from your network: ‘@rowan Hello.’ After analyzing these posts, it’s time to"
    " formulate your stance. Your options are ‘completely neutral towards’, ‘a bit in favor of’, ‘slightly in"
    " favor of’, ‘moderately in favor of’, ‘clearly in favor of’, or ‘strongly supportive of’. Your opinion"
    " should be a balanced reflection of the sentiments expressed in the tweets you’ve analyzed, with each tweet"
    " given equal consideration. Keep it candid and concise. Provide your opinion regarding the planned economy"
    " versus free market economy debate. Your response should include your opinion and specific references to"
    " the posts that influenced your stance."
)
POLARITY = (
    "Please read the following text: Hello. Based on the author’s perspective, do they support a free market economy?"
    " Reply with ’yes’ or ’no’. Don’t add anything else."
)
MAGNITUDE = (
    "Please carefully read the following text: Hello. Based on the author’s perspective, evaluate their level"
    f" of support for a free market economy. Choose from the following options: {SUPPORT}. If the author prefers"
    " a mixed approach, regardless of the intensity of their stance, please select ’completely neutral towards’."
    " Ensure your response is limited to these options and does not include any additional information."
)
WORDING = (
    "Please read the following text: Hello. Based on the author’s perspective, determine which economic system"
    " they support a more planned economy or a free market economy? Please choose your answer between ’planned"
    " economy’ or ’free market economy’. Only choose between this two and do not include any additional"
    " information in your response. Again: reply with ’planned economy’ or ’free market economy’ and nothing"
    " else."
)
LOGIC = (
    "Please read the following text: Hello. Based on the author’s perspective, evaluate their level of support"
    " for Free market economy. Choose from the following options: ’strongly opposed to’, ’clearly against’,"
    " ’moderately against’, ’slightly against’, ’a bit against’, ’completely neutral towards’, ’a bit in favor"
    " of’, ’slightly in favor of’, ’moderately in favor of’, ’clearly in favor of’, to ’strongly supportive of’."
    " If the author prefers a mixed approach, regardless of the intensity of their stance, please select"
    " ’completely neutral towards’. Ensure your response is limited to these options and does not include any"
    " additional information. Remember, if the author is supportive to planned economy, it implies that the"
    " author is opposed to free market economy, and vice versa. Please return author’s opinion specifically on"
    " the concept of a Free market economy. Only reply and given option and nothing else."
)


def filled(template: str, debate: Debate, **slots: str) -> str:
    """A prompt about the positive pole, white space aside."""
    return " ".join(fill(template, {**debate.slots, "topic": debate.positive.topic, **slots}).split())


def test_encoding(base: Prompts, economy: Debate) -> None:
    assert filled(base.encode_discrete, economy, persona=PERSONA, opinion="strongly supportive of") == ENCODING


def test_dynamics(base: Prompts, economy: Debate) -> None:
    assert filled(base.dynamics, economy, persona=PERSONA, timeline="@rowan\tHello.") == DYNAMICS


@pytest.mark.parametrize(
    ("variant", "printed"), [("base", [POLARITY, MAGNITUDE]), ("wording", [WORDING, MAGNITUDE]), ("logic", [LOGIC])]
)
def test_decoding(prompts: Mapping[str, Prompts], economy: Debate, variant: str, printed: list[str]) -> None:
    assert [filled(question.text, economy, text="Hello.") for question in prompts[variant].decode] == printed


def test_logic_has_eleven_labels_of_which_six_are_those_of_base(prompts: Mapping[str, Prompts]) -> None:
    (logic,) = prompts["logic"].decode
    labels = {phrase: value for phrase, value in logic.options.items() if phrase != "neutral"}
    assert sorted(labels.values()) == list(range(-5, 6))
    assert all(f"’{phrase}’" in logic.text for phrase in labels)
    assert {phrase: value for phrase, value in logic.options.items() if value >= 0} == prompts["base"].decode[1].options


@pytest.mark.parametrize("variant", ["wording", "logic"])
def test_variants_change_nothing_but_the_decoding_questions(prompts: Mapping[str, Prompts], variant: str) -> None:
    assert [key for key, text in vars(prompts[variant]).items() if text != vars(prompts["base"])[key]] == ["decode"]


def test_wording_keeps_the_second_question(prompts: Mapping[str, Prompts]) -> None:
    assert prompts["wording"].decode[1] == prompts["base"].decode[1]


def texts(prompts: Prompts) -> Iterator[str]:
    """Every text of a set that reaches a model."""
    yield from (prompts.encode_discrete, prompts.encode_scalar, prompts.dynamics, prompts.summary, prompts.post)
    yield from (prompts.separator, *prompts.scale)
    for question in prompts.decode:
        yield from (question.text, *question.options)
    framing = prompts.framing
    assert framing is not None
    yield from (framing.author, framing.reader, framing.pro, framing.contra, *framing.options)


@pytest.mark.parametrize(("variant", "instead"), [("newline", ""), ("newline_space", " ")])
def test_newline_differs_from_base_in_line_breaks_and_apostrophes_alone(
    prompts: Mapping[str, Prompts], variant: str, instead: str
) -> None:
    pairs = list(zip(texts(prompts["base"]), texts(prompts[variant]), strict=True))
    for whole, stripped in pairs:
        assert not set(stripped) & set("\n\r'‘’")
        lines = [line.translate(str.maketrans("", "", "'‘’")) for line in whole.split("\n") if line]
        assert stripped == (instead.join(lines) or " ")
    assert sum("\n" in whole for whole, _ in pairs) == 9


def test_newline_space_is_what_the_paper_prints_apart_from_apostrophes(
    prompts: Mapping[str, Prompts], economy: Debate
) -> None:
    slots = {**economy.slots, "topic": economy.positive.topic, "text": "Hello."}
    for question, printed in zip(prompts["newline_space"].decode, (POLARITY, MAGNITUDE), strict=True):
        assert fill(question.text, slots) == printed.translate(str.maketrans("", "", "'‘’"))


def test_base_sets_off_persona_text_and_timeline(base: Prompts) -> None:
    assert base.encode_discrete.startswith("{persona}\n\n")
    assert "\n‘{timeline}’\n" in base.dynamics
    assert all("\n{text}\n" in question.text for question in base.decode)
