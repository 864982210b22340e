"""The page questions."""
