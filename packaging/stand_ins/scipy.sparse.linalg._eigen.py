"""Stands in the bundle for SciPy's eigenvalues of sparse matrices (1 MB), imported with its graphs and never asked."""

svds = None
