"""What a model can do, proven by a few short requests before a study relies on it, and remembered in the store."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from metricsengine import probes
from metricsengine.keys import digest
from metricsengine.model import Capabilities, Finding, ModelAdapter, Need
from metricsengine.probes import Form, Subject
from metricsengine.store import ResponseStore

Policy = Literal["cached", "fresh", "none"]
"""Whether what was found before counts, is found anew, or the model is taken at its word."""

_AFTER = {"invariant_scores": "option_scores"}
"""A probe that tells nothing where another has failed."""


@dataclass(frozen=True)
class Proof:
    """What a model declares, and what was found of it.

    Attributes:
        declared: What it declares.
        findings: What was found, by capability; what was not looked at has none.
    """

    declared: Capabilities
    findings: dict[str, Finding] = field(default_factory=dict)

    @property
    def capabilities(self) -> Capabilities:
        """What is declared and was not refuted."""
        refuted: dict[str, Any] = {name: False for name, finding in self.findings.items() if not finding.holds}
        return replace(self.declared, **refuted)


def prove(adapter: ModelAdapter, needs: Set[Need], store: ResponseStore, policy: Policy) -> Proof:
    """Prove what a study needs of what a model declares, and its seed.

    A dozen short requests in seven calls where all is needed, five in three where a study only asks for texts, none
    where all is remembered; the store's responses play no part. Of several processes that come at once, one proves it.
    What is remembered holds for one adapter, request format, weights, surroundings and version of the probes.

    Args:
        adapter: The model.
        needs: What the study needs.
        store: Remembers the findings.
        policy: Whether what is remembered counts, and whether anything is asked.

    Raises:
        ModelError: The model does not answer at all, which is not remembered.
    """
    proof = Proof(adapter.capabilities)
    if policy == "none":
        return proof
    for capability, subject in _subjects(adapter, needs).items():
        if _AFTER.get(capability) in proof.findings and not proof.findings[_AFTER[capability]].holds:
            continue
        proof.findings[capability] = _found(subject, capability, store, policy)
    return proof


def remembered(adapter: ModelAdapter, needs: Set[Need], store: ResponseStore) -> dict[str, Finding | None]:
    """What :func:`prove` looks at, and what the store remembers of it; None where that is still to be asked."""
    keys = {capability: _key(subject, capability) for capability, subject in _subjects(adapter, needs).items()}
    known = store.get_findings(keys.values())
    found = {capability: known.get(key) for capability, key in keys.items()}
    failed = {capability for capability, finding in found.items() if finding and not finding.holds}
    return {capability: finding for capability, finding in found.items() if _AFTER.get(capability) not in failed}


def _subjects(adapter: ModelAdapter, needs: Set[Need]) -> dict[str, Subject]:
    """What is to be proven, in the order of the probes, and how each is asked."""
    form: Form = "chat" if needs & {"chat", "system_role"} or not adapter.capabilities.plain else "plain"
    wanted = _wanted(adapter.capabilities, needs, form)
    return {capability: Subject(adapter, "plain" if capability == "plain" else form) for capability in wanted}


def _wanted(declared: Capabilities, needs: Set[Need], form: Form) -> list[str]:
    """What is to be proven, in the order of the probes."""
    wanted: set[str] = {form, "seed", *needs}
    if "option_scores" in needs and declared.option_scores:
        wanted.add("invariant_scores")
    return [capability for capability in probes.PROBES if capability in wanted and getattr(declared, capability)]


def _found(subject: Subject, capability: str, store: ResponseStore, policy: Policy) -> Finding:
    key = _key(subject, capability)
    if policy == "fresh":
        return _asked(key, subject, capability, store)
    if known := store.get_findings([key]):
        return known[key]
    with store.claims.after_another(key):
        known = store.get_findings([key])
        return known[key] if known else _asked(key, subject, capability, store)


def _asked(key: bytes, subject: Subject, capability: str, store: ResponseStore) -> Finding:
    found = probes.probe(subject, capability)
    store.put_findings({key: found})
    return found


def _key(subject: Subject, capability: str) -> bytes:
    identity = subject.adapter.identity
    return digest(
        {
            "capability": capability,
            "form": subject.form,
            "probes": probes.VERSION,
            "adapter": identity.adapter,
            "format": identity.format,
            "weights": identity.weights,
            "surroundings": dict(subject.adapter.surroundings),
        }
    )
