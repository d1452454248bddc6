"""From an opinion to the request for a post that states it."""

from __future__ import annotations

from metricsengine.model import Request
from metricsengine_dynamics.prompting.asking import Asking
from metricsengine_dynamics.prompting.chosen import Prompts
from metricsengine_dynamics.prompting.debate import Debate
from metricsengine_dynamics.prompting.slots import fill

LIMIT = 5
"""Largest opinion, and minus the smallest."""

_DIGITS = 2  # of a number told to the model: more would tell states apart that nobody would word differently


def label(opinion: int, prompts: Prompts) -> str:
    """The phrase of an opinion's strength; its sign picks the pole, so that no phrase says "against".

    Args:
        opinion: In -5..5.
        prompts: The scale's phrases.
    """
    return prompts.scale[abs(opinion)]


def post_request(
    opinion: float,
    persona: str,
    prompts: Prompts,
    debate: Debate,
    asking: Asking,
    encoding: str = "discrete",
    replicate: int = 0,
) -> Request:
    """Asks for a post that states an opinion (Sense and Sensitivity, eq. 5; section 5, "Encode-decode consistency").

    Args:
        opinion: In [-5, 5]; for ``discrete`` a whole number.
        persona: Who posts.
        prompts: The prompts.
        debate: What the opinion is about; a neutral one is about the debate as a whole.
        asking: How agents are asked.
        encoding: ``discrete`` tells the phrase of the opinion, ``scalar`` the number.
        replicate: Index of the post among those of this opinion and persona, from 0.

    Raises:
        ValueError: The opinion is out of range, or not whole where it must be.
    """
    if not -LIMIT <= opinion <= LIMIT:
        raise ValueError(f"an opinion lies in [-{LIMIT}, {LIMIT}], got {opinion}")
    if encoding == "scalar":
        told = {"opinion": f"{round(opinion, _DIGITS) + 0.0:g}"}
        return asking.writing(fill(prompts.encode_scalar, {**debate.slots, "persona": persona, **told}), replicate)
    if opinion != int(opinion):
        raise ValueError(f"a discrete opinion is a whole number, got {opinion}")
    told = {"opinion": label(int(opinion), prompts), "topic": debate.topic_of(opinion)}
    return asking.writing(fill(prompts.encode_discrete, {**debate.slots, "persona": persona, **told}), replicate)
