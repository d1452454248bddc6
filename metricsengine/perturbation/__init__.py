"""Perturbations of prompts that leave their meaning as it is, for whether results depend on what should not matter.

A perturbation is a pure function of a text and the number of a draw. ``NAME+KIND`` names a set or a template whose
prompts went through one: ``context=[interview,interview+newlines]``. Of kinds that draw at random another draw is
chosen by a number after the kind: ``interview+spaces2``.
"""

from metricsengine.perturbation.kinds import PERTURBATIONS, Perturbation, perturb
from metricsengine.perturbation.named import load_named, perturbed, perturbed_text
from metricsengine.perturbation.naming import based, join, split

__all__ = [
    "PERTURBATIONS",
    "Perturbation",
    "based",
    "join",
    "load_named",
    "perturb",
    "perturbed",
    "perturbed_text",
    "split",
]
