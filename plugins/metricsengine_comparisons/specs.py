"""What the plugin registers."""

from __future__ import annotations

from metricsengine.comparison import ComparisonSpec

COMPARISONS: tuple[ComparisonSpec, ...] = ()
