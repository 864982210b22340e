"""Stands in the bundle for numpy.f2py, a compiler of Fortran that SciPy imports with all else of NumPy, unasked."""
