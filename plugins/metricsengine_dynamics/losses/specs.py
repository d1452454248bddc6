"""What this part of the plugin registers."""

from __future__ import annotations

from metricsengine.kinds import PartSpec

LOSSES: tuple[PartSpec, ...] = ()
