"""The one number of a job by which a sweep ranks it, and that a search improves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metricsengine.errors import ConfigError, unknown
from metricsengine.estimate import Estimate
from metricsengine.results import Results
from metricsengine.settings import ObjectiveConf
from metricsengine.wording import broadest_first, widest


def value(results: Results, objective: ObjectiveConf) -> float | None:
    """The objective of one job.

    Args:
        results: What the job found.
        objective: Which number: the estimate of this metric that has all of these labels. Where several have them, the
            one that averages over the most.

    Returns:
        The number; None where it is undefined, or its metric failed in this job.

    Raises:
        ConfigError: No objective was chosen; there is no such metric or label; or several estimates fit equally well.
    """
    if not objective.metric:
        raise ConfigError("no objective was chosen: add objective.metric=NAME")
    known = [estimate for estimate in results.estimates if estimate.metric == objective.metric]
    if not known and results.failures:
        return None
    if not known:
        raise ConfigError(unknown("objective.metric", objective.metric, {one.metric for one in results.estimates}))
    _check_labels(objective.labels, known)
    wanted = objective.labels.items()
    fitting = broadest_first(widest([one for one in known if wanted <= one.labels.items()]))
    if not fitting:
        return None
    _check_single(objective.metric, [one for one in fitting if _breadth(one) == _breadth(fitting[0])])
    return fitting[0].value


def best(jobs: Mapping[str, Results], objective: ObjectiveConf) -> tuple[str, float] | None:
    """The job with the best objective, the first of equals, and its number; None where no job has one.

    Args:
        jobs: Results of the jobs, by name.
        objective: Which number, and whether the smallest or the largest is wanted.

    Raises:
        ConfigError: As for :func:`value`, in every job.
    """
    found: dict[str, float] = {}
    wrong: list[ConfigError] = []
    for name, results in jobs.items():
        try:
            number = value(results, objective)
        except ConfigError as error:  # a persona that only other jobs have
            wrong.append(error)
            continue
        if number is not None:
            found[name] = number
    if wrong and len(wrong) == len(jobs):
        raise wrong[0]
    sign = 1 if objective.goal == "minimize" else -1
    return min(found.items(), key=lambda job: sign * job[1], default=None)


def _check_labels(labels: Mapping[str, str], known: Sequence[Estimate]) -> None:
    for label, wanted in labels.items():
        if not (values := {one.labels[label] for one in known if label in one.labels}):
            raise ConfigError(
                unknown(f"label of {known[0].metric}", label, {name for one in known for name in one.labels})
            )
        if wanted not in values:
            raise ConfigError(unknown(f"objective.labels.{label}", wanted, values))


def _check_single(metric: str, fitting: Sequence[Estimate]) -> None:
    """Refuse to choose among estimates that are about different things."""
    labels = {label: {one.labels.get(label) for one in fitting} for one in fitting for label in one.labels}
    for label, values in labels.items():
        if len(values) > 1:
            known = "|".join(sorted(value for value in values if value is not None))
            raise ConfigError(
                f"objective.metric={metric} fits {len(fitting)} estimates: add objective.labels.{label}={known}"
            )


def _breadth(estimate: Estimate) -> tuple[int, int]:
    return len(estimate.over), len(estimate.labels)
