"""How recognisable records are by the columns published unchanged: uniques and small classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from splu_desktop.core.progress import Progress, Silent
from splu_desktop.core.table import Table

_ROOM = 2**62  # combined keys stay below this, so that int64 holds them


def class_sizes(table: Table, names: Sequence[str], progress: Progress | None = None) -> NDArray[np.int64]:
    """Return (C,) sizes, in records, of the classes of records that agree on all of `names`.

    They add up to N; with no name all records are one class. A record is unique where its class has size 1; a class
    below k breaks k-anonymity. Raises UnknownColumn; Cancelled.
    """
    progress = progress or Silent()
    if table.n == 0:
        return np.zeros(0, np.int64)
    keys = np.zeros(table.n, np.int64)
    span = 1
    for done, name in enumerate(names):
        progress.report("Looking for recognisable records", done / len(names))
        column = table[name]
        width = max(1, column.m)
        if span * width > _ROOM:
            # Renumber the classes found so far: there are at most N of them.
            found, keys = np.unique(keys, return_inverse=True)
            keys = keys.astype(np.int64, copy=False)
            span = len(found)
        keys *= width
        keys += column.codes
        span *= width
    progress.report("Looking for recognisable records", 1.0)
    keys.sort()
    edges = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1], [True])))
    return np.diff(edges)


def records_below(sizes: NDArray[np.int64], k: int) -> int:
    """Return how many records stand in classes smaller than k; k = 2 counts the unique ones."""
    return int(sizes[sizes < k].sum())
