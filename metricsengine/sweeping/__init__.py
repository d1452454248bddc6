"""The jobs of a sweep together: one tidy table, comparisons over the jobs, surfaces over what was swept."""
