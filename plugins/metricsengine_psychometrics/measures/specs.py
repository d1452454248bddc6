"""What this part registers; light, so that listing plugins loads no library."""

from __future__ import annotations

from dataclasses import replace

from metricsengine.comparison import Comparison, ComparisonSpec
from metricsengine.metric import Measure, Metric, MetricSpec, Protocol
from metricsengine.sets import SetSpec
from metricsengine.study import StudySpec
from metricsengine_psychometrics.measures import config, specs_conditions

_PROTOCOLS: tuple[Protocol, ...] = ("paper", "released")


def _trait_score(conf: config.TraitScoreConf) -> Metric:
    from metricsengine_psychometrics.measures.trait_score import TraitScoreMetric

    return TraitScoreMetric(conf)


def _option_mass(conf: config.OptionMassConf) -> Metric:
    from metricsengine_psychometrics.measures.option_mass import OptionMassMetric

    return OptionMassMetric(conf)


def _refusal(conf: config.RefusalConf) -> Metric:
    from metricsengine_psychometrics.measures.refusal import RefusalMetric

    return RefusalMetric(conf)


def _classifier(conf: config.ClassifierConf) -> Metric:
    from metricsengine_psychometrics.measures.refusal import ClassifierMetric

    return ClassifierMetric(conf)


def _internal_validity(conf: config.InternalValidityConf) -> Metric:
    from metricsengine_psychometrics.measures.internal_validity import InternalValidityMetric

    return InternalValidityMetric(conf)


def _validity_over_jobs(conf: config.ValidityOverJobsConf) -> Comparison:
    from metricsengine_psychometrics.measures.validity_over_jobs import ValidityOverJobs

    return ValidityOverJobs(conf)


_REFUSAL_RATE = Measure(
    "refusal_rate",
    bounds=(0, 1),
    direction="higher: more replies decline to answer",
    citation="TRAIT, Tables 15 and 16",
)

_INTERNAL_VALIDITY = (
    Measure(
        "internal_validity",
        bounds=(0, 1),
        direction="higher: inducing a trait moves its score up from the base, and its opposite down",
        citation="TRAIT, section 2.3",
    ),
    Measure(
        "internal_validity.weak",
        bounds=(0, 1),
        direction="higher: scores are higher under a high than under a low induced level",
    ),
)

METRICS: tuple[MetricSpec, ...] = (
    MetricSpec(
        "trait_score",
        config.TraitScoreConf,
        _trait_score,
        table="Answers",
        measures=(
            Measure(
                "trait_score",
                bounds=(0, 100),
                direction="0: every answer is low in the trait; 100: every answer is high",
                citation="TRAIT, section 4.1",
            ),
            Measure(
                "trait_score.std",
                bounds=(0, 50),
                direction="lower: the score depends less on the template",
                citation="TRAIT, Table 11",
            ),
            Measure(
                "trait_score.difference",
                bounds=(-100, 100),
                direction="above 0: the model says more of the trait than its choices show",
                citation="TRAIT, Fig. 7",
            ),
        ),
        protocols=_PROTOCOLS,
        doc="share of answers that are high in a trait, in percent; its mean and spread over templates",
    ),
    MetricSpec(
        "option_mass",
        config.OptionMassConf,
        _option_mass,
        table="Answers",
        measures=(
            Measure(
                "option_mass",
                bounds=(0, 1),
                direction="higher: the model is about to name one of the options; near 0 scores mean little",
            ),
        ),
        protocols=_PROTOCOLS,
        doc="probability that the next token is any of the options",
    ),
    MetricSpec(
        "refusal_rate",
        config.RefusalConf,
        _refusal,
        table="Answers",
        measures=(_REFUSAL_RATE,),
        protocols=_PROTOCOLS,
        doc="share of replies that choose no option and decline to answer, by keywords",
    ),
    MetricSpec(
        "refusal_rate_classifier",
        config.ClassifierConf,
        _classifier,
        table="Answers",
        measures=(_REFUSAL_RATE,),
        protocols=_PROTOCOLS,
        encoder=True,
        doc="the refusal rate by a classifier of sentence vectors, trained on labelled replies",
    ),
    MetricSpec(
        "internal_validity",
        config.InternalValidityConf,
        _internal_validity,
        table="Answers",
        measures=_INTERNAL_VALIDITY,
        protocols=_PROTOCOLS,
        doc="share of models and traits whose score follows an induced personality",
    ),
    *specs_conditions.METRICS,
)

COMPARISONS: tuple[ComparisonSpec, ...] = (
    ComparisonSpec(
        "internal_validity",
        config.ValidityOverJobsConf,
        _validity_over_jobs,
        measures=tuple(replace(measure, name=f"{measure.name}.over_jobs") for measure in _INTERNAL_VALIDITY),
        of_sweeps=True,
        doc="internal validity over the jobs of a sweep whose levels of study.induce are jobs of their own",
    ),
)

STUDIES: tuple[StudySpec, ...] = ()
SETS: tuple[SetSpec, ...] = ()
