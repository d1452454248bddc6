"""Placeholder until the helper's is there."""

from contextlib import nullcontext as all_awaited

__all__ = ["all_awaited"]
