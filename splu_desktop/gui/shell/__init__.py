"""The window around the pages: rail, guide, projects, start and smoke test."""
