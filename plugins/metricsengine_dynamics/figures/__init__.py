"""What the studies show of their results."""
