"""Binomial and Poisson probabilities, by special functions: statistics' own module takes half a second to load."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlog1py, xlogy

Floats = NDArray[np.float64]


def binomial(k: Any, n: Any, p: float) -> Floats:
    """Return P(Bin(n, p) = k), elementwise; 0 outside 0..n."""
    k, n = np.asarray(k, float), np.asarray(n, float)
    inside = (k >= 0) & (k <= n)
    at = np.where(inside, k, 0.0)
    log = gammaln(n + 1) - gammaln(at + 1) - gammaln(n - at + 1) + xlogy(at, p) + xlog1py(n - at, -p)
    return np.asarray(np.where(inside, np.exp(log), 0.0))


def poisson(k: Any, mean: float) -> Floats:
    """Return P(Poisson(mean) = k), elementwise."""
    k = np.asarray(k, float)
    return np.asarray(np.exp(xlogy(k, mean) - mean - gammaln(k + 1)))
