from collections import Counter
from pathlib import Path

import pytest

from metricsengine.errors import ConfigError
from metricsengine.sets import NamedSet, SetSpec, find_sets, load_set
from metricsengine_caricature.sets import Context, Facets, PersonaSet, TopicSet, check_fit, fits

CONF = Path(__file__).resolve().parents[2] / "conf"
SPECS = {
    "context": SetSpec("context", Context),
    "persona": SetSpec("persona", PersonaSet),
    "topic": SetSpec("topic", TopicSet),
}
FOUND = find_sets(SPECS, [CONF])
FILES = [(group, name) for group, by_name in FOUND.items() for name in by_name]

PAPER_PERSONAS = {
    "age": ["20-year-old person", "40-year-old person", "80-year-old person"],
    "politics": ["conservative person", "liberal person", "moderate person"],
    "race": ["Asian person", "Black person", "Hispanic person", "Middle-Eastern person", "white person"],
    "gender": ["man", "nonbinary person", "woman"],
}
REPUBLICANS = {"Donald Trump", "Mike Pence", "Marco Rubio", "Nikki Haley", "Clarence Thomas"}


def load(group: str, name: str) -> NamedSet:
    return load_set(SPECS[group], FOUND[group][name])


def names(group: str, name: str) -> list[str]:
    value = load(group, name).value
    return [member.name for member in (value.personas if group == "persona" else value.topic)]


def write(folder: Path, group: str, text: str, name: str = "mine") -> NamedSet:
    path = folder / group / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return load_set(SPECS[group], find_sets([group], [folder])[group][name])


@pytest.mark.parametrize(("group", "name"), FILES)
def test_every_file_loads_and_says_what_it_is(group: str, name: str) -> None:
    value = load(group, name).value
    assert value.title
    assert value.source


@pytest.mark.parametrize(("group", "name"), [file for file in FILES if file[0] != "context"])
def test_listed_contexts_exist(group: str, name: str) -> None:
    assert set(load(group, name).value.contexts) <= set(FOUND["context"])


def test_families_are_contexts() -> None:
    families = {name: load("context", name).value.family for name in FOUND["context"]}
    assert {name: family for name, family in families.items() if family} == {
        "online_forum_released": "online_forum",
        "forum_thread": "online_forum",
        "interview_released": "interview",
        "twitter_released": "twitter",
    }


def test_personas_of_the_paper() -> None:
    personas = load("persona", "compost").value.personas
    by_category = {
        category: [persona.name for persona in personas if persona.category == category] for category in PAPER_PERSONAS
    }
    assert by_category == PAPER_PERSONAS
    assert len(personas) == 15 - 1  # the fifteenth is the default, which the context names
    assert load("context", "online_forum").value.default_persona == "person"


@pytest.mark.parametrize("category", PAPER_PERSONAS)
def test_a_category_is_part_of_the_whole(category: str) -> None:
    file = {"age": "ages", "politics": "politics", "race": "races", "gender": "genders"}[category]
    part = load("persona", file).value.personas
    assert part == [persona for persona in load("persona", "compost").value.personas if persona.category == category]


def test_an_adjective_is_the_name_without_its_noun() -> None:
    for name in ("compost", "quick", "twitter_parties"):
        for persona in load("persona", name).value.personas:
            assert persona.adjective == ("" if " " not in persona.name else persona.name.rsplit(" ", 1)[0])


def test_composed_personas() -> None:
    personas = load("persona", "multifaceted").value.personas
    assert len(personas) == 2 * 2 * 3
    assert personas[0].name == "20-year-old Black man"
    assert personas[1].name == "20-year-old Black nonbinary person"
    assert personas[-1].name == "80-year-old white woman"
    assert personas[-1].attributes == {"age": "80-year-old", "race": "white", "gender": "woman"}
    assert {persona.category for persona in personas} == {"multifaceted"}


