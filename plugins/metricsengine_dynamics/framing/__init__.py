"""Negativity bias: readers and authors under positive and negative framings."""
