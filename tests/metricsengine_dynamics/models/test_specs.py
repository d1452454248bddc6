"""The reference models as Hydra's options."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from omegaconf import OmegaConf

from metricsengine.errors import ConfigError
from metricsengine_dynamics.models.reference import Reference
from metricsengine_dynamics.models.specs import REFERENCES


@dataclass
class Study:
    epsilon: float = 0.25


@dataclass
class Job:
    reference: Any
    study: Study = field(default_factory=Study)


@pytest.mark.parametrize("spec", REFERENCES, ids=lambda spec: spec.name)
def test_options_build_the_model_and_take_the_studys_bound(spec):
    job = OmegaConf.structured(Job(spec.config))
    model = spec.build(OmegaConf.to_object(job).reference)
    assert isinstance(model, Reference)
    assert model.labels["reference"] == spec.name
    assert model.labels.get("epsilon", "0.25") == "0.25"


def test_a_bound_of_ones_own_is_checked_where_the_model_is_built():
    [spec] = [spec for spec in REFERENCES if spec.name == "hegselmann_krause"]
    job = OmegaConf.structured(Job(spec.config))
    job.reference.epsilon = -0.5
    with pytest.raises(ConfigError, match=r"reference\.epsilon must be"):
        spec.build(OmegaConf.to_object(job).reference)
