"""Questions to a release and their answers: conditions, counts with intervals, cross-tables, workloads."""
