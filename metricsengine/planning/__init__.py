"""What a plan knows of a job beside its requests, and how it is shown."""
