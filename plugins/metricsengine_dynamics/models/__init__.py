"""Reference models: how a population's state changes in one step."""
