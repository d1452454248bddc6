"""What a reader of a plan must know beside its numbers, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metricsengine.estimate import Estimate
from metricsengine.forecast import CHARACTERS
from metricsengine.planning.needed import WORDS, Needed
from metricsengine.planning.planned import Planned, total
from metricsengine.wording import plural

FEW = 6
"""Kinds of undefined cells that are told one by one."""


def remarks(planned: Sequence[Planned]) -> list[str]:
    """What the numbers rest on, what they leave out, and what will be undefined."""
    asking = [job for job in planned if job.model and not job.error]
    models = dict.fromkeys(job.model for job in asking)
    needs = [_needs(model, [job for job in asking if job.model == model]) for model in models]
    return [*_numbers(planned), *needs, *_undefined(planned), *_notes(planned)]


def _numbers(planned: Sequence[Planned]) -> Iterator[str]:
    everything = total(planned)
    asked = everything.forecast
    if not asked.requests:
        return
    yield f"Tokens are estimated: {CHARACTERS} characters of a prompt each, replies as long as they may become."
    if not asked.exact:
        yield "Requests are estimated (~): what is asked later depends on answers that are not there yet."
    if asked.shared:
        yield "Shared: what an earlier job of this plan asks; its answers will be in the store, and are no calls."
    speeds = sorted({job.speed for job in planned if job.speed})
    if speeds:
        rates = " and ".join(f"{speed:,.0f}" for speed in speeds)
        yield f"Time: at {rates} reply tokens a second, as told, or as the last answers of the model came."
    elif asked.calls:
        yield "Time: unknown, as no answer of the model is in the store; give --tokens-per-second N."


def _needs(model: str, jobs: Sequence[Planned]) -> str:
    each = {need.need: need for job in jobs for need in job.needs.each}
    told = ", ".join(f"{WORDS[need.need]} ({_known(need)})" for need in each.values())
    probes = " A few short requests before its first job prove what is not proven yet; they are not among the calls."
    return f"Needs of {model}: {told or 'none'}." + probes * any(job.needs.unproven for job in jobs)


def _known(need: Needed) -> str:
    return {"proven": "proven before", "claimed": "as it claims", "replaced": need.detail}[need.state]


def _undefined(planned: Sequence[Planned]) -> Iterator[str]:
    """Undefined cells by kind, the most frequent first."""
    kinds: dict[tuple[str, str], list[Estimate]] = {}
    for one in total(planned).foreseen.undefined:
        kinds.setdefault((one.metric, _kind(one)), []).append(one)
    if not kinds:
        return
    yield "Undefined, whatever is answered:"
    ordered = sorted(kinds.values(), key=lambda kind: -len(kind))
    for kind in ordered[:FEW]:
        alike = f" (and {len(kind) - 1:,} alike)" if len({one.reason for one in kind}) > 1 else ""
        yield f"  {kind[0].metric}, {plural(len(kind), 'cell')}: {kind[0].reason}{alike}"
    if rest := ordered[FEW:]:
        yield f"  and {plural(sum(map(len, rest)), 'cell')} for other reasons, which --json lists"


def _kind(one: Estimate) -> str:
    """The reason without what names the cell."""
    reason = one.reason
    for value in one.labels.values():
        reason = reason.replace(repr(value), "")
    return reason


def _notes(planned: Sequence[Planned]) -> Iterator[str]:
    told = [note for job in planned for note in job.foreseen.notes]
    for note in dict.fromkeys(told):
        n = told.count(note)
        yield note if len(planned) == 1 else f"{note} (in {plural(n, 'job')})"
