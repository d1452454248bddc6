"""Metrics of transitions: inconsistency, polarity, shares, and what free runs lead to."""
