"""The page columns."""
