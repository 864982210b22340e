"""A release folder: its table, its facts, what its recipient reads, its package, its check."""
