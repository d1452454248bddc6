"""Marginal means of what was swept, their differences and interactions, with intervals and corrected tests."""
