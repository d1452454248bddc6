from dataclasses import replace

from metricsengine.estimate import Estimate
from metricsengine.results import Results
from metricsengine_mlflow import columns
from metricsengine_mlflow.curves import curves


def distance(value: float | None, agent: str, **labels: str) -> Estimate:
    told = {"agent": agent, "epsilon": "0.3", **labels}
    if value is None:
        return Estimate.undefined("distance", "nobody was heard", labels=told)
    return Estimate("distance", value, 5, told, low=value - 0.5, high=value + 0.5)


WHOLE = [distance(0.5, "zero"), distance(0.75, "random")]
STEPS = [distance(i / 4 if i != 1 else None, "zero", step=str(i)) for i in (2, 0, 1)]


def test_estimates_by_step_are_one_curve_each_in_the_order_of_time() -> None:
    (zero, random) = curves([*WHOLE, *STEPS, distance(0.5, "random", step="0")], {})
    assert (zero.name, random.name) == ("distance/agent/zero by step", "distance/agent/random by step")
    assert [(step, one.value) for step, one in zero.steps.items()] == [(0, 0.0), (1, None), (2, 0.5)]
    assert (zero.labels, zero.metric) == ({"agent": "zero", "epsilon": "0.3"}, "distance")


def test_curves_that_begin_alike_stay_two() -> None:
    found = curves([distance(0.5, agent, step="0") for agent in ("50%", "50#")], {})
    assert len({curve.name for curve in found}) == 2


def test_a_curve_has_its_undefined_steps_left_out_and_its_interval_beside_it(results: Results) -> None:
    chosen = columns.choose(replace(results, counts={}, estimates=[*WHOLE, *STEPS]), 20)
    assert chosen.curves == {
        "distance by step": {0: 0.0, 2: 0.5},
        "distance by step low": {0: -0.5, 2: 0.0},
        "distance by step high": {0: 0.5, 2: 1.0},
        "distance by step n": {0: 5.0, 2: 5.0},
    }
    assert chosen.values == {
        "distance/agent/zero": 0.5,
        "distance/agent/random": 0.75,
        "distance/agent/zero low": 0.0,
        "distance/agent/zero high": 1.0,
        "distance/agent/zero n": 5.0,
        "distance/agent/random low": 0.25,
        "distance/agent/random high": 1.25,
        "distance/agent/random n": 5.0,
    }


def test_curves_have_room_of_their_own_and_come_whole(results: Results) -> None:
    estimates = [*WHOLE, *STEPS, distance(0.5, "random", step="0")]
    chosen = columns.choose(replace(results, counts={}, estimates=estimates), 2)
    assert set(chosen.values) == {"distance/agent/zero", "distance/agent/random"}
    assert set(chosen.curves) == {"distance/agent/zero by step", "distance/agent/random by step"}
    assert columns.choose(replace(results, estimates=estimates), 1).curves == {}
    meaning = chosen.meaning["distance/agent/zero by step"]
    assert meaning == {
        "metric": "distance", "labels": {"agent": "zero", "epsilon": "0.3"}, "over": [], "what": "value", "by": "step",
    }  # fmt: skip
