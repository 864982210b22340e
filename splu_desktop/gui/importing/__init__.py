"""Step 1, Import."""
