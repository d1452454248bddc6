"""What a reader of the results must know of what a model could not write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from metricsengine.wording import counted, plural

_CONSEQUENCES = {
    "post": "and {are} missing from the timelines of those who would have heard {it}",
    "summary": "and the personas stand in full in the prompts",
}


def notices(failed: Mapping[tuple[str, str], int]) -> list[str]:
    """One sentence for each kind of text that could not be had.

    Args:
        failed: Number of failures by kind of the text and outcome.

    Example:
        >>> notices({("summary", "refused"): 1, ("summary", "empty"): 2})
        ['3 summaries could not be had (2 empty, 1 refused) and the personas stand in full in the prompts']
    """
    sentences = []
    for what, consequence in _CONSEQUENCES.items():
        outcomes = Counter({outcome: n for (kind, outcome), n in failed.items() if kind == what})
        if total := outcomes.total():
            number = plural(total, what) if what == "post" or total == 1 else f"{total:,} summaries"
            filled = consequence.format(are="is" if total == 1 else "are", it="it" if total == 1 else "them")
            sentences.append(f"{number} could not be had ({counted(outcomes)}) {filled}")
    return sentences
