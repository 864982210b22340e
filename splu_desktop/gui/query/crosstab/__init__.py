"""The cross-table of step 5."""
