"""Prompts said in other words by a model that is scripted, and once by a small one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from metricsengine.elicit import drive
from metricsengine.errors import ConfigError
from metricsengine.exhibits import Listing, Passage
from metricsengine.metric import MetricContext
from metricsengine.model import Message, Outcome, Request, Response
from metricsengine.perturbation import load_named
from metricsengine.records import Tables
from metricsengine.results import Results
from metricsengine.sets import NamedSet, SetSpec, find_sets, validate
from metricsengine.study import StudyInputs
from metricsengine_comparisons.paraphrase.config import ParaphraseConf, YieldConf
from metricsengine_comparisons.paraphrase.metrics import ParaphraseYield
from metricsengine_comparisons.paraphrase.study import ParaphrasePrompts

QUESTION = "Reply with ’yes’ or ’no’ on {topic}."
SETS = {
    "base": f'title = "Base"\nopening = "Dear {{name}},\\n"\nquestions = ["{QUESTION}"]\n',
    "empty": 'title = "Empty"\nopening = " "\nquestions = ["{handle}\\t{text}"]\n',
}


@dataclass(frozen=True)
class Letter:
    __pydantic_config__ = {"extra": "forbid"}  # noqa: RUF012 - as pydantic reads it

    title: str
    opening: str
    questions: list[str] = field(default_factory=list)
    tone: str = "plain"

    def __post_init__(self) -> None:
        if "forbidden" in self.opening:
            raise ValueError("a forbidden word")


def through(letter: Letter, change: Callable[[str], str]) -> Letter:
    return replace(letter, opening=change(letter.opening), questions=[change(text) for text in letter.questions])


LETTER, SEALED = SetSpec("letter", Letter, texts=through), SetSpec("letter", Letter)

Script = Callable[[str, int], str | Response]


@pytest.fixture
def finding(tmp_path: Path) -> Callable[[SetSpec], Callable[[str, str], NamedSet]]:
    for name, text in SETS.items():
        (tmp_path / "letter").mkdir(exist_ok=True)
        (tmp_path / "letter" / f"{name}.toml").write_text(text, encoding="utf-8")

    def find_in(spec: SetSpec) -> Callable[[str, str], NamedSet]:
        return lambda group, name: load_named(spec, find_sets([group], [tmp_path])[group], name)

    return find_in


@pytest.fixture
def study(finding: Callable[[SetSpec], Callable[[str, str], NamedSet]]) -> Callable[..., ParaphrasePrompts]:
    def make(spec: SetSpec = LETTER, **options: Any) -> ParaphrasePrompts:
        conf = ParaphraseConf(**{"group": "letter", "prompts": ["base"], "n": 1, "attempts": 2, **options})
        made = ParaphrasePrompts(conf, StudyInputs(seed=3, find=finding(spec)))
        made.check()
        return made

    return make


def asked_of(request: Request) -> str:
    prompt = request.prompt if isinstance(request.prompt, str) else request.prompt[0].content
    return prompt.partition("---\n")[2].partition("\n---")[0]


def run(study: ParaphrasePrompts, script: Script) -> Tables:
    def ask(requests: Sequence[Request]) -> list[Response]:
        told = [script(asked_of(request), request.replicate) for request in requests]
        return [one if isinstance(one, Response) else Response(Outcome.ANSWERED, one) for one in told]

    return drive(study.run(), ask)


def results(tables: Tables) -> Results:
    return Results("paraphrase_prompts", "paper", 0, None, {}, {}, [], tables=tables)


def good(text: str, replicate: int) -> str:
    if "{name}" in text:
        return f"Hello {{name}} {'again ' * replicate}today,"
    return f"On {{topic}} say 'no' or ’yes’{' please' * replicate}."


def test_a_new_set_is_a_file_that_can_be_read(study: Callable[..., ParaphrasePrompts]) -> None:
    made = study(n=2)
    tables = run(made, good)
    sets = tables["ParaphrasedSets"]
    assert sets["name"].tolist() == ["base+paraphrase1", "base+paraphrase2"]
    assert sets[["of", "texts", "reworded"]].drop_duplicates().values.tolist() == [["base", 2, 2]]
    read = [validate(Letter, tomllib.loads(text), "it") for text in sets["content"]]
    assert read == [
        Letter("Base, paraphrase 1", "Hello {name} today,\n", ["On {topic} say 'no' or ’yes’."]),
        Letter("Base, paraphrase 2", "Hello {name} again today,\n", ["On {topic} say 'no' or ’yes’ please."]),
    ]
    passages = [one for one in made.exhibits(results(tables)) if isinstance(one, Passage)]
    toml = passages[0].markdown.partition("```toml\n")[2].partition("```")[0]
    assert validate(Letter, tomllib.loads(toml), "it") == read[0]
    assert "save it as `conf/letter/base+paraphrase1.toml`" in passages[0].markdown


def test_what_is_asked_is_seeded_and_has_a_plausible_reply(study: Callable[..., ParaphrasePrompts]) -> None:
    rounds = study(n=3, temperature=0.4, format="plain").run()
    requests = list(next(rounds))
    rounds.close()
    assert [(request.seed, request.replicate) for request in requests] == [(3, 0), (3, 1), (3, 2)] * 2
    assert {request.sampling.temperature for request in requests} == {0.4}
    assert requests[0].example == "Dear {name},\n"
    assert "placeholder {topic}, phrase ’yes’, phrase ’no’" in str(requests[3].prompt)
    assert study().needs == {"chat"}
    assert [*study().sources] == ["letter base"]
    chat = next(study().run())[0].prompt
    assert isinstance(chat[0], Message)


@pytest.mark.parametrize(
    ("reply", "outcome", "rule", "reason"),
    [
        ("Say ’yes’ or ’no’.", "answered", "placeholder", "lacks {topic}"),
        ("Say ’yes’ or ’no’ on {topic} and {name}.", "answered", "placeholder", "adds {name}"),
        ("Say ’yes’ or ’no’ on {topic} {.", "answered", "placeholder", "adds {"),
        ("Say ’yes’ or ’no’ on {{topic}}.", "answered", "placeholder", "lacks {topic}; adds {{topic}}"),
        ("Say ’yes’ or nothing on {topic}.", "answered", "label", "lacks 'no'"),
        ("Say ’yes’, ’no’ or ’maybe’ on {topic}.", "answered", "label", "adds 'maybe'"),
        ("Say ’Yes’ or ’no’ on {topic}.", "answered", "label", "lacks 'yes'; adds 'Yes'"),
        ("REPLY with ’yes’ or ’no’, on {topic}!", "answered", "duplicate", "repeats the original"),
        ("Say ’yes’ or ’no’ on {topic}" + " now" * 40, "answered", "length", "46 words for 7"),
        ("I'm sorry, but I can't help with that.", "refused", None, "the reply opens with"),
        ("---", "unparsed", None, "the reply holds no wording"),
        (Response(Outcome.TRUNCATED, "Say ’yes’ or ’no’ on {topic}.", "cut"), "truncated", None, "cut"),
        (Response(Outcome.ERROR, reason="no connection"), "error", None, "no connection"),
    ],
)
def test_what_cannot_be_used_is_counted_with_its_reason(
    study: Callable[..., ParaphrasePrompts], reply: str | Response, outcome: str, rule: str | None, reason: str
) -> None:
    tables = run(study(), lambda text, i: reply if text == QUESTION else good(text, i))
    lost = tables["Paraphrases"].query("text == 2")
    assert lost["replicate"].tolist() == [0, 1]  # asked again as often as allowed
    assert not lost["accepted"].any()
    row = lost.iloc[0].astype(object).where(lost.iloc[0].notna(), None)
    assert (row["outcome"], row["rule"]) == (outcome, rule)
    assert reason in row["reason"]
    [made] = tables["ParaphrasedSets"].to_dict("records")
    assert (made["texts"], made["reworded"]) == (2, 1)
    assert tomllib.loads(made["content"])["questions"] == [QUESTION]  # as it was


def test_a_paraphrase_that_the_group_refuses_and_one_that_repeats_another(
    study: Callable[..., ParaphrasePrompts],
) -> None:
    replies = ["A forbidden {name},", "Hi {name},", "HI {name}!"]
    tables = run(study(n=2), lambda text, i: replies[i] if "{name}" in text else good(text, i))
    rows = tables["Paraphrases"].query("text == 1")
    assert rows["rule"].astype(object).where(rows["rule"].notna(), None).tolist() == ["set", None, "duplicate"]
    assert "a forbidden word" in rows["reason"].iloc[0]
    assert rows["number"].dropna().tolist() == [1]


@pytest.mark.parametrize(
    "reply",
    [
        "<think>Hm.</think>On {topic}, say ’yes’ or ’no’.",
        "Sure! Here is the new wording:\n\nOn {topic}, say ’yes’ or ’no’.",
        "---\nOn {topic}, say ’yes’ or ’no’.\n---\nI kept the labels.",
        '"On {topic}, say ’yes’ or ’no’."',
        "On {topic}, say ’yes’ or ’no’.\n\n---",
    ],
)
def test_what_stands_around_the_wording_is_left_out(study: Callable[..., ParaphrasePrompts], reply: str) -> None:
    tables = run(study(), lambda text, i: reply if text == QUESTION else good(text, i))
    [told] = tables["Paraphrases"].query("text == 2")["paraphrase"]
    assert told == "On {topic}, say ’yes’ or ’no’."


def test_a_model_that_only_refuses_makes_no_set(study: Callable[..., ParaphrasePrompts]) -> None:
    made = study()
    tables = run(made, lambda text, i: "I cannot help with that.")
    assert tables["ParaphrasedSets"].empty
    paraphrases, replies = made.exhibits(results(tables))
    assert isinstance(paraphrases, Listing)
    assert isinstance(replies, Listing)
    assert paraphrases.frame.empty
    assert replies.frame["replies"].tolist() == [4]
    assert made.compost(tables)["topic"] == "base"


def test_the_yield_is_the_share_of_replies_that_were_taken(study: Callable[..., ParaphrasePrompts]) -> None:
    tables = run(study(attempts=3), lambda text, i: "No." if "{name}" in text else good(text, i))

    def encode(texts: Sequence[str]) -> Any:
        raise AssertionError("no vectors are needed")

    context = MetricContext("paper", 0, encode, "")
    [estimate] = ParaphraseYield(YieldConf()).compute(tables["Paraphrases"], context).estimates
    assert (estimate.value, estimate.n, estimate.labels) == (1 / 4, 4, {"letter": "base"})
    [nothing] = ParaphraseYield(YieldConf()).compute(tables["Paraphrases"].iloc[:0], context).estimates
    assert nothing.value is None


def test_sets_without_prompts_are_refused(study: Callable[..., ParaphrasePrompts]) -> None:
    for spec, name in ((SEALED, "base"), (LETTER, "empty")):
        with pytest.raises(ConfigError, match=f"study.prompts: letter={name} holds no prompts"):
            study(spec, prompts=[name])
    with pytest.raises(ConfigError, match="unknown letter 'bse': did you mean 'base'"):
        study(prompts=["bse"])


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("prompts", [], "study.prompts must be at least one name of a set, got []"),
        ("n", 0, "study.n must be at least 1, got 0"),
        ("temperature", -1.0, "study.temperature must be a finite number >= 0, got -1.0"),
        ("top_p", 0.0, "study.top_p must be in (0, 1], got 0.0"),
        ("format", "prose", "study.format must be chat or plain, got prose"),
    ],
)
def test_options_out_of_range(key: str, value: object, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ParaphraseConf(**{key: value})  # type: ignore[arg-type] # as Hydra fills it
    assert str(caught.value) == message


@pytest.mark.slow
def test_a_small_model_is_asked(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "metricsengine", "experiment=paraphrase_prompts", "tracking=none"]
    command += ["study.n=1", "study.attempts=1", "study.max_tokens=24", "study.prompts=[twitter]"]
    where = {**os.environ, "METRICSENGINE_OUTPUTS": str(tmp_path / "out")}
    ended = subprocess.run(command, cwd=tmp_path, env=where, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    [told] = (tmp_path / "out").rglob("results.json")
    [estimate] = json.loads(told.read_text(encoding="utf-8"))["estimates"]
    assert (estimate["metric"], estimate["n"], estimate["labels"]) == ("paraphrase_yield", 3, {"context": "twitter"})
