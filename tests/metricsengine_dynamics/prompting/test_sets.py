"""Every file under ``conf`` loads, and what is wrong with one is told by file and key."""

import re
from pathlib import Path

import pytest

from metricsengine.errors import ConfigError
from metricsengine.sets import SetFile, find_sets, load_set
from metricsengine_dynamics.prompting.chosen import chosen_debate
from metricsengine_dynamics.prompting.debate import Debate
from metricsengine_dynamics.prompting.specs import SETS

CONF = Path(__file__).resolve().parents[3] / "conf"
SPECS = {spec.group: spec for spec in SETS}
FILES = [file for by_name in find_sets(SPECS, [CONF]).values() for file in by_name.values()]

QUESTION = """title = "t"
[[decode]]
reads = "{reads}"
text = "{text}"
options = {{ {options} }}
"""


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.group}-{file.name}")
def test_every_set_loads(file: SetFile) -> None:
    assert load_set(SPECS[file.group], file).value.title


def test_the_sets_that_are_named_are_there() -> None:
    names = {group: {file.name for file in FILES if file.group == group} for group in SPECS}
    assert names["prompt"] >= {"base", "wording", "logic", "newline", "newline_space"}
    assert {"economy"} < names["debate"]
    assert names["agent_persona"] >= {"everyday", "paper"}


def loaded(tmp_path: Path, group: str, content: str) -> object:
    path = tmp_path / "own.toml"
    path.write_text(content, encoding="utf-8")
    return load_set(SPECS[group], SetFile(group, "own", path, "")).value


@pytest.mark.parametrize(
    ("content", "key", "reason"),
    [
        ('title = "t"\nencode_discrete = "You are {opinon} {topic}."', "encode_discrete", "unknown slot {opinon}"),
        ('title = "t"\nencode_discrete = "You like {topic}."', "encode_discrete", "lacks the slot {opinion}"),
        (
            'title = "t"\ndynamics = "{timeline!r}"',
            "dynamics",
            "no conversion or format: write {timeline}",
        ),
        ('title = "t"\ndynamics = "{timeline.text}"', "dynamics", "unknown slot {timeline.text}"),
        ('title = "t"\ndynamics = "{timeline} {"', "dynamics", "a brace that is no slot is written twice"),
        ('title = "t"\npost = "{handle} {text} {debate}"', "post", "unknown slot {debate}"),
        ('title = "t"\nscale = ["neutral", "for"]', "scale", "must have 6 phrases"),
        ('title = "t"\nscale = ["a", "b", "c", "d", "e", "B "]', "scale", "must all be different, got 'b'"),
        ('title = "t"\nnewlines = "gone"', "newlines", "'removed' or 'space'"),
        ('title = "t"\nsummery = "{persona}"', "summery", "Unexpected keyword argument"),
        (QUESTION.format(reads="score", text="{txt}?", options="a=1,b=2"), "decode.0.text", "unknown slot {txt}"),
        (QUESTION.format(reads="score", text="{text}?", options="a=1,b=6"), "decode.0", "from -5 to 5"),
        (QUESTION.format(reads="polarity", text="{text}?", options="a=1,b=0.5"), "decode.0", "-1, 0 or 1"),
        (
            QUESTION.format(reads="magnitude", text="{text}?", options="a=1,b=2"),
            "decode",
            "must hold one question",
        ),
        (QUESTION.format(reads="score", text="{text}?", options="a=1"), "decode.0.options", "at least 2"),
        (QUESTION.format(reads="score", text="{text}?", options='a=1,"{x}"=2'), "decode.0.options", "unknown slot {x}"),
    ],
)
def test_a_broken_prompt_set_is_named_by_file_and_key(tmp_path: Path, content: str, key: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=rf"own\.toml, key {re.escape(key)}.*{re.escape(reason)}"):
        loaded(tmp_path, "prompt", content)


POLES = """title = "t"
topic = "cats versus dogs"
[positive]
topic = "cats"
name = "cats"
short = "cats"
[negative]
topic = "{topic}"
name = "{name}"
short = "dogs"
"""


def test_poles_differ(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"own\.toml.*both poles have the name 'cats'"):
        loaded(tmp_path, "debate", POLES.format(topic="dogs", name="Cats"))


def test_a_debate_fills_the_slots_of_prompts(tmp_path: Path) -> None:
    debate = loaded(tmp_path, "debate", POLES.format(topic="a dog", name="dog"))
    assert isinstance(debate, Debate)
    assert [debate.topic_of(opinion) for opinion in (2, 0, -0.5)] == ["cats", "cats versus dogs", "a dog"]
    assert debate.slots == {
        "debate": "cats versus dogs",
        "kind": "position",
        "positive": "cats",
        "a_positive": "cats",
        "a_more_positive": "cats",
        "Positive": "Cats",
        "negative": "dog",
        "a_negative": "a dog",
        "a_more_negative": "a dog",
        "Negative": "Dog",
        "a_Positive": "Cats",
        "a_Negative": "a Dog",
    }


def test_a_study_has_one_debate(given) -> None:
    with pytest.raises(ConfigError, match="this study needs a debate: add debate=economy"):
        chosen_debate(given())
    with pytest.raises(ConfigError, match="one debate, got economy, books"):
        chosen_debate(given(debate=["economy", "books"]))
