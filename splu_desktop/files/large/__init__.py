"""Tables that are too large for memory: counted, then drawn, each in one pass, by an engine that reads and counts."""
