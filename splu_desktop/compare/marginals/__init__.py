"""Anonymised marginals, and the distribution of largest entropy that agrees with them."""
