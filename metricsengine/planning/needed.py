"""What a job needs of its model, and how far that is known without asking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from metricsengine.fallback import chosen
from metricsengine.fit import Fit, cover, left
from metricsengine.model import Need
from metricsengine.preflight import Job
from metricsengine.proof import Policy, Proof, remembered

State = Literal["proven", "claimed", "replaced"]
"""``proven`` by requests of an earlier run; ``claimed`` by the adapter; ``replaced`` by a fallback where it lacks."""

WORDS: Mapping[Need, str] = {
    "plain": "continuing a text",
    "chat": "chat",
    "system_role": "system turns",
    "option_scores": "option scores",
    "seed": "seeds",
}


@dataclass(frozen=True)
class Needed:
    """One thing that a study needs.

    Attributes:
        need: What.
        state: How far it is known that the model can do it.
        detail: What was seen of it, or what stands in; empty where nothing is known.
    """

    need: Need
    state: State
    detail: str = ""

    def to_json(self) -> dict[str, str]:
        """Its entry in what ``metricsengine plan --json`` prints of a job."""
        return {"need": self.need, "words": WORDS[self.need], "state": self.state, "detail": self.detail}


@dataclass(frozen=True)
class Needs:
    """All that a job needs of its model.

    Attributes:
        each: What its study needs, in order.
        unproven: What a few short requests will prove before the job's first call.
    """

    each: Sequence[Needed] = ()
    unproven: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """Its part of what ``metricsengine plan --json`` prints of a job."""
        return {"needs": [need.to_json() for need in self.each], "unproven": list(self.unproven)}


def fit_as_known(job: Job, policy: Policy) -> Needs:
    """Make a job that was prepared without asking fit its model as far as earlier runs have found out.

    Args:
        job: The job; its fit becomes that of what is known.
        policy: Whether the job itself will rely on what was found.

    Raises:
        ConfigError: The model was found to lack something that no allowed fallback makes up for.
    """
    if job.adapter is None:
        return Needs()
    needs, capabilities = job.study.needs, job.adapter.capabilities
    name, allowed = job.adapter.identity.name, chosen(job.run.settings.fallback)
    taken = cover(name, needs, capabilities, allowed)
    looked_at = {} if policy == "none" else remembered(job.adapter, left(needs, taken), job.store)
    known = {what: found for what, found in looked_at.items() if found and policy == "cached"}
    proof = Proof(capabilities, known)
    taken = cover(name, needs, proof.capabilities, allowed, known)
    job.fit = Fit(proof, taken)
    stand_ins = {fallback.replaces: fallback for fallback in taken}
    each: list[Needed] = []
    for need in sorted(needs):
        if need in stand_ins:
            each.append(Needed(need, "replaced", f"fallback {stand_ins[need].name} {stand_ins[need].doc}"))
        elif need in known:
            each.append(Needed(need, "proven", known[need].detail))
        else:
            each.append(Needed(need, "claimed"))
    return Needs(each, [what for what in looked_at if what not in known])
