"""What all systems have in common: the table they publish, the questions they answer, what is said of each."""
