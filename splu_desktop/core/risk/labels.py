"""Columns with few labels, for tables of every value against every value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.table import Column


def few_labels(column: Column, most: int, *, runs: bool = True) -> NDArray[np.int64]:
    """Return (N,) codes of at most so many values: the commonest and all others as one; runs of ordered ones."""
    counts = column.counts()
    if column.m <= most:
        return column.codes.astype(np.int64)
    if runs and column.kind.has_order:
        # Runs of as many rows each: bands of equal width would leave most rows in one.
        to = (np.cumsum(counts) - counts) * (most - 1) // max(column.n, 1)
        # No value is a hint of its own, not the neighbour of the largest.
        to[column.missing] = most - 1
    else:
        to = np.full(column.m, most - 1)
        to[np.argsort(-counts, kind="stable")[: most - 1]] = np.arange(most - 1)
    return np.asarray(np.unique(to, return_inverse=True)[1][column.codes], np.int64)
