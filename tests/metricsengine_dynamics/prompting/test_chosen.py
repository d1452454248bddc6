"""Prompt sets by name: inheritance, removals, perturbations, and the files that were read."""

from dataclasses import replace

import pytest

from metricsengine.errors import ConfigError
from metricsengine_dynamics.prompting.chosen import PROMPT_SETS, alike, chosen_prompts, prompt_sources


def of(name: str, **keys: str) -> str:
    return "\n".join(['title = "own"', f'of = "{name}"', *(f'{key} = "{text}"' for key, text in keys.items())])


def test_a_set_takes_from_another_what_it_leaves_out(given, base) -> None:
    inputs = given({"own": of("base", summary="Who is this? {persona}"), "second": of("own", post="{handle}: {text}")})
    second = chosen_prompts(["second"], inputs)["second"]
    assert second.summary == "Who is this? {persona}"
    assert second.post == "{handle}: {text}"
    assert (second.dynamics, second.decode, second.framing) == (base.dynamics, base.decode, base.framing)


def test_what_a_set_removes_is_removed_from_its_own_texts_too(given) -> None:
    inputs = given({"own": of("newline", summary=r"It’s you.\n{persona}")})
    assert chosen_prompts(["own"], inputs)["own"].summary == "Its you.{persona}"


def test_spaces_in_place_of_apostrophes(given) -> None:
    inputs = given({"own": of("base", summary="It’s {persona}", apostrophes="space")})
    assert chosen_prompts(["own"], inputs)["own"].summary == "It s {persona}"


def test_the_chosen_sets_stand_in_where_no_names_are_given(given) -> None:
    inputs = given(prompt=["base", "logic"])
    assert list(chosen_prompts([], inputs)) == ["base", "logic"]
    assert list(chosen_prompts(["newline"], inputs)) == ["newline"]
    with pytest.raises(ConfigError, match="this study needs prompts: add prompt=base"):
        chosen_prompts([], given())


def test_a_set_that_equals_another_is_fine(given, base) -> None:
    assert chosen_prompts(["own"], given({"own": of("base")})) == {"own": base}


def test_sets_that_say_the_same_are_told(given) -> None:
    names = ["base", "logic", "own", "spaced"]
    sets = chosen_prompts(names, given({"own": of("base"), "spaced": of("base", separator="  ")}))
    same = ["prompt set own is the same as base in every text: S is 0 by construction"]
    assert alike(sets) == same
    assert alike({**sets, "own": replace(sets["own"], framing=None)}) == same
    framings = {name: sets[name].framing for name in ("base", "spaced")}
    assert alike(framings) == [same[0].replace("own", "spaced")]
    assert alike({"base": sets["base"]}) == []


@pytest.mark.parametrize(
    ("files", "error"),
    [
        ({"own": of("own")}, r"own\.toml, key of: .*circle, own of own"),
        ({"own": of("other"), "other": of("own")}, r"other\.toml, key of: .*circle, own of other of own"),
        ({"own": of("bass")}, r"own\.toml, key of: unknown prompt 'bass': did you mean 'base'"),
        ({"own": of("base+case")}, r"own\.toml, key of: 'base\+case' is perturbed"),
        ({"own": 'title = "own"'}, r"own\.toml, key encode_discrete: missing; give it, or name under `of`"),
        ({"own": of("half"), "half": 'title = "h"\nsummary = "{persona}"'}, r"own\.toml, key encode_discrete: missing"),
    ],
)
def test_broken_inheritance_is_named_by_file_and_key(given, files, error) -> None:
    with pytest.raises(ConfigError, match=error):
        chosen_prompts(["own"], given(files))


def test_a_perturbation_changes_a_set_as_a_whole(given, prompts) -> None:
    changed = chosen_prompts(["base+case", "wording+case", "newline+synonyms"], given())
    assert "Reply with ’YES’ or ’NO’." in changed["base+case"].decode[0].text
    assert "‘STRONGLY SUPPORTIVE OF’" in changed["wording+case"].dynamics
    assert "’{negative}’" in changed["wording+case"].decode[0].text
    assert changed["wording+case"].decode[0].options == {"{negative}": -1, "{positive}": 1}
    assert changed["newline+synonyms"].encode_discrete.count("Write a tweet") == 1
    assert "\n" not in changed["newline+synonyms"].encode_discrete
    assert changed["newline+synonyms"].scale == prompts["base"].scale


def test_the_newline_set_is_what_the_perturbations_make_of_base(given, prompts) -> None:
    perturbed = chosen_prompts(["base+newlines+apostrophes"], given())["base+newlines+apostrophes"]
    newline = prompts["newline"]
    assert [q.text for q in perturbed.decode] == [q.text for q in newline.decode]
    assert (perturbed.dynamics, perturbed.encode_scalar) == (newline.dynamics, newline.encode_scalar)


def test_a_perturbation_that_changes_nothing_is_refused(given) -> None:
    with pytest.raises(ConfigError, match=r"prompt=newline\+newlines: newlines changes nothing"):
        chosen_prompts(["newline+newlines"], given())


def test_a_perturbed_set_may_be_the_chosen_one(given) -> None:
    by_name = chosen_prompts(["wording+spaces"], given())
    assert chosen_prompts([], given(prompt=["wording+spaces"])) == by_name


def test_every_prompt_text_is_perturbed_and_empty_ones_stay_empty(given) -> None:
    whole = given().find("prompt", "base").value
    loud = PROMPT_SETS.texts(whole, lambda text: f"{text}!")
    texts = [loud.encode_discrete, loud.encode_scalar, loud.dynamics, loud.summary, loud.post]
    texts += [*(question.text for question in loud.decode), loud.framing.author, loud.framing.reader]
    assert len(texts) == 9
    assert all(text.endswith("!") for text in texts)
    varied = PROMPT_SETS.texts(given().find("prompt", "newline").value, lambda text: f"{text}!")
    assert (varied.encode_discrete, varied.decode, varied.framing) == ("", [], None)


def test_sources_are_the_files_that_were_read_beside_the_chosen_ones(given) -> None:
    inputs = given({"own": of("newline")}, prompt=["logic"])
    sources = prompt_sources(["own", "logic", "base+case"], inputs)
    assert list(sources) == ["prompt own", "prompt newline", "prompt base"]
    assert sources["prompt newline"].name == "newline.toml"
    assert prompt_sources([], inputs).keys() == {"prompt base"}
    assert prompt_sources([], given()) == {}
