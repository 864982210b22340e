"""The table book: tables of one release, or protected counts of a source too small for one, ready to be printed."""
