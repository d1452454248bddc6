"""Comparisons of conditions: sensitivity of any metric to prompts, contexts and templates, with its noise floor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metricsengine import hookimpl

if TYPE_CHECKING:
    from metricsengine.comparison import ComparisonSpec


@hookimpl
def metricsengine_comparisons() -> Sequence[ComparisonSpec]:
    """Sensitivity."""
    from metricsengine_comparisons import specs

    return specs.COMPARISONS
