"""Random pre-partitioning: every part of the table is published by itself."""
