"""The simulation: Algorithm 1 with LLM agents and baselines, teacher-forced or free-running."""
