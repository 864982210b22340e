"""Step 3, Plan."""
