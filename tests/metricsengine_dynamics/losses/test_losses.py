"""The losses of Tables 5 and 6."""

import numpy as np
import pytest

from metricsengine.errors import ConfigError
from metricsengine_dynamics.losses.loss import Loss
from metricsengine_dynamics.losses.polarity import polarity
from metricsengine_dynamics.losses.specs import LOSSES

LOSS = {spec.name: spec.build(spec.config()) for spec in LOSSES}


def test_distance_is_in_points_of_the_scale():
    assert LOSS["distance"].each(np.array([-5.0, 1.25, 0.0]), np.array([5.0, 1.0, 0.0])).tolist() == [10, 0.25, 0]
    assert (LOSS["distance"].unit, LOSS["distance"].factor, LOSS["distance"].bounds) == ("1", 1, (0, 10))


@pytest.mark.parametrize(
    ("reference", "agent", "differs"),
    [
        (0.5, 0, 0),
        (0.5, 1, 1),
        (-0.5, 0, 0),
        (-0.51, 0, 1),
        (0.51, 1, 0),
        (0.51, -1, 1),
        (3, 5, 0),
        (-3, 5, 1),
        (0, -1, 1),
        (5 * (0.4 - 0.3), 0, 0),  # 0.5 but for rounding
    ],
)
def test_polarity_tells_three_sides_apart(reference, agent, differs):
    assert LOSS["polarity"].each(np.array([reference]), np.array([float(agent)])).tolist() == [differs]


def test_polarity_is_a_share_in_percent():
    assert (LOSS["polarity"].unit, LOSS["polarity"].factor, LOSS["polarity"].bounds) == ("%", 100, (0, 100))


def test_of_a_random_agent_five_elevenths_are_for_the_other_side():
    # Uniform on 11 labels beside an opinion that is not neutral: 6 of 11 differ, 5 of them with a side.
    labels = np.arange(-5.0, 6)
    assert LOSS["polarity"].each(np.full(11, 2.0), labels).mean() == pytest.approx(6 / 11)


def test_the_neutral_band_is_an_option():
    assert polarity(neutral=0).each(np.array([0.2, 0.0]), np.zeros(2)).tolist() == [1, 0]
    for width in (-1, 5.5, float("nan")):
        with pytest.raises(ConfigError, match=r"loss\.polarity\.neutral must be from 0 to 5"):
            polarity(neutral=width)


def test_both_are_losses_with_a_source():
    for loss in LOSS.values():
        assert isinstance(loss, Loss)
        assert "Sense and Sensitivity" in loss.citation
