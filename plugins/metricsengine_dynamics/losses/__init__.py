"""Losses: how far an agent's opinion is from the reference model's."""
