"""Stands in the bundle for scipy.linalg.interpolative (2 MB with scipy.fft), of use to a solver we never ask alone."""

interp_decomp = None
