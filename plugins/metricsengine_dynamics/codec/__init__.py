"""Encode-decode consistency: an opinion, encoded as a post and decoded again."""
