"""Presets of the group ``model``; a package, so that Hydra finds it."""
