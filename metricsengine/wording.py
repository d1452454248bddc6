"""Results in words: numbers with their intervals, and how much of every metric is there, missing or flagged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metricsengine.aggregate import unit_of
from metricsengine.estimate import Estimate
from metricsengine.model import Outcome
from metricsengine.results import Results

ALL = "all"
"""Stands where a label was averaged over."""

P = ".p"
"""What is added to the name of a difference by the estimate of its corrected p-value, which has the same labels."""


def number(value: float) -> str:
    """Three significant digits, and never fewer than those before the decimal point.

    Example:
        >>> number(0.31), number(-0.04567), number(12345.6), number(-0.0), number(3e-7)
        ('0.31', '-0.0457', '12,346', '0', '3e-07')
    """
    if 999.5 <= abs(value) < 1e12:
        return f"{value:,.0f}"
    return f"{value + 0.0:.3g}"


def interval_text(estimate: Estimate) -> str:
    """The interval in brackets; empty where there is none."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"[{number(estimate.low)}, {number(estimate.high)}]"


def value_text(estimate: Estimate) -> str:
    """The value, or why there is none; never blank.

    Example:
        >>> value_text(Estimate("exaggeration", 0.31, 100, {}, low=0.24, high=0.39))
        '0.31 [0.24, 0.39]'
        >>> value_text(Estimate.undefined("exaggeration", "no seed words", labels={}))
        'undefined: no seed words'
    """
    if estimate.value is None:
        return f"undefined: {estimate.reason}"
    return f"{number(estimate.value)} {interval_text(estimate)}".rstrip()


def counted(counts: Mapping[str, int]) -> str:
    """Counts in words, the largest first.

    Example:
        >>> counted({"refused": 2, "missing": 1500})
        '1,500 missing, 2 refused'
    """
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{n:,} {what}" for what, n in ordered)


