"""The page expert."""
