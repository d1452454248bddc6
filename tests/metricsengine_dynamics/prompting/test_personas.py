"""Personas of the application, drawing them, and handles."""

import re
from collections import Counter

import numpy as np
import pytest

from metricsengine.errors import ConfigError
from metricsengine_dynamics.prompting.handles import NAMES
from metricsengine_dynamics.prompting.options import AskingConf
from metricsengine_dynamics.prompting.personas import AgentPersona, PersonaPool, chosen_personas, persona_sources

POLITICS = re.compile(
    r"\b(politic\w*|elect(?:ion|ed)|vot(?:e|er|ing)|left-wing|right-wing|party|union|government|tax\w*|market econom\w*"
    r"|socialis\w*|capitalis\w*|conservative|liberal)\b",
    re.IGNORECASE,
)


def pool(size: int) -> PersonaPool:
    return PersonaPool([AgentPersona(f"p{i}", f"You are number {i}.") for i in range(size)])


@pytest.fixture
def everyday(given):
    return given(agent_persona=["everyday"]).sets["agent_persona"][0].value.persona


def test_everyday_people_are_many_and_told_in_a_few_short_sentences(everyday) -> None:
    assert len(everyday) >= 60
    for persona in everyday:
        sentences = re.split(r"(?<=[.!?]) ", persona.text)
        assert 4 <= len(sentences) <= 5, persona.name
        assert all(len(sentence.split()) <= 22 and sentence[0].isupper() for sentence in sentences), persona.name
        assert re.search(r"\byou", persona.text, re.IGNORECASE)
        assert not re.search(r"\b(?:I|my|me)\b", persona.text)


def test_everyday_people_have_no_politics(everyday) -> None:
    assert [found[0] for persona in everyday if (found := POLITICS.search(persona.text))] == []


def test_no_sentence_of_everyday_people_comes_twice(everyday) -> None:
    sentences = Counter(sentence for persona in everyday for sentence in re.split(r"(?<=[.!?]) ", persona.text))
    assert [sentence for sentence, n in sentences.items() if n > 1] == []


def test_the_paper_s_persona(given) -> None:
    (persona,) = chosen_personas(AskingConf(), given(agent_persona=["paper"])).personas
    assert persona.text.startswith("You like to remodel homes. You like to go hunting.")


def test_every_persona_is_drawn_before_any_is_drawn_again() -> None:
    drawn = [inhabitant.persona.name for inhabitant in pool(7).draw(17, np.random.default_rng(0))]
    assert len(set(drawn[:7])) == len(set(drawn[7:14])) == 7
    assert len(set(drawn[14:])) == 3
    assert len(drawn) == 17


def test_the_same_seed_draws_the_same_and_another_draws_others() -> None:
    first, again, other = (pool(30).draw(20, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again
    assert [i.persona for i in first] != [i.persona for i in other]
    assert [i.handle for i in first] != [i.handle for i in other]


@pytest.mark.parametrize("n", [0, 1, len(NAMES), len(NAMES) + 1, 5_000])
def test_handles_never_repeat(n) -> None:
    handles = [inhabitant.handle for inhabitant in pool(3).draw(n, np.random.default_rng(5))]
    assert len(handles) == len(set(handles)) == n
    assert all(re.fullmatch(r"@[a-z]+(?:[2-9]|[1-9]\d+)?", handle) for handle in handles)
    assert not any(handle[-1].isdigit() for handle in handles[: len(NAMES)])


def test_names_of_handles_are_many_and_differ() -> None:
    assert len(set(NAMES)) == len(NAMES) >= 200
    assert "rowan" in NAMES


def test_several_sets_are_one_pool(given) -> None:
    both = chosen_personas(AskingConf(), given(agent_persona=["paper", "everyday"])).personas
    assert both[0].name == "remodeler"
    assert len(both) > 60


def test_a_file_goes_before_the_chosen_sets(given, tmp_path) -> None:
    file = tmp_path / "own.txt"
    file.write_text("1 your persona: i like tea.\n", encoding="utf-8")
    conf = AskingConf(persona_file=str(file))
    assert [p.text for p in chosen_personas(conf, given(agent_persona=["paper"])).personas] == ["You like tea."]
    assert persona_sources(conf) == {"study.persona_file": file}
    assert persona_sources(AskingConf()) == {}


def test_no_personas_are_chosen(given) -> None:
    with pytest.raises(ConfigError, match=r"needs personas of agents: add agent_persona=everyday, or study\.persona"):
        chosen_personas(AskingConf(), given())
    with pytest.raises(ConfigError, match=r"study\.persona_file: 'nowhere\.txt' is no file"):
        chosen_personas(AskingConf(persona_file="nowhere.txt"), given())
