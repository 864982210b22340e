"""Step 6, Report."""
