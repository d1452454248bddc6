"""From opinions to posts and back: prompts, debates, personas, encoding and decoding."""
