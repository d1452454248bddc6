"""Contexts whose prompts are perturbed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from metricsengine.elicit import drive
from metricsengine.errors import ConfigError
from metricsengine.model import Outcome, Request, Response
from metricsengine.perturbation import PERTURBATIONS, load_named
from metricsengine.perturbation.spans import placeholders
from metricsengine.sets import NamedSet, find_sets
from metricsengine.study import StudyInputs
from metricsengine_caricature.config import CaricatureConf
from metricsengine_caricature.sets import Context, fits
from metricsengine_caricature.specs import SETS
from metricsengine_caricature.study import CaricatureStudy

SPECS = {spec.group: spec for spec in SETS}
FOUND = find_sets(SPECS, [Path(__file__).resolve().parents[2] / "conf"])


def load(group: str, name: str) -> NamedSet:
    return load_named(SPECS[group], FOUND[group], name)


def prompts(context: Context) -> list[str]:
    own = [context.target, context.without_topic, context.description]
    return [*own, *context.descriptions.values(), *context.follow_up]


@pytest.mark.parametrize("kind", PERTURBATIONS)
@pytest.mark.parametrize("name", FOUND["context"])
def test_every_prompt_is_perturbed_and_keeps_its_placeholders(name: str, kind: str) -> None:
    plain: Context = load("context", name).value
    wanted = [PERTURBATIONS[kind](text) for text in prompts(plain)]
    if wanted == prompts(plain):
        with pytest.raises(ConfigError, match=f"context={name}.{kind}: {kind} changes nothing there"):
            load("context", f"{name}+{kind}")
        return
    told: Context = load("context", f"{name}+{kind}").value
    assert prompts(told) == wanted
    assert [placeholders(text) for text in prompts(told)] == [placeholders(text) for text in prompts(plain)]
    assert (told.title, told.family, told.default_persona) == (plain.title, plain.family, plain.default_persona)


@pytest.mark.parametrize("name", FOUND["context"])
def test_the_same_personas_and_topics_fit(name: str) -> None:
    plain, told = load("context", name), load("context", f"{name}+trailing_space")
    for group in ("persona", "topic"):
        chosen = [load(group, other) for other in FOUND[group]]
        assert [fits(one, told) for one in chosen] == [fits(one, plain) for one in chosen]


def test_both_are_simulated_under_names_of_their_own() -> None:
    contexts = [load("context", name) for name in ("online_forum", "online_forum+synonyms")]
    sets = {"context": contexts, "persona": [load("persona", "quick")], "topic": [load("topic", "quick")]}
    study = CaricatureStudy(CaricatureConf(n=1), StudyInputs(sets))
    study.check()
    asked: list[Request] = []

    def ask(requests: Sequence[Request]) -> list[Response]:
        asked.extend(requests)
        return [Response(Outcome.ANSWERED, "Well.") for _ in requests]

    table = drive(study.run(), ask)["Simulations"]
    counts = table["context"].value_counts()
    assert set(counts.index) == {"online_forum", "online_forum+synonyms"}
    assert counts.nunique() == 1
    assert len({request.prompt for request in asked}) == len(asked)