@pytest.mark.parametrize(
    ("name", "file"), [("forum", "onlineforumtopics"), ("interview", "pewtopics"), ("twitter", "twittertopics")]
)
def test_topics_are_the_published_lists(name: str, file: str, shared_data: Path) -> None:
    published = (shared_data / "caricature" / f"{file}.txt").read_text(encoding="utf-8").splitlines()
    if name == "interview":
        assert published.pop() == "comment"  # marks the default topic
    assert names("topic", name) == published


def test_forum_topics_are_thirty_pairs() -> None:
    topics = load("topic", "forum").value.topic
    assert len(topics) == 60
    for general, specific in zip(topics[::2], topics[1::2], strict=True):
        assert (general.kind, specific.kind) == ("general", "specific")
        assert general.name == general.category == specific.category == specific.pair
        assert general.pair == ""
        assert general.origin == specific.origin
    assert [topic.origin for topic in topics] == ["WikiHow"] * 30 + ["ProCon.org"] * 30


def test_the_quick_topics_are_forum_topics() -> None:
    forum = load("topic", "forum").value.topic
    assert all(topic in forum for topic in load("topic", "quick").value.topic)


def test_interview_topics() -> None:
    assert len(names("topic", "interview")) == 30


def test_twitter_topics_are_sixteen_people_and_fourteen_groups() -> None:
    people, groups = (load("topic", name).value.topic for name in ("twitter_people", "twitter_groups"))
    assert [*people, *groups] == load("topic", "twitter").value.topic
    assert Counter(topic.category for topic in people) == {
        "Republican figure": 5,
        "Democratic figure": 10,
        "non-politician": 1,
    }
    assert {topic.name for topic in people if topic.category == "Republican figure"} == REPUBLICANS
    assert {topic.name for topic in people if topic.category == "non-politician"} == {"Dr. Anthony Fauci"}
    assert Counter(topic.category for topic in groups) == {"race": 4, "other group": 10}
    assert all(topic.number == "singular" for topic in people)
    assert {topic.name for topic in groups if topic.number == "singular"} == {
        "the #MeToo movement",
        "big business",
        "the Republican Party",
        "the Democratic Party",
    }


def test_levels_of_specificity() -> None:
    topics = load("topic", "health_specificity").value.topic
    assert Counter(topic.specificity for topic in topics) == {1: 1, 2: 1, 3: 2, 4: 2, 5: 2}
    assert [topic.specificity for topic in topics] == sorted(topic.specificity or 0 for topic in topics)
    assert (topics[0].name, topics[1].name) == ("health", "mental health")


@pytest.mark.parametrize("context", FOUND["context"])
def test_which_sets_fit(context: str) -> None:
    chosen = load("context", context)
    personas = {name for name in FOUND["persona"] if fits(load("persona", name), chosen)}
    topics = {name for name in FOUND["topic"] if fits(load("topic", name), chosen)}
    twitter = {"twitter", "twitter_people", "twitter_groups"}
    if context.startswith("twitter"):
        assert (personas, topics) == ({"twitter_parties"}, twitter)
    else:
        assert personas == set(FOUND["persona"]) - {"twitter_parties"}
        assert topics == set(FOUND["topic"])  # Appendix F: topics of either context in the other


def test_a_misfit_names_the_set_the_context_and_what_fits() -> None:
    check_fit(load("persona", "compost"), load("context", "interview_released"))
    with pytest.raises(ConfigError) as raised:
        check_fit(load("persona", "compost"), load("context", "twitter"))
    message = str(raised.value)
    assert message.startswith("persona=compost does not fit context=twitter: it is for online_forum, interview.")
    assert "Sets that fit: twitter_parties. " in message


