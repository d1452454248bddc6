"""Reading PersonaChat's formats, and the first person turned into the second."""

import json
import re

import pytest

from metricsengine.errors import ConfigError
from metricsengine_dynamics.prompting.personachat import read_personas
from metricsengine_dynamics.prompting.second_person import second_person

PARLAI = """1 your persona: i like to remodel homes.
2 your persona: my favorite holiday is halloween.
3 partner's persona: i'm a nurse.
4 partner's persona: i hate mornings.
5 hi , how are you ?\ti am fine , my dog is not\t\tyes|no|i am tall
6 your persona is nice\tthanks
1 your persona: my favorite holiday is halloween.
2 your persona: i like to remodel homes.
3 hello\thi
1 your persona: mine is a quiet life
2 hello\thi
"""
THREE = [
    "You like to remodel homes. Your favorite holiday is halloween.",
    "You are a nurse. You hate mornings.",
    "Yours is a quiet life.",
]


def written(tmp_path, content: str | bytes, name: str = "personas.txt"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def told(path) -> list[str]:
    return [persona.text for persona in read_personas(path)]


@pytest.mark.parametrize(("end", "mark"), [("\n", ""), ("\r\n", ""), ("\n", "\ufeff")])
def test_parlai_text(tmp_path, end, mark) -> None:
    path = written(tmp_path, mark + PARLAI.replace("\n", end))
    assert told(path) == THREE
    assert [persona.name for persona in read_personas(path)] == ["persona 1", "persona 2", "persona 3"]


@pytest.mark.parametrize("shape", ["list", "dict", "one", "lines"])
def test_json(tmp_path, shape) -> None:
    people = [
        {"personality": ["i like to remodel homes .", "my favorite holiday is halloween ."], "utterances": [{}]},
        {"personality": ["i ' m a nurse .", "i hate mornings ."]},
        {"personality": ["i hate mornings .", "i'm a nurse."]},
    ]
    contents = {
        "list": json.dumps(people),
        "dict": json.dumps({"train": people[:1], "valid": people[1:]}),
        "one": json.dumps(people[0]),
        "lines": "\n\n".join(map(json.dumps, people)),
    }
    path = written(tmp_path, contents[shape], "own.jsonl" if shape == "lines" else "own.json")
    assert told(path) == (THREE[:1] if shape == "one" else THREE[:2])


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("a.txt", "1 your persona: i like tea.\nyour persona: i like jam.", "a.txt, line 2: does not begin with a num"),
        (
            "a.txt",
            "1 your persona: i like tea.\n\n2 your persona:  .",
            "a.txt, line 3: a sentence of a persona is empty",
        ),
        ("a.txt", "1 hello\thi\n", "a.txt: holds no persona"),
        ("a.txt", "", "a.txt: holds no persona"),
        ("a.txt", b"1 your persona: caf\xe9", "a.txt: 'utf-8' codec can't decode"),
        ("a.json", '[\n{"personality": ["i am"]},\n{]', "a.json, line 3: "),
        ("a.json", '[{"personality": []}]', "a.json: holds no persona"),
        (
            "a.json",
            '{"train": [{"personality": ["a"]}, {"persona": ["b"]}]}',
            "a.json, train[1]: no dialogue with a pers",
        ),
        ("a.json", '[{"personality": "i am tall"}]', "a.json, [0]: personality must be a list of sentences"),
        ("a.json", '[{"personality": ["ok", " "]}]', "a.json, [0]: a sentence of a persona is empty"),
        ("a.json", "7", "a.json, content: no dialogue with a personality, got int"),
        ("a.json", "[" * 100_000, "a.json, line 1: "),
        ("a.jsonl", '{"personality": ["i am"]}\n{"personality": 3}', "a.jsonl, line 2, entry: personality must be"),
        ("a.jsonl", '{"personality": ["i am"]}\n\n{', "a.jsonl, line 3: "),
    ],
)
def test_a_broken_file_is_named_with_the_line(tmp_path, name, content, error) -> None:
    path = written(tmp_path, content, name)
    with pytest.raises(ConfigError, match=re.escape(error)) as raised:
        read_personas(path)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("i like to remodel homes.", "You like to remodel homes."),
        ("I am a vegetarian", "You are a vegetarian."),
        ("i'm 5'4\" tall .", "You are 5'4\" tall."),
        ("im tired !", "You are tired!"),
        ("i shot an arrow the other day !.", "You shot an arrow the other day!"),
        ("i’ve two kids and i’d love a third.", "You have two kids and you'd love a third."),
        ("i don ' t eat meat .", "You don't eat meat."),
        ("i was born in ohio, and i wasn't happy.", "You were born in ohio, and you weren't happy."),
        ("i also am a pilot and am tall.", "You also are a pilot and are tall."),
        ("i get up at 5 am.", "You get up at 5 am."),
        ("my wife left me. i miss her.", "Your wife left you. You miss her."),
        ("the house is mine, i built it myself.", "The house is yours, you built it yourself."),
        ("my father works in a mine.", "Your father works in a mine."),
        ("nobody is as fast as i. my legs are long.", "Nobody is as fast as you. Your legs are long."),
        ("am i too old?", "Are you too old?"),
        ("italy is my home", "Italy is your home."),
        ("mike and emily amuse me", "Mike and emily amuse you."),
        ('"army" is my dog\'s name', '"Army" is your dog\'s name.'),
    ],
)
def test_the_first_person_becomes_the_second(said, told) -> None:
    assert second_person(said) == told


def test_what_is_in_the_second_person_stays(given) -> None:
    for persona in given(agent_persona=["everyday"]).sets["agent_persona"][0].value.persona:
        assert second_person(persona.text) == persona.text
