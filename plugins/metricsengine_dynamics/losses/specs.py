"""The losses that the plugin registers."""

from __future__ import annotations

from metricsengine.kinds import PartSpec
from metricsengine_dynamics.losses.config import DistanceConf, PolarityConf
from metricsengine_dynamics.losses.loss import Loss


def _distance(conf: DistanceConf) -> Loss:
    from metricsengine_dynamics.losses.distance import DISTANCE

    return DISTANCE


def _polarity(conf: PolarityConf) -> Loss:
    from metricsengine_dynamics.losses.polarity import polarity

    return polarity(conf.neutral)


LOSSES = (
    PartSpec("distance", DistanceConf, _distance, "points between two opinions on the scale from -5 to 5"),
    PartSpec("polarity", PolarityConf, _polarity, "share of opinions for another side: pro, contra or neutral"),
)