def test_a_set_without_contexts_fits_all_and_a_broken_neighbour_does_not_matter(tmp_path: Path) -> None:
    anyone = write(tmp_path, "persona", 'title = "x"\npersona = [{ name = "nurse" }]', "anyone")
    elsewhere = write(tmp_path, "persona", 'title = "x"\ncontexts = ["chat"]\npersona = [{ name = "nurse" }]')
    (tmp_path / "persona" / "broken.toml").write_text("title = ")
    assert fits(anyone, load("context", "twitter"))
    with pytest.raises(ConfigError, match=r"Sets that fit: anyone\. "):
        check_fit(elsewhere, load("context", "twitter"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('target = "A [persona] on {topic}"', r"mine.toml, key target: .*lacks a placeholder: .*{persona}"),
        ('target = "{A_persona}:"', r"key target: .*lacks a placeholder: {topic}"),
        ('target = "{A_person} on {topic}"', r"key target: .*unknown placeholder {A_person}; known here: {A_persona}"),
        ('target = "{persona!r} on {topic}"', r"key target: .*unknown placeholder {persona}"),
        ('target = "{persona.name} on {topic}"', r"key target: .*unknown placeholder {persona.name}"),
        ('target = "{persona:>{topic}} {topic}"', r"key target: .*unknown placeholder {persona}"),
        ('target = "{} {persona} {topic}"', r"key target: .*unknown placeholder {}"),
        ('target = "{persona} on {topic"', r"key target: .*a brace that is no placeholder is written twice"),
        ('without_topic = "{persona} on {topic}"', r"key without_topic: .*unknown placeholder {topic}"),
        ('description = "I am {description} {persona}"', r"key description: .*unknown placeholder {description}"),
        ('descriptions = { age = "I am old." }', r"key descriptions.age: .*lacks a placeholder"),
        ('follow_up = ["Go on, {persona}:", "On {topic}:"]', r"key follow_up.1: .*unknown placeholder {topic}"),
        ('article = "vowel"', r"key article: Input should be 'sound' or 'capital_a'"),
        ('default_persona = " "', r"key default_persona: "),
        ('aritcle = "sound"', r"key aritcle: "),
    ],
)
def test_a_mistake_in_a_context_is_named_by_file_and_key(text: str, message: str, tmp_path: Path) -> None:
    sound = {"target": '"{A_persona} on {topic}:"', "without_topic": '"{A_persona}:"', "title": '"x"'}
    rest = "\n".join(f"{key} = {value}" for key, value in sound.items() if not text.startswith(key))
    with pytest.raises(ConfigError, match=message):
        write(tmp_path, "context", f"{text}\n{rest}")


@pytest.mark.parametrize(
    ("group", "text", "message"),
    [
        ("persona", 'title = "x"', "holds no persona"),
        ("persona", 'title = "x"\npersona = [{ name = "a" }, { name = "a" }]', "persona 'a' occurs twice"),
        ("persona", 'title = "x"\npersona = [{ name = "" }]', r"key persona\.0\.name"),
        (
            "persona",
            'title = "x"\n[facets]\npattern = "{age} {sex}"\nvalues = { age = ["old"] }',
            r"key facets: .*unknown placeholder {sex}; known here: {age}",
        ),
        (
            "persona",
            'title = "x"\n[facets]\npattern = "{age}"\nvalues = { age = ["old"], sex = ["man", "woman"] }',
            r"key facets: .*leaves out {sex}",
        ),
        ("persona", 'title = "x"\n[facets]\npattern = "{age}"\nvalues = { age = [] }', r"key facets\.values\.age"),
        ("topic", 'title = "x"\ntopic = []', "key topic"),
        ("topic", 'title = "x"\ntopic = [{ name = "a" }, { name = "a" }]', "topic 'a' occurs twice"),
        ("topic", 'title = "x"\ntopic = [{ name = "a", number = "dual" }]', r"key topic\.0\.number"),
        ("topic", 'title = "x"\ntopic = [{ name = "a", specificity = 6 }]', r"key topic\.0\.specificity"),
    ],
)
def test_a_mistake_in_a_set_is_named(group: str, text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        write(tmp_path, group, text)


def test_facets_keep_odd_values() -> None:
    facets = Facets("{a}, {b}", {"a": ["{b}", "100 %"], "b": ["${x}", "#1"]})
    assert [persona.name for persona in facets.personas()] == ["{b}, ${x}", "{b}, #1", "100 %, ${x}", "100 %, #1"]
