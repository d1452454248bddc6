"""A sweep while it goes on: known before its first job, watched, resumed, and told about at its end."""
