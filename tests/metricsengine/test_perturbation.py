"""What each kind of perturbation does to prompts, and what none of them does."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metricsengine.errors import ConfigError
from metricsengine.perturbation import PERTURBATIONS, perturb, perturbed_text
from metricsengine.perturbation.spans import labels
from metricsengine.perturbation.synonyms import SYNONYMS
from metricsengine.reading.normalise import folded

POLARITY = (
    "Please read the following text:\n{text}\nBased on the author’s perspective, do they support {topic}? "
    "Reply with ’yes’ or ’no’. Don’t add anything else."
)
DYNAMICS = (
    "{persona}\nRead tweets from your network:\n‘{timeline}’\nAfter analyzing these posts, it’s time to formulate your "
    "stance. Your options are ‘completely neutral towards’, ‘a bit in favor of’, ‘slightly in favor of’, "
    "‘moderately in favor of’, ‘clearly in favor of’, or ‘strongly supportive of’."
)
STYLE = "Keep it candid and concise. Provide a specific suggestion regarding {topic}, based on your perspective."
LOGIC = "Choose from: ’clearly against’, ’a bit against’, ’completely neutral towards’, to ’strongly supportive of’."

GOLDEN = {
    "newlines": (
        "Please read the following text:{text}Based on the author’s perspective, do they support {topic}? "
        "Reply with ’yes’ or ’no’. Don’t add anything else."
    ),
    "newlines_spaces": (
        "Please read the following text: {text} Based on the author’s perspective, do they support {topic}? "
        "Reply with ’yes’ or ’no’. Don’t add anything else."
    ),
    "newlines_doubled": (
        "Please read the following text:\n\n{text}\n\nBased on the author’s perspective, do they support {topic}? "
        "Reply with ’yes’ or ’no’. Don’t add anything else."
    ),
    "spaces": (
        "Please read the following text:\n{text}\nBased  on  the author’s perspective, do  they support  {topic}? "
        "Reply with ’yes’ or ’no’. Don’t add  anything else."
    ),
    "trailing_space": POLARITY + " ",
    "trailing_newline": POLARITY + "\n",
    "apostrophes": (
        "Please read the following text:\n{text}\nBased on the authors perspective, do they support {topic}? "
        "Reply with yes or no. Dont add anything else."
    ),
    "apostrophes_spaces": (
        "Please read the following text:\n{text}\nBased on the author s perspective, do they support {topic}? "
        "Reply with  yes  or  no . Don t add anything else."
    ),
    "apostrophes_straight": (
        "Please read the following text:\n{text}\nBased on the author's perspective, do they support {topic}? "
        "Reply with 'yes' or 'no'. Don't add anything else."
    ),
    "punctuation": (
        "Please read the following text\n{text}\nBased on the author’s perspective, do they support {topic}? "
        "Reply with ’yes’ or ’no’. Don’t add anything else"
    ),
    "case": (
        "Please read the following text:\n{text}\nBased on the author’s perspective, do they support {topic}? "
        "Reply with ’YES’ or ’NO’. Don’t add anything else."
    ),
    "case_capital": (
        "Please read the following text:\n{text}\nBased on the author’s perspective, do they support {topic}? "
        "Reply with ’Yes’ or ’No’. Don’t add anything else."
    ),
    "synonyms": (
        "Kindly read the following text:\n{text}\nJudging by the author’s point of view, do they support {topic}? "
        "Reply with ’yes’ or ’no’. Do not add anything more."
    ),
}

ONCE = [
    "newlines",
    "newlines_spaces",
    "trailing_space",
    "trailing_newline",
    "apostrophes",
    "apostrophes_spaces",
    "apostrophes_straight",
    "apostrophes_curly",
    "punctuation",
    "synonyms",
]
"""Kinds that find nothing left to do."""

PIECES = st.sampled_from(
    [
        *("{topic}", "{A_persona}", "{{", "}}", "{{x}}", "{", "}", "\n", "\r\n", " ", "  ", ".", ":", ",", "?"),
        *("’yes’", "‘no’", "'a bit'", '"{topic}"', "‘", "’", "'", " or ", ", ", " to ", "please", "Don’t", "posts"),
        *("Answer:", "select", "ß", "İ", "ǆ", "comment", "author’s"),
    ]
)
PROMPTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=25).map("".join))
KINDS = st.sampled_from([*PERTURBATIONS, "spaces2", "spaces17", "options2", "options3", "synonyms2"])
BRACES = re.compile(r"\{+\w+\}+|\{\{|\}\}")


class TestGolden:
    @pytest.mark.parametrize("kind", GOLDEN)
    def test_the_papers_decoding_prompt(self, kind: str) -> None:
        assert perturb(POLARITY, [kind]) == GOLDEN[kind]

    def test_every_kind_that_changes_that_prompt_is_among_them(self) -> None:
        assert {kind for kind in PERTURBATIONS if perturb(POLARITY, [kind]) != POLARITY} == set(GOLDEN)

    def test_the_papers_prompt_newline(self) -> None:
        assert perturb(POLARITY, ["newlines", "apostrophes"]) == (
            "Please read the following text:{text}Based on the authors perspective, do they support {topic}? "
            "Reply with yes or no. Dont add anything else."
        )

    def test_the_papers_options_backwards(self) -> None:
        assert perturb(DYNAMICS, ["options"]).rpartition("options are ")[2] == (
            "‘strongly supportive of’, ‘clearly in favor of’, ‘moderately in favor of’, ‘slightly in favor of’, "
            "‘a bit in favor of’, or ‘completely neutral towards’."
        )
        assert perturb(LOGIC, ["options"]).partition(": ")[2] == (
            "’strongly supportive of’, ’completely neutral towards’, ’a bit against’, to ’clearly against’."
        )

    def test_apostrophes_curl_as_they_open_and_close(self) -> None:
        assert perturb("Don't say 'yes' of {a}'s ('no').", ["apostrophes_curly"]) == "Don’t say ‘yes’ of {a}’s (‘no’)."

    def test_case_lower(self) -> None:
        assert perturb("Options:\n{options}\n\nAnswer: ’Yes’", ["case_lower"]) == "options:\n{options}\n\nanswer: ’yes’"

    def test_placeholders_in_labels_keep_their_case(self) -> None:
        assert perturb("’{positive} now’ or ’{{no}}’", ["case"]) == "’{positive} NOW’ or ’{{no}}’"

    def test_synonyms_keep_case_and_leave_labels_and_placeholders(self) -> None:
        text = 'PLEASE Select {comment}, ‘please select’ or "comment", not comments.'
        assert perturb(text, ["synonyms"]) == text.replace("PLEASE Select", "KINDLY Pick")

    def test_kinds_follow_one_another(self) -> None:
        assert perturb("’a’\n’b’", ["case", "newlines_spaces", "apostrophes"]) == "A B"


class TestProperties:
    @given(PROMPTS, KINDS)
    def test_placeholders_and_doubled_braces_stay(self, text: str, kind: str) -> None:
        told = perturb(text, [kind])
        assert Counter(BRACES.findall(told)) == Counter(BRACES.findall(text))

    @given(PROMPTS, KINDS)
    def test_the_same_text_and_draw_give_the_same(self, text: str, kind: str) -> None:
        assert perturb(text, [kind]) == perturb(text, [kind])

    @given(PROMPTS, st.sampled_from(ONCE))
    def test_a_second_time_changes_nothing(self, text: str, kind: str) -> None:
        assert perturb(text, [kind, kind]) == perturb(text, [kind])

    @given(PROMPTS)
    def test_backwards_twice_is_as_it_was(self, text: str) -> None:
        assert perturb(text, ["options", "options"]) == text

    @given(PROMPTS, st.sampled_from(["options", "options2", "options5"]))
    def test_options_only_change_places(self, text: str, kind: str) -> None:
        told = perturb(text, [kind])
        assert Counter(told) == Counter(text)
        assert Counter(label[0] for label in labels(told)) == Counter(label[0] for label in labels(text))

    @given(PROMPTS, st.sampled_from(["newlines", "newlines_spaces", "newlines_doubled", "spaces", "trailing_space"]))
    def test_white_space_alone_changes(self, text: str, kind: str) -> None:
        assert "".join(perturb(text, [kind]).split()) == "".join(text.split())

    @given(KINDS)
    def test_nothing_stays_nothing(self, kind: str) -> None:
        assert perturb("", [kind]) == ""


class TestDraws:
    @pytest.mark.parametrize(("kind", "text"), [("spaces", DYNAMICS), ("options", DYNAMICS), ("synonyms", STYLE)])
    def test_another_draw_is_another_text(self, kind: str, text: str) -> None:
        told = [perturb(text, [kind]), *(perturb(text, [f"{kind}{draw}"]) for draw in (2, 3, 4))]
        assert text not in told
        assert len(set(told)) >= 3
        assert told[0] not in told[1:]

    def test_spaces_within_labels_stay_single(self) -> None:
        quoted = [label[0] for label in labels(DYNAMICS)]
        for draw in range(2, 40):
            assert [label[0] for label in labels(perturb(DYNAMICS, [f"spaces{draw}"]))] == quoted

    @pytest.mark.parametrize(
        ("kind", "message"),
        [
            ("newlnes", "unknown perturbation 'newlnes': did you mean 'newlines'"),
            ("newlines2", "newlines draws nothing at random; leave out the 2"),
            ("spaces1", "unknown perturbation 'spaces1': did you mean 'spaces'"),
            ("spaces02", "unknown perturbation 'spaces02'"),
            ("", "unknown perturbation ''"),
        ],
    )
    def test_what_is_no_kind(self, kind: str, message: str) -> None:
        with pytest.raises(ConfigError, match=re.escape(message)):
            perturb("A text.", [kind])


class TestLabels:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("’yes’ or ’no’", ["’yes’", "’no’"]),
            ('"yes" or “no”.', ['"yes"', "“no”"]),
            ("the authors’ view of ’yes’", ["’yes’"]),
            ("it’s the author’s", []),
            ("’don’t know’, he said", ["’don’t know’"]),
            ("’90s and so on. Reply ’yes’", ["’yes’"]),
            ("5 o’clock or 6 o’clock", []),
            ("’ yes ’", []),
        ],
    )
    def test_what_is_quoted(self, text: str, found: list[str]) -> None:
        assert [label[0] for label in labels(text)] == found

    @pytest.mark.parametrize("text", ["’a’ or ’b’", "’a’; ’b’; ’c’", "’a’, b, ’c’, ’d’", "’a’ nor ’b’ nor ’c’"])
    def test_what_is_no_list_stays(self, text: str) -> None:
        assert perturb(text, ["options"]) == text

    def test_two_lists_each_by_itself(self) -> None:
        text = "’a’, ’b’ and ’c’. Or: ‘d’, ‘e’ to ‘f’ or ‘g’!"
        assert perturb(text, ["options"]) == "’c’, ’b’ and ’a’. Or: ‘g’, ‘f’ to ‘e’ or ‘d’!"

    @pytest.mark.parametrize("kind", ["case", "case_capital", "apostrophes", "apostrophes_straight", "options2"])
    def test_labels_read_the_same_where_case_and_quotes_do_not_count(self, kind: str) -> None:
        phrases = {folded(label[0]).strip("'") for label in labels(LOGIC)}
        told = folded(perturb(LOGIC, [kind]))
        assert len(phrases) == 4
        assert all(phrase in told for phrase in phrases)


class TestSynonyms:
    def test_none_has_synonyms_itself(self) -> None:
        others = {other for several in SYNONYMS.values() for other in several}
        assert [other for other in others if perturb(other, ["synonyms"]) != other] == []

    def test_articles_stay_right(self) -> None:
        first = {word: {other[0] in "aeiou" for other in (word, *others)} for word, others in SYNONYMS.items()}
        assert [word for word, vowels in first.items() if len(vowels) > 1] == []

    def test_each_is_another(self) -> None:
        assert all(len({word, *others}) == len(others) + 1 > 1 for word, others in SYNONYMS.items())


def test_what_changes_nothing_is_refused_with_what_would() -> None:
    with pytest.raises(ConfigError) as caught:
        perturbed_text("Well", ("spaces",), "this")
    assert str(caught.value) == (
        "this: spaces changes nothing there, so that a sensitivity to it would be 0 by construction; "
        "choose one that does: trailing_space, trailing_newline"
    )
    with pytest.raises(ConfigError, match="nor does any other"):
        perturbed_text("", ("spaces",), "this")


def test_every_kind_says_what_it_does_in_one_line() -> None:
    assert all(kind.doc and "\n" not in kind.doc and kind.name == name for name, kind in PERTURBATIONS.items())
