"""The page open."""
