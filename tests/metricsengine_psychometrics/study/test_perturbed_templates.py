"""Templates whose text is perturbed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import pandas as pd
import pytest

from metricsengine.errors import ConfigError
from metricsengine.model import Request, Response
from metricsengine.perturbation import PERTURBATIONS
from metricsengine_psychometrics.items.item import Family, Item
from metricsengine_psychometrics.study.questionnaire import Questionnaire
from metricsengine_psychometrics.study.study import PersonalityStudy

Ask = Callable[[Sequence[Request]], Sequence[Response]]


def test_the_text_alone_is_perturbed(paper: Questionnaire) -> None:
    plain, told = (paper.template_of("mcq", name) for name in ("1", "1+case"))
    assert told.text == plain.text.replace("Options:", "OPTIONS:").replace("Answer:", "ANSWER:") != plain.text
    assert (told.symbols, told.option, told.separator) == (plain.symbols, plain.option, plain.separator)


@pytest.mark.parametrize("kind", PERTURBATIONS)
@pytest.mark.parametrize("family", get_args(Family))
@pytest.mark.parametrize("name", ["1", "2", "3"])
def test_a_perturbed_template_still_fits_its_family(paper: Questionnaire, family: Family, name: str, kind: str) -> None:
    wanted = PERTURBATIONS[kind](paper.template_of(family, name).text)
    if wanted == paper.template_of(family, name).text:
        with pytest.raises(ConfigError, match=f"of {family} items: {kind} changes nothing there"):
            paper.template_of(family, f"{name}+{kind}")
        return
    told = paper.template_of(family, f"{name}+{kind}")
    told.check(family)
    assert told.text == wanted


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("11+case", "study.templates: unknown template of mcq items '11': did you mean '1'? Known: 1, 2, 3"),
        ("1+cse", "study.templates: template 1+cse of mcq items: unknown perturbation 'cse': did you mean 'case'"),
        ("1+options", "study.templates: template 1+options of mcq items: options changes nothing there"),
    ],
)
def test_what_cannot_be_perturbed(study: Callable[..., PersonalityStudy], name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        study(templates=["1", name]).check()


def test_both_are_asked_under_names_of_their_own(
    study: Callable[..., PersonalityStudy],
    answered: Callable[[PersonalityStudy, Ask], pd.DataFrame],
    writing: Callable[[str], Ask],
    items: Mapping[str, Item],
) -> None:
    made: Any = study(items["mcq"], templates=[1, "1+newlines+synonyms"], answer="text", orders="normal")
    made.check()
    table = answered(made, writing("A"))
    assert table["template"].tolist() == ["1", "1+newlines+synonyms"]
    assert table["choice"].nunique() == 1
