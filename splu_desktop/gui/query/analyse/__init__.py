"""Analyses beyond counts, of step 5."""
