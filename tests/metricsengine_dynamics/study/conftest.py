"""Simulations with a scripted model."""

from __future__ import annotations

from typing import Any

import pytest
from simulated import Ran, Scripted, Simulate, inputs

from metricsengine.elicit import drive
from metricsengine.model import Capabilities
from metricsengine_dynamics.networks.network import Network
from metricsengine_dynamics.study.config import OpinionConf
from metricsengine_dynamics.study.study import OpinionStudy
from metricsengine_dynamics.tables import TRANSITIONS


@pytest.fixture
def simulate() -> Simulate:
    """Runs a small simulation: options of the study, or a scripted model, a network, a reference, a context length."""

    def run(
        model: Scripted | None = None,
        network: Network | None = None,
        reference: Any = None,
        context: int | None = None,
        **options: Any,
    ) -> Ran:
        conf = OpinionConf(**{"n_agents": 6, "steps": 3, "runs": 2, "agents": ["llm", "rounded"], **options})
        study = OpinionStudy(conf, inputs(network, reference))
        study.check()
        study.meet(Capabilities(chat=True, context_length=context))
        asked = model or Scripted()
        tables = drive(study.run(), asked)
        return Ran(TRANSITIONS.conform(tables["Transitions"]), asked, study)

    return run
