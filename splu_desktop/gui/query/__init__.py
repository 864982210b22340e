"""Step 5, Query."""
