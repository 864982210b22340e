"""Step 4, Publish."""
