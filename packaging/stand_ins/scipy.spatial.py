"""Stands in the bundle for scipy.spatial (3 MB), which SciPy's optimisers import for one that the program never asks."""
