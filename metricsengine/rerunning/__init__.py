"""Repeating a finished run from its folder and the response store, and telling what changed since."""
