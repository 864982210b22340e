"""Projects, recipes and the files of choices: hierarchies, tolerances, how a file is read."""
