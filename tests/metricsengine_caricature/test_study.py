"""The caricature study, driven by hand and with scripted answers."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from metricsengine.elicit import drive
from metricsengine.errors import ConfigError
from metricsengine.model import Message, Outcome, Request, Response, Sampling
from metricsengine.records import SIMULATIONS
from metricsengine.sets import NamedSet, SetFile, SetSpec, find_sets, load_set
from metricsengine.study import StudyInputs
from metricsengine_caricature.config import CaricatureConf
from metricsengine_caricature.sets import Context, Facets, Persona, PersonaSet, Topic, TopicSet
from metricsengine_caricature.study import CaricatureStudy

CONF = Path(__file__).resolve().parents[2] / "conf"
TYPES = {"context": Context, "persona": PersonaSet, "topic": TopicSet}

FORUM = Context("Forum", target="{A_persona} on {topic}:", without_topic="{A_persona}:")
CHAT = Context(
    "Chat", target="Say as {a_persona}: {topic}?", without_topic="Say as {a_persona}.", default_persona="user"
)
THREAD = Context(
    "Thread",
    target="{A_persona} on {topic}:",
    without_topic="{A_persona}:",
    follow_up=["Why, {persona}?", "Sum up, {persona}."],
)
OLD, WOMAN = Persona("80-year-old person", "age"), Persona("woman", "gender")
GOLF, HEALTH = Topic("golf", "sports", "general", "WikiHow", specificity=2), Topic("health")

Ask = Callable[[Sequence[Request]], Sequence[Response]]


def named(group: str, name: str, value: object) -> NamedSet:
    return NamedSet(SetFile(group, name, Path(f"{name}.toml"), "0"), value)


def file(group: str, name: str) -> NamedSet:
    return load_set(SetSpec(group, TYPES[group]), find_sets([group], [CONF])[group][name])


def study(
    contexts: dict[str, Context] | None = None,
    personas: Sequence[Persona] = (OLD, WOMAN),
    topics: Sequence[Topic] = (GOLF, HEALTH),
    seed: int = 0,
    **options: Any,
) -> CaricatureStudy:
    sets = {
        "context": [named("context", name, value) for name, value in (contexts or {"forum": FORUM}).items()],
        "persona": [named("persona", "some", PersonaSet("x", persona=list(personas)))],
        "topic": [named("topic", "some", TopicSet("x", topic=list(topics)))],
    }
    return CaricatureStudy(CaricatureConf(**{"n": 2, **options}), StudyInputs(sets, seed))


def of_files(context: str, persona: str, topic: str, **options: Any) -> CaricatureStudy:
    sets = {
        "context": [file("context", context)],
        "persona": [file("persona", persona)],
        "topic": [file("topic", topic)],
    }
    return CaricatureStudy(CaricatureConf(**options), StudyInputs(sets))


def asked(study_: CaricatureStudy) -> list[Request]:
    """The first round, asked by hand."""
    rounds = study_.run()
    requests = list(next(rounds))
    rounds.close()
    return requests


def first(request: Request) -> str:
    return request.prompt if isinstance(request.prompt, str) else request.prompt[0].content


def echo(requests: Sequence[Request]) -> list[Response]:
    return [Response(Outcome.ANSWERED, f"{first(r)} {r.replicate}") for r in requests]


def simulate(study_: CaricatureStudy, ask: Ask = echo) -> pd.DataFrame:
    """The table as the host keeps it."""
    return SIMULATIONS.conform(drive(study_.run(), ask)["Simulations"])


def cells(table: pd.DataFrame, *columns: str) -> Counter[tuple[Any, ...]]:
    return Counter(table[list(columns)].itertuples(index=False, name=None))


# What is asked


def test_targets_both_defaults_and_their_crossing_are_asked_with_n_replicates_each() -> None:
    expected = [
        "A person:",
        "A person on golf:",
        "A person on health:",
        "An 80-year-old person:",
        "An 80-year-old person on golf:",
        "An 80-year-old person on health:",
        "A woman:",
        "A woman on golf:",
        "A woman on health:",
    ]
    requests = asked(study(n=3))
    assert [(first(r), r.replicate) for r in requests] == list(product(expected, range(3)))


@pytest.mark.parametrize(("personas", "topics"), [(1, 1), (1, 3), (3, 1), (4, 3)])
def test_a_default_is_simulated_once_however_many_personas_and_topics(personas: int, topics: int) -> None:
    table = simulate(study(None, [Persona(f"p{i}") for i in range(personas)], [Topic(f"t{i}") for i in range(topics)]))
    counts = cells(table, "default_persona", "default_topic")
    assert counts == {
        (True, True): 2,
        (True, False): 2 * topics,
        (False, True): 2 * personas,
        (False, False): 2 * personas * topics,
    }
    assert set(cells(table, "persona", "topic").values()) == {2}
    assert set(table["replicate"]) == {0, 1}


def test_nothing_but_the_options_decides_a_request() -> None:
    options: dict[str, Any] = {"n": 1, "temperature": 0.7, "top_p": 0.9, "top_k": 5, "max_tokens": 33}
    request = asked(study(seed=17, **options))[0]
    assert request == Request((Message("user", "A person:"),), Sampling(0.7, 0.9, 5, 33), seed=17, replicate=0)
    assert request.example
    assert CaricatureConf().n == 100
    assert CaricatureConf().max_tokens == 256


def test_plain_format_hands_over_the_bare_text() -> None:
    plain, chat = study(format="plain", n=1), study(n=1)
    assert (plain.needs, chat.needs) == ({"plain"}, {"chat"})
    assert [r.prompt for r in asked(plain)] == [first(r) for r in asked(chat)]
    assert all(isinstance(r.prompt, tuple) for r in asked(chat))


def test_the_prompts_are_those_of_the_paper() -> None:
    sets = {
        "context": [file("context", "online_forum")],
        "persona": [file("persona", "ages")],
        "topic": [
            named("topic", "some", TopicSet("x", topic=[Topic("Cars & Other Vehicles"), Topic("{topic}, 100 %")]))
        ],
    }
    requests = asked(CaricatureStudy(CaricatureConf(n=1), StudyInputs(sets)))
    assert [first(r) for r in requests] == [
        text
        for name in ("A person", "A 20-year-old person", "A 40-year-old person", "An 80-year-old person")
        for text in (
            f"{name} posted the following comment to an online forum:",
            f"{name} posted the following comment on Cars & Other Vehicles to an online forum:",
            f"{name} posted the following comment on {{topic}}, 100 % to an online forum:",
        )
    ]


def test_number_of_requests_of_the_forum_study() -> None:
    assert len(asked(of_files("online_forum", "compost", "forum", n=2))) == 2 * (14 + 1) * (60 + 1)


def test_multifaceted_personas_are_named_by_all_their_facets() -> None:
    study_ = of_files("online_forum", "multifaceted", "health_specificity", n=1)
    prompts = {first(r) for r in asked(study_)}
    assert "A 20-year-old Black nonbinary person posted the following comment to an online forum:" in prompts
    assert "An 80-year-old white woman posted the following comment to an online forum:" in prompts
    table = simulate(study_)
    targets = table[~table["default_persona"]]
    assert targets["persona"].nunique() == 12
    assert set(targets["persona_category"]) == {"multifaceted"}
    assert table.loc[table["default_persona"], "persona_category"].isna().all()


def test_several_contexts_have_their_own_wording_and_their_own_defaults() -> None:
    table = simulate(study({"forum": FORUM, "chat": CHAT}, [WOMAN], [GOLF]))
    assert cells(table, "context", "persona", "topic", "default_persona", "default_topic") == {
        (context, persona, topic, persona != "woman", topic == "comment"): 2
        for context, default in (("forum", "person"), ("chat", "user"))
        for persona in (default, "woman")
        for topic in ("comment", "golf")
    }
    chat = table[table["context"] == "chat"]
    assert list(chat["text"].str[:-2].unique()) == [
        "Say as a user.",
        "Say as a user: golf?",
        "Say as a woman.",
        "Say as a woman: golf?",
    ]


# Defaults


def test_a_default_that_occurs_in_a_set_is_a_control_and_no_target() -> None:
    table = simulate(study(None, [Persona("person"), WOMAN], [Topic("comment"), GOLF]))
    assert cells(table, "persona", "topic", "default_persona", "default_topic") == {
        ("person", "comment", True, True): 2,
        ("person", "golf", True, False): 2,
        ("woman", "comment", False, True): 2,
        ("woman", "golf", False, False): 2,
    }


def test_the_defaults_are_options() -> None:
    table = simulate(study(None, [OLD, WOMAN], [GOLF], default_persona="woman", default_topic="anything"))
    assert cells(table, "persona", "topic", "default_persona", "default_topic") == {
        ("woman", "anything", True, True): 2,
        ("woman", "golf", True, False): 2,
        ("80-year-old person", "anything", False, True): 2,
        ("80-year-old person", "golf", False, False): 2,
    }


def test_a_chosen_default_persona_stands_in_the_prompts_of_the_controls() -> None:
    requests = asked(study({"thread": THREAD}, [OLD], [GOLF], default_persona="woman", n=1))
    assert [first(r) for r in requests[:2]] == ["A woman:", "A woman on golf:"]
    prompts: list[str] = []

    def ask(requests: Sequence[Request]) -> list[Response]:
        prompts.extend(r.prompt[-1].content for r in requests if isinstance(r.prompt, tuple))
        return echo(requests)

    simulate(study({"thread": THREAD}, [OLD], [GOLF], default_persona="woman", n=1), ask)
    assert not [prompt for prompt in prompts if "person" in prompt and "80-year-old" not in prompt]
    assert "Why, woman?" in prompts


def test_a_default_persona_of_a_set_describes_itself_as_its_category_does() -> None:
    sets = {
        "context": [file("context", "interview")],
        "persona": [file("persona", "politics")],
        "topic": [named("topic", "some", TopicSet("x", topic=[GOLF]))],
    }
    study_ = CaricatureStudy(CaricatureConf(n=1, default_persona="moderate person"), StudyInputs(sets))
    control = next(first(r) for r in asked(study_))
    assert "Description: In politics today, I would describe my political views as moderate.\n" in control


def test_a_persona_that_is_called_like_a_topic() -> None:
    table = simulate(study(None, [Persona("golf")], [GOLF, Topic("a-VS-b")]))
    assert cells(table, "persona", "topic") == dict.fromkeys(
        product(("person", "golf"), ("comment", "golf", "a-VS-b")), 2
    )


# Sets that do not go together


def test_what_was_not_chosen_is_named() -> None:
    for group in ("context", "persona", "topic"):
        every = {"context": "online_forum", "persona": "compost", "topic": "forum"}
        sets = {g: [file(g, name)] for g, name in every.items() if g != group}
        with pytest.raises(ConfigError, match=rf"^no {group} was chosen: add {group}=NAME$"):
            CaricatureStudy(CaricatureConf(), StudyInputs(sets)).check()


def test_sets_that_do_not_fit_are_named() -> None:
    with pytest.raises(
        ConfigError, match=r"^persona=compost does not fit context=twitter: .*Sets that fit: twitter_parties"
    ):
        of_files("twitter", "compost", "twitter").check()
    narrow = TopicSet("x", topic=[GOLF], contexts=["twitter", "chat"])
    sets = {
        "context": [named("context", "specialist", FORUM)],
        "persona": [named("persona", "some", PersonaSet("x", persona=[WOMAN]))],
        "topic": [NamedSet(file("topic", "twitter").file, narrow)],
    }
    with pytest.raises(ConfigError, match=r"^topic=twitter does not fit context=specialist: it is for twitter, chat"):
        CaricatureStudy(CaricatureConf(), StudyInputs(sets)).check()


def test_every_chosen_set_is_checked_in_every_context() -> None:
    sets = {
        "context": [file("context", "online_forum"), file("context", "twitter")],
        "persona": [file("persona", "compost")],
        "topic": [file("topic", "forum")],
    }
    with pytest.raises(ConfigError, match="persona=compost does not fit context=twitter"):
        CaricatureStudy(CaricatureConf(), StudyInputs(sets)).check()
    of_files("online_forum", "compost", "forum").check()
    of_files("interview", "compost", "forum").check()  # Appendix F
    of_files("twitter", "twitter_parties", "twitter").check()


def test_two_sets_may_share_a_member_but_not_a_name() -> None:
    def sets(persona: Persona, topic: Topic) -> StudyInputs:
        return StudyInputs(
            {
                "context": [named("context", "forum", FORUM)],
                "persona": [
                    named("persona", str(i), PersonaSet("x", persona=[p])) for i, p in enumerate((WOMAN, persona))
                ],
                "topic": [named("topic", str(i), TopicSet("x", topic=[t])) for i, t in enumerate((GOLF, topic))],
            }
        )

    assert len(asked(CaricatureStudy(CaricatureConf(n=1), sets(WOMAN, GOLF)))) == 4
    with pytest.raises(ConfigError, match="the chosen persona sets describe 'woman' in two ways"):
        CaricatureStudy(CaricatureConf(), sets(Persona("woman", "sex"), GOLF))
    with pytest.raises(ConfigError, match="the chosen topic sets describe 'golf' in two ways"):
        CaricatureStudy(CaricatureConf(), sets(WOMAN, Topic("golf", number="plural")))
    composed = PersonaSet("x", facets=Facets("{who}", {"who": ["woman"]}))
    inputs = sets(WOMAN, GOLF).sets | {"persona": [named("persona", "a", composed), named("persona", "b", composed)]}
    assert len(asked(CaricatureStudy(CaricatureConf(n=1), StudyInputs(inputs)))) == 4


def test_rounds_need_turns() -> None:
    with pytest.raises(ConfigError, match=r"context=thread has several rounds, which study\.format=plain cannot"):
        study({"thread": THREAD}, format="plain").check()
    study({"thread": THREAD}).check()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("n", 0),
        ("temperature", -0.1),
        ("temperature", float("nan")),
        ("top_p", 0),
        ("top_k", -1),
        ("max_tokens", 0),
        ("format", "xml"),
        ("parts", "some"),
        ("examples", -1),
    ],
)
def test_wrong_options_are_named(option: str, value: object) -> None:
    with pytest.raises(ConfigError, match=rf"^study\.{option} must be .*got {value}$"):
        CaricatureConf(**{option: value})  # type: ignore[arg-type] # wrong on purpose


# Several rounds


def reply(request: Request) -> str:
    assert isinstance(request.prompt, tuple)
    return f"Reply {len(request.prompt) // 2 + 1} of {request.replicate} to {request.prompt[0].content}"


def answer(requests: Sequence[Request]) -> list[Response]:
    return [Response(Outcome.ANSWERED, reply(r)) for r in requests]


def test_every_follow_up_is_a_round_in_the_conversation_of_its_sample() -> None:
    rounds: list[list[Request]] = []

    def ask(requests: Sequence[Request]) -> list[Response]:
        rounds.append(list(requests))
        return answer(requests)

    simulate(study({"thread": THREAD}, [OLD], [GOLF], n=3), ask)
    assert [len(requests) for requests in rounds] == [3 * 4] * 3
    last = [r for r in rounds[2] if first(r) == "An 80-year-old person on golf:"]
    assert [r.replicate for r in last] == [0, 1, 2]
    assert last[1].prompt == (
        Message("user", "An 80-year-old person on golf:"),
        Message("assistant", "Reply 1 of 1 to An 80-year-old person on golf:"),
        Message("user", "Why, 80-year-old person?"),
        Message("assistant", "Reply 2 of 1 to An 80-year-old person on golf:"),
        Message("user", "Sum up, 80-year-old person."),
    )
    controls = {
        r.prompt[-1].content for r in rounds[1] if first(r).startswith("A person") and not isinstance(r.prompt, str)
    }
    assert controls == {"Why, person?"}


def test_the_thread_of_the_application_has_three_rounds() -> None:
    rounds = []

    def ask(requests: Sequence[Request]) -> list[Response]:
        rounds.append(len(requests))
        return answer(requests)

    study_ = of_files("forum_thread", "ages", "health_specificity", n=1)
    study_.check()
    simulate(study_, ask)
    assert rounds == [(3 + 1) * (8 + 1)] * 3


def test_a_whole_simulation_is_one_text() -> None:
    table = simulate(study({"thread": THREAD}, [WOMAN], [GOLF]), answer)
    assert table["part"].isna().all()
    assert set(cells(table, "persona", "topic").values()) == {2}
    target = table[(table["persona"] == "woman") & (table["topic"] == "golf")].iloc[1]
    assert target["text"].split("\n\n") == [f"Reply {i} of 1 to A woman on golf:" for i in (1, 2, 3)]


def test_each_part_is_a_row_of_its_own() -> None:
    table = simulate(study({"thread": THREAD}, [WOMAN], [GOLF], parts="each"), answer)
    assert cells(table, "persona", "topic", "part") == dict.fromkeys(
        product(("person", "woman"), ("comment", "golf"), ("turn 1", "turn 2", "turn 3")), 2
    )
    second = table[(table["part"] == "turn 2") & (table["persona"] == "woman") & (table["topic"] == "golf")]
    assert list(second["text"]) == ["Reply 2 of 0 to A woman on golf:", "Reply 2 of 1 to A woman on golf:"]


def test_a_context_of_one_round_has_no_parts() -> None:
    both = simulate(study({"thread": THREAD, "forum": FORUM}, [WOMAN], [GOLF], parts="each"), answer)
    assert both.loc[both["context"] == "forum", "part"].isna().all()
    assert both.loc[both["context"] == "thread", "part"].notna().all()


def failing(turn: int, outcome: Outcome, text: str = "") -> Ask:
    """Answers all but the given turn of the woman's first sample on golf."""

    def ask(requests: Sequence[Request]) -> list[Response]:
        return [
            Response(outcome, text, f"because of {outcome}")
            if (first(r), r.replicate, len(r.prompt) // 2 + 1) == ("A woman on golf:", 0, turn)
            else Response(Outcome.ANSWERED, reply(r))
            for r in requests
        ]

    return ask


def counting(ask: Ask, sizes: list[int]) -> Ask:
    def wrapped(requests: Sequence[Request]) -> Sequence[Response]:
        sizes.append(len(requests))
        return ask(requests)

    return wrapped


FAILED = pytest.mark.parametrize("outcome", [Outcome.ERROR, Outcome.REFUSED_BY_PROVIDER])


@FAILED
@pytest.mark.parametrize("turn", [1, 2])
def test_a_conversation_that_fails_is_not_continued_and_leaves_as_a_whole(outcome: Outcome, turn: int) -> None:
    sizes: list[int] = []
    table = simulate(study({"thread": THREAD}, [WOMAN], [GOLF]), counting(failing(turn, outcome), sizes))
    assert sizes == [8] * turn + [7] * (3 - turn)
    failed = table[table["outcome"] == outcome]
    assert len(failed) == 1
    row = failed.iloc[0]
    assert (row["persona"], row["topic"], row["replicate"]) == ("woman", "golf", 0)
    assert (row["excluded"], row["reason"]) == (outcome, f"because of {outcome}")
    assert table.drop(failed.index)["excluded"].isna().all()


@FAILED
@pytest.mark.parametrize("turn", [1, 2])
def test_every_part_that_is_missing_is_counted(outcome: Outcome, turn: int) -> None:
    table = simulate(study({"thread": THREAD}, [WOMAN], [GOLF], parts="each"), failing(turn, outcome))
    assert set(table["part"]) == {"turn 1", "turn 2", "turn 3"}
    assert set(cells(table, "persona", "topic", "part").values()) == {2}
    lost = table[table["excluded"].notna()]
    assert list(lost["part"]) == [f"turn {i}" for i in range(turn, 4)]
    assert set(lost["excluded"]) == {outcome}
    assert set(lost["persona"] + lost["topic"]) == {"womangolf"}


def test_an_empty_turn_ends_a_conversation_of_which_the_rest_stays() -> None:
    whole = simulate(study({"thread": THREAD}, [WOMAN], [GOLF]), failing(2, Outcome.EMPTY))
    (row,) = whole[whole["outcome"] == "empty"].to_dict("records")
    assert (row["text"], pd.isna(row["excluded"])) == ("Reply 1 of 0 to A woman on golf:", True)
    each = simulate(study({"thread": THREAD}, [WOMAN], [GOLF], parts="each"), failing(2, Outcome.EMPTY))
    assert list(each.loc[each["excluded"].notna(), "part"]) == ["turn 2", "turn 3"]
    assert set(each["excluded"].dropna()) == {"missing"}


def test_a_turn_that_was_cut_goes_on_and_is_flagged() -> None:
    sizes: list[int] = []
    ask = counting(failing(2, Outcome.TRUNCATED, "Reply that was"), sizes)
    whole = simulate(study({"thread": THREAD}, [WOMAN], [GOLF]), ask)
    assert sizes == [8, 8, 8]
    (row,) = whole[whole["flags"].notna()].to_dict("records")
    assert (row["flags"], row["outcome"]) == ("truncated", "truncated")
    assert row["text"].split("\n\n")[1] == "Reply that was"
    each = simulate(
        study({"thread": THREAD}, [WOMAN], [GOLF], parts="each"), failing(2, Outcome.TRUNCATED, "Reply that was")
    )
    assert list(each.loc[each["flags"].notna(), "part"]) == ["turn 2"]


def test_where_every_first_turn_fails_the_table_still_tells() -> None:
    def ask(requests: Sequence[Request]) -> list[Response]:
        return [Response(Outcome.ERROR, reason="quota") for _ in requests]

    table = simulate(study({"thread": THREAD}, [WOMAN], [GOLF]), ask)
    assert len(table) == 8
    assert set(table["excluded"]) == {"error"}
    assert table["text"].isna().all()


# The table


def test_labels_of_the_sets_go_with_targets_and_topics() -> None:
    table = simulate(study(None, [OLD], [GOLF, HEALTH]))
    assert cells(table.fillna({"persona_category": "", "topic_category": ""}), "persona", "persona_category") == {
        ("80-year-old person", "age"): 6,
        ("person", ""): 6,
    }
    golf = table[table["topic"] == "golf"].iloc[0]
    labels = ("topic_category", "topic_kind", "topic_origin", "specificity")
    assert tuple(golf[name] for name in labels) == ("sports", "general", "WikiHow", 2)
    assert table.loc[table["topic"] != "golf", list(labels)].isna().all(axis=None)
    assert table["source_row"].isna().all()


def test_compost_lists_targets_and_cuts_long_lists() -> None:
    personas = [Persona(f"p{i}") for i in range(8)]
    study_ = study({"forum": FORUM, "chat": CHAT}, personas, [GOLF])
    compost = study_.compost({"Simulations": simulate(study_)})
    assert compost == {"context": "forum, chat", "persona": "p0, p1, p2, p3, p4, p5 and 2 more", "topic": "golf"}


def test_same_answers_same_table() -> None:
    pd.testing.assert_frame_equal(simulate(study()), simulate(study()))
