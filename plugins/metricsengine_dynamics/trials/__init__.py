"""What codec trials and framing trials share: means with their intervals, and the card of a run."""
