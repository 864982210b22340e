"""Step 2, Classify."""
