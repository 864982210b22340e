"""Many questions from a file, and cross-tables to one."""
