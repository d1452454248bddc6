"""Prompts said in other words by a model: further variants of a set, for how far results depend on wording."""
