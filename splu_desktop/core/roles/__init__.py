"""What a column is: its role, suggested from its name and from what stands in it."""
