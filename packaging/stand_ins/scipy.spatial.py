"""Stands in the bundle for scipy.spatial (3 MB), imported by SciPy's optimisers for one that is never asked."""
