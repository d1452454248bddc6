"""What this part of the plugin registers."""

from __future__ import annotations

from metricsengine.sets import SetSpec

SETS: tuple[SetSpec, ...] = ()
