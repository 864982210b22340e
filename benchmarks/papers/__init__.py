"""The papers' figures again: their curves and ours on our tables, in one picture each, and what of it holds."""
