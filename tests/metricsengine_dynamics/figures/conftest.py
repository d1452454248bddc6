"""Results of small simulations, measured and compared as a run does it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from simulated import Scripted, inputs, prompt_of, stances, stated

from metricsengine.comparison import Findings, units_with_labels, with_labels
from metricsengine.elicit import drive
from metricsengine.encoder import no_vectors
from metricsengine.estimate import Estimate
from metricsengine.metric import MetricContext
from metricsengine.model import Capabilities, Outcome, Request, Response
from metricsengine.results import Results
from metricsengine_comparisons.config import SensitivityConf
from metricsengine_comparisons.sensitivity import Sensitivity
from metricsengine_dynamics.losses.specs import LOSSES
from metricsengine_dynamics.measures.specs import METRICS
from metricsengine_dynamics.study.config import OpinionConf
from metricsengine_dynamics.study.study import OpinionStudy
from metricsengine_dynamics.tables import TRANSITIONS

Show = Callable[..., Results]

FREE_METRICS = ("cluster_count", "spread", "bimodality", "consensus_time")


def simulated(model: Scripted | None = None, **options: Any) -> Results:
    """Results of a simulation with these options."""
    small = {"n_agents": 6, "steps": 3, "runs": 5}
    study = OpinionStudy(OpinionConf(**{**small, **options}), inputs())
    study.check()
    study.meet(Capabilities(chat=True))
    tables = drive(study.run(), model or _scripted())
    table = TRANSITIONS.conform(tables["Transitions"])
    context = MetricContext(
        "paper", 7, no_vectors, "", parts={"loss": {spec.name: spec.build(spec.config()) for spec in LOSSES}}
    )
    found = [
        (spec, spec.build(spec.config()).compute(table, context))
        for spec in METRICS
        if options.get("mode") == "free" or spec.name not in FREE_METRICS
    ]
    estimates = [e for _, result in found for e in with_labels(result.estimates, study.labels)]
    compared = _compared(estimates, [units_with_labels(r.units, study.labels) for _, r in found if r.units is not None])
    asked = "llm" in options.get("agents", ("llm",))
    return Results(
        study="opinion", protocol="paper", seed=7,
        model={"adapter": "scripted", "name": "parrot-1"} if asked else None,
        compost=study.compost({"Transitions": table}), counts={}, estimates=[*compared, *estimates],
        measures={measure.name: measure for spec, _ in found for measure in spec.measures},
        tables={"Transitions": table},
        provenance={"config": {"study": {"encoding": "discrete", "repeats": 1}}, "dataset": {"source": "simulated"}},
        compared=sorted({e.metric for e in compared}),
    )  # fmt: skip


class Hasty(Scripted):
    """Agents that go beyond what they heard, further when shouted at; another seed moves every fifth of them."""

    def __call__(self, requests: Sequence[Request]) -> list[Response]:
        """Replies that take the seed into account."""
        responses = super().__call__(requests)
        return [self._moved(*pair) for pair in zip(requests, responses, strict=True)]

    def _moved(self, request: Request, response: Response) -> Response:
        labels, prompt = stances(response.text), prompt_of(request)
        if not prompt.startswith("READ") or not labels:
            return response
        more = 2 * prompt.startswith("READ!") + ((request.seed + len(prompt)) % 5 == 0)
        return replace(response, text=stated(min(5, labels[0] + more)))


def _scripted() -> Scripted:
    """One of its agents makes no sense."""
    lost = Response(Outcome.UNPARSED, "Hm, hard to say. <b>*Really*</b>", completion_tokens=5)
    return Hasty(broken={"You own 3 boats": lost})


def _compared(estimates: Sequence[Estimate], units: Sequence[Any]) -> list[Estimate]:
    import pandas as pd

    findings = Findings(estimates, pd.concat(units, ignore_index=True))
    return list(Sensitivity(SensitivityConf(draws=200)).compare(findings, 7))


@pytest.fixture(scope="session")
def simulate() -> Show:
    """Results of a small simulation with the given options; the same for the same ones."""
    return cache(simulated)


@pytest.fixture
def one(simulate: Show) -> Results:
    """One prompt set."""
    return simulate()


@pytest.fixture
def several(simulate: Show) -> Results:
    """Three prompt sets, asked twice."""
    return simulate(prompts=("base", "newline", "loud"), repeats=2)


@pytest.fixture
def baselines(simulate: Show) -> Results:
    """Nobody was asked."""
    return simulate(agents=("zero", "random", "rounded"))


@pytest.fixture
def free(simulate: Show) -> Results:
    """A free run of one prompt set and all baselines."""
    return simulate(mode="free", steps=4)
