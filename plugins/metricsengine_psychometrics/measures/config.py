"""Options of the metrics of answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from metricsengine.errors import ConfigError, unknown
from metricsengine.options import listed

CLASSIFIER = "classifier"
"""The detector of refusals that needs an encoder and is a metric of its own."""


@dataclass
class TraitScoreConf:
    """The trait score has no options."""


@dataclass
class OptionMassConf:
    """The option mass has no options."""


@dataclass
class InternalValidityConf:
    """Internal validity has no options."""


@dataclass
class ValidityOverJobsConf:
    """Internal validity over the jobs of a sweep has no options."""


@dataclass
class RefusalConf:
    """Options of the refusal rate.

    Attributes:
        detectors: How refusals are told, one or more: ``keyword_strict``, ``keyword`` (Table 16 of the paper literally)
            and ``contains`` (a keyword of it anywhere).
    """

    detectors: Any = field(default_factory=lambda: ["keyword_strict"])

    def __post_init__(self) -> None:
        from metricsengine.reading.refusal import DETECTORS

        key = "metric.refusal_rate.detectors"
        self.detectors = listed(key, self.detectors, numbers=True)
        if not self.detectors:
            raise ConfigError(f"{key} must name at least one of {', '.join(DETECTORS)}")
        if CLASSIFIER in self.detectors:
            raise ConfigError(f"{key}: the classifier needs an encoder: choose metric=[refusal_rate_classifier] for it")
        for name in self.detectors:
            if name not in DETECTORS:
                raise ConfigError(f"{key}: {unknown('detector', name, DETECTORS)}")


@dataclass
class ClassifierConf:
    """Options of the refusal rate by a classifier.

    Attributes:
        examples: CSV of labelled replies, with the columns text and refusal (true or false); empty for those that come
            with the plugin.
    """

    examples: str = ""
