"""A release: written whole, as a folder or one ZIP, read back and checked without its source."""
