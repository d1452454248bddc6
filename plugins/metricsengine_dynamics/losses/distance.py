"""The distance of two opinions."""

from __future__ import annotations

from metricsengine_dynamics.losses.loss import Loss, Opinions


def distance(reference: Opinions, agents: Opinions) -> Opinions:
    """|5 f(x) - h(x)| in points of the scale from -5 to 5 (Sense and Sensitivity, Table 5).

    Args:
        reference: The reference model's opinions times 5, unrounded, shape (m,).
        agents: The agents' opinions on -5 to 5, shape (m,).

    Returns:
        Numbers from 0 to 10, shape (m,).
    """
    return abs(reference - agents)


DISTANCE = Loss(distance, bounds=(0.0, 10.0), citation="Sense and Sensitivity, Table 5")
