"""What every page stands on: session, tasks, widgets, models, plots, theme, words."""
