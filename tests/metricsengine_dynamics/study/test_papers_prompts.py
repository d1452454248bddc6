"""A perfect agent under the paper's prompts: whatever the wording, it differs from the reference by rounding only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from simulated import Scripted, inputs, mean, stances, stated

from metricsengine.elicit import drive
from metricsengine.sets import NamedSet, SetSpec, find_sets, load_set
from metricsengine_dynamics.models.hegselmann_krause import HegselmannKrause
from metricsengine_dynamics.networks.random_graphs import ErdosRenyi
from metricsengine_dynamics.prompting.debate import Debate
from metricsengine_dynamics.prompting.specs import SETS
from metricsengine_dynamics.study.config import OpinionConf
from metricsengine_dynamics.study.study import OpinionStudy

CONF = Path(__file__).resolve().parents[3] / "conf"
VARIANTS = ["base", "wording", "logic", "newline"]
AGAINST = ["strongly opposed to", "clearly against", "moderately against", "slightly against", "a bit against"]


def own(group: str, name: str) -> NamedSet:
    """A set of the application."""
    spec: SetSpec = next(spec for spec in SETS if spec.group == group)
    return load_set(spec, find_sets([group], [CONF])[group][name])


@dataclass
class Perfect(Scripted):
    """Answers the paper's prompts, with line breaks and apostrophes or without."""

    debate: Debate = own("debate", "economy").value
    scale: tuple[str, ...] = tuple(own("prompt", "base").value.scale)

    def reply(self, prompt: str) -> str:
        labels = stances(prompt, self.debate, self.scale)
        if "Read tweets" in prompt:
            return stated(mean(labels), self.debate, self.scale)
        first = labels[0]
        if "Compose a tweet" in prompt:
            return stated(first, self.debate, self.scale)
        if "determine which" in prompt:
            return (self.debate.negative if first < 0 else self.debate.positive).name
        if "Reply with" in prompt:
            return "no" if first < 0 else "yes"
        if AGAINST[0] in prompt:
            return [*AGAINST, *self.scale][first + 5]
        return self.scale[abs(first)]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    sets = {name: [own(name, chosen)] for name, chosen in (("prompt", "base"), ("debate", "economy"))}
    given = replace(
        inputs(ErdosRenyi(0.3), HegselmannKrause(0.3)),
        sets=sets | {"agent_persona": [own("agent_persona", "everyday")]},
        find=own,
    )
    study = OpinionStudy(OpinionConf(steps=4, runs=2, prompts=VARIANTS), given)
    study.check()
    return drive(study.run(), Perfect())["Transitions"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_has_the_rounding_floor(table: pd.DataFrame, variant: str) -> None:
    asked, floor = table[table["variant"] == variant], table[table["agent"] == "rounded"]
    assert asked["opinion"].tolist() == floor["opinion"].tolist()
    errors = np.abs(5 * asked["reference"] - asked["opinion"])
    assert 0 < errors.mean() < 0.5
    assert (~asked["isolated"]).sum() > 50
