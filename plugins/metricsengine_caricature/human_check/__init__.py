"""Human check of caricature: readers judge blinded responses or seed words, and their judgements are scored."""
