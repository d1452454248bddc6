"""Rows of the record tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from metricsengine_comparisons.paraphrase.tables import PARAPHRASED_SETS, PARAPHRASES

if TYPE_CHECKING:
    from metricsengine_comparisons.paraphrase.study import Attempt, Original


def paraphrases(found: Iterable[tuple[Original, Sequence[Attempt]]]) -> pd.DataFrame:
    """Every reply, text by text."""
    rows = [
        {
            "group": original.of.file.group,
            "set": original.of.name,
            "text": original.number,
            "original": original.text,
            **{name: getattr(attempt, name) for name in ("replicate", "paraphrase", "rule", "reason", "accepted")},
            "outcome": str(attempt.outcome),
            "number": attempt.number,
        }
        for original, attempts in found
        for attempt in attempts
    ]
    return PARAPHRASES.conform(pd.DataFrame(rows, columns=[column.name for column in PARAPHRASES.columns]))


def sets(made: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """The new sets."""
    names = [column.name for column in PARAPHRASED_SETS.columns]
    return PARAPHRASED_SETS.conform(pd.DataFrame(list(made), columns=names))