def plural(n: int, noun: str) -> str:
    """The number with its noun.

    Example:
        >>> plural(1, "cell"), plural(1200, "cell")
        ('1 cell', '1,200 cells')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def common_labels(estimates: Sequence[Estimate]) -> dict[str, str]:
    """The labels that all of several estimates share, and which therefore need to be said only once."""
    if len(estimates) < 2:
        return {}
    first, *rest = estimates
    return {k: v for k, v in first.labels.items() if all(e.labels.get(k) == v for e in rest)}


def label_names(estimates: Iterable[Estimate], without: Iterable[str] = ()) -> list[str]:
    """The labels that tell several estimates apart, those averaged over among them, in order of appearance."""
    found: dict[str, None] = {}
    for estimate in estimates:
        found |= dict.fromkeys((*estimate.labels, *estimate.over))
    return [name for name in found if name not in set(without)]


def label_text(estimate: Estimate, name: str) -> str:
    """What an estimate says under a label: its value, "all" where it was averaged over, "—" where it has none."""
    if name in estimate.labels:
        return estimate.labels[name]
    return ALL if unit_of(name, estimate.over) else "—"


def first_few(names: Iterable[str], most: int) -> str:
    """Names in a row, of which those beyond ``most`` are counted.

    Example:
        >>> first_few(["a", "b", "c"], 2), first_few(["a"], 2)
        ('a, b and 1 more', 'a')
    """
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more


def own_labels(estimate: Estimate) -> dict[str, str]:
    """An estimate's labels without the attributes of what they name anyway.

    Example:
        >>> own_labels(Estimate("exaggeration", 0.3, 9, {"persona": "woman", "persona_category": "gender"}))
        {'persona': 'woman'}
        >>> own_labels(Estimate("trait_correlation", 0.3, 9, {"trait": "openness", "trait_b": "narcissism"}))
        {'trait': 'openness', 'trait_b': 'narcissism'}
    """

    def attribute(label: str) -> bool:
        # The other one of a pair is no attribute of the first.
        return any(label.startswith(f"{name}_") and label != f"{name}_b" for name in estimate.labels)

    return {label: value for label, value in estimate.labels.items() if not attribute(label)}


def broadest_first(averages: Iterable[Estimate]) -> list[Estimate]:
    """Averages over the most first, the average of all before those of categories; otherwise in their order."""
    return sorted(averages, key=lambda estimate: (-len(estimate.over), len(own_labels(estimate))))


def widest(cells: Sequence[Estimate]) -> list[Estimate]:
    """A metric's cells without those that tell a part of another: a single step, where there is one of all steps.

    A cell is a part of another that has all its labels but some.

    Example:
        >>> whole = Estimate("spread", 0.1, 9, {"agent": "llm"})
        >>> part = Estimate("spread", 0.2, 3, {"agent": "llm", "step": "0"})
        >>> other = Estimate("spread", 0.5, 3, {"agent": "zero", "step": "0"})
        >>> widest([part, whole, other]) == [whole, other]
        True
    """
    kinds = {frozenset(cell.labels) for cell in cells}
    there = {frozenset(cell.labels.items()) for cell in cells}

    def part(cell: Estimate) -> bool:
        fewer = (kind for kind in kinds if kind < cell.labels.keys())
        return any(frozenset((name, cell.labels[name]) for name in kind) in there for kind in fewer)

    return [cell for cell in cells if not part(cell)]


@dataclass
class Coverage:
    """How much of one metric is there.

    Attributes:
        metric: Name of the metric.
        cells: Cells it tells about, defined or not.
        undefined: Undefined cells by kind of reason.
        flagged: Cells that carry at least one flag.
        flags: Cells by flag.
        excluded: What its cells left out by reason, added up over the cells.
        bare: Defined cells without an interval, p-values apart: these can have none.
    """

    metric: str
    cells: int = 0
    undefined: Counter[str] = field(default_factory=Counter)
    flagged: int = 0
    flags: Counter[str] = field(default_factory=Counter)
    excluded: Counter[str] = field(default_factory=Counter)
    bare: int = 0

    @property
    def defined(self) -> int:
        """Cells with a value."""
        return self.cells - self.undefined.total()

    def add(self, cell: Estimate) -> None:
        """Count one more cell."""
        self.cells += 1
        self.excluded.update(cell.excluded)
        self.flags.update(cell.flags)
        self.flagged += bool(cell.flags)
        if cell.value is None:
            # What follows the colon names the cell; what comes before is the kind of reason.
            self.undefined[cell.reason.partition(": ")[0]] += 1
        else:
            self.bare += cell.low is None


def coverage(results: Results) -> list[Coverage]:
    """How much of every metric is there, in the order of the estimates; of one that has no cells, its averages."""
    found = {e.metric: Coverage(e.metric) for e in results.estimates}
    celled = {e.metric for e in results.estimates if not e.over}
    for estimate in results.estimates:
        if not estimate.over or estimate.metric not in celled:
            found[estimate.metric].add(estimate)
    for name in p_values(results):
        found[name].bare = 0
    return list(found.values())


def p_values(results: Results) -> set[str]:
    """The metrics that are p-values of what comparisons found."""
    compared = set(results.compared)
    named = {estimate.metric for estimate in results.estimates} & compared
    return {name for name in named if name.endswith(P) and name.removesuffix(P) in compared}


def model_name(results: Results) -> str:
    """The model in a few words, or what stands in its place."""
    if results.model is None:
        return "recorded responses" if recorded(results) else "no model"
    return str(results.model.get("name") or results.model.get("adapter") or "unnamed model")


def recorded(results: Results) -> bool:
    """Whether responses were recorded elsewhere; where no model was asked either, nobody responded."""
    dataset: Mapping[str, Any] = results.provenance.get("dataset") or {}
    return results.model is None and dataset.get("source") != "simulated"


def usage_text(usage: Mapping[str, Any]) -> str:
    """Tokens and cost in a few words; empty where nothing was counted.

    Example:
        >>> counts = {"responses": 40, "responses_without_counts": 2, "prompt_tokens": 1200, "completion_tokens": 300}
        >>> new = {"responses": 1, "prompt_tokens": 30, "completion_tokens": 8, "cost": 0.004}
        >>> usage_text({**counts, "cost": 0.25, "currency": "USD", "new": new})
        '1,200 in prompts and 300 in replies, 0.25 USD; new: 30 and 8, 0.004 USD; 2 responses tell no counts'
    """
    if not usage or usage["prompt_tokens"] is None:
        return ""
    said = [f"{usage['prompt_tokens']:,} in prompts and {usage['completion_tokens']:,} in replies{_cost(usage, usage)}"]
    new = usage["new"]
    if new["responses"] in (0, usage["responses"]):
        said.append("all new" if new["responses"] else "none new")
    elif new["prompt_tokens"] is not None:
        said.append(f"new: {new['prompt_tokens']:,} and {new['completion_tokens']:,}{_cost(new, usage)}")
    if usage["responses_without_counts"]:
        said.append(f"{plural(usage['responses_without_counts'], 'response')} tell no counts")
    return "; ".join(said)


def _cost(part: Mapping[str, Any], usage: Mapping[str, Any]) -> str:
    return "" if part["cost"] is None else f", {number(part['cost'])} {usage['currency']}"


@dataclass(frozen=True)
class Said:
    """What numbers may be taken to say, and what not; the first thing on a page.

    Attributes:
        may: Sentences.
        may_not: Ends of the sentence "they do not say".
    """

    may: Sequence[str]
    may_not: Sequence[str]


def conclusions(results: Results) -> list[str]:
    """What the numbers of a run may be taken to say."""
    cells = [e for e in results.estimates if not e.over]
    varied = [
        plural(len({e.labels[label] for e in cells if label in e.labels}), label)
        for label in ("persona", "topic", "context")
        if any(label in e.labels for e in cells)
    ]
    source = "this model, asked as described, showed"
    if results.model is None:
        source = "the recorded responses show" if recorded(results) else "was computed without asking a model"
    found = coverage(results)
    defined, total = sum(c.defined for c in found), sum(c.cells for c in found)
    return [
        f"What {source}{' for ' + ', '.join(varied) if varied else ''}, under the protocol “{results.protocol}”.",
        *requests(results),
        f"{defined:,} of {plural(total, 'cell')} have a value. Every value stands with what it rests on (n) and "
        "what was left out.",
        "An interval is a 95 % interval for the variation that it names as resampled, and for no other.",
    ]


def requests(results: Results) -> list[str]:
    """What became of the requests that numbers rest on; nothing where none was made."""
    outcomes = {outcome.replace("_", " "): n for outcome in Outcome if (n := results.counts.get(outcome, 0))}
    made = results.counts.get("requests", 0)
    return [f"They rest on {plural(made, 'request')}: {counted(outcomes)}."] if made and outcomes else []


def limits(results: Results, failed: int = 0) -> list[str]:
    """What they may not be taken to say; ``failed`` counts parts that failed beyond those of the results."""
    found = coverage(results)
    undefined = sum(c.undefined.total() for c in found)
    bare, flagged = sum(c.bare for c in found), sum(c.flagged for c in found)
    failed += len(results.failures)
    said = general_limits(results)
    if undefined:
        said.append(f"What {plural(undefined, 'undefined cell')} would be; averages leave them out, not in as zeros.")
    if bare:
        said.append(f"How precise {plural(bare, 'cell')} without an interval may be.")
    if flagged:
        said.append(f"As much about {plural(flagged, 'flagged cell')} as about the others: read the flag first.")
    if failed:
        said.append(f"What {plural(failed, 'failed part')} of the run would have shown.")
    return said


def general_limits(results: Results) -> list[str]:
    """What no run's numbers say, whatever they are."""
    described = "a model's answers" if results.model is not None or recorded(results) else "what was computed"
    return [
        f"Anything about people, those whom personas name included: the numbers describe {described}.",
        "Anything about models, contexts, wordings, sampling settings or encoders that no table here varies.",
        "Which of many rows is highest: intervals are not adjusted for looking at many rows at once.",
    ]
