"""Files written whole or not at all, read with bounds, and kept apart from what they must not touch."""
