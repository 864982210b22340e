"""Binomial and Poisson probabilities of whole numbers: to load SciPy's special functions takes a third of a second.

Test: tests/core/test_law.py holds them against SciPy's.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_TABLE = np.cumsum(np.log(np.maximum(np.arange(256), 1)))  # ln n!


def binomial(k: Any, n: Any, p: float) -> Floats:
    """Return P(Bin(n, p) = k), elementwise; 0 outside 0..n."""
    k, n = np.asarray(k, float), np.asarray(n, float)
    inside = (k >= 0) & (k <= n)
    at = np.where(inside, k, 0.0)
    ways = _log_factorial(n) - _log_factorial(at) - _log_factorial(n - at)
    return np.asarray(np.where(inside, np.exp(ways + _times_log(at, p) + _times_log(n - at, 1 - p)), 0.0))


def poisson(k: Any, mean: Any) -> Floats:
    """Return P(Poisson(mean) = k), elementwise."""
    k = np.asarray(k, float)
    return np.asarray(np.exp(_times_log(k, mean) - mean - _log_factorial(k)))


def _log_factorial(n: Floats) -> Floats:
    """Return ln n!, from 256 on by Stirling's series, whose next term is 1/(1260 n^5)."""
    x = np.maximum(n, len(_TABLE) - 1)
    series = (x + 0.5) * np.log(x) - x + 0.5 * math.log(2 * math.pi) + 1 / (12 * x) - 1 / (360 * x**3)
    return np.asarray(np.where(n < len(_TABLE), _TABLE[np.minimum(n, len(_TABLE) - 1).astype(int)], series))


def _times_log(k: Floats, p: Any) -> Floats:
    """Return k ln p, 0 where k is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(k == 0, 0.0, k * np.log(p)))
